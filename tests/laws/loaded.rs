//! Loaded: a fold over the messages, to which only the search tool can add.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value as Plain, json};
use toolcrib::plan::Turn;

use crate::world::*;

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn splitting_a_transcript_at_a_turn_changes_nothing(blocks in transcript(5), options in readings()) {
        let made = engine(&crib(), options);
        let whole = turn(&made, &blocks.concat(), &Turn::default()).loaded;
        for split in 0..=blocks.len() {
            let before = turn(&made, &blocks[..split].concat(), &Turn::default()).loaded;
            let after = turn(&made, &blocks[split..].concat(), &carried(&before)).loaded;
            prop_assert_eq!(&after, &whole, "split before block {}", split);
        }
    }

    #[test]
    fn what_is_unknown_changes_nothing(
        blocks in transcript(4),
        options in readings(),
        strangers in vec((any::<Index>(), noise()), 1..5),
        odd in any_json(),
    ) {
        let made = engine(&crib(), options);
        let messages = blocks.concat();
        let mut grown = messages.clone();
        for (at, stranger) in &strangers {
            grown.insert(at.index(grown.len() + 1), stranger.clone());
        }
        // Fields and parts that nobody knows.
        for message in &mut grown {
            if let Some(message) = message.as_object_mut() {
                message.insert("providerOptions".to_owned(), odd.clone());
                if let Some(Plain::Array(calls)) = message.get_mut("tool_calls").filter(|_| odd.is_array()) {
                    calls.push(json!({"id": "1", "type": "unheard_of", "payload": odd}));
                }
                if let Some(Plain::Array(parts)) = message.get_mut("content") {
                    parts.push(json!({"type": "unheard_of", "data": odd}));
                }
            }
        }
        let [one, other] = [&messages, &grown].map(|messages| {
            let mut plan = turn(&made, messages, &Turn::default());
            // That something was passed over is all that is said.
            plan.warnings.retain(|warning| warning.code != "unknown_messages");
            plan.events.retain(|event| event.code != Some("unknown_messages"));
            plan
        });
        prop_assert_eq!(one, other);
        let results = |messages: &[Plain]| {
            let results = made.search_results(&Some(&read(&json!(messages))));
            results.into_iter().map(|result| (result.call_id, result.names)).collect::<Vec<_>>()
        };
        prop_assert_eq!(results(&messages), results(&grown));
    }

    #[test]
    fn text_that_anyone_else_wrote_loads_nothing(
        blocks in transcript(4),
        spoof in any_content(),
        ids in vec(proptest::option::of(select(&["1", "2", "x"][..])), 2),
        with_name in any::<bool>(),
        real_first in any::<bool>(),
    ) {
        let made = engine(&crib(), crib_options());
        let messages = blocks.concat();
        let before = turn(&made, &messages, &Turn::default()).loaded;
        let also = |more: &[Plain]| turn(&made, &[messages.clone(), more.to_vec()].concat(), &Turn::default()).loaded;
        let as_text = match &spoof {
            Plain::String(text) => text.clone(),
            other => other.to_string(),
        };
        for role in ["user", "system", "developer", "assistant", "narrator"] {
            prop_assert_eq!(&also(&[json!({"role": role, "content": as_text})]), &before);
        }
        let call = |id: Option<&str>, name: &str| Call { id: id.map(str::to_owned), name: name.to_owned(), custom: false };
        // A result of another tool, and one that no call asked for.
        let other = call(ids[0], "home");
        let assistant = json!({"role": "assistant", "tool_calls": [other.json()]});
        let said = result(ids[0], with_name.then_some("home"), false, spoof.clone());
        prop_assert_eq!(&also(&[assistant, said.clone()]), &before);
        prop_assert_eq!(&also(&[json!({"role": "assistant", "content": "so"}), said.clone()]), &before);
        // A search beside it: with two ids, or with names where there are none, nobody takes it for the other.
        let pair_is_clear = ids[0] != ids[1] || (ids[0].is_none() && with_name);
        if pair_is_clear {
            let search = call(ids[1], "tool_search");
            let found = result(ids[1], with_name.then_some("tool_search"), false, json!(result_text(&["beta"], "loaded")));
            for calls in [[search.json(), other.json()], [other.json(), search.json()]] {
                let assistant = json!({"role": "assistant", "tool_calls": calls});
                prop_assert_eq!(&also(&[assistant.clone(), said.clone()]), &before);
                let results = if real_first { [found.clone(), said.clone()] } else { [said.clone(), found.clone()] };
                let after = also(&[vec![assistant], results.to_vec()].concat());
                let mut expected = before.clone();
                if !expected.iter().any(|name| name == "beta") {
                    expected.push("beta".to_owned());
                }
                prop_assert_eq!(after, expected);
            }
        }
    }

    #[test]
    fn a_search_is_pending_until_it_is_answered(blocks in transcript(3), options in readings(), cut in any::<Index>()) {
        let made = engine(&crib(), options);
        let mut messages = blocks.concat();
        messages.truncate(cut.index(messages.len() + 1));
        let pending = made.pending(&Some(&read(&json!(messages))));
        if pending.is_empty() {
            return Ok(());
        }
        let assistant = messages.iter().rposition(|message| message["role"] == "assistant").unwrap();
        prop_assert!(pending.iter().all(|place| place.message == assistant));
        let waiting: Vec<usize> = pending.iter().map(|place| place.part.unwrap()).collect();
        // Answering what is pending leaves nothing pending and loads what the answers say.
        let mut expected = turn(&made, &messages, &Turn::default()).loaded;
        let calls = messages[assistant]["tool_calls"].as_array().unwrap();
        // Where one turn uses an id twice, only the order of all results tells them apart.
        let twice = |call: &Plain| calls.iter().filter(|other| other["id"] == call["id"] && !call["id"].is_null()).count() > 1;
        prop_assume!(!waiting.iter().any(|at| twice(&calls[*at])));
        let asked: Plain = waiting.iter().map(|at| calls[*at].clone()).collect();
        let replies = answer(&made, &asked, &messages, &Turn::default());
        prop_assert_eq!(replies.len(), waiting.len());
        messages.extend(replies.iter().map(|reply| message(&reply.part)));
        prop_assert_eq!(made.pending(&Some(&read(&json!(messages)))), []);
        for name in replies.into_iter().flat_map(|reply| reply.loaded) {
            if !expected.contains(&name) {
                expected.push(name);
            }
        }
        prop_assert_eq!(turn(&made, &messages, &Turn::default()).loaded, expected);
    }
}

proptest! {
    #![proptest_config(config(1000))]

    /// What the events of every request tell, one after the other, is what is loaded on the last. Red when the fold looks
    /// at the last assistant turn too.
    #[test]
    fn the_events_of_all_requests_add_up_to_what_is_loaded(blocks in transcript(5), options in readings(), carries in any::<bool>()) {
        let made = engine(&crib(), options);
        let messages = blocks.concat();
        let given = if carries { carried(&["beta".to_owned()]) } else { Turn::default() };
        let mut loaded: Vec<String> = Vec::new();
        let mut decided = None;
        for end in 0..=messages.len() {
            // A request is made where the assistant speaks next. Ids that repeat pair with later results.
            if messages.get(end).is_some_and(|next| next["role"] != "assistant") {
                continue;
            }
            let plan = turn(&made, &messages[..end], &given);
            for event in &plan.events {
                let names = event.names.clone().unwrap_or_default();
                match event.kind {
                    "loaded" => loaded.extend(names),
                    "unloaded" => loaded.retain(|name| !names.contains(name)),
                    "deferral" => decided = event.reason,
                    _ => {}
                }
            }
            prop_assert_eq!(decided, Some(plan.deferral.reason));
            let mut sorted = [loaded.clone(), plan.loaded];
            sorted.iter_mut().for_each(|names| names.sort());
            prop_assert_eq!(&sorted[0], &sorted[1], "up to message {}", end);
        }
    }
}
