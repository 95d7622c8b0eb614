//! Bad input: any JSON as anything.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Plain, json};
use toolcrib::engine::rank_tools;
use toolcrib::identity::identity;
use toolcrib::options::{Lifetime, Limit, Limits, Options, Threshold};
use toolcrib::plan::Turn;
use toolcrib::report::{Ranked, Resolved};
use toolcrib::tool::{self, Read};
use toolcrib::value::{Json, Value};

use crate::wires::Wire;
use crate::world::*;

fn any_options() -> impl Strategy<Value = Options> {
    let number = || {
        prop_oneof![
            select(
                &[
                    0.0,
                    -1.0,
                    1.0,
                    5.0,
                    0.5,
                    1e9,
                    1e300,
                    f64::INFINITY,
                    f64::NEG_INFINITY,
                    f64::NAN
                ][..]
            ),
            any::<f64>(),
        ]
    };
    let maybe = || {
        proptest::option::of(prop_oneof![
            select(&[0.0, -1.0, 1.0, 1e300, f64::INFINITY, f64::NAN][..]),
            any::<f64>(),
        ])
    };
    let numbers = (
        number(),
        number(),
        maybe(),
        maybe(),
        maybe(),
        (maybe(), maybe(), maybe()),
    );
    let breakpoints = proptest::option::of(select(
        &[Lifetime::Standard, Lifetime::Minutes, Lifetime::Hour][..],
    ));
    let texts = vec(
        prop_oneof![
            any_text(),
            Just("*".to_owned()),
            Just(String::new()),
            Just("alpha".to_owned())
        ],
        5,
    );
    (
        numbers,
        texts,
        readings(),
        any::<bool>(),
        vec(maybe(), 0..5),
        vec(proptest::option::of(any::<bool>()), 0..5),
        (select(Wire::all()), any::<bool>(), breakpoints),
    )
        .prop_map(
            |(
                (default, max, context_window, deferred_above, name_limit, (share, tokens, tools)),
                texts,
                readings,
                flag,
                costs,
                flags,
                (wire, is_named, breakpoint),
            )| Options {
                // Where the tools tell it, it is not named.
                format: is_named.then(|| wire.format.to_owned()),
                delivery: wire.delivery,
                model: wire.model.map(str::to_owned),
                breakpoint,
                limit: Limit { default, max },
                context_window,
                deferred_above,
                name_limit,
                threshold: Threshold::Limits(Limits {
                    share,
                    tokens,
                    tools,
                }),
                search_name: texts[0].clone(),
                former_names: texts[1..2].to_vec(),
                resident: texts[2..3].to_vec(),
                handoffs: texts[3..4].to_vec(),
                deferred_names: vec![texts[4].clone(), "a*".to_owned()],
                refuse_names: flag,
                rank: by_keywords(!flag),
                costs: Some(costs),
                deferred_flags: Some(flags),
                ..readings
            },
        )
}

proptest! {
    #![proptest_config(config(1200))]

    #[test]
    fn no_input_reaches_a_panic(
        tools in vec(any_json(), 0..6),
        schemas in vec(proptest::option::of(any_json()), 0..6),
        options in any_options(),
        messages in prop_oneof![any_json(), vec(any_json(), 0..6).prop_map(Plain::Array), transcript(3).prop_map(|blocks| json!(blocks.concat()))],
        (calls, arguments, limit) in (any_json(), arguments(), any_json()),
        names in vec(prop_oneof![any_text(), select(&DEFERRED[..]).prop_map(str::to_owned)], 3),
        real in any::<bool>(),
    ) {
        let mut host = Host {
            tools: tools.iter().map(read).collect(),
            schemas: schemas.iter().map(|schema| schema.as_ref().map(Plain::to_string)).collect(),
        };
        if real {
            // At the end, so that the schemas fit none.
            host.tools.extend(Host::of(&crib()).tools);
        }
        let views: Vec<Option<&Json>> = host.tools.iter().map(Some).collect();
        let texts: Vec<Option<&str>> = host.schemas.iter().map(Option::as_deref).collect();
        let reads: Vec<Read> = views.iter().map(tool::read).collect();
        let _ = identity(&host.stood(), &texts);
        let _ = rank_tools(&names[0], &views, &texts, Some(2), real);
        let search_name = options.search_name.clone();
        let _ = (Options::read(&Some(&read(&messages))), Turn::read(&Some(&read(&calls))), Ranked::read(&Some(&read(&calls))));
        let Ok(made) = host.engine(options) else { return Ok(()) };
        let _ = made.report();
        let turn = Turn { loaded: names[..1].to_vec(), forced: names[1..2].to_vec(), exclude: names[2..3].to_vec(), unavailable: names[2..].to_vec(), ..Turn::default() };
        let (messages, calls) = (read(&messages), read(&calls));
        let own = read(&json!([{"id": "1", "function": {"name": search_name, "arguments": arguments}}]));
        let _ = made.turn(&Some(&messages), &turn);
        let _ = (made.pending(&Some(&messages)), made.search_results(&Some(&messages)));
        for calls in [&calls, &own, &messages] {
            let ranked = [Some(Ranked::Names(names.clone())), None];
            for ranked in [None, Some(&ranked[..])] {
                for reply in made.answer(&Some(calls), &Some(&messages), &turn, ranked) {
                    // Some formats hold an object where Chat Completions has a text.
                    if let Some(text) = Some(&reply.part).text_at("content") {
                        serde_json::from_str::<Plain>(&text).expect("a result is JSON");
                    }
                    message(&reply.part);
                }
            }
            let _ = (made.calls(&Some(calls)), made.order(&Some(calls), &views));
            if let Resolved::Tool(target) = made.resolve(&Some(calls), &Some(&messages), &turn) {
                // A tool without a schema takes any value; all others take an object.
                let args = Json::parse(&target.args);
                let takes_any = !matches!(reads[target.index as usize], Read::Tool(_));
                prop_assert!(matches!(args, Ok(Json::Object(_))) || takes_any && args.is_ok(), "{}", target.args);
            }
        }
        for query in [Some(&calls), Some(&messages), None] {
            let _ = made.search(&query, &Some(&read(&limit)), true);
        }
    }
}
