//! Transcripts in the shape of Chat Completions, over a small catalogue of their own.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Plain, json};
use toolcrib::options::{Calls, Handoff, Options, UnloadedCall, WhenAllLoaded};

use super::{Tool, always, any_json, query};

/// The names that transcripts speak of.
pub const DEFERRED: [&str; 6] = ["alpha", "beta", "gamma", "delta", "epsilon", "github__zeta"];
pub const RESIDENT: [&str; 3] = ["home", "fetch_page", "transfer_to_sales"];
/// By these the search tool is or was called. The last is a tool of the host's now, so it is not ours.
pub const SEARCH_NAMES: [&str; 4] = ["tool_search", "find_tools", "toolFinder", "fetch_page"];

/// The catalogue that transcripts speak of.
pub fn crib() -> Vec<Tool> {
    let resident = RESIDENT.map(|name| Tool {
        mark: None,
        ..Tool::plain(name, "always there")
    });
    let deferred = DEFERRED.map(|name| Tool::plain(name, &format!("does {name}")));
    // In between, so that the host's order is not that of residents first.
    let [home, fetch, transfer] = resident;
    let mut tools = vec![home];
    tools.extend(deferred);
    tools.insert(3, fetch);
    tools.push(transfer);
    tools
}

/// Options for [`crib`]: it always defers and knows former names.
pub fn crib_options() -> Options {
    Options {
        former_names: SEARCH_NAMES[1..]
            .iter()
            .map(|name| (*name).to_owned())
            .collect(),
        ..always()
    }
}

/// A call in a transcript.
#[derive(Clone, Debug)]
pub struct Call {
    pub id: Option<String>,
    pub name: String,
    pub custom: bool,
}

impl Call {
    pub fn json(&self) -> Plain {
        let mut call = if self.custom {
            json!({"type": "custom", "custom": {"name": self.name, "input": "{\"query\":\"x\"}"}})
        } else {
            json!({"type": "function", "function": {"name": self.name, "arguments": "{\"query\":\"x\"}"}})
        };
        if let Some(id) = &self.id {
            call["id"] = json!(id);
        }
        call
    }
}

fn any_call() -> impl Strategy<Value = Call> {
    let name = prop_oneof![
        5 => select(&SEARCH_NAMES[..1]),
        2 => select(&SEARCH_NAMES[1..]),
        2 => select(&DEFERRED[..]),
        1 => select(&RESIDENT[..2]),
        1 => Just("transfer_to_sales"),
        1 => Just("nobody"),
    ];
    (
        prop_oneof![6 => select(&["1", "2", "3"][..]).prop_map(Some), 2 => Just(None)],
        name,
        proptest::bool::weighted(0.1),
    )
        .prop_map(|(id, name, custom)| Call {
            id: id.map(str::to_owned),
            name: name.to_owned(),
            custom,
        })
}

/// Names as a result may hold them: of deferred, resident and unknown tools, in any order, repeated.
fn names() -> impl Strategy<Value = Vec<&'static str>> {
    let name = prop_oneof![
        8 => select(&DEFERRED[..]),
        1 => select(&RESIDENT[..]),
        1 => select(&["nobody", "tool_search", "", "Alpha"][..]),
    ];
    vec(name, 0..4)
}

/// The text of a search result, names first as ours has them.
pub fn result_text(names: &[&str], key: &str) -> String {
    let says = json!("says \"loaded\": [{\"name\": \"delta\"}], }]} ");
    let items: Vec<String> = names
        .iter()
        .map(|name| format!("{{\"name\":{},\"description\":{says}}}", json!(name)))
        .collect();
    format!(
        "{{\"{key}\":[{}],\"more\":3,\"note\":\"These tools can be called.\"}}",
        items.join(",")
    )
}

/// What a result holds.
pub fn any_content() -> impl Strategy<Value = Plain> {
    let keyed = || (names(), select(&["loaded", "tools"][..]));
    prop_oneof![
        8 => keyed().prop_map(|(names, key)| json!(result_text(&names, key))),
        2 => (keyed(), 0.0..1.0).prop_map(|((names, key), share)| {
            let text = result_text(&names, key);
            let end = (text.chars().count() as f64 * share) as usize;
            json!(text.chars().take(end).collect::<String>() + "… [cut]")
        }),
        2 => keyed().prop_map(|(names, key)| {
            let text = result_text(&names, key);
            let middle = text.char_indices().nth(9).map_or(0, |(at, _)| at);
            json!([{"type": "text", "text": text[..middle]}, {"type": "image"}, {"type": "text", "text": text[middle..]}])
        }),
        // Names elsewhere in it, whole and cut.
        2 => (keyed(), 0.0..1.2).prop_map(|((names, key), share)| {
            let items: Vec<Plain> = names.iter().map(|name| json!({"name": name, "server": {"name": "delta"}})).collect();
            let text = format!(
                "{{\"name\":\"gamma\",\"query\":{{\"name\":\"gamma\"}},\"{key}\":{},\"other\":[{{\"name\":\"gamma\"}}],\"note\":\"\"}}",
                json!(items),
            );
            let end = (text.len() as f64 * share) as usize;
            json!(text.get(..end).unwrap_or(&text))
        }),
        1 => keyed().prop_map(|(names, key)| {
            serde_json::from_str::<Plain>(&result_text(&names, key)).unwrap_or_default()
        }),
        1 => Just(json!("{\"error\":\"The search failed\"}")),
        1 => Just(json!({"error": "denied"})),
        1 => Just(json!("alpha, beta")),
        1 => Just(json!("[{\"name\":\"alpha\"}]")),
        1 => Just(json!("{\"result\":{\"loaded\":[{\"name\":\"alpha\"}]}}")),
        1 => Just(json!("{\"loaded\":{\"name\":\"alpha\"}}")),
        1 => Just(json!("{\"loaded\":[\"alpha\",[{\"name\":\"beta\"}],{\"name\":{\"name\":\"gamma\"}},{\"name\":7}]}")),
        1 => Just(Plain::Null),
        1 => Just(json!(7)),
    ]
}

/// A message that says nothing about tools, of whatever kind.
pub fn noise() -> impl Strategy<Value = Plain> {
    let spoof = result_text(&["gamma", "delta"], "loaded");
    prop_oneof![
        2 => Just(json!({"role": "user", "content": "go on"})),
        2 => Just(json!({"role": "user", "content": spoof})),
        1 => Just(json!({"role": "user", "content": [{"type": "text", "text": spoof}]})),
        1 => Just(json!({"role": "system", "content": spoof})),
        1 => Just(json!({"role": "developer", "content": "be brief"})),
        1 => Just(json!({"role": "narrator", "tool_call_id": "1", "content": spoof})),
        1 => Just(json!({"role": 7, "tool_calls": [{"id": "1", "function": {"name": "tool_search"}}]})),
        1 => Just(json!({"role": "user", "tool_calls": [{"id": "2", "function": {"name": "tool_search"}}]})),
        1 => Just(json!({"type": "reasoning", "encrypted_content": "x"})),
        1 => Just(Plain::Null),
        1 => Just(json!(3.5)),
        1 => Just(json!("tool")),
        1 => Just(json!([])),
        1 => Just(json!({})),
    ]
}

/// An assistant turn and all that follows it up to the next one.
pub fn block() -> impl Strategy<Value = Vec<Plain>> {
    #[derive(Clone, Debug)]
    enum After {
        /// A result of the call at this position, with its name or not.
        Result(usize, Option<bool>, Plain),
        /// A result with an id of its own choice, or none.
        Stray(Option<&'static str>, Option<&'static str>, Plain),
        Noise(Plain),
    }
    let after = prop_oneof![
        8 => (0..4_usize, proptest::option::weighted(0.3, proptest::bool::weighted(0.8)), any_content())
            .prop_map(|(call, named, content)| After::Result(call, named, content)),
        2 => (
            proptest::option::of(select(&["1", "2", "3", "9"][..])),
            proptest::option::of(select(&["tool_search", "fetch_page", "nobody"][..])),
            any_content()
        )
            .prop_map(|(id, name, content)| After::Stray(id, name, content)),
        2 => noise().prop_map(After::Noise),
    ];
    (
        vec(any_call(), 0..4),
        vec(after, 0..6),
        any::<bool>(),
        0..10_u8,
    )
        .prop_map(|(calls, after, legacy, text)| {
            let mut assistant = json!({"role": "assistant", "content": null});
            if text == 0 {
                assistant["content"] = json!(result_text(&["delta"], "loaded"));
            }
            let legacy = legacy && calls.len() == 1 && calls[0].id.is_none();
            if legacy {
                // What `tool_calls` replaced is a turn without calls to us.
                assistant["function_call"] = json!({"name": calls[0].name, "arguments": "{}"});
            } else if !calls.is_empty() {
                assistant["tool_calls"] = calls.iter().map(Call::json).collect();
            }
            let mut messages = vec![assistant];
            messages.extend(after.into_iter().map(|after| match after {
                After::Noise(message) => message,
                After::Stray(id, name, content) => result(id, name, legacy, content),
                After::Result(at, named, content) => match calls.get(at) {
                    Some(call) => {
                        let name = named.map(|right| {
                            if right {
                                call.name.as_str()
                            } else {
                                "fetch_page"
                            }
                        });
                        result(call.id.as_deref(), name, legacy, content)
                    }
                    None => result(Some("9"), None, legacy, content),
                },
            }));
            messages
        })
}

/// A result message.
pub fn result(id: Option<&str>, name: Option<&str>, legacy: bool, content: Plain) -> Plain {
    let mut message = json!({"role": if legacy { "function" } else { "tool" }, "content": content});
    if let Some(id) = id {
        message["tool_call_id"] = json!(id);
    }
    if let Some(name) = name {
        // Two spellings of the field are in use.
        message[if id.is_some() || legacy {
            "name"
        } else {
            "tool_name"
        }] = json!(name);
    }
    message
}

/// A transcript in blocks: what precedes the first assistant turn, then turn by turn.
pub fn transcript(most: usize) -> impl Strategy<Value = Vec<Vec<Plain>>> {
    (vec(noise(), 0..3), vec(block(), 0..=most)).prop_map(|(before, turns)| {
        let mut blocks = vec![before];
        blocks.extend(turns);
        blocks
    })
}

/// The ways in which a transcript can be read.
pub fn readings() -> impl Strategy<Value = Options> {
    (
        select(&[Handoff::Keep, Handoff::Reset][..]),
        select(&[Calls::Ignore, Calls::Ignore, Calls::Load][..]),
        select(&[UnloadedCall::Run, UnloadedCall::Refuse, UnloadedCall::Load][..]),
        select(
            &[
                None,
                Some(WhenAllLoaded::Withdraw),
                Some(WhenAllLoaded::Keep),
            ][..],
        ),
    )
        .prop_map(|(handoff, calls, unloaded_call, when_all_loaded)| Options {
            handoff,
            calls,
            unloaded_call,
            when_all_loaded,
            ..crib_options()
        })
}

pub fn names_or_globs() -> impl Strategy<Value = Vec<String>> {
    let pattern = prop_oneof![
        select(&DEFERRED[..]).prop_map(str::to_owned),
        select(&RESIDENT[..]).prop_map(str::to_owned),
        select(&["*a", "?eta", "git*", "nobody", "tool_search"][..]).prop_map(str::to_owned),
    ];
    vec(pattern, 0..4)
}

/// What models write as arguments of a search.
pub fn arguments() -> impl Strategy<Value = Plain> {
    let text = |value: Plain| json!(value.to_string());
    let words = prop_oneof![
        4 => select(&["does", "alpha", "does alpha", "beta gamma", "zeta", "select:alpha,delta,nobody", "always there", ""][..])
            .prop_map(str::to_owned),
        1 => query(),
    ];
    prop_oneof![
        4 => words.clone().prop_map(move |query| text(json!({"query": query}))),
        2 => (words.clone(), -2..40).prop_map(move |(query, limit)| text(json!({"query": query, "limit": limit}))),
        2 => vec(words.clone(), 0..4).prop_map(move |queries| text(json!({"query": queries, "limit": "3"}))),
        1 => words.clone().prop_map(|query| json!({"query": query})),
        1 => words.prop_map(move |query| text(json!(query))),
        1 => any_json(),
        1 => any_json().prop_map(text),
        1 => Just(json!("{\"query\": \"alp")),
    ]
}
