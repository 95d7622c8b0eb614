//! The ranking and the loaded set against plain rewritings of what the documentation says: loops
//! over every word of every tool, and over every message, with no index and nothing kept.

// A test that fails may panic; the lint lets only functions marked as tests do so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod world;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Plain, json};
use toolcrib::options::{Calls, Handoff, Options, Rank, UnloadedCall};
use toolcrib::plan::Turn;
use toolcrib::terms::{Kind, is_stop_word, stem, words};
use world::*;

// ---- the ranking ----

/// A field's weight and how far its length matters, as index.rs has them: name, summary (title and
/// first sentence), rest of the description, parameter names, parameter texts.
const WEIGHTS: [(f64, f64); 5] = [(5.0, 0.3), (2.5, 0.5), (1.0, 0.3), (0.5, 0.75), (0.5, 0.75)];
const K1: f64 = 1.2;
const NAMED: f64 = 100_000.0;

/// A word of a text, with its stem.
#[derive(Clone, Debug, PartialEq)]
struct Word {
    text: String,
    stem: String,
    kind: Kind,
}

/// A tool as the words of its five fields.
struct Document<'a> {
    tool: &'a Tool,
    fields: [Vec<Word>; 5],
}

fn split(text: &str) -> Vec<Word> {
    let mut all = Vec::new();
    words(text, &mut |word, kind| {
        all.push(Word {
            text: word.to_owned(),
            stem: stem(word).into_owned(),
            kind,
        })
    });
    all
}

fn document(tool: &Tool) -> Document<'_> {
    let mut fields: [Vec<Word>; 5] = Default::default();
    fields[0] = split(&tool.name);
    if let Some(title) = tool.title.as_ref().filter(|_| tool.shows_title()) {
        fields[1].extend(split(title));
    }
    fields[1].extend(split(&tool.first));
    fields[2] = split(&tool.rest);
    let mut open: Vec<&Parameter> = tool.parameters.iter().collect();
    while let Some(parameter) = open.pop() {
        fields[3].extend(split(&parameter.name));
        let own = parameter
            .title
            .iter()
            .chain(&parameter.text)
            .chain(&parameter.values);
        for text in own.chain(parameter.said_aside()) {
            fields[4].extend(split(text));
        }
        open.extend(&parameter.inner);
    }
    Document { tool, fields }
}

/// How often a field holds a word for which `is` holds, counted up to 255.
fn count(document: &Document, field: usize, is: &dyn Fn(&Word) -> bool) -> f64 {
    document.fields[field]
        .iter()
        .filter(|word| is(word))
        .count()
        .min(255) as f64
}

/// The saturated frequency over all fields; 0 when no field holds such a word.
fn impact(documents: &[Document], at: usize, is: &dyn Fn(&Word) -> bool) -> f64 {
    let mut frequency = 0.0;
    for (field, (weight, b)) in WEIGHTS.iter().enumerate() {
        let found = count(&documents[at], field, is);
        if found > 0.0 {
            let total: usize = documents
                .iter()
                .map(|document| document.fields[field].len())
                .sum();
            let average = total as f64 / documents.len() as f64;
            let length = documents[at].fields[field].len() as f64;
            frequency += weight * (found / (1.0 - b + b * length / average));
        }
    }
    frequency * (K1 + 1.0) / (frequency + K1)
}

fn holds(document: &Document, is: &dyn Fn(&Word) -> bool) -> bool {
    document.fields.iter().flatten().any(is)
}

fn idf(documents: &[Document], is: &dyn Fn(&Word) -> bool) -> f64 {
    let n = documents
        .iter()
        .filter(|document| holds(document, is))
        .count() as f64;
    libm::log(1.0 + (documents.len() as f64 - n + 0.5) / (n + 0.5))
}

/// The words of a query that count, in order, each once.
fn telling(documents: &[Document], query: &str) -> Vec<Word> {
    let mut kept: Vec<Word> = Vec::new();
    for says_something in [true, false] {
        for word in split(query.trim()) {
            let in_a_name = || {
                let mut names = documents.iter().flat_map(|document| &document.fields[0]);
                names.any(|other| other.text == word.text && other.kind == Kind::Part)
            };
            let wanted = if says_something {
                !is_stop_word(&word.text)
            } else {
                is_stop_word(&word.text) && in_a_name()
            };
            if wanted && !kept.iter().any(|known| known.text == word.text) && kept.len() < 128 {
                kept.push(word);
            }
        }
        if !kept.is_empty() {
            break;
        }
    }
    kept
}

fn distinct(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in words {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all
}

/// The sum over stems, then over exact forms at half, times what a covered name adds.
fn score(documents: &[Document], at: usize, query: &str) -> f64 {
    let terms = telling(documents, query);
    let is_part = |word: &&Word| word.kind == Kind::Part;
    let parts = terms.iter().filter(is_part).count() as f64;
    let name = documents[at].fields[0].iter().filter(is_part);
    let name_stems = distinct(name.map(|word| word.stem.clone()));
    let mut sum = 0.0;
    let mut matched = 0.0;
    for wanted in distinct(terms.iter().map(|word| word.stem.clone())) {
        let is = |word: &Word| word.stem == wanted;
        if holds(&documents[at], &is) {
            sum += idf(documents, &is) * impact(documents, at, &is);
            matched += f64::from(u8::from(name_stems.contains(&wanted)));
        }
    }
    for wanted in &terms {
        let is = |word: &Word| word.text == wanted.text;
        if holds(&documents[at], &is) {
            sum += 0.5 * idf(documents, &is) * impact(documents, at, &is);
        }
    }
    if matched > 0.0 {
        sum *= 1.0 + matched / name_stems.len() as f64 * libm::sqrt((matched / parts).min(1.0));
    }
    sum
}

/// Three for a word in the name, one for a word in the description.
fn plain_score(documents: &[Document], at: usize, query: &str) -> f64 {
    let mut sum = 0.0;
    for wanted in telling(documents, query) {
        let in_field =
            |field: usize| count(&documents[at], field, &|word| word.text == wanted.text) > 0.0;
        sum += f64::from(u8::from(in_field(0))) * 3.0;
        sum += f64::from(u8::from(in_field(1) || in_field(2)));
    }
    sum
}

/// A name without case and separators. (The names drawn here are ASCII, the queries are not.)
fn bare(text: &str) -> String {
    let bare: String = text
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    if bare.is_empty() {
        text.to_owned()
    } else {
        bare
    }
}

/// What stands after the last `__`, `.` or `/`, when something stands before and after.
fn after_server(name: &str) -> Option<&str> {
    let ends = (1..name.len()).rev().filter(|end| {
        name.is_char_boundary(*end)
            && [".", "/", "__"]
                .iter()
                .any(|mark| name[..*end].ends_with(mark))
    });
    ends.max().map(|end| &name[end..])
}

fn looks_like_a_name(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    !text.contains(char::is_whitespace)
        && letters.windows(2).any(|pair| {
            "_-./".contains(pair[0]) && pair[1].is_alphanumeric()
                || pair[0].is_lowercase() && pair[1].is_uppercase()
                || pair[0].is_alphabetic() && pair[1].is_ascii_digit()
        })
}

/// What stands between the names of a list.
fn is_separator(c: char) -> bool {
    c.is_whitespace() || ",;\"`'()[]".contains(c)
}

/// How well a text names each tool that may be found: 4 as it is, 3 in other case, 2 with other
/// separators, 1 by what follows its server; 0 not at all. Whole names come before short ones. And
/// whether the text is the name of any tool, found or not.
fn fits(documents: &[Document], text: &str) -> (Vec<u8>, bool) {
    let none = vec![0; documents.len()];
    if text.len() > 512 {
        return (none, false);
    }
    let of_each = |fit: &dyn Fn(&str) -> u8| -> (Vec<u8>, bool) {
        let all: Vec<u8> = documents
            .iter()
            .map(|document| fit(&document.tool.name))
            .collect();
        let is_name = all.iter().any(|fit| *fit > 0);
        let found = all.into_iter().zip(documents);
        let found = found.map(|(fit, document)| {
            if document.tool.mark == Some(true) {
                fit
            } else {
                0
            }
        });
        (found.collect(), is_name)
    };
    let is_whole = |text: &str, name: &str| u8::from(bare(name) == bare(text));
    let finds = |fits: &[u8]| fits.iter().any(|fit| *fit > 0);
    let (whole, mut is_name) = of_each(&|name| match name {
        _ if name == text => 4,
        _ if name.eq_ignore_ascii_case(text) => 3,
        _ => 2 * is_whole(text, name),
    });
    if finds(&whole) {
        return (whole, true);
    }
    let (mut short, is_short) =
        of_each(&|name| after_server(name).map_or(0, |part| is_whole(text, part)));
    is_name |= is_short;
    // The catalogue may lack a prefix that the text has. A list of names has none.
    let mut rest = text;
    while !text.contains(is_separator) && !finds(&short) {
        let Some((_, after)) = rest.split_once("__").filter(|(_, after)| !after.is_empty()) else {
            break;
        };
        rest = after;
        let (found, is_known) = of_each(&|name| is_whole(rest, name));
        short = found;
        is_name |= is_known;
    }
    // Of a server's tools with one short name, the first by name.
    let rank = |at: usize| (&documents[at].tool.server, &documents[at].tool.name);
    let is_first = |at: usize| {
        let (server, name) = rank(at);
        let mut others =
            (0..documents.len()).filter(|other| short[*other] > 0 && rank(*other).0 == server);
        server.is_none() || others.all(|other| rank(other).1 >= name)
    };
    let kept = (0..documents.len()).map(|at| u8::from(short[at] > 0 && is_first(at)));
    (kept.collect(), is_name)
}

/// How well a query names each tool, and whether it says nothing else.
fn named(documents: &[Document], query: &str) -> (Vec<u8>, bool) {
    let query = query.trim();
    let none = vec![0; documents.len()];
    let best = |one: Vec<u8>, other: Vec<u8>| {
        one.into_iter()
            .zip(other)
            .map(|(one, other)| one.max(other))
            .collect::<Vec<u8>>()
    };
    let list = |text: &str| -> Vec<String> {
        let texts = text.split(is_separator).filter(|text| !text.is_empty());
        let mut texts = distinct(texts.map(str::to_owned));
        texts.truncate(129);
        texts
    };
    if query
        .get(..7)
        .is_some_and(|start| start.eq_ignore_ascii_case("select:"))
    {
        let fits = list(&query[7..])
            .into_iter()
            .map(|text| fits(documents, &text).0);
        return (fits.fold(none, best), true);
    }
    let words = list(query);
    // Said twice a name is still a name.
    for text in [query.to_owned(), words.join(" ")] {
        let (found, is_name) = fits(documents, &text);
        if is_name {
            return (found, looks_like_a_name(&text));
        }
    }
    let found: Vec<(&String, (Vec<u8>, bool))> = words
        .iter()
        .map(|text| (text, fits(documents, text)))
        .collect();
    let only = found.len() > 1 && found.iter().all(|(_, (_, is_name))| *is_name);
    let counted = found
        .into_iter()
        .filter(|(text, _)| only || looks_like_a_name(text));
    (counted.map(|(_, (fit, _))| fit).fold(none, best), only)
}

/// The names and scores that a search gives.
fn naive_search(tools: &[Tool], query: &str, limit: usize, keywords: bool) -> Vec<(String, f64)> {
    let documents: Vec<Document> = tools.iter().map(document).collect();
    let (fit, only) = named(&documents, query);
    let may = |at: usize| tools[at].mark == Some(true);
    let mut hits: Vec<(String, f64)> = Vec::new();
    for at in (0..tools.len()).filter(|at| may(*at)) {
        let words = if keywords {
            plain_score(&documents, at, query)
        } else {
            score(&documents, at, query)
        };
        let bonus = NAMED * f64::from(fit[at]);
        if bonus > 0.0 || (words > 0.0 && !only) {
            hits.push((tools[at].name.clone(), words + bonus));
        }
    }
    hits.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    hits.truncate(limit);
    hits
}

proptest! {
    #![proptest_config(config(1200))]

    #[test]
    fn the_ranking_is_that_of_the_formula(
        tools in catalogue(mixed(), 10),
        queries in vec(query(), 1..3),
        limit in 1..12_usize,
        keywords in proptest::bool::weighted(0.3),
    ) {
        let rank = if keywords { Rank::Keywords } else { Rank::Bm25 };
        let made = engine(&tools, Options { rank, ..always() });
        for query in queries {
            let hits = search(&made, &query, limit);
            let found: Vec<(String, u64)> = hits.into_iter().map(|hit| (hit.name, hit.score.to_bits())).collect();
            let expected: Vec<(String, u64)> = naive_search(&tools, &query, limit, keywords)
                .into_iter()
                .map(|(name, score)| (name, score.to_bits()))
                .collect();
            prop_assert_eq!(found, expected, "{:?}", query);
        }
    }
}

proptest! {
    #![proptest_config(config(4))]

    #[test]
    fn the_ranking_of_a_large_catalogue_is_that_of_the_formula(
        mut tools in vec(tool(mixed()), 150),
        queries in vec(query(), 4),
    ) {
        for (number, tool) in tools.iter_mut().enumerate() {
            tool.name = format!("{}_{number}", tool.name);
        }
        // A word more often than a count can say, and more words than count in a query.
        tools[7].first = "Bills. ".to_owned();
        tools[7].rest = "invoice ".repeat(300) + "invoices";
        tools[8].first = "Codes. ".to_owned();
        tools[8].rest = "z127 z128 z129".to_owned();
        let many: Vec<String> = (0..200).map(|number| format!("z{number}")).collect();
        let made = engine(&tools, always());
        for query in queries.into_iter().chain(["invoice".to_owned(), many.join(" ")]) {
            let hits = search(&made, &query, 20);
            let found: Vec<(String, u64)> = hits.into_iter().map(|hit| (hit.name, hit.score.to_bits())).collect();
            let hits = naive_search(&tools, &query, 20, false);
            let expected: Vec<(String, u64)> = hits.into_iter().map(|(name, score)| (name, score.to_bits())).collect();
            prop_assert_eq!(found, expected, "{:?}", query);
        }
    }
}

// ---- the loaded set ----

/// Something that happened in a transcript: which names it would load, and whether it starts anew.
struct Event {
    names: Vec<String>,
    starts_anew: bool,
}

fn text_of<'a>(value: &'a Plain, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

fn is_assistant(message: &Plain) -> bool {
    text_of(message, "role") == Some("assistant")
}

/// The calls of an assistant message: id and name.
fn calls_of(message: &Plain) -> Vec<(Option<&str>, &str)> {
    let calls = message.get("tool_calls").and_then(Plain::as_array);
    let named = |call| {
        let name = ["function", "custom"]
            .iter()
            .find_map(|kind| text_of(Plain::get(call, kind)?, "name"))?;
        Some((text_of(call, "id"), name))
    };
    calls.into_iter().flatten().filter_map(named).collect()
}

/// The call that a result is for, among those that nothing has answered yet.
fn call_of(result: &Plain, calls: &[(Option<&str>, &str)], open: &[bool]) -> Option<usize> {
    let id = text_of(result, "tool_call_id");
    let name = text_of(result, "name").or_else(|| text_of(result, "tool_name"));
    let with_id: Vec<usize> = (0..calls.len())
        .filter(|at| open[*at] && calls[*at].0 == id)
        .collect();
    let by_name = with_id
        .iter()
        .copied()
        .find(|at| Some(calls[*at].1) == name);
    // With an id the name only chooses among calls that share it; without one it decides, as where one of both has none.
    let by_id = if id.is_some() || name.is_none() {
        by_name.or(with_id.first().copied())
    } else {
        by_name
    };
    let one_sided = || {
        (0..calls.len()).find(|at| {
            open[*at] && Some(calls[*at].1) == name && calls[*at].0.is_some() != id.is_some()
        })
    };
    by_id.or_else(one_sided)
}

fn names_of_object(result: &Plain) -> Option<Vec<String>> {
    let list = ["loaded", "tools"]
        .iter()
        .find_map(|key| result.get(key)?.as_array())?;
    Some(
        list.iter()
            .filter_map(|item| text_of(item, "name").map(str::to_owned))
            .collect(),
    )
}

/// The names of a result's content; `None` when it is no search result.
fn names_of(content: &Plain) -> Option<Vec<String>> {
    let text = match content {
        Plain::String(text) => text.clone(),
        Plain::Array(parts) => parts
            .iter()
            .filter_map(|part| text_of(part, "text"))
            .collect(),
        other => return names_of_object(other),
    };
    if let Ok(whole) = serde_json::from_str::<Plain>(&text) {
        return names_of_object(&whole);
    }
    // Cut short: what stands whole is the longest beginning that closing brackets make JSON.
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let ends: Vec<usize> = ends.collect();
    ends.into_iter()
        .rev()
        .find_map(|end| {
            ["}]}", "]}", "}"].iter().find_map(|closing| {
                let closed =
                    serde_json::from_str::<Plain>(&format!("{}{closing}", &text[..end])).ok()?;
                names_of_object(&closed)
            })
        })
        .filter(|names| !names.is_empty())
}

/// The format has no flag for a failure: a content that is an error and nothing else is one.
fn is_error(content: &Plain) -> bool {
    let parsed = content
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok());
    let object = parsed.as_ref().unwrap_or(content).as_object();
    object.is_some_and(|object| object.len() == 1 && object.contains_key("error"))
}

/// What is loaded after these messages, by the sentences of DESIGN.md, and the positions of the
/// search results with the names that they hold.
fn naive_loaded(
    messages: &[Plain],
    options: &Options,
    turn: &Turn,
) -> (Vec<String>, Vec<(usize, Vec<String>)>) {
    let host = crib();
    let is_ours = |name: &str| {
        (name == options.search_name || options.former_names.iter().any(|former| former == name))
            && !host.iter().any(|tool| tool.name == name)
    };
    let calls_load = options.calls == Calls::Load || options.unloaded_call == UnloadedCall::Load;
    let mut events = vec![Event {
        names: turn.loaded.clone(),
        starts_anew: false,
    }];
    let mut results = Vec::new();
    for (at, assistant) in messages
        .iter()
        .enumerate()
        .filter(|(_, message)| is_assistant(message))
    {
        let calls = calls_of(assistant);
        for (_, name) in &calls {
            if calls_load || turn.forced.iter().any(|forced| forced == name) {
                events.push(Event {
                    names: vec![(*name).to_owned()],
                    starts_anew: false,
                });
            }
        }
        // A new assistant turn drops what is open.
        let until = messages[at + 1..]
            .iter()
            .position(is_assistant)
            .map_or(messages.len(), |next| at + 1 + next);
        let mut open = vec![true; calls.len()];
        // After a handoff what the rest of its turn finds is the former agent's.
        let mut is_over = false;
        for (place, message) in messages.iter().enumerate().take(until).skip(at + 1) {
            if text_of(message, "role") != Some("tool") {
                continue;
            }
            let Some(call) = call_of(message, &calls, &open) else {
                continue;
            };
            open[call] = false;
            let content = message.get("content").unwrap_or(&Plain::Null);
            if is_ours(calls[call].1) {
                if let Some(names) = names_of(content) {
                    results.push((place, names.clone()));
                    events.push(Event {
                        names: if is_over { Vec::new() } else { names },
                        starts_anew: false,
                    });
                }
            } else if calls[call].1.starts_with("transfer_to_") && !is_error(content) {
                is_over |= options.handoff == Handoff::Reset;
                events.push(Event {
                    names: Vec::new(),
                    starts_anew: options.handoff == Handoff::Reset,
                });
            }
        }
    }
    let last_handoff = events
        .iter()
        .rposition(|event| event.starts_anew)
        .unwrap_or(0);
    let mut loaded: Vec<String> = Vec::new();
    let named = events
        .drain(..)
        .skip(last_handoff)
        .flat_map(|event| event.names);
    for name in named.chain(turn.forced.iter().cloned()) {
        let is_deferred = host
            .iter()
            .any(|tool| tool.name == name && tool.mark == Some(true));
        if is_deferred && !loaded.contains(&name) {
            loaded.push(name);
        }
    }
    (loaded, results)
}

proptest! {
    #![proptest_config(config(6000))]

    #[test]
    fn the_loaded_set_is_that_of_the_sentences(
        blocks in transcript(6),
        handoff in select(&[Handoff::Keep, Handoff::Reset][..]),
        calls in select(&[Calls::Ignore, Calls::Ignore, Calls::Load][..]),
        unloaded_call in select(&[UnloadedCall::Run, UnloadedCall::Run, UnloadedCall::Load, UnloadedCall::Refuse][..]),
        loaded in vec(select(&DEFERRED[..]), 0..2),
        forced in vec(prop_oneof![4 => select(&DEFERRED[..]), 1 => select(&RESIDENT[..])], 0..2),
    ) {
        let options = Options { handoff, calls, unloaded_call, ..crib_options() };
        let made = engine(&crib(), options.clone());
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let host = Turn { loaded: owned(loaded), forced: owned(forced), ..Turn::default() };
        let messages = blocks.concat();
        let (expected, results) = naive_loaded(&messages, &options, &host);
        prop_assert_eq!(turn(&made, &messages, &host).loaded, expected);
        let read = read(&json!(messages));
        let found: Vec<(usize, Vec<String>)> =
            made.search_results(&Some(&read)).into_iter().map(|result| (result.message, result.names)).collect();
        prop_assert_eq!(found, results);
    }
}
