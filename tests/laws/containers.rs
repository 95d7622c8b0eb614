//! What a host gives as its tools, in whatever it stands.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Plain, json};
use toolcrib::engine::{Engine, detect, detect_messages};
use toolcrib::identity::identity;
use toolcrib::options::Options;
use toolcrib::plan::{CACHE_POINT, CALL_TOOL, FIRST_STUB, SEARCH_TOOL, Turn};
use toolcrib::tool::{self, Origin, Read};
use toolcrib::value::Json;

use crate::wires::Wire;
use crate::world::*;

/// Any JSON of the keys that containers and definitions of all shapes have.
fn any_container() -> impl Strategy<Value = Plain> {
    const KEYS: [&str; 24] = [
        "tools",
        "functionDeclarations",
        "toolConfig",
        "toolSpec",
        "cachePoint",
        "result",
        "name",
        "type",
        "description",
        "function",
        "parameters",
        "parametersJsonSchema",
        "inputSchema",
        "input_schema",
        "json",
        "googleSearch",
        "execute",
        "providerOptions",
        "anthropic",
        "cache_control",
        "cacheControl",
        "deferLoading",
        "nextCursor",
        "alpha",
    ];
    const TEXTS: [&str; 10] = [
        "namespace",
        "function",
        "custom",
        "provider",
        "alpha",
        "beta",
        "tool_search",
        "call_tool",
        "a.b",
        "",
    ];
    let leaf = prop_oneof![
        3 => select(&TEXTS[..]).prop_map(|text| json!(text)),
        1 => Just(json!({})),
        1 => Just(json!([])),
        1 => Just(Plain::Null),
        1 => any::<bool>().prop_map(|flag| json!(flag)),
        1 => Just(json!(7.5)),
    ];
    leaf.prop_recursive(6, 60, 5, |inner| {
        prop_oneof![
            2 => vec(inner.clone(), 0..5).prop_map(Plain::Array),
            3 => vec((select(&KEYS[..]), inner), 0..6).prop_map(|entries| {
                Plain::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn no_container_reaches_a_panic(
        given in any_container(),
        messages in any_container(),
        wire in select(Wire::all()),
        real in any::<bool>(),
    ) {
        let mut given = given;
        if let (true, Plain::Array(all)) = (real, &mut given) {
            for tool in Host::of(&crib()).tools {
                all.push(message(&tool));
            }
        }
        let (given, messages) = (read(&given), read(&messages));
        let stood = tool::flatten(&Some(&given));
        let reads: Vec<Read> = stood.iter().map(|(leaf, origin)| tool::read_from(leaf, origin)).collect();
        let texts = vec![None; reads.len()];
        let found = identity(&stood, &texts);
        prop_assert_eq!(found.digests.len(), reads.len());
        let _ = (detect(&reads), detect_messages(&Some(&messages)));
        let Ok(made) = Engine::unindexed(reads.clone(), &texts, wire.options()) else { return Ok(()) };
        let report = made.report();
        prop_assert_eq!(report.tools.len(), reads.len(), "one for each definition");
        let _ = made.index(&texts);
        let special = [SEARCH_TOOL, CALL_TOOL, CACHE_POINT, FIRST_STUB];
        for slot in (0..=reads.len() as i32).chain(special) {
            for form in 0..16 {
                let _ = made.definition(slot, form, None);
                let _ = made.definition(slot, form, Some(0));
            }
            let _ = made.definition_in_result(slot.max(0) as u32, true);
        }
        let plan = made.turn(&Some(&messages), &Turn::default());
        let in_range = |slot: &&i32| usize::try_from(**slot).is_ok_and(|at| at >= reads.len());
        prop_assert_eq!(plan.tools.iter().find(in_range), None);
        prop_assert!(plan.forms.is_empty() || plan.forms.len() == plan.tools.len());
        prop_assert!(plan.breakpoints.iter().all(|(at, _)| (*at as usize) < plan.tools.len()));
    }

    #[test]
    fn the_same_tools_stand_in_every_container(tools in catalogue(mixed(), 6), namespace in "[a-z]{1,6}") {
        let definitions: Vec<Plain> = Host::of(&tools).tools.iter().map(message).collect();
        let names = |given: &Plain| -> Vec<Option<String>> {
            let given = read(given);
            let stood = tool::flatten(&Some(&given));
            let reads = stood.iter().map(|(leaf, origin)| tool::read_from(leaf, origin));
            reads.map(|read| read.name().map(str::to_owned)).collect()
        };
        let own: Vec<Option<String>> = tools.iter().map(|tool| Some(tool.name.clone())).collect();
        prop_assert_eq!(&names(&json!(definitions)), &own);
        prop_assert_eq!(&names(&json!({"tools": definitions})), &own);
        prop_assert_eq!(&names(&json!({"tools": definitions, "nextCursor": "x"})), &own);
        prop_assert_eq!(&names(&json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": definitions}})), &own);
        prop_assert_eq!(&names(&json!({"toolConfig": {"tools": definitions}})), &own);
        prop_assert_eq!(&names(&json!([{"functionDeclarations": definitions}])), &own);
        prop_assert_eq!(&names(&json!({"functionDeclarations": definitions})), &own);
        let qualified: Vec<Option<String>> = tools.iter().map(|tool| Some(format!("{namespace}__{}", tool.name))).collect();
        let within = json!({"type": "namespace", "name": namespace, "description": "x", "tools": definitions});
        prop_assert_eq!(&names(&json!([within])), &qualified);
        prop_assert_eq!(&names(&within), &qualified);
    }
}

/// Deep and wide ones end, and what is no container is one tool.
#[test]
fn a_container_of_any_size_ends() {
    let wide = Json::Array(vec![Json::Null; 1 << 17]);
    let count = |given: &Json| tool::flatten(&Some(given)).len();
    assert_eq!(count(&wide), 1 << 17);
    let mut deep = Json::Array(Vec::new());
    for key in ["tools", "functionDeclarations", "toolConfig", "result"].repeat(100) {
        deep = Json::Object(vec![(key.to_owned(), deep)]);
        deep = Json::Array(vec![deep]);
    }
    assert!(count(&deep) <= 1);
    let origin = Origin::default();
    assert!(matches!(
        tool::read_from(&Some(&deep), &origin),
        Read::Broken { .. }
    ));
    let options = Options::default();
    assert!(
        Engine::unindexed(
            vec![tool::read_from(&Some(&wide), &origin)],
            &[None],
            options
        )
        .is_ok()
    );
}
