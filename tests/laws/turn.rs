//! Turn: what is sent, in which order, what it costs, and what a call leads to.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value as Plain, json};
use toolcrib::cost;
use toolcrib::deferral::Reason;
use toolcrib::options::{Fixed, Handoff, Limits, Options, Threshold, UnloadedCall, WhenAllLoaded};
use toolcrib::plan::{Plan, SEARCH_TOOL, Turn};
use toolcrib::report::Resolved;

use crate::world::*;

fn thresholds() -> impl Strategy<Value = Threshold> {
    let limit = |least: f64, most: f64| proptest::option::of(least..most);
    prop_oneof![
        4 => Just(Threshold::Fixed(Fixed::Always)),
        1 => Just(Threshold::Fixed(Fixed::Never)),
        2 => (limit(0.0, 0.01), limit(0.0, 400.0), limit(0.0, 12.0))
            .prop_map(|(share, tokens, tools)| Threshold::Limits(Limits { share, tokens, tools })),
    ]
}

/// A turn's tools by name.
fn sent(plan: &Plan, tools: &[Tool]) -> Vec<String> {
    let name = |at: &i32| {
        if *at == SEARCH_TOOL {
            "tool_search".to_owned()
        } else {
            tools[*at as usize].name.clone()
        }
    };
    plan.tools.iter().map(name).collect()
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn a_turn_sends_residents_the_search_tool_and_what_is_loaded(
        blocks in transcript(4),
        options in readings(),
        threshold in thresholds(),
        loaded in names_or_globs(),
        forced in names_or_globs(),
        exclude in prop_oneof![2 => Just(Vec::new()), 1 => names_or_globs()],
    ) {
        let tools = crib();
        let keeps = options.when_all_loaded == Some(WhenAllLoaded::Keep);
        let made = engine(&tools, Options { threshold, ..options });
        let report = made.report();
        let plan = turn(&made, &blocks.concat(), &Turn { loaded, forced: forced.clone(), exclude: exclude.clone(), ..Turn::default() });
        let names = sent(&plan, &tools);
        let different: BTreeSet<&String> = names.iter().collect();
        prop_assert_eq!(different.len(), names.len(), "names are unique: {:?}", names);

        let out = |tool: &Tool| exclude.iter().any(|pattern| fits(pattern.as_bytes(), tool.name.as_bytes()));
        let here: Vec<&Tool> = tools.iter().filter(|tool| !out(tool)).collect();
        let deferred: Vec<&Tool> = here.iter().copied().filter(|tool| tool.mark == Some(true)).collect();
        for name in forced.iter().filter(|name| deferred.iter().any(|tool| tool.name == **name)) {
            prop_assert!(plan.loaded.contains(name), "{} is forced", name);
        }
        prop_assert!(plan.loaded.iter().all(|name| deferred.iter().any(|tool| tool.name == *name)));
        let all_loaded = plan.loaded.len() == deferred.len();
        let mut expected: Vec<String> = Vec::new();
        for tool in &here {
            if !plan.deferral.applied || tool.mark != Some(true) {
                expected.push(tool.name.clone());
            }
        }
        // The search tool too can be forced.
        let keeps = keeps || forced.iter().any(|name| name == "tool_search");
        let searches = plan.deferral.applied && (!all_loaded || keeps);
        if searches {
            expected.push("tool_search".to_owned());
        }
        if plan.deferral.applied {
            expected.extend(plan.loaded.iter().cloned());
        }
        prop_assert_eq!(&names, &expected);
        prop_assert_eq!(plan.note.as_deref(), searches.then_some(made.note()));

        // Tokens: each tool's own, and those of the search tool with its note.
        let cost_of = |name: &String| {
            let at = tools.iter().position(|tool| tool.name == *name);
            at.map_or(cost::of_json(&report.search_tool) + cost::estimate(&report.note), |at| report.tools[at].tokens)
        };
        let extra = if searches { cost_of(&"tool_search".to_owned()) } else { 0 };
        prop_assert_eq!(plan.tokens.sent, names.iter().map(cost_of).sum::<u32>());
        prop_assert_eq!(plan.tokens.all, here.iter().map(|tool| cost_of(&tool.name)).sum::<u32>());
        prop_assert_eq!(plan.tokens.sent + plan.tokens.withheld, plan.tokens.all + extra);
    }

    #[test]
    fn a_call_is_of_a_loaded_tool_when_the_turn_sends_it(
        blocks in transcript(3),
        options in readings(),
        threshold in thresholds(),
        forced in names_or_globs(),
        exclude in names_or_globs(),
        arguments in prop_oneof![
            Just(json!("{\"a\": 1}")), Just(json!({"a": 1})), Just(Plain::Null), Just(json!("")), Just(json!("{\"a\"")), Just(json!("[1]")),
        ],
    ) {
        let tools = crib();
        let refuses = options.unloaded_call == UnloadedCall::Refuse;
        let made = engine(&tools, Options { threshold, ..options });
        let messages = read(&json!(blocks.concat()));
        let host = Turn { forced, exclude, ..Turn::default() };
        let plan = made.turn(&Some(&messages), &host);
        prop_assert_eq!(&made.turn(&Some(&messages), &host), &plan, "nothing is remembered");
        let sent = sent(&plan, &tools);
        for (at, tool) in tools.iter().enumerate() {
            let call = read(&json!({"id": "7", "function": {"name": tool.name, "arguments": arguments}}));
            let is_sent = sent.contains(&tool.name);
            let fails = matches!(arguments.as_str(), Some("{\"a\"" | "[1]"));
            let is_excluded = host.exclude.iter().any(|pattern| fits(pattern.as_bytes(), tool.name.as_bytes()));
            let code = match made.resolve(&Some(&call), &Some(&messages), &host) {
                Resolved::Tool(target) => {
                    prop_assert_eq!((target.index as usize, &target.name), (at, &tool.name));
                    prop_assert_eq!((target.deferred, target.loaded), (tool.mark == Some(true), is_sent));
                    let expected = if arguments == json!("") || arguments.is_null() { json!({}) } else { json!({"a": 1}) };
                    prop_assert_eq!(serde_json::from_str::<Plain>(&target.args).unwrap(), expected);
                    "runs"
                }
                Resolved::Refused(refusal) => {
                    let part = message(&refusal.part);
                    prop_assert_eq!(&part["tool_call_id"], &json!("7"));
                    let says: Plain = serde_json::from_str(part["content"].as_str().unwrap()).unwrap();
                    prop_assert_eq!(&says, &json!({"error": refusal.error}));
                    refusal.code
                }
            };
            let expected = match (is_excluded, is_sent, fails) {
                (true, ..) => "unknown_tool",
                (_, false, _) if refuses => "not_loaded",
                (_, _, true) => "invalid_arguments",
                _ => "runs",
            };
            prop_assert_eq!(code, expected, "{}", tool.name);
        }
    }

    #[test]
    fn the_array_only_grows_at_its_end(blocks in transcript(6), options in readings(), exclude in names_or_globs()) {
        let tools = crib();
        let made = engine(&tools, Options { handoff: Handoff::Keep, ..options });
        let messages = blocks.concat();
        let mut last: Option<Plan> = None;
        for end in 0..=messages.len() {
            let plan = turn(&made, &messages[..end], &Turn { exclude: exclude.clone(), ..Turn::default() });
            if let Some(last) = last {
                let withdrawn = last.note.is_some() && plan.note.is_none();
                prop_assert!(withdrawn || plan.tools.starts_with(&last.tools), "{:?} {:?}", last.tools, plan.tools);
                prop_assert!(plan.loaded.starts_with(&last.loaded));
            }
            last = Some(plan);
        }
    }

    #[test]
    fn deferral_stays_once_it_began(blocks in transcript(4), options in readings(), threshold in thresholds()) {
        // The catalogue or the model may change in mid-run: a transcript with a search defers still.
        let made = engine(&crib(), Options { threshold, ..options });
        let messages = blocks.concat();
        let plan = turn(&made, &messages, &Turn::default());
        let calls = messages.iter().filter(|message| message["role"] == "assistant").flat_map(|message| {
            message["tool_calls"].as_array().cloned().unwrap_or_default()
        });
        let began = calls
            .flat_map(|call| [call["function"]["name"].clone(), call["custom"]["name"].clone()])
            .any(|name| SEARCH_NAMES[..3].iter().any(|ours| name == *ours));
        let never = plan.deferral.reason == Reason::Never;
        prop_assert!(never || !began || plan.deferral.applied);
        prop_assert_eq!(plan.deferral.reason == Reason::Begun, began && plan.deferral.applied && {
            let fresh = turn(&made, &[], &Turn::default());
            !fresh.deferral.applied
        });
    }
}
