//! Search: the order of the catalogue means nothing, names come first, scores explain themselves.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::json;
use toolcrib::engine::{Engine, rank_tools};
use toolcrib::explain::Explanation;
use toolcrib::names::{canonical, is_identifier, short};
use toolcrib::options::Options;
use toolcrib::plan::Turn;
use toolcrib::report::FoundTool;
use toolcrib::value::Json;

use crate::world::*;

/// A text with its ASCII words spelled in another way; the name behind it is the same.
fn other_spellings(name: &str) -> Vec<String> {
    let mut spellings = vec![
        name.to_owned(),
        name.to_uppercase(),
        name.to_lowercase(),
        format!("  {name} "),
    ];
    for separator in ["_", "-", " ", ".", ""] {
        spellings.push(
            name.replace("__", "_")
                .replace(['_', '-', '.', '/'], separator),
        );
    }
    spellings
}

/// Each part of an explanation makes its whole, as its text says.
fn check_tree(tree: &Explanation, documents: usize) -> Result<(), TestCaseError> {
    let sum: f64 = tree
        .parts
        .iter()
        .map(|part| part.value)
        .fold(0.0, |sum, value| sum + value);
    let text = tree.text.as_str();
    prop_assert!(tree.value.is_finite() && tree.value >= 0.0, "{tree:?}");
    if text == "words x name" {
        let [words, name] = tree.parts.as_slice() else {
            panic!("{tree:?}")
        };
        prop_assert_eq!(
            tree.value.to_bits(),
            (words.value * name.value).to_bits(),
            "{:?}",
            tree
        );
        prop_assert_eq!(&words.text, "sum of the words");
    } else if let Some(rest) = text.strip_prefix("the query has ") {
        let (matched, all) = rest
            .strip_suffix(" words of the name")
            .unwrap()
            .split_once(" of the ")
            .unwrap();
        let (matched, all): (f64, f64) = (matched.parse().unwrap(), all.parse().unwrap());
        prop_assert!(matched > 0.0 && matched <= all, "{tree:?}");
        prop_assert!(
            tree.value > 1.0 && tree.value <= 1.0 + matched / all,
            "{tree:?}"
        );
        prop_assert!(tree.parts.is_empty());
    } else if text == "sum of the words" || text.ends_with("is named by the query") {
        prop_assert_eq!(tree.value.to_bits(), sum.to_bits(), "{:?}", tree);
    } else if text.starts_with("word ") || text.starts_with("stem ") {
        // Either a keyword, which is a number, or idf times frequency, an exact form at half.
        if let [idf, frequency] = tree.parts.as_slice() {
            let half = if text.contains("0.5 x ") { 0.5 } else { 1.0 };
            prop_assert_eq!(text.contains("0.5 x "), text.starts_with("word "));
            prop_assert_eq!(
                tree.value.to_bits(),
                (half * idf.value * frequency.value).to_bits(),
                "{:?}",
                tree
            );
            prop_assert!(frequency.value > 0.0 && frequency.value < 2.2, "{tree:?}");
        } else {
            prop_assert!(
                tree.parts.is_empty() && [1.0, 3.0, 4.0].contains(&tree.value),
                "{tree:?}"
            );
        }
    } else if let Some(rest) = text.strip_prefix("idf: ") {
        let (n, rest) = rest.split_once(" of ").unwrap();
        let (all, _) = rest.split_once(' ').unwrap();
        let (n, all): (f64, f64) = (n.parse().unwrap(), all.parse().unwrap());
        prop_assert_eq!(all as usize, documents);
        let idf = libm::log(1.0 + (all - n + 0.5) / (n + 0.5));
        prop_assert_eq!(tree.value.to_bits(), idf.to_bits(), "{:?}", tree);
        prop_assert!(tree.parts.is_empty());
    } else {
        let leaf =
            text.starts_with("frequency over all fields") || text.starts_with("a named tool");
        prop_assert!(
            leaf && tree.parts.is_empty(),
            "an unknown kind of part: {tree:?}"
        );
    }
    for part in &tree.parts {
        check_tree(part, documents)?;
    }
    Ok(())
}

/// What the words of a query count for a hit, whether or not the query also names it.
fn word_value(hit: &FoundTool) -> f64 {
    let tree = hit.explanation.as_ref().unwrap();
    if hit.exact {
        tree.parts[0].value
    } else {
        tree.value
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn permuting_the_catalogue_changes_nothing(
        (tools, shuffled) in catalogue(mixed(), 12)
            .prop_flat_map(|tools| (Just(tools.clone()), Just(tools).prop_shuffle())),
        queries in vec(query(), 1..4),
        keywords in any::<bool>(),
    ) {
        let options = || Options { rank: by_keywords(keywords), ..always() };
        let (one, other) = (engine(&tools, options()), engine(&shuffled, options()));
        for query in queries {
            let names = tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(" ");
            for query in [query, names] {
                prop_assert_eq!(seen(&search(&one, &query, 20)), seen(&search(&other, &query, 20)));
                let call = json!({"id": "1", "function": {"name": "tool_search", "arguments": json!({"query": query}).to_string()}});
                let texts = [&one, &other].map(|engine| content(&answer(engine, &call, &[], &Turn::default())[0]));
                prop_assert_eq!(&texts[0], &texts[1]);
            }
        }
    }

    #[test]
    fn a_smaller_limit_gives_a_prefix(
        tools in catalogue(mixed(), 14),
        query in query(),
        keywords in any::<bool>(),
    ) {
        let made = engine(&tools, Options { rank: by_keywords(keywords), ..always() });
        let all = seen(&search(&made, &query, 20));
        for limit in 1..20 {
            let some = seen(&search(&made, &query, limit));
            prop_assert_eq!(some.len(), all.len().min(limit));
            prop_assert_eq!(&some[..], &all[..some.len()]);
        }
        let host = Host::of(&tools);
        let read: Vec<Option<&Json>> = host.tools.iter().map(Some).collect();
        let schemas: Vec<Option<&str>> = host.schemas.iter().map(Option::as_deref).collect();
        let all = rank_tools(&query, &read, &schemas, None, keywords).unwrap();
        for limit in 0..=all.len() {
            prop_assert_eq!(&rank_tools(&query, &read, &schemas, Some(limit), keywords).unwrap()[..], &all[..limit]);
        }
    }

    #[test]
    fn hits_are_deferred_once_and_in_order_with_reasons_that_make_their_score(
        tools in catalogue(mixed(), 12),
        query in query(),
        keywords in any::<bool>(),
    ) {
        let made = engine(&tools, Options { rank: by_keywords(keywords), ..always() });
        let hits = search(&made, &query, 20);
        for (hit, next) in hits.iter().zip(hits.iter().skip(1)) {
            prop_assert!(hit.score > next.score || hit.score == next.score && hit.name < next.name, "{hit:?} {next:?}");
            prop_assert!(hit.exact || !next.exact);
        }
        for hit in &hits {
            let tool = &tools[hit.index as usize];
            prop_assert_eq!(&tool.name, &hit.name);
            prop_assert_eq!(tool.mark, Some(true));
            prop_assert!(hit.score > 0.0 && hit.score.is_finite());
            prop_assert!(hit.exact || !hit.terms.is_empty());
            prop_assert_eq!(hit.exact, hit.score >= 100_000.0);
            let tree = hit.explanation.as_ref().unwrap();
            prop_assert_eq!(tree.value.to_bits(), hit.score.to_bits());
            check_tree(tree, tools.len())?;
        }
    }

    #[test]
    fn repeating_a_word_never_lowers_a_match(
        tools in catalogue(deferred(), 10),
        words in vec(prop_oneof![4 => select(&WORDS[..]).prop_map(str::to_owned), 1 => name()], 1..6),
        again in any::<Index>(),
        keywords in any::<bool>(),
    ) {
        let made = engine(&tools, Options { rank: by_keywords(keywords), ..always() });
        let once = search(&made, &words.join(" "), 20);
        let longer = format!("{} {}", words.join(" "), again.get(&words));
        // `read read` may be the name of another tool.
        let is_name = |name: &str| canonical(name) == canonical(&longer);
        prop_assume!(!tools.iter().any(|tool| is_name(&tool.name) || short(&tool.name).is_some_and(is_name)));
        let twice = search(&made, &longer, 20);
        for hit in &once {
            let other = twice.iter().find(|other| other.name == hit.name);
            prop_assert!(other.is_some(), "{} is lost", hit.name);
            let (before, after) = (word_value(hit), word_value(other.unwrap()));
            prop_assert!(after >= before, "{} sinks from {} to {}", hit.name, before, after);
        }
    }

    #[test]
    fn a_name_comes_first_however_it_is_written(
        tools in catalogue(deferred(), 14),
        keywords in any::<bool>(),
    ) {
        let made = engine(&tools, Options { rank: by_keywords(keywords), ..always() });
        let full = |text: &str| tools.iter().any(|tool| canonical(&tool.name) == canonical(text));
        for tool in &tools {
            let first = |query: &str| search(&made, query, 1).into_iter().next().unwrap();
            prop_assert_eq!(&first(&tool.name).name, &tool.name);
            prop_assert_eq!(&first(&format!("select:{}", tool.name)).name, &tool.name);
            for spelling in other_spellings(&tool.name) {
                let hit = first(&spelling);
                prop_assert!(hit.exact && canonical(&hit.name) == canonical(&tool.name), "{spelling}: {hit:?}");
            }
            if let Some(part) = short(&tool.name) {
                for spelling in other_spellings(part) {
                    let hit = first(&spelling);
                    let named = if full(part) { Some(hit.name.as_str()) } else { short(&hit.name) };
                    prop_assert!(hit.exact && named.map(canonical) == Some(canonical(part)), "{spelling}: {hit:?}");
                }
            }
            if is_identifier(&tool.name) {
                let hit = first(&format!("please call {} with care", tool.name));
                prop_assert!(hit.exact && canonical(&hit.name) == canonical(&tool.name), "{hit:?}");
            }
        }
    }

    #[test]
    fn several_names_find_those_and_no_others(
        tools in catalogue(deferred(), 12),
        picks in vec(any::<Index>(), 1..6),
    ) {
        let made = engine(&tools, always());
        let names: BTreeSet<&str> = picks.iter().map(|pick| pick.get(&tools).name.as_str()).collect();
        let list = names.iter().copied().collect::<Vec<_>>().join(",");
        let fits = |hit: &FoundTool| names.iter().any(|name| canonical(name) == canonical(&hit.name));
        let hits = search(&made, &format!("select:{list}"), 20);
        prop_assert!(hits.iter().all(fits));
        for name in &names {
            prop_assert!(hits.iter().any(|hit| hit.name == *name), "{} is not found by {}", name, list);
        }
        // Without `select:` too, where each of them can only be a name.
        if names.len() > 1 && names.iter().all(|name| is_identifier(name)) {
            let same: BTreeSet<String> = hits.into_iter().map(|hit| hit.name).collect();
            let hits = search(&made, &list, 20);
            prop_assert_eq!(hits.into_iter().map(|hit| hit.name).collect::<BTreeSet<_>>(), same);
        }
    }
}

/// Whoever builds the index later finds the same, and an engine without one finds nothing.
#[test]
fn an_index_that_is_built_late_finds_the_same() {
    let tools = [
        json!({ "name": "create_invoice", "description": "Bill a customer" }),
        json!({ "name": "list_invoices", "description": "Find invoices by date" }),
    ];
    let tools: Vec<Json> = tools.iter().map(read).collect();
    let views: Vec<Option<&Json>> = tools.iter().map(Some).collect();
    let options = || Options {
        deferred_names: vec!["*".to_owned()],
        ..always()
    };
    let whole = Engine::new(&views, &[], options()).expect("the names differ");
    let reads = views.iter().map(toolcrib::tool::read).collect();
    let late = Engine::unindexed(reads, &[], options()).expect("the names differ");
    let (index, faults) = late.index(&[]);
    assert!(faults.is_empty());

    let query = Json::Text("bills for customers".to_owned());
    let (query, limit) = (Some(&query), None);
    let found = whole.search(&query, &limit, true);
    assert_eq!(found.len(), 1);
    assert_eq!(found, late.search_by(&index, &query, &limit, true));
    assert!(late.search(&query, &limit, true).is_empty());

    let call = read(&json!({ "role": "assistant", "tool_calls": [
        { "id": "c1", "type": "function", "function": { "name": "tool_search", "arguments": "{\"query\":\"invoices\"}" } }
    ] }));
    let (call, messages, turn) = (Some(&call), None, Turn::default());
    let replies = whole.answer(&call, &messages, &turn, None);
    assert_eq!(replies.len(), 1);
    assert_eq!(
        replies,
        late.answer_by(&index, &call, &messages, &turn, None)
    );
    assert!(late.answer(&call, &messages, &turn, None).is_empty());
    assert_eq!(whole.turn(&messages, &turn), late.turn(&messages, &turn));
}

/// A schema that is no JSON costs a tool its parameters and not the rest.
#[test]
fn a_schema_that_cannot_be_read_is_said() {
    let tool = read(&json!({ "name": "create_invoice", "description": "Bill a customer" }));
    let options = Options {
        deferred_names: vec!["*".to_owned()],
        ..always()
    };
    let made = Engine::new(&[Some(&tool)], &[Some("{\"properties\":")], options).expect("one tool");
    let codes: Vec<&str> = made.warnings().iter().map(|warning| warning.code).collect();
    assert_eq!(codes, ["unreadable_schema"]);
    assert_eq!(search(&made, "customer", 5).len(), 1);
}
