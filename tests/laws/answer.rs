//! Answer: it loads what it says, in few bytes, cut or whole.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Plain, json};
use toolcrib::engine::Engine;
use toolcrib::options::{Calls, Limit, Options, UnloadedCall};
use toolcrib::plan::Turn;
use toolcrib::report::{Ranked, Reply};
use toolcrib::value::{Json, Value};

use crate::world::*;

/// A catalogue that an answer has trouble to hold: long names, long texts, many of them.
fn crowded() -> impl Strategy<Value = Vec<Tool>> {
    let text = prop_oneof![
        2 => sentence(1, 60),
        1 => any_text(),
        1 => "[\"\\\\\n\t]{0,300}",
        1 => "[日本語🙂é]{0,300}",
        1 => Just("\u{1}\u{202E}".repeat(100)),
    ];
    vec((1..64_usize, text, mixed()), 1..60).prop_map(|tools| {
        tools
            .into_iter()
            .enumerate()
            .map(|(number, (length, text, mark))| {
                let mut name = format!("tool_{number:02}_");
                while name.len() < length {
                    name.push_str("name_");
                }
                name.truncate(length.max(7));
                Tool {
                    mark,
                    ..Tool::plain(&name, &text)
                }
            })
            .collect()
    })
}

/// The first thing that is wrong with a reply, whatever it answers.
fn check_reply(made: &Engine, reply: &Reply) -> Result<(), TestCaseError> {
    let text = content(reply);
    prop_assert!(text.len() < 2000, "{} bytes: {}", text.len(), text);
    let read: Plain = serde_json::from_str(&text).expect("a result is JSON");
    // What strangers wrote is in one line, and names stand before what they wrote.
    let ordered = Json::parse(&text).unwrap();
    let keys = Some(&ordered).keys(9);
    prop_assert_eq!(&keys[0], if reply.failed { "error" } else { "loaded" });
    let items = Some(&ordered).get("loaded");
    prop_assert!((0..items.len()).all(|index| items.at(index).keys(9)[0] == "name"));
    let mut said = vec![&read["note"], &read["error"]];
    said.extend(
        read["loaded"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|item| &item["description"]),
    );
    let turns_text =
        |c: char| c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2028}' | '\u{200B}');
    for text in said.into_iter().filter_map(Plain::as_str) {
        prop_assert!(!text.contains(turns_text), "{:?}", text);
    }
    prop_assert_eq!(reply.failed, reply.error.is_some());
    if reply.failed {
        prop_assert!(read["error"].is_string() && read.get("loaded").is_none());
        prop_assert!(reply.loaded.is_empty() && reply.hits.is_empty());
    } else {
        let names: Vec<&str> = read["loaded"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| own(made, item["name"].as_str().unwrap()))
            .collect();
        let hits: Vec<&str> = reply.hits.iter().map(|hit| hit.name.as_str()).collect();
        prop_assert_eq!(&names, &hits);
        let fresh: Vec<&str> = names
            .into_iter()
            .filter(|name| !reply.already_loaded.iter().any(|known| known == name))
            .collect();
        prop_assert_eq!(
            fresh,
            reply.loaded.iter().map(String::as_str).collect::<Vec<_>>()
        );
        prop_assert_eq!(read["more"].as_u64(), Some(reply.more as u64));
        prop_assert!(read["note"].as_str().is_some_and(|note| !note.is_empty()));
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn an_answer_loads_what_it_says(
        blocks in transcript(3),
        options in readings(),
        asked in vec((arguments(), proptest::option::weighted(0.8, select(&["1", "2", "3"][..])), select(&SEARCH_NAMES[..3])), 1..4),
        others in vec((0..4_usize, select(&["home", "fetch_page"][..]), proptest::option::weighted(0.7, select(&["4", "5"][..])), any_content()), 0..3),
        exclude in prop_oneof![2 => Just(Vec::new()), 1 => names_or_globs()],
        ranked in proptest::option::weighted(0.2, vec(select(&DEFERRED[..]), 0..5)),
        results_in_order in any::<bool>(),
    ) {
        let made = engine(&crib(), Options { calls: Calls::Ignore, unloaded_call: UnloadedCall::Run, ..options });
        let mut messages = blocks.concat();
        let host = Turn { exclude, ..Turn::default() };
        let before = turn(&made, &messages, &host);

        let mut calls: Vec<Plain> = Vec::new();
        for (arguments, id, name) in &asked {
            let mut call = json!({"type": "function", "function": {"name": name, "arguments": arguments}});
            if let Some(id) = id {
                call["id"] = json!(id);
            }
            calls.push(call);
        }
        let mut said = Vec::new();
        for (at, name, id, content) in &others {
            let call = Call { id: id.map(str::to_owned), name: (*name).to_owned(), custom: false };
            calls.insert((*at).min(calls.len()), call.json());
            said.push(result(*id, id.is_none().then_some(*name), false, content.clone()));
        }
        let assistant = json!({"role": "assistant", "tool_calls": calls});
        let names: Option<Vec<Option<Ranked>>> = ranked
            .map(|names| asked.iter().map(|_| Some(Ranked::Names(names.iter().map(|name| (*name).to_owned()).collect()))).collect());
        let replies = made.answer(&Some(&read(&assistant)), &Some(&read(&json!(messages))), &host, names.as_deref());
        prop_assert_eq!(replies.len(), asked.len(), "every search call is answered");
        let with_answered = made.answer(&Some(&read(&json!(calls))), &Some(&read(&json!(messages))), &host, names.as_deref());
        prop_assert_eq!(&replies, &with_answered, "the calls alone are answered like the message");

        let mut expected = before.loaded.clone();
        for (reply, (_, id, _)) in replies.iter().zip(&asked) {
            check_reply(&made, reply)?;
            prop_assert_eq!(reply.id.as_deref(), *id);
            prop_assert!(reply.loaded.iter().all(|name| !before.loaded.contains(name)));
            prop_assert!(reply.already_loaded.iter().all(|name| before.loaded.contains(name)));
            for name in &reply.loaded {
                if !expected.contains(name) {
                    expected.push(name.clone());
                }
            }
            // How many are left goes on from answer to answer; all else stands alone.
            let out = |name: &str| host.exclude.iter().any(|pattern| fits(pattern.as_bytes(), name.as_bytes()));
            let left = DEFERRED.iter().filter(|name| !out(name)).count() - expected.len();
            prop_assert_eq!(reply.more, if reply.failed { 0 } else { left });
        }
        let mut results: Vec<Plain> = replies.iter().map(|reply| message(&reply.part)).collect();
        if results_in_order {
            results.extend(said);
        } else {
            results = said.into_iter().chain(results).collect();
        }
        messages.push(assistant);
        messages.extend(results);
        prop_assert_eq!(turn(&made, &messages, &host).loaded, expected);
    }

    #[test]
    fn parts_stand_in_the_order_of_their_calls(
        ids in vec(select(&["1", "2", "3", "4", "5"][..]), 0..6),
        parts in vec(proptest::option::weighted(0.9, select(&["1", "2", "3", "4", "5", "6"][..])), 0..8),
    ) {
        let made = engine(&crib(), always());
        let calls: Vec<Plain> = ids.iter().map(|id| json!({"id": id, "function": {"name": "home", "arguments": "{}"}})).collect();
        let read_parts: Vec<Json> = parts.iter().map(|id| read(&result(*id, None, false, json!("")))).collect();
        let views: Vec<Option<&Json>> = read_parts.iter().map(Some).collect();
        let order = made.order(&Some(&read(&json!({"role": "assistant", "tool_calls": calls}))), &views);
        let place = |part: usize| parts[part].and_then(|id| ids.iter().position(|known| *known == id)).unwrap_or(ids.len());
        let mut sorted = order.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..parts.len()).collect::<Vec<_>>());
        for pair in order.windows(2) {
            prop_assert!((place(pair[0]), pair[0]) < (place(pair[1]), pair[1]));
        }
    }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn a_result_that_was_cut_loads_what_it_shows(
        tools in catalogue(deferred(), 10),
        query in prop_oneof![sentence(1, 3), Just("select:a".to_owned())],
        suffix in select(&["", "…", "\n[Output truncated]", "\u{FFFD}", "... (1,204 characters \"omitted\")", "\"}]}", "</result>"][..]),
    ) {
        let names = tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(" ");
        let made = engine(&tools, always());
        let arguments = json!({"query": format!("{query} {names}"), "limit": 20}).to_string();
        let call = json!({"id": "1", "function": {"name": "tool_search", "arguments": arguments}});
        let replies = answer(&made, &call, &[], &Turn::default());
        check_reply(&made, &replies[0])?;
        let text = content(&replies[0]);
        let names_in = |text: &str| -> Option<Vec<String>> {
            let names = crate::world::names(text)?;
            Some(names.iter().map(|name| own(&made, name).to_owned()).collect())
        };
        let whole = names_in(&text);
        prop_assert_eq!(whole.as_ref(), Some(&replies[0].loaded));
        let whole = whole.unwrap();
        let mut known = 0;
        for (end, _) in text.char_indices() {
            let shown = names_in(&format!("{}{suffix}", &text[..end])).unwrap_or_default();
            // A suffix that closes the string may end a name before its end; no tool has that name.
            let real: Vec<&String> = shown.iter().filter(|name| tools.iter().any(|tool| tool.name == **name)).collect();
            let prefix = suffix.contains('"') || whole.starts_with(&shown);
            prop_assert!(prefix, "{:?} of {:?}", shown, whole);
            if !suffix.contains('"') {
                prop_assert!(real.len() >= known, "a longer text loads no less");
                known = real.len();
            }
        }
        prop_assert!(suffix.contains('"') || known == whole.len());
    }

    #[test]
    fn a_result_stays_small(
        tools in crowded(),
        queries in vec(prop_oneof![
            sentence(1, 3),
            Just("tool name".to_owned()),
            Just("NAMES".to_owned()),
            Just("select:NAMES".to_owned()),
        ], 1..6),
        limit in 0..40,
        most in select(&[1.0, 5.0, 20.0, 100.0][..]),
        share in 0.0..1.0,
        failure in proptest::option::weighted(0.1, "[a-z\n\\PC]{0,3000}"),
    ) {
        let made = engine(&tools, Options { limit: Limit { default: 5.0, max: most }, ..always() });
        let names = tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(" ");
        let queries: Vec<String> = queries.iter().map(|query| query.replace("NAMES", &names)).collect();
        let loaded: Vec<String> = tools.iter().take((share * tools.len() as f64) as usize).map(|tool| tool.name.clone()).collect();
        let call = json!({"id": "1", "function": {"name": "tool_search", "arguments": {"query": queries, "limit": limit}}});
        let replies = answer(&made, &call, &[], &carried(&loaded));
        check_reply(&made, &replies[0])?;
        let known: Vec<&String> = loaded.iter().filter(|name| tools.iter().any(|tool| tool.name == **name && tool.mark == Some(true))).collect();
        prop_assert!(replies[0].loaded.len() <= most as usize);
        prop_assert!(replies[0].loaded.iter().all(|name| !known.contains(&name)));
        if let Some(error) = failure {
            let failed = made.answer(&Some(&read(&call)), &Some(&Json::Null), &Turn::default(), Some(&[Some(Ranked::Failed(error))]));
            check_reply(&made, &failed[0])?;
            prop_assert!(failed[0].failed);
        }
    }
}
