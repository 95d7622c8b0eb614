//! What is fuzzed, as plain functions: the fuzzer runs them on what it grows, `tests/fuzz.rs` on
//! what proptest draws, so that they always compile and every test run tries them a little.

use std::collections::BTreeSet;

use toolcrib::choice::ToolChoice;
use toolcrib::engine::{Engine, detect_messages};
use toolcrib::options::{Calls, Fixed, Handoff, Options, Threshold};
use toolcrib::plan::Turn;
use toolcrib::terms::words;
use toolcrib::tool::{self, Origin};
use toolcrib::transcript::names;
use toolcrib::value::{Json, Value};

/// Any text is read or refused; what was read is written as text that is read again; a longer
/// search result holds no fewer names.
pub fn json(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let names = |text: &str| names(&Some(&Json::Text(text.to_owned())));
    let found = names(&text);
    let Ok(value) = Json::parse(&text) else {
        return;
    };
    let written = Some(&value).json_text().expect("a parsed value has a text");
    assert!(Json::parse(&written).is_ok(), "{written}");
    assert_eq!(names(&written), found, "{written}");
}

/// Words are never empty, never longer than 64 characters, bounded by the text, and give themselves.
pub fn terms(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut all: Vec<String> = Vec::new();
    words(&text, &mut |word, _| all.push(word.to_owned()));
    assert!(all.iter().map(String::len).sum::<usize>() <= 12 * text.len());
    for word in &all {
        assert!(!word.is_empty() && word.chars().count() <= 64);
        let mut again = false;
        words(word, &mut |other, _| again |= other == word);
        assert!(again, "{word:?} does not give itself");
    }
}

/// Whatever the messages are, in every format: loaded are deferred tools, each once, and what is pending stands among
/// the messages. In Chat Completions the turn sends them after the search tool, and results say no more than is loaded.
pub fn transcript(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else {
        return;
    };
    let options = Options {
        handoff: if first & 1 == 0 {
            Handoff::Keep
        } else {
            Handoff::Reset
        },
        calls: if first & 2 == 0 {
            Calls::Ignore
        } else {
            Calls::Load
        },
        ..always()
    };
    let messages = read(rest);
    for wire in tool::WIRES {
        let format = Some(wire.format.to_owned());
        let engine = engine(Options {
            format,
            ..options.clone()
        });
        let plan = engine.turn(&Some(&messages), &Turn::default());
        let different: BTreeSet<&String> = plan.loaded.iter().collect();
        assert_eq!(different.len(), plan.loaded.len());
        assert!(
            plan.loaded
                .iter()
                .all(|name| DEFERRED.contains(&name.as_str()))
        );
        let _ = engine.search_results(&Some(&messages));
        let _ = engine.calls(&Some(&messages));
        for place in engine.pending(&Some(&messages)) {
            assert!(place.message < Some(&messages).len());
        }
    }
    let _ = detect_messages(&Some(&messages));
    let engine = engine(options);
    let plan = engine.turn(&Some(&messages), &Turn::default());
    assert_eq!(
        plan.loaded.len() + usize::from(plan.note.is_some()),
        plan.tools.len() - 1
    );
    let results = engine.search_results(&Some(&messages));
    if first & 3 == 0 {
        // Kept and ignored: what is loaded is what the results name, in their order.
        let mut named: Vec<&String> = Vec::new();
        for name in results.iter().flat_map(|result| &result.names) {
            if DEFERRED.contains(&name.as_str()) && !named.contains(&name) {
                named.push(name);
            }
        }
        assert_eq!(plan.loaded.iter().collect::<Vec<_>>(), named);
    }
}

/// Whatever a model writes as arguments is answered: by JSON of less than 2,000 bytes, which loads
/// on the next turn exactly what it says. The same text as a call, a query, a name and an option
/// harms nothing.
pub fn answer(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    let engine = engine(always());
    let call = object([
        ("id", string("1")),
        (
            "function",
            object([
                ("name", string("tool_search")),
                ("arguments", string(&text)),
            ]),
        ),
    ]);
    let replies = engine.answer(&Some(&call), &None, &Turn::default(), None);
    let [reply] = replies.as_slice() else {
        panic!("one call, {} answers", replies.len());
    };
    let content = Some(&reply.part)
        .text_at("content")
        .expect("an answer has a text");
    assert!(
        content.len() < 2000 && Json::parse(&content).is_ok(),
        "{content}"
    );
    let assistant = object([
        ("role", string("assistant")),
        ("tool_calls", Json::Array(vec![call])),
    ]);
    let messages = Json::Array(vec![assistant, reply.part.clone()]);
    assert_eq!(
        engine.turn(&Some(&messages), &Turn::default()).loaded,
        reply.loaded
    );

    let value = read(text.as_bytes());
    let turn = Turn {
        loaded: vec![text.clone()],
        forced: vec![text.clone()],
        exclude: vec![text.clone()],
        unavailable: vec![text.clone()],
        choice: ToolChoice::read(&Some(&value)),
        model: Some(text.clone()),
        ..Turn::default()
    };
    for hit in engine.search(&Some(&string(&text)), &Some(&value), true) {
        assert_eq!(
            hit.explanation.map(|tree| tree.value.to_bits()),
            Some(hit.score.to_bits())
        );
    }
    let _ = engine.answer(&Some(&value), &Some(&value), &turn, None);
    let _ = engine.resolve(&Some(&value), &Some(&value), &turn);
    let _ = engine.order(&Some(&value), &[Some(&value)]);
    let views: Vec<Option<&Json>> = match &value {
        Json::Array(items) => items.iter().map(Some).collect(),
        other => vec![Some(other)],
    };
    let schemas = vec![Some(text.as_str()); views.len()];
    let _ = Engine::new(&views, &schemas, Options::read(&Some(&value)));
    let stood: Vec<(Option<&Json>, Origin)> = tool::flatten(&Some(&value));
    let _ = toolcrib::identity::identity(&stood, &schemas);
}

const DEFERRED: [&str; 4] = ["alpha", "beta_two", "mcp__srv__gamma", "deltaFour"];

fn engine(options: Options) -> Engine {
    let tool = |name: &str, deferred: bool| {
        object([
            ("name", string(name)),
            ("description", string("Creates invoices. Not for issues.")),
            ("deferLoading", Json::Bool(deferred)),
        ])
    };
    let mut tools: Vec<Json> = DEFERRED.iter().map(|name| tool(name, true)).collect();
    tools.push(tool("home", false));
    let views: Vec<Option<&Json>> = tools.iter().map(Some).collect();
    Engine::new(&views, &[], options).expect("the names differ")
}

fn always() -> Options {
    Options {
        threshold: Threshold::Fixed(Fixed::Always),
        ..Options::default()
    }
}

fn read(data: &[u8]) -> Json {
    let text = String::from_utf8_lossy(data);
    Json::parse(&text).unwrap_or_else(|_| string(&text))
}

fn string(text: &str) -> Json {
    Json::Text(text.to_owned())
}

fn object<const N: usize>(entries: [(&str, Json); N]) -> Json {
    Json::Object(
        entries
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    )
}
