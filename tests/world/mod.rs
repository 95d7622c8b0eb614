//! Catalogues, queries and transcripts for the laws and the oracles, drawn by proptest from few
//! words, so that they meet, repeat and collide as they rarely do in the wild.

// Each test file compiles its own copy and uses part of it.
#![allow(dead_code)]

mod tools;
mod transcripts;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed};
use serde_json::{Value as Plain, json};
use toolcrib::engine::Engine;
use toolcrib::options::{Fixed, Options, Rank, Threshold};
use toolcrib::plan::{Plan, Turn};
use toolcrib::report::{FoundTool, Reply};
use toolcrib::tool::Origin;
use toolcrib::value::{Json, Value};

pub use tools::*;
pub use transcripts::*;

/// The same cases on every run, and no files left behind. `SOAK=20` draws twenty times as many from
/// another seed, to hunt rather than to guard.
pub fn config(cases: u32) -> Config {
    let soak: u32 = std::env::var("SOAK")
        .ok()
        .and_then(|soak| soak.parse().ok())
        .unwrap_or(1);
    Config {
        cases: cases * soak,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x0c41b + u64::from(soak)),
        max_global_rejects: cases * soak * 4,
        ..Config::default()
    }
}

/// The engine's reading of a JSON value.
pub fn read(value: &Plain) -> Json {
    Json::parse(&value.to_string()).expect("serde_json writes JSON")
}

/// Definitions and schemas, kept together.
pub struct Host {
    pub tools: Vec<Json>,
    pub schemas: Vec<Option<String>>,
}

impl Host {
    pub fn of(tools: &[Tool]) -> Host {
        let (tools, schemas) = tools.iter().map(Tool::definition).unzip();
        Host { tools, schemas }
    }

    /// The definitions, each standing alone.
    pub fn stood(&self) -> Vec<(Option<&Json>, Origin)> {
        let alone = |tool| (Some(tool), Origin::default());
        self.tools.iter().map(alone).collect()
    }

    pub fn engine(&self, options: Options) -> Result<Engine, toolcrib::error::Error> {
        let tools: Vec<Option<&Json>> = self.tools.iter().map(Some).collect();
        let schemas: Vec<Option<&str>> = self.schemas.iter().map(Option::as_deref).collect();
        Engine::new(&tools, &schemas, options)
    }
}

/// Options under which deferral always applies.
pub fn always() -> Options {
    Options {
        threshold: Threshold::Fixed(Fixed::Always),
        ..Options::default()
    }
}

/// An engine that always defers.
pub fn engine(tools: &[Tool], options: Options) -> Engine {
    Host::of(tools).engine(options).expect("the names differ")
}

/// A search with an explanation for every hit.
pub fn search(engine: &Engine, query: &str, limit: usize) -> Vec<FoundTool> {
    engine.search(
        &Some(&Json::Text(query.to_owned())),
        &Some(&Json::Number(limit as f64)),
        true,
    )
}

/// A turn over these messages.
pub fn turn(engine: &Engine, messages: &[Plain], turn: &Turn) -> Plan {
    engine.turn(&Some(&read(&json!(messages))), turn)
}

/// An answer to the calls of this assistant message.
pub fn answer(engine: &Engine, assistant: &Plain, messages: &[Plain], turn: &Turn) -> Vec<Reply> {
    engine.answer(
        &Some(&read(assistant)),
        &Some(&read(&json!(messages))),
        turn,
        None,
    )
}

/// The text of an answer's part.
pub fn content(reply: &Reply) -> String {
    Some(&reply.part)
        .text_at("content")
        .expect("an answer has a text")
}

/// The names that a search result of this text loads.
pub fn names(text: &str) -> Option<Vec<String>> {
    let names = toolcrib::transcript::names(&Some(&Json::Text(text.to_owned())))?;
    Some(names.into_iter().map(|named| named.name).collect())
}

/// The host's name of what the model calls so.
pub fn own<'a>(engine: &'a Engine, name: &'a str) -> &'a str {
    let aliases = engine.aliases();
    let found = aliases.into_iter().find(|(_, alias)| *alias == name);
    found.map_or(name, |(own, _)| own)
}

/// A part as a message of the transcript.
pub fn message(part: &Json) -> Plain {
    serde_json::from_str(&Some(part).json_text().expect("a part has a text"))
        .expect("a part is JSON")
}

pub fn by_keywords(yes: bool) -> Rank {
    if yes { Rank::Keywords } else { Rank::Bm25 }
}

pub fn carried(loaded: &[String]) -> Turn {
    Turn {
        loaded: loaded.to_vec(),
        ..Turn::default()
    }
}

/// The plain reading of a pattern: `*` is any run, `?` is one character.
pub fn fits(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => (0..=name.len()).any(|skip| fits(rest, &name[skip..])),
        ([b'?', rest @ ..], [_, name @ ..]) => fits(rest, name),
        ([one, rest @ ..], [other, name @ ..]) => one == other && fits(rest, name),
        _ => false,
    }
}

/// What of a hit must not depend on where its tool stands.
pub fn seen(hits: &[FoundTool]) -> Vec<(String, u64, bool, String)> {
    hits.iter()
        .map(|hit| {
            (
                hit.name.clone(),
                hit.score.to_bits(),
                hit.exact,
                format!("{:?} {:?}", hit.terms, hit.explanation),
            )
        })
        .collect()
}

/// Any JSON, from the keys that the engine looks for.
pub fn any_json() -> impl Strategy<Value = Plain> {
    const KEYS: [&str; 29] = [
        "role",
        "tool_calls",
        "id",
        "function",
        "name",
        "arguments",
        "content",
        "loaded",
        "tools",
        "query",
        "limit",
        "tool_call_id",
        "type",
        "text",
        "function_call",
        "custom",
        "input",
        "description",
        "parameters",
        "properties",
        "deferLoading",
        "server",
        "title",
        "enum",
        "items",
        "anyOf",
        "annotations",
        "inputSchema",
        "",
    ];
    const TEXTS: [&str; 13] = [
        "assistant",
        "tool",
        "user",
        "tool_search",
        "function",
        "alpha",
        "{\"query\":\"alpha\"}",
        "{\"query\":[\"a\",1]}",
        "{\"loaded\":[{\"name\":\"alpha\"}]}",
        "{\"query\":\"\\ud800\"}",
        "1e999",
        "select:alpha,beta",
        "",
    ];
    let leaf = prop_oneof![
        Just(Plain::Null),
        any::<bool>().prop_map(|flag| json!(flag)),
        any::<f64>().prop_map(|number| json!(number)),
        select(&[0_i64, -1, 1, 5, 20, 1_000_000_000][..]).prop_map(|number| json!(number)),
        select(&TEXTS[..]).prop_map(|text| json!(text)),
        any_text().prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(5, 48, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Plain::Array),
            vec((select(&KEYS[..]), inner), 0..6).prop_map(|entries| {
                Plain::Object(
                    entries
                        .into_iter()
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}
