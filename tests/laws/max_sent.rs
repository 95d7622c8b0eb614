//! A cap on what a turn sends: never more, nothing lost without a word, and few breaks of a provider's cache.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value as Plain, json};
use toolcrib::engine::Engine;
use toolcrib::options::{Fixed, Options, Threshold, WhenAllLoaded};
use toolcrib::plan::{Plan, SEARCH_TOOL, Turn};
use toolcrib::value::Json;

use crate::world::*;

const DEFERRED: usize = 70;

fn made(residents: usize, most: usize) -> Engine {
    let names = (0..residents).map(|at| format!("r{at}"));
    let names = names.chain((0..DEFERRED).map(|at| format!("d{at}")));
    let tools: Vec<Json> = names
        .map(|name| read(&json!({"type": "function", "function": {"name": name}})))
        .collect();
    let values: Vec<Option<&Json>> = tools.iter().map(Some).collect();
    let options = Options {
        threshold: Threshold::Fixed(Fixed::Always),
        deferred_names: vec!["d*".to_owned()],
        max_sent: Some(most),
        when_all_loaded: Some(WhenAllLoaded::Keep),
        ..Options::default()
    };
    Engine::new(&values, &vec![None; values.len()], options).unwrap()
}

/// A search that found these.
fn found(names: &[usize]) -> [Plain; 2] {
    let found: Vec<Plain> = names
        .iter()
        .map(|at| json!({"name": format!("d{at}")}))
        .collect();
    let call =
        json!({"id": "1", "function": {"name": "tool_search", "arguments": "{\"query\":\"x\"}"}});
    [
        json!({"role": "assistant", "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": "1", "content": json!({"loaded": found}).to_string()}),
    ]
}

fn is_loaded(plan: &Plan, at: usize) -> bool {
    plan.loaded.contains(&format!("d{at}"))
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn a_turn_sends_no_more_than_it_may(
        residents in 0..6_usize,
        room in prop_oneof![1..10_usize, 18..40_usize],
        searches in vec(vec(0..DEFERRED, 0..4), 0..50),
        forced in vec(0..DEFERRED, 0..3),
        carried in vec(0..DEFERRED, 0..12),
    ) {
        let most = residents + 1 + room;
        let made = made(residents, most);
        let name = |at: &usize| format!("d{at}");
        let mut messages: Vec<Plain> = Vec::new();
        let mut before: Option<Plan> = None;
        let mut seen: std::collections::BTreeSet<usize> = Default::default();
        let (mut breaks, mut loads) = (0, 0);
        for names in &searches {
            messages.extend(found(names));
            let plan = turn(&made, &messages, &Turn::default());
            prop_assert!(plan.tools.len() <= most);
            // What was found is sent or left out, and that is said.
            seen.extend(names);
            for at in &seen {
                prop_assert!(is_loaded(&plan, *at) != plan.left_out.contains(&name(at)), "d{at}");
            }
            prop_assert_eq!(plan.left_out.is_empty(), !plan.warnings.iter().any(|warning| warning.code == "max_sent"));
            // What was found last is there, as far as there is room.
            let last: std::collections::BTreeSet<&usize> = names.iter().collect();
            prop_assert_eq!(last.iter().filter(|at| is_loaded(&plan, ***at)).count(), last.len().min(room));
            if let Some(before) = &before {
                loads += plan.loaded.iter().filter(|name| !before.loaded.contains(name)).count();
                breaks += usize::from(!plan.tools.starts_with(&before.tools));
            }
            // What a turn says is loaded may be carried along with the messages that say it too.
            let again = turn(&made, &messages, &Turn { loaded: plan.loaded.clone(), ..Turn::default() });
            prop_assert_eq!(&again.tools, &plan.tools);
            before = Some(plan);
        }
        // A break makes room for a fifth of what may be loaded, but for results that name more than that leaves.
        let fifth = room - (room * 4 / 5);
        if fifth > 3 {
            prop_assert!(breaks <= 1 + loads / fifth, "{breaks} breaks in {loads} loads");
        }
        let given = Turn {
            forced: forced.iter().map(name).collect(),
            loaded: carried.iter().map(name).collect(),
            ..Turn::default()
        };
        let plan = turn(&made, &messages, &given);
        let different: std::collections::BTreeSet<&usize> = forced.iter().collect();
        prop_assert!(plan.tools.len() <= most.max(residents + 1 + different.len()));
        prop_assert!(forced.iter().all(|at| is_loaded(&plan, *at)), "what is forced is sent");
        prop_assert_eq!(plan.tools.get(residents), Some(&SEARCH_TOOL));
    }
}
