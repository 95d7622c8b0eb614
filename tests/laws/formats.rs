//! Transcripts in every format: what loads, and what only looks as if it did.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Plain, json};
use toolcrib::catalogue::Catalogue;
use toolcrib::loaded::{self, Context, History};
use toolcrib::options::{Calls, Handoff, Options};
use toolcrib::result::{self, Answering, Said};
use toolcrib::transcript::{By, Format, Interest, Place, detect, names, ui_message};
use toolcrib::value::{Json, Value};

use crate::world::{DEFERRED, Host, crib, crib_options, read, result_text};

pub(crate) const FORMATS: [&str; 7] = [
    "openai-chat",
    "openai-responses",
    "anthropic",
    "gemini",
    "bedrock",
    "ai-sdk",
    "neutral",
];

fn format(name: &str) -> Format {
    Format::named(name).unwrap()
}

/// The catalogue of [`crib`] and of what the provider has, whatever the format of the messages.
fn catalogue(options: &Options, hosted: &[Plain]) -> Catalogue {
    let host = Host::of(&crib());
    let hosted: Vec<Json> = hosted.iter().map(read).collect();
    let tools = host.tools.iter().chain(&hosted);
    let reads = tools.map(|tool| toolcrib::tool::read(&Some(tool)));
    let mut schemas: Vec<Option<&str>> = host.schemas.iter().map(Option::as_deref).collect();
    schemas.extend(hosted.iter().map(|_| None));
    let wire = toolcrib::tool::wire("openai-chat").unwrap();
    Catalogue::new(reads.collect(), &schemas, options, wire).unwrap()
}

/// A reading of messages.
struct Reading {
    format: &'static str,
    options: Options,
    until: usize,
    forced: Vec<&'static str>,
    hosted: Vec<Plain>,
}

impl Reading {
    fn of(format: &'static str) -> Reading {
        Reading {
            format,
            options: crib_options(),
            until: usize::MAX,
            forced: Vec::new(),
            hosted: Vec::new(),
        }
    }
    fn with<T>(&self, run: impl FnOnce(Context<'_>) -> T) -> T {
        let catalogue = catalogue(&self.options, &self.hosted);
        run(Context {
            format: format(self.format),
            catalogue: &catalogue,
            options: &self.options,
            until: self.until,
            since: 0,
            noted: None,
            turn: self.until,
            notes: true,
            proxy: Some("call_tool"),
            cap: None,
        })
    }
    fn history(&self, messages: &Plain) -> History {
        self.with(|context| {
            let forced = self
                .forced
                .iter()
                .map(|name| context.catalogue.position(name).unwrap());
            let forced: Vec<u32> = forced.collect();
            loaded::read(context, &Some(&read(messages)), &[], &forced)
        })
    }
    fn named(&self, positions: &[u32]) -> Vec<String> {
        self.with(|context| {
            positions
                .iter()
                .map(|at| context.catalogue.name(*at).to_owned())
                .collect()
        })
    }
    fn loaded(&self, messages: &Plain) -> Vec<String> {
        self.named(&self.history(messages).loaded)
    }
    fn pending(&self, messages: &Plain) -> Vec<Place> {
        self.with(|context| loaded::pending(context, &Some(&read(messages))))
    }
}

fn loaded(format: &'static str, messages: Plain) -> Vec<String> {
    Reading::of(format).loaded(&messages)
}

fn none() -> Vec<String> {
    Vec::new()
}

// ---- the same conversation in every format ----

#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) id: String,
    pub(crate) name: &'static str,
}

#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// Which of the calls, or none of them.
    pub(crate) call: Option<usize>,
    pub(crate) failed: bool,
    pub(crate) names: Vec<&'static str>,
}

#[derive(Clone, Debug)]
pub(crate) struct Round {
    pub(crate) calls: Vec<Asked>,
    pub(crate) told: Vec<Told>,
    pub(crate) said: bool,
}

pub(crate) fn round() -> impl Strategy<Value = Round> {
    let name = prop_oneof![
        4 => Just("tool_search"),
        1 => Just("find_tools"),
        2 => select(&DEFERRED[..]),
        1 => Just("home"),
    ];
    let told = (
        prop_oneof![5 => (0..3_usize).prop_map(Some), 1 => Just(None)],
        proptest::bool::weighted(0.2),
        vec(
            prop_oneof![5 => select(&DEFERRED[..]), 1 => Just("nobody"), 1 => Just("home")],
            0..3,
        ),
    );
    let told = told.prop_map(|(call, failed, names)| Told {
        call,
        failed,
        names,
    });
    (vec(name, 1..4), vec(told, 0..5), any::<bool>()).prop_map(|(names, told, said)| Round {
        // One runtime numbers its calls anew in every turn.
        calls: names
            .into_iter()
            .enumerate()
            .map(|(at, name)| Asked {
                id: format!("call_{at}"),
                name,
            })
            .collect(),
        told,
        said,
    })
}

/// The round as messages.
pub(crate) fn rendered(format: &str, round: &Round) -> Vec<Plain> {
    let query = json!({"query": "x"});
    let text = query.to_string();
    let calls = round.calls.iter();
    let content = |told: &Told| json!({"loaded": told.names.iter().map(|name| json!({"name": name})).collect::<Plain>()});
    let results: Vec<Plain> = round
        .told
        .iter()
        .map(|told| {
            let call = told.call.and_then(|at| round.calls.get(at));
            let to = Answering {
                id: Some(call.map_or("call_9", |call| &call.id)),
                name: call.map_or("nobody", |call| call.name),
                by: By::Function,
            };
            let object = read(&content(told));
            let said = if told.failed {
                Said::Failure("no luck")
            } else {
                Said::Object(&object)
            };
            let part = result::part(self::format(format), to, said);
            serde_json::from_str(&Some(&part).json_text().unwrap()).unwrap()
        })
        .collect();
    let said = round.said.then(|| "Let me see".to_owned());
    let one = |message: Plain, results: Plain| vec![message, results];
    match format {
        "openai-chat" => {
            let calls: Plain = calls
                .map(|call| json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": text}}))
                .collect();
            [
                vec![json!({"role": "assistant", "content": said, "tool_calls": calls})],
                results,
            ]
            .concat()
        }
        "neutral" => {
            let calls: Plain = calls
                .map(|call| json!({"id": call.id, "name": call.name, "arguments": query}))
                .collect();
            [
                vec![json!({"role": "assistant", "content": said, "toolCalls": calls})],
                results,
            ]
            .concat()
        }
        "openai-responses" => {
            let calls = calls.map(|call| json!({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": text}));
            let said =
                said.map(|said| json!({"type": "message", "role": "assistant", "content": said}));
            [said.into_iter().collect(), calls.collect(), results].concat()
        }
        "anthropic" => {
            let calls: Plain = calls
                .map(|call| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": query}))
                .collect();
            one(
                json!({"role": "assistant", "content": calls}),
                json!({"role": "user", "content": results}),
            )
        }
        "bedrock" => {
            let calls: Plain = calls
                .map(|call| json!({"toolUse": {"toolUseId": call.id, "name": call.name, "input": query}}))
                .collect();
            one(
                json!({"role": "assistant", "content": calls}),
                json!({"role": "user", "content": results}),
            )
        }
        "gemini" => {
            let calls: Plain = calls
                .map(|call| json!({"functionCall": {"id": call.id, "name": call.name, "args": query}, "thoughtSignature": "x"}))
                .collect();
            one(
                json!({"role": "model", "parts": calls}),
                json!({"role": "user", "parts": results}),
            )
        }
        "ai-sdk" => {
            let calls: Plain = calls
                .map(|call| json!({"type": "tool-call", "toolCallId": call.id, "toolName": call.name, "input": query}))
                .collect();
            one(
                json!({"role": "assistant", "content": calls}),
                json!({"role": "tool", "content": results}),
            )
        }
        other => panic!("{other}"),
    }
}

pub(crate) fn user(format: &str, text: &str) -> Plain {
    match format {
        "gemini" => json!({"role": "user", "parts": [{"text": text}]}),
        "bedrock" => json!({"role": "user", "content": [{"text": text}]}),
        _ => json!({"role": "user", "content": text}),
    }
}

/// What is loaded, by the sentences of DESIGN.md.
fn expected(rounds: &[Round], calls_load: bool) -> Vec<String> {
    let mut loaded: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if DEFERRED.contains(&name) && !loaded.iter().any(|known| known == name) {
            loaded.push(name.to_owned());
        }
    };
    for round in rounds {
        let mut open = vec![true; round.calls.len()];
        if calls_load {
            round.calls.iter().for_each(|call| add(call.name));
        }
        for told in &round.told {
            let Some(at) = told.call.filter(|at| open.get(*at) == Some(&true)) else {
                continue;
            };
            open[at] = false;
            let is_search = ["tool_search", "find_tools"].contains(&round.calls[at].name);
            if is_search && !told.failed {
                told.names.iter().for_each(|name| add(name));
            }
        }
    }
    loaded
}

proptest! {
    #![proptest_config(crate::world::config(300))]

    #[test]
    fn the_same_conversation_in_any_format_loads_the_same(rounds in vec(round(), 0..4), calls_load in any::<bool>()) {
        let expected = expected(&rounds, calls_load);
        for format in FORMATS {
            // A user speaks between the rounds, so that no two of the assistant's messages are one turn.
            let messages: Plain = rounds
                .iter()
                .flat_map(|round| [rendered(format, round), vec![user(format, &result_text(&["gamma"], "loaded"))]].concat())
                .collect();
            let mut reading = Reading::of(format);
            if calls_load {
                reading.options.calls = Calls::Load;
            }
            prop_assert_eq!(&reading.loaded(&messages), &expected, "{} {}", format, messages);
            prop_assert_eq!(self::format(format).unknown(&Some(&read(&messages))), Vec::<usize>::new());
        }
    }

    #[test]
    fn what_is_pending_is_what_has_no_result(rounds in vec(round(), 1..3)) {
        let last = rounds.last().unwrap();
        let open = last.calls.iter().enumerate().filter(|(at, call)| {
            ["tool_search", "find_tools"].contains(&call.name) && !last.told.iter().any(|told| told.call == Some(*at))
        });
        let open: Vec<&str> = open.map(|(_, call)| call.id.as_str()).collect();
        for format in FORMATS {
            let messages: Vec<Plain> = rounds
                .iter()
                .flat_map(|round| [vec![user(format, "go")], rendered(format, round)].concat())
                .collect();
            let pending = Reading::of(format).pending(&json!(messages));
            let ids: Vec<String> = pending
                .iter()
                .map(|place| {
                    // The messages of these rounds hold nothing but calls, or are one each.
                    let json = read(&messages[place.message]);
                    let calls = self::format(format).calls(&Some(&json));
                    calls[place.part.unwrap_or(0)].id.clone().unwrap()
                })
                .collect();
            prop_assert_eq!(&ids, &open, "{} {:?}", format, messages);
        }
    }

    #[test]
    fn nothing_at_all_makes_a_reader_fail(messages in crate::world::any_json()) {
        for format in FORMATS {
            let reading = Reading { options: Options { calls: Calls::Load, handoff: Handoff::Reset, ..crib_options() }, ..Reading::of(format) };
            let _ = (reading.history(&messages), reading.pending(&messages));
            let value = read(&messages);
            let _ = (self::format(format).calls(&Some(&value)), self::format(format).answers(&Some(&value)));
            let _ = (detect(&Some(&value)), ui_message(&Some(&value)), names(&Some(&value)));
        }
    }
}

#[test]
fn without_ids_results_pair_by_name_and_order_within_their_turn() {
    let answer = |name: &str, loads: &str| json!({"functionResponse": {"name": name, "response": {"output": {"loaded": [{"name": loads}]}}}});
    let call = |name: &str| json!({"functionCall": {"name": name, "args": {}}});
    let model = |parts: Plain| json!({"role": "model", "parts": parts});
    let user = |parts: Plain| json!({"role": "user", "parts": parts});
    // Out of order by name; of one name, in order.
    assert_eq!(
        loaded(
            "gemini",
            json!([
                model(json!([
                    call("home"),
                    call("tool_search"),
                    call("tool_search")
                ])),
                user(json!([
                    answer("tool_search", "alpha"),
                    answer("home", "gamma"),
                    answer("tool_search", "beta"),
                    answer("tool_search", "delta")
                ])),
            ])
        ),
        ["alpha", "beta"]
    );
    // Never across turns, and in the role `function` or none too.
    assert_eq!(
        loaded(
            "gemini",
            json!([
                model(json!([call("tool_search")])),
                user(json!([{"text": "never mind"}])),
                model(json!([{"text": "well"}])),
                user(json!([answer("tool_search", "alpha")])),
                model(json!([{"function_call": {"name": "tool_search", "args": {}}}])),
                {"role": "function", "parts": [{"function_response": {"name": "tool_search", "response": {"result": {"loaded": [{"name": "beta"}]}}}}]},
                model(json!([call("tool_search")])),
                {"parts": [answer("tool_search", "delta")]},
            ])
        ),
        ["beta", "delta"]
    );
    // Where only one of the two has an id, too; where both have one it decides.
    let with = |mut part: Plain, key: &str, id: &str| {
        part[key]["id"] = json!(id);
        part
    };
    let asked = |id| with(call("tool_search"), "functionCall", id);
    let told = |id| with(answer("tool_search", "alpha"), "functionResponse", id);
    let plain = (call("tool_search"), answer("tool_search", "alpha"));
    for (asked, told, loads) in [
        (asked("a"), plain.1.clone(), true),
        (plain.0.clone(), told("a"), true),
        (asked("a"), told("a"), true),
        (asked("a"), told("b"), false),
        (asked("a"), answer("home", "alpha"), false),
    ] {
        let messages = json!([
            model(json!([call("home"), asked])),
            user(json!([told, answer("home", "beta")])),
        ]);
        let expected = if loads {
            vec!["alpha".to_owned()]
        } else {
            none()
        };
        assert_eq!(loaded("gemini", messages.clone()), expected, "{messages}");
    }
    // Ollama: an object for the arguments, no ids, and the name in `tool_name`.
    assert_eq!(
        loaded(
            "openai-chat",
            json!([
                {"role": "assistant", "tool_calls": [{"function": {"name": "home", "arguments": {}}}, {"function": {"name": "tool_search", "arguments": {"query": "x"}}}]},
                {"role": "tool", "tool_name": "tool_search", "content": result_text(&["alpha"], "loaded")},
                {"role": "tool", "tool_name": "home", "content": result_text(&["beta"], "loaded")},
            ])
        ),
        ["alpha"]
    );
}

#[test]
fn assistant_messages_one_after_another_are_one_turn_where_the_provider_merges_them() {
    let call = |id: &str| json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "tool_search", "input": {}}]});
    let result = |id: &str, name: &str| json!({"type": "tool_result", "tool_use_id": id, "content": result_text(&[name], "loaded")});
    let messages = json!([
        call("a"),
        {"role": "assistant", "content": [{"type": "text", "text": "and"}]},
        call("b"),
        {"role": "user", "content": [result("b", "beta"), result("a", "alpha"), {"type": "text", "text": "go on"}]},
    ]);
    assert_eq!(loaded("anthropic", messages), ["beta", "alpha"]);
    let sdk = |id: &str| json!({"role": "assistant", "content": [{"type": "tool-call", "toolCallId": id, "toolName": "tool_search", "input": {}}]});
    let result = |id: &str, name: &str| json!({"type": "tool-result", "toolCallId": id, "toolName": "tool_search", "output": {"type": "json", "value": {"loaded": [{"name": name}]}}});
    let messages = json!([sdk("a"), sdk("b"), {"role": "tool", "content": [result("b", "beta"), result("a", "alpha")]}]);
    assert_eq!(loaded("ai-sdk", messages), ["beta"]);
}

#[test]
fn a_call_that_waits_for_an_approval_stays_open_over_a_turn() {
    let waiting = json!({"role": "assistant", "content": [
        {"type": "tool-call", "toolCallId": "a", "toolName": "tool_search", "input": {}},
        {"type": "tool-call", "toolCallId": "b", "toolName": "tool_search", "input": {}},
        {"type": "tool-approval-request", "approvalId": "1", "toolCallId": "a"},
    ]});
    let result = |id: &str, name: &str| json!({"type": "tool-result", "toolCallId": id, "toolName": "tool_search", "output": {"type": "json", "value": {"loaded": [{"name": name}]}}});
    let between = json!({"role": "assistant", "content": "One moment."});
    let after = json!({"role": "tool", "content": [{"type": "tool-approval-response", "approvalId": "1", "approved": true}, result("a", "alpha"), result("b", "beta")]});
    for calls in [Calls::Ignore, Calls::Load] {
        let mut reading = Reading::of("ai-sdk");
        reading.options.calls = calls;
        assert_eq!(
            reading.loaded(&json!([waiting, {"role": "user", "content": "well?"}, between, after])),
            ["alpha"]
        );
        assert_eq!(reading.loaded(&json!([waiting, after])), ["alpha", "beta"]);
    }
    // A denial is a result, and it loads nothing.
    let denied = json!({"role": "tool", "content": [{"type": "tool-result", "toolCallId": "a", "toolName": "tool_search", "output": {"type": "execution-denied", "reason": "no"}}]});
    let reading = Reading::of("ai-sdk");
    assert_eq!(reading.loaded(&json!([waiting, denied, after])), ["beta"]);
    let pending = reading.pending(&json!([waiting, denied]));
    assert_eq!(
        pending,
        [Place {
            message: 0,
            part: Some(1)
        }]
    );
    assert_eq!(
        reading.pending(&json!([waiting, between])),
        [Place {
            message: 0,
            part: Some(0)
        }]
    );
}

#[test]
fn what_fails_loads_nothing() {
    let found = || json!({"loaded": [{"name": "alpha"}]});
    let text = found().to_string();
    let use_ = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "tool_search", "input": {}}]});
    for (fails, loads) in [(json!(true), 0), (json!(false), 1), (Plain::Null, 1)] {
        let messages = json!([use_, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": text, "is_error": fails}]}]);
        assert_eq!(loaded("anthropic", messages).len(), loads, "{fails}");
        let messages = json!([{"role": "assistant", "toolCalls": [{"id": "1", "name": "tool_search", "arguments": {}}]}, {"role": "tool", "toolCallId": "1", "content": found(), "isError": fails}]);
        assert_eq!(loaded("neutral", messages).len(), loads, "{fails}");
    }
    for (status, loads) in [("error", 0), ("success", 1)] {
        let messages = json!([
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "tool_search", "input": {}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "1", "content": [{"json": found()}], "status": status}}]},
        ]);
        assert_eq!(loaded("bedrock", messages).len(), loads, "{status}");
    }
    for (kind, loads) in [
        ("error-text", 0),
        ("error-json", 0),
        ("execution-denied", 0),
        ("json", 1),
        ("text", 1),
    ] {
        let value = if kind.ends_with("text") {
            json!(text)
        } else {
            found()
        };
        let messages = json!([
            {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "1", "toolName": "tool_search", "input": {}}]},
            {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "1", "toolName": "tool_search", "output": {"type": kind, "value": value}}]},
        ]);
        assert_eq!(loaded("ai-sdk", messages).len(), loads, "{kind}");
    }
    for (response, loads) in [
        (json!({"error": "no", "output": found()}), 0),
        (json!({"error": null, "output": found()}), 1),
        (found(), 1),
    ] {
        let messages = json!([
            {"role": "model", "parts": [{"functionCall": {"name": "tool_search", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "tool_search", "response": response}}]},
        ]);
        assert_eq!(loaded("gemini", messages).len(), loads, "{response}");
    }
    let messages = json!([
        {"type": "function_call", "call_id": "1", "name": "tool_search", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "{\"error\":\"no\"}"},
        {"type": "tool_search_call", "call_id": "2", "execution": "client", "arguments": {}},
        {"type": "tool_search_output", "call_id": "2", "execution": "client", "tools": []},
    ]);
    assert_eq!(loaded("openai-responses", messages), none());
}

#[test]
fn a_failed_handoff_resets_nothing() {
    let rounds = |failed: bool| {
        let round = |name, names: Vec<&'static str>, failed| Round {
            calls: vec![Asked {
                id: "1".to_owned(),
                name,
            }],
            told: vec![Told {
                call: Some(0),
                failed,
                names,
            }],
            said: false,
        };
        [
            round("tool_search", vec!["alpha"], false),
            round("transfer_to_sales", vec![], failed),
            round("tool_search", vec!["beta"], false),
        ]
    };
    for format in FORMATS {
        let mut reading = Reading::of(format);
        reading.options.handoff = Handoff::Reset;
        for (failed, expected) in [(true, &["alpha", "beta"][..]), (false, &["beta"][..])] {
            let messages: Plain = rounds(failed)
                .iter()
                .flat_map(|round| rendered(format, round))
                .collect();
            assert_eq!(reading.loaded(&messages), expected, "{format} {messages}");
        }
    }
}

#[test]
fn a_search_that_the_provider_ran_loads_natively() {
    let reference = json!([{"type": "tool_reference", "tool_name": "alpha"}, {"type": "tool_reference", "tool_name": "gone"}]);
    let anthropic = json!([
        {"role": "assistant", "content": [
            {"type": "server_tool_use", "id": "s", "name": "tool_search_tool_bm25", "input": {"query": "x"}},
            {"type": "tool_search_tool_result", "tool_use_id": "s", "content": {"type": "tool_search_tool_search_result", "tool_references": reference}},
            {"type": "tool_use", "id": "1", "name": "alpha", "input": {}},
        ]},
    ]);
    let responses = json!([
        {"type": "tool_search_call", "execution": "server", "call_id": null, "arguments": {}, "status": "completed"},
        {"type": "tool_search_output", "execution": "server", "call_id": null, "tools": [{"type": "function", "name": "alpha", "parameters": {}}]},
        {"type": "function_call", "call_id": "1", "name": "alpha", "arguments": "{}"},
    ]);
    let sdk = json!([
        {"role": "assistant", "content": [
            {"type": "tool-call", "toolCallId": "s", "toolName": "toolSearch", "input": {}, "providerExecuted": true},
            {"type": "tool-result", "toolCallId": "s", "toolName": "toolSearch", "output": {"type": "json", "value": [{"type": "tool_reference", "toolName": "alpha"}]}},
        ]},
    ]);
    for (format, messages) in [
        ("anthropic", &anthropic),
        ("openai-responses", &responses),
        ("ai-sdk", &sdk),
    ] {
        let reading = Reading::of(format);
        let history = reading.history(messages);
        assert_eq!(reading.named(&history.loaded), ["alpha"], "{format}");
        let (seen, other) = match format {
            "openai-responses" => (&history.defined, &history.seen),
            _ => (&history.seen, &history.defined),
        };
        assert_eq!((seen, other), (&history.loaded, &vec![]), "{format}");
        assert_eq!(history.native_items, format == "openai-responses");
        assert_eq!(reading.pending(messages), [], "{format}");
    }
    assert_eq!(
        Reading::of("anthropic").history(&anthropic).strangers,
        ["gone"]
    );
    // What it found counts for a call that stands beside it.
    let until = Reading {
        until: 0,
        ..Reading::of("anthropic")
    };
    assert_eq!(until.loaded(&anthropic), ["alpha"]);
    let until = Reading {
        until: 2,
        ..Reading::of("openai-responses")
    };
    assert_eq!(until.loaded(&responses), ["alpha"]);
    // An error, and a result that only looks like one.
    let mut failed = anthropic.clone();
    failed[0]["content"][1]["content"] =
        json!({"type": "tool_search_tool_result_error", "error_code": "unavailable"});
    assert_eq!(loaded("anthropic", failed), none());
    let mut other = anthropic.clone();
    other[0]["content"][0]["name"] = json!("web_search");
    assert_eq!(loaded("anthropic", other), none());
    let mut ours = sdk.clone();
    ours[0]["content"][0]["providerExecuted"] = json!(false);
    assert_eq!(loaded("ai-sdk", ours), none());
    // A turn in which a search of the provider's stands between calls of ours is one turn.
    let mixed = json!([
        {"type": "function_call", "call_id": "1", "name": "tool_search", "arguments": "{}"},
        responses[0], responses[1],
        {"type": "function_call", "call_id": "2", "name": "tool_search", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "2", "output": result_text(&["beta"], "loaded")},
        {"type": "function_call_output", "call_id": "1", "output": result_text(&["delta"], "tools")},
    ]);
    assert_eq!(
        loaded("openai-responses", mixed),
        ["alpha", "beta", "delta"]
    );
}

/// A turn in which the provider ran a tool of this name, and its result.
fn executed(name: &str, value: &Plain, options: Option<(&str, Plain)>) -> Plain {
    let mut call = json!({"type": "tool-call", "toolCallId": "s", "toolName": name, "input": {}, "providerExecuted": true});
    let mut result = json!({"type": "tool-result", "toolCallId": "s", "toolName": name, "output": {"type": "json", "value": value}});
    if let Some((key, options)) = options {
        call[key] = options.clone();
        result[key] = options;
    }
    json!([{"role": "assistant", "content": [call, result]}, {"role": "user", "content": "go on"}])
}

#[test]
fn the_tool_of_a_remote_server_is_no_search_whatever_its_name() {
    let server =
        json!({"anthropic": {"type": "mcp-tool-use", "serverName": "files", "toolName": "x"}});
    let reference = json!([{"type": "tool_reference", "toolName": "alpha"}]);
    for calls in [Calls::Ignore, Calls::Load] {
        for name in ["tool_search", "find_tools", "toolSearch", "alpha"] {
            for key in ["providerOptions", "providerMetadata"] {
                for value in [json!({"loaded": [{"name": "alpha"}]}), reference.clone()] {
                    let mut reading = Reading::of("ai-sdk");
                    reading.options.calls = calls;
                    let history =
                        reading.history(&executed(name, &value, Some((key, server.clone()))));
                    assert_eq!(history, History::default(), "{name} {key} {value}");
                }
            }
        }
    }
    // The mark, and not that there are options, makes the difference.
    let cached = json!({"anthropic": {"type": "ephemeral"}});
    let messages = executed("toolSearch", &reference, Some(("providerOptions", cached)));
    assert_eq!(loaded("ai-sdk", messages), ["alpha"]);
}

#[test]
fn a_search_that_the_provider_ran_is_known_by_the_hosts_own_key() {
    let reference = json!([{"type": "tool_reference", "toolName": "alpha"}]);
    let provided = |name: &str, id: &str| json!({"type": "provider", "id": id, "name": name});
    let anthropic = provided("findTools", "anthropic.tool_search_bm25_20251119");
    let openai = provided("lookUp", "openai.tool_search");
    let web = provided("toolSearch", "anthropic.web_search_20250305");
    for calls in [Calls::Ignore, Calls::Load] {
        let read = |hosted: &[&Plain], name: &str| {
            let mut reading = Reading::of("ai-sdk");
            reading.options.calls = calls;
            reading.hosted = hosted.iter().copied().cloned().collect();
            reading.loaded(&executed(name, &reference, None))
        };
        assert_eq!(read(&[&anthropic], "findTools"), ["alpha"]);
        assert_eq!(read(&[&web, &openai], "lookUp"), ["alpha"]);
        // Another tool of the provider's, and names that the catalogue could tell but does not have.
        assert_eq!(read(&[&web, &openai], "toolSearch"), none());
        assert_eq!(read(&[&anthropic], "tool_search"), none());
        assert_eq!(read(&[&web], "tool_search_tool_bm25"), none());
        // Without any the usual names are all that tells; a name of ours is not one of them.
        assert_eq!(read(&[], "tool_search_tool_bm25"), ["alpha"]);
        assert_eq!(read(&[], "toolSearch"), ["alpha"]);
        assert_eq!(read(&[], "findTools"), none());
        assert_eq!(read(&[], "find_tools"), none());
    }
}

#[test]
fn what_the_provider_found_it_says_in_no_text() {
    let list = json!([{"name": "alpha"}]);
    let object = json!({"loaded": list});
    for value in [
        object.clone(),
        list,
        json!(object.to_string()),
        json!({"result": object.to_string()}),
        json!([{"type": "text", "text": object.to_string()}]),
        json!([{"json": object}]),
        json!([{"type": "resource_link", "name": "alpha"}]),
        json!({"content": [{"type": "text", "text": object.to_string()}]}),
    ] {
        let messages = executed("toolSearch", &value, None);
        assert_eq!(loaded("ai-sdk", messages), none(), "{value}");
        let messages = json!([{"role": "assistant", "content": [
            {"type": "server_tool_use", "id": "s", "name": "tool_search_tool_bm25", "input": {}},
            {"type": "tool_search_tool_result", "tool_use_id": "s", "content": value},
        ]}]);
        assert_eq!(loaded("anthropic", messages), none(), "{value}");
    }
    let value = json!({"tools": [{"type": "function", "name": "alpha", "parameters": {}}]});
    assert_eq!(
        loaded("ai-sdk", executed("tool_search", &value, None)),
        ["alpha"]
    );
}

#[test]
fn the_providers_own_search_items_are_answered_by_us() {
    let definition = |name: &str| json!({"type": "function", "name": name, "parameters": {"type": "object"}, "defer_loading": true});
    let call = json!({"type": "tool_search_call", "call_id": "1", "execution": "client", "arguments": {"query": "x"}, "status": "completed"});
    let output = json!({"type": "tool_search_output", "call_id": "1", "execution": "client", "status": "completed", "tools": [
        definition("alpha"), {"type": "namespace", "name": "github", "description": "", "tools": [definition("zeta")]},
    ]});
    let reading = Reading::of("openai-responses");
    let messages = json!([{"role": "user", "content": "hi"}, {"type": "reasoning", "summary": []}, call, output]);
    let history = reading.history(&messages);
    assert_eq!(reading.named(&history.loaded), ["alpha", "github__zeta"]);
    assert_eq!(
        (&history.defined, &history.schemas),
        (&history.loaded, &history.loaded)
    );
    assert!(history.native_items && history.began);
    assert_eq!(
        reading.pending(&json!([{"role": "user", "content": "hi"}, call])),
        [Place {
            message: 1,
            part: None
        }]
    );
    // A definition of a tool that takes nothing is one all the same.
    let bare = json!({"type": "tool_search_output", "call_id": "1", "execution": "client", "status": "completed", "tools": [
        {"type": "function", "name": "alpha", "defer_loading": true}, {"type": "custom", "name": "gone"},
    ]});
    let history = reading.history(&json!([call, bare]));
    assert_eq!(history.defined, history.loaded);
    assert_eq!(
        (history.seen, history.referred, history.strangers),
        (vec![], vec![], none())
    );
    // One that answers no call, or a call of another turn.
    assert_eq!(reading.loaded(&json!([output])), none());
    assert_eq!(reading.loaded(&json!([call, {"role": "user", "content": "wait"}, {"role": "assistant", "content": "yes"}, output])), none());
}

#[test]
fn what_the_provider_ran_no_host_answers() {
    let found = result_text(&["alpha"], "loaded");
    let call = json!({"type": "tool_search_call", "execution": "server", "call_id": null, "arguments": {}, "status": "completed"});
    let items = |answer: Plain| json!([call, {"role": "user", "content": "x"}, answer]);
    for answer in [
        json!({"type": "function_call_output", "call_id": null, "output": found}),
        json!({"type": "function_call_output", "output": found}),
        json!({"type": "function_call_output", "name": "tool_search", "output": found}),
    ] {
        for calls in [Calls::Ignore, Calls::Load] {
            let mut reading = Reading::of("openai-responses");
            reading.options.calls = calls;
            assert_eq!(reading.loaded(&items(answer.clone())), none(), "{answer}");
        }
    }
    let messages = json!([
        {"role": "assistant", "content": [{"type": "server_tool_use", "id": "s", "name": "tool_search_tool_bm25", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "s", "content": [{"type": "tool_reference", "tool_name": "alpha"}]}]},
    ]);
    for calls in [Calls::Ignore, Calls::Load] {
        let mut reading = Reading::of("anthropic");
        reading.options.calls = calls;
        assert_eq!(reading.loaded(&messages), none());
    }
}

#[test]
fn the_items_of_the_providers_search_want_it_among_the_tools() {
    let definition = json!({"type": "function", "name": "alpha", "parameters": {}});
    let mut deferred = definition.clone();
    deferred["defer_loading"] = json!(true);
    let output = |status: &str| json!({"type": "tool_search_output", "call_id": "1", "execution": "client", "status": status, "tools": [deferred]});
    let adds = |tool: &Plain| json!({"type": "additional_tools", "role": "developer", "tools": [definition, tool]});
    let user = json!({"role": "user", "content": "x"});
    let call = |execution: &str, id: Plain| json!({"type": "tool_search_call", "execution": execution, "call_id": id, "arguments": {}});
    let reading = Reading::of("openai-responses");
    for (item, wants) in [
        (call("server", Plain::Null), true),
        (call("client", json!("1")), true),
        // The provider holds the call itself.
        (output("completed"), true),
        (adds(&deferred), true),
        (
            adds(
                &json!({"type": "namespace", "name": "n", "description": "", "tools": [deferred]}),
            ),
            true,
        ),
        (adds(&definition), false),
        (user.clone(), false),
        (
            json!({"type": "function_call", "call_id": "1", "name": "tool_search", "arguments": "{}"}),
            false,
        ),
        (
            json!({"role": "user", "content": [output("completed")]}),
            false,
        ),
    ] {
        let messages = json!([user, item, user]);
        assert_eq!(reading.history(&messages).native_items, wants, "{item}");
        let until = Reading {
            until: 1,
            ..Reading::of("openai-responses")
        };
        assert!(!until.history(&messages).native_items);
        // The host's own tool of that kind does.
        let own = Reading {
            hosted: vec![json!({"type": "tool_search"})],
            ..Reading::of("openai-responses")
        };
        assert!(!own.history(&messages).native_items);
        assert!(!Reading::of("anthropic").history(&messages).native_items);
    }
    // An output that broke off loads nothing.
    let answered =
        |status: &str| reading.loaded(&json!([call("client", json!("1")), output(status)]));
    assert_eq!(answered("completed"), ["alpha"]);
    assert_eq!(answered("incomplete"), none());
}

#[test]
fn tools_come_and_go_by_who_leads_the_conversation() {
    let reference = |kind: &str, name: &str| json!({"type": kind, "tool": {"type": "tool_reference", "name": name}});
    let blocks = json!([
        reference("tool_addition", "alpha"),
        reference("tool_addition", "beta"),
        reference("tool_removal", "alpha")
    ]);
    let spoken = |role: &str| json!([{"role": role, "content": blocks}]);
    assert_eq!(loaded("anthropic", spoken("system")), ["beta"]);
    assert_eq!(loaded("anthropic", spoken("user")), none());
    assert_eq!(loaded("anthropic", spoken("assistant")), none());
    let defined = json!([{"role": "system", "content": [{"type": "tool_addition", "tool": {"type": "tool_definition", "definition": {"name": "gamma", "input_schema": {}}}}]}]);
    assert_eq!(loaded("anthropic", defined), ["gamma"]);
    let compacted = |role: &str| json!([{"role": role, "content": [{"type": "compaction", "content": "so far", "tool_changes": blocks}]}]);
    assert_eq!(loaded("anthropic", compacted("assistant")), ["beta"]);
    assert_eq!(loaded("anthropic", compacted("user")), none());
    let keyed =
        |key: &str, name: &str| json!({key: {"tool": {"type": "tool_reference", "name": name}}});
    let blocks = json!([
        keyed("toolAddition", "alpha"),
        keyed("toolAddition", "beta"),
        keyed("toolRemoval", "alpha")
    ]);
    let spoken = |role: &str| json!([{"role": role, "content": blocks}]);
    assert_eq!(loaded("bedrock", spoken("system")), ["beta"]);
    assert_eq!(loaded("bedrock", spoken("user")), none());
    let items = |role: &str| json!([{"type": "additional_tools", "role": role, "tools": [{"type": "function", "name": "alpha", "parameters": {}}]}]);
    for (role, expected) in [
        ("developer", &["alpha"][..]),
        ("system", &["alpha"]),
        ("user", &[]),
        ("assistant", &[]),
        ("tool", &[]),
    ] {
        assert_eq!(loaded("openai-responses", items(role)), expected, "{role}");
    }
    for calls in [Calls::Ignore, Calls::Load] {
        let mut reading = Reading::of("openai-responses");
        reading.options.calls = calls;
        let messages = json!([
            {"type": "function_call", "call_id": "1", "name": "tool_search", "arguments": "{}"},
            items("developer")[0],
            {"type": "function_call_output", "call_id": "1", "output": result_text(&["beta"], "loaded")},
        ]);
        assert_eq!(reading.loaded(&messages), ["alpha", "beta"]);
    }
}

#[test]
fn where_no_call_is_ours_no_turn_is_looked_for() {
    let mut reading = Reading::of("openai-chat");
    // The host has a tool of that name itself.
    reading.options.search_name = "home".to_owned();
    reading.options.former_names = Vec::new();
    let messages = json!([
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "home", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": result_text(&["alpha"], "loaded")},
    ]);
    assert_eq!(reading.history(&messages), History::default());
    let value = read(&messages);
    let mut events = 0;
    let nobody = Interest::Calls(&[]);
    format("openai-chat").read(&Some(&value), nobody, &mut |_| events += 1);
    assert_eq!(events, 0);
}

#[test]
fn a_call_of_the_proxy_is_a_call_of_the_tool_it_names() {
    let arguments = json!({"name": "alpha", "arguments": {"name": "beta"}});
    let messages = [
        (
            "openai-chat",
            json!([{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "call_tool", "arguments": arguments.to_string()}}]}]),
        ),
        (
            "anthropic",
            json!([{"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "call_tool", "input": arguments}]}]),
        ),
    ];
    for (format, messages) in &messages {
        let mut reading = Reading::of(format);
        assert_eq!(reading.loaded(messages), none());
        reading.forced = vec!["alpha"];
        assert_eq!(reading.loaded(messages), ["alpha"]);
        reading.forced = vec!["beta"];
        assert_eq!(reading.loaded(messages), none());
        reading.forced = Vec::new();
        reading.options.calls = Calls::Load;
        assert_eq!(reading.loaded(messages), ["alpha"]);
    }
}

#[test]
fn the_tool_that_a_long_call_of_the_proxy_means_is_found_wherever_it_stands() {
    let long = "é\\\"".repeat(5000);
    let inner = format!("{{\"name\":\"beta\",\"tool_name\":\"beta\",\"text\":\"{long}\"}}");
    for (arguments, means) in [
        (
            format!("{{\"name\":\"alpha\",\"arguments\":{inner}}}"),
            "alpha",
        ),
        (
            format!("{{\"arguments\":{inner},\"name\":\"alpha\"}}"),
            "alpha",
        ),
        (
            format!("{{\"tool_name\":\"beta\",\"name\":\"alpha\",\"arguments\":{inner}}}"),
            "alpha",
        ),
        (
            format!("{{\"text\":\"\\ud83d\",\"name\":\"alpha\",\"arguments\":{inner}}}"),
            "alpha",
        ),
        (format!("{{\"name\":7,\"arguments\":{inner}}}"), ""),
        (format!("{{\"arguments\":{inner}}}"), ""),
        (format!("[{inner}]"), ""),
        (long.clone(), ""),
    ] {
        let messages = json!([{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "call_tool", "arguments": arguments}}]}]);
        let mut reading = Reading::of("openai-chat");
        reading.options.calls = Calls::Load;
        let expected = if means.is_empty() {
            none()
        } else {
            vec![means.to_owned()]
        };
        assert_eq!(reading.loaded(&messages), expected, "{}", &arguments[..40]);
    }
}

#[test]
fn of_a_result_longer_than_any_of_ours_its_beginning_is_read() {
    let seen = |name: &str, schema: bool| (name.to_owned(), false, schema);
    let long = "é".repeat(1 << 16);
    let schema =
        json!({"loaded": [{"name": "a", "parameters": {"description": long}}, {"name": "b"}]});
    let plain = json!({"loaded": [{"name": "a"}, {"name": "b"}], "note": long});
    let last = json!({"about": long, "loaded": [{"name": "a"}]});
    let parted = |text: String| {
        let middle = text.char_indices().nth(60_000).unwrap().0;
        json!([{"type": "text", "text": text[..middle]}, {"type": "text", "text": text[middle..]}])
    };
    let read = |value: &Plain| {
        let text = value.to_string();
        let forms = [
            json!(text),
            json!({"type": "text", "value": text}),
            json!([{"type": "text", "text": text}, {"type": "text", "text": "x"}]),
            parted(text),
        ];
        forms.map(found)
    };
    let all = |names: &[(String, bool, bool)]| [(); 4].map(|()| Some(names.to_vec()));
    assert_eq!(read(&schema), all(&[seen("a", false)]));
    assert_eq!(read(&json!({"output": schema})), all(&[seen("a", false)]));
    assert_eq!(read(&plain), all(&[seen("a", false), seen("b", false)]));
    assert_eq!(read(&last), [(); 4].map(|()| None));
    // One as long as is read whole.
    let least = json!({"note": "", "loaded": [{"name": "a"}]})
        .to_string()
        .len();
    let note = "x".repeat((1 << 16) - least);
    let text = json!({"note": note, "loaded": [{"name": "a"}]}).to_string();
    assert_eq!(found(json!(text)), Some(vec![seen("a", false)]));
    assert_eq!(found(json!(format!("{text} "))), None);
}

#[test]
fn parts_that_look_like_results_load_nothing_without_a_call() {
    let found = json!({"loaded": [{"name": "alpha"}]});
    let parts = |format: &str| {
        let said = read(&found);
        let to = Answering {
            id: Some("1"),
            name: "tool_search",
            by: By::Function,
        };
        let part = result::part(self::format(format), to, Said::Object(&said));
        serde_json::from_str::<Plain>(&Some(&part).json_text().unwrap()).unwrap()
    };
    for format in FORMATS {
        let part = parts(format);
        let list = if format == "gemini" {
            "parts"
        } else {
            "content"
        };
        for role in ["user", "assistant", "model", "tool", "system"] {
            let own = match format {
                "openai-chat" | "openai-responses" | "neutral" => part.clone(),
                _ => json!({"role": role, list: [part]}),
            };
            // Neither alone, nor for the call of another tool, nor from the assistant itself.
            assert_eq!(loaded(format, json!([own])), none(), "{format} {own}");
            let asked = |name| Round {
                calls: vec![Asked {
                    id: "1".to_owned(),
                    name,
                }],
                told: vec![],
                said: true,
            };
            let other = [rendered(format, &asked("home")), vec![own.clone()]].concat();
            assert_eq!(loaded(format, json!(other)), none(), "{format} {other:?}");
            let answers = match format {
                "ai-sdk" => role == "tool",
                "openai-chat" | "openai-responses" | "neutral" => true,
                _ => role == "user",
            };
            let searched = [rendered(format, &asked("tool_search")), vec![own.clone()]].concat();
            assert_eq!(
                loaded(format, json!(searched)).len(),
                usize::from(answers),
                "{format} {searched:?}"
            );
        }
    }
}

// ---- the forms of a result ----

fn found(content: Plain) -> Option<Vec<(String, bool, bool)>> {
    let names = names(&Some(&read(&content)))?;
    Some(
        names
            .into_iter()
            .map(|named| (named.name, named.native, named.schema))
            .collect(),
    )
}

#[test]
fn every_form_of_a_result_is_read() {
    let seen = |name: &str, native: bool, schema: bool| (name.to_owned(), native, schema);
    let plain = Some(vec![seen("a", false, false), seen("b", false, false)]);
    let list = json!([{"name": "a"}, {"name": "b", "description": "x"}]);
    let object = json!({"loaded": list, "more": 1, "note": "x"});
    let text = object.to_string();
    for content in [
        json!(text),
        json!(format!("\u{FEFF}{text}")),
        object.clone(),
        json!({"tools": list}),
        list.clone(),
        json!([{"type": "text", "text": text[..20]}, {"type": "image"}, {"type": "text", "text": text[20..]}]),
        json!([{"text": text}]),
        json!([{"json": object}]),
        json!({"output": object}),
        json!({"result": object}),
        json!({"output": text}),
        json!({"type": "text", "value": text}),
        json!({"type": "json", "value": object}),
        json!({"type": "json", "value": list}),
        json!({"type": "content", "value": [{"type": "text", "text": text}]}),
        json!(json!({"type": "json", "value": object}).to_string()),
        json!(json!([{"type": "text", "text": text}]).to_string()),
        json!(json!({"output": object}).to_string()),
        json!(json!({"output": text}).to_string()),
        json!({"result": json!({"output": object}).to_string()}),
        json!([{"text": json!({"output": object}).to_string()}]),
        json!({"content": [{"type": "text", "text": text}]}),
    ] {
        assert_eq!(found(content.clone()), plain, "{content}");
    }
    let references = json!([{"type": "tool_reference", "tool_name": "a"}, {"type": "tool_reference", "tool_name": "b"}]);
    assert_eq!(found(json!(references.to_string())), plain);
    assert_eq!(found(json!({"type": "json", "value": references})), plain);
    let cut = json!({"output": object}).to_string();
    assert_eq!(found(json!(cut[..cut.len() - 3])), plain);
    let cut = references.to_string();
    assert_eq!(found(json!(cut[..cut.len() - 3])), plain);
    let native = Some(vec![seen("a", true, false), seen("b", true, false)]);
    let custom = |name: &str| json!({"type": "custom", "providerOptions": {"anthropic": {"type": "tool-reference", "toolName": name}}});
    for content in [
        references.clone(),
        json!({"type": "tool_search_tool_search_result", "tool_references": references}),
        json!({"type": "content", "value": [custom("a"), custom("b")]}),
    ] {
        assert_eq!(found(content.clone()), native, "{content}");
    }
    let definition = |name: &str| json!({"type": "function", "name": name, "parameters": {}});
    let tools = json!([definition("a"), {"type": "namespace", "name": "n", "tools": [definition("b"), {"type": "custom", "name": "c"}]}]);
    let whole = Some(vec![
        seen("a", true, true),
        seen("n__b", true, true),
        seen("n__c", true, false),
    ]);
    assert_eq!(
        found(json!({"type": "tool_search_output", "tools": tools})),
        whole
    );
    assert_eq!(
        found(json!({"type": "json", "value": {"tools": tools}})),
        whole
    );
    let proxy = json!({"loaded": [{"name": "a", "parameters": {"type": "object"}}, {"name": "b"}]});
    let shown = Some(vec![seen("a", false, true), seen("b", false, false)]);
    assert_eq!(found(proxy.clone()), shown);
    assert_eq!(found(json!(proxy.to_string())), shown);
    let chat =
        json!({"tools": [{"type": "function", "function": {"name": "a", "parameters": {}}}]});
    assert_eq!(
        found(json!(chat.to_string())),
        Some(vec![seen("a", false, true)])
    );
}

#[test]
fn what_is_no_result_has_no_names() {
    for content in [
        json!("alpha"),
        json!("[{\"name\":\"a\"}]"),
        json!("{\"result\":{\"loaded\":[{\"name\":\"a\"}]}}"),
        json!("{\"output\":{\"loaded\":[{\"name\":\"a\"}]},\"exit\":0}"),
        json!("{\"output\":[{\"name\":\"a\"}]}"),
        json!("{\"output\":{\"page\":{\"loaded\":[{\"name\":\"a\"}]}}}"),
        json!("{\"output\":{\"loaded\":[{\"name\":\"a\"}],\"error\":\"no\"}}"),
        json!("\"{\\\"loaded\\\":[{\\\"name\\\":\\\"a\\\"}]}\""),
        json!({"loaded": [{"name": "a"}], "error": "no"}),
        json!({"type": "error-json", "value": {"loaded": [{"name": "a"}]}}),
        json!({"type": "execution-denied"}),
        json!({"type": "tool_search_tool_result_error", "error_code": "unavailable"}),
        json!({"type": "tool_search_tool_result_error", "tool_references": [{"type": "tool_reference", "tool_name": "a"}]}),
        json!([]),
        json!([{"type": "image", "name": 7}]),
        json!(7),
        Plain::Null,
    ] {
        assert_eq!(found(content.clone()), None, "{content}");
    }
    assert_eq!(found(json!({"tools": []})), Some(vec![]));
}

// ---- what hosts hand over ----

#[test]
fn calls_are_found_in_messages_and_in_whole_responses() {
    let input = json!({"query": "x"});
    let text = input.to_string();
    let chat = json!({"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "tool_search", "arguments": text}}]});
    let item = json!({"type": "function_call", "id": "fc", "call_id": "1", "name": "tool_search", "arguments": text});
    let block = json!({"type": "tool_use", "id": "1", "name": "tool_search", "input": input});
    let gemini = json!({"functionCall": {"id": "1", "name": "tool_search", "args": input}});
    let bedrock = json!({"toolUse": {"toolUseId": "1", "name": "tool_search", "input": input}});
    let sdk =
        json!({"type": "tool-call", "toolCallId": "1", "toolName": "tool_search", "input": input});
    let neutral = json!({"id": "1", "name": "tool_search", "arguments": input});
    let message = |list: &str, role: &str, part: &Plain| json!({"role": role, list: [{"type": "text", "text": "so"}, part]});
    let cases = [
        (
            "openai-chat",
            vec![
                json!({"object": "chat.completion", "choices": [{"index": 0, "message": chat}, {"index": 1, "message": chat}]}),
                json!([chat]),
                json!({"message": chat}),
                chat["tool_calls"].clone(),
                chat["tool_calls"][0].clone(),
                chat,
            ],
        ),
        (
            "openai-responses",
            vec![
                json!({"object": "response", "output": [{"type": "reasoning"}, item]}),
                json!([item]),
                item,
            ],
        ),
        (
            "anthropic",
            vec![
                json!({"type": "message", "role": "assistant", "content": [block], "stop_reason": "tool_use"}),
                message("content", "assistant", &block),
                json!([message("content", "assistant", &block)]),
                json!([block]),
                block,
            ],
        ),
        (
            "gemini",
            vec![
                json!({"candidates": [{"content": message("parts", "model", &gemini)}, {"content": message("parts", "model", &gemini)}]}),
                message("parts", "model", &gemini),
                json!([gemini]),
                json!([gemini["functionCall"]]),
                gemini["functionCall"].clone(),
                gemini,
            ],
        ),
        (
            "bedrock",
            vec![
                json!({"output": {"message": message("content", "assistant", &bedrock)}, "stopReason": "tool_use"}),
                message("content", "assistant", &bedrock),
                json!([bedrock]),
                bedrock["toolUse"].clone(),
                bedrock,
            ],
        ),
        (
            "ai-sdk",
            vec![
                json!({"toolCalls": [sdk], "content": [sdk], "response": {"messages": [message("content", "assistant", &sdk)]}}),
                json!({"messages": [message("content", "assistant", &sdk)]}),
                message("content", "assistant", &sdk),
                json!([message("content", "assistant", &sdk)]),
                json!([sdk]),
                sdk,
            ],
        ),
        (
            "neutral",
            vec![
                json!({"role": "assistant", "content": "", "toolCalls": [neutral]}),
                json!([neutral]),
                neutral,
            ],
        ),
    ];
    for (name, values) in cases {
        for value in values {
            let json = read(&value);
            let calls = format(name).calls(&Some(&json));
            assert_eq!(calls.len(), 1, "{name} {value}");
            assert_eq!(
                (calls[0].id.as_deref(), calls[0].name.as_str(), calls[0].by),
                (Some("1"), "tool_search", By::Function),
                "{name} {value}"
            );
            assert!(calls[0].arguments.exists(), "{name} {value}");
        }
        for nothing in [
            json!(null),
            json!([]),
            json!({}),
            json!("x"),
            json!({"role": "user", "content": "tool_search"}),
        ] {
            assert!(
                format(name).calls(&Some(&read(&nothing))).is_empty(),
                "{name} {nothing}"
            );
        }
    }
    // Gemini leaves out the arguments where there are none; a message's name calls nothing.
    for (value, calls) in [
        (json!({"name": "home"}), 1),
        (json!([{"name": "home"}, {"id": "2", "name": "home"}]), 2),
        (json!({"functionCall": {"name": "home"}}), 1),
        (
            json!({"role": "model", "name": "agent", "parts": [{"functionCall": {"name": "home"}}]}),
            1,
        ),
        (
            json!({"role": "model", "name": "agent", "parts": [{"text": "hi"}]}),
            0,
        ),
        (
            json!({"functionResponse": {"name": "home", "response": {}}}),
            0,
        ),
    ] {
        let json = read(&value);
        let found = format("gemini").calls(&Some(&json));
        assert_eq!(found.len(), calls, "{value}");
        assert!(found.iter().all(|call| call.name == "home"), "{value}");
    }
    let item = json!({"type": "function_call", "call_id": "1", "name": "zeta", "namespace": "github", "arguments": "{}"});
    let json = read(&item);
    assert_eq!(
        format("openai-responses").calls(&Some(&json))[0]
            .namespace
            .as_deref(),
        Some("github")
    );
    let item =
        json!({"type": "tool_search_call", "call_id": "1", "execution": "client", "arguments": {}});
    let json = read(&item);
    assert_eq!(
        format("openai-responses").calls(&Some(&json))[0].by,
        By::Search
    );
}

#[test]
fn a_part_is_what_the_format_wants_and_says_whom_it_answers() {
    let object = read(&json!({"loaded": [{"name": "a"}], "note": "\"quoted\" $i $o"}));
    let names = ["a".to_owned(), "b\"".to_owned()];
    let definitions = [Json::Raw(
        "{\"type\":\"function\",\"name\":\"a\"}".to_owned(),
    )];
    let text = json!({"loaded": [{"name": "a"}], "note": "\"quoted\" $i $o"}).to_string();
    let value: Plain = serde_json::from_str(&text).unwrap();
    let error = json!({"error": "no luck"}).to_string();
    let part = |name: &str, by: By, said: Said<'_>| {
        let part = result::part(
            format(name),
            Answering {
                id: Some("1"),
                name: "tool_search",
                by,
            },
            said,
        );
        serde_json::from_str::<Plain>(&Some(&part).json_text().unwrap()).unwrap()
    };
    let sdk = |output: Plain| json!({"type": "tool-result", "toolCallId": "1", "toolName": "tool_search", "output": output});
    let reference = |name: &str| json!({"type": "custom", "providerOptions": {"anthropic": {"type": "tool-reference", "toolName": name}}});
    let wanted = [
        (
            "openai-chat",
            json!({"role": "tool", "tool_call_id": "1", "content": text}),
            json!({"role": "tool", "tool_call_id": "1", "content": error}),
        ),
        (
            "openai-responses",
            json!({"type": "function_call_output", "call_id": "1", "output": text}),
            json!({"type": "function_call_output", "call_id": "1", "output": error}),
        ),
        (
            "anthropic",
            json!({"type": "tool_result", "tool_use_id": "1", "content": text}),
            json!({"type": "tool_result", "tool_use_id": "1", "content": "no luck", "is_error": true}),
        ),
        (
            "gemini",
            json!({"functionResponse": {"id": "1", "name": "tool_search", "response": {"output": value}}}),
            json!({"functionResponse": {"id": "1", "name": "tool_search", "response": {"error": "no luck"}}}),
        ),
        (
            "bedrock",
            json!({"toolResult": {"toolUseId": "1", "content": [{"json": value}], "status": "success"}}),
            json!({"toolResult": {"toolUseId": "1", "content": [{"text": "no luck"}], "status": "error"}}),
        ),
        (
            "ai-sdk",
            sdk(json!({"type": "json", "value": value})),
            sdk(json!({"type": "error-text", "value": "no luck"})),
        ),
        (
            "neutral",
            json!({"role": "tool", "toolCallId": "1", "name": "tool_search", "content": value}),
            json!({"role": "tool", "toolCallId": "1", "name": "tool_search", "content": "no luck", "isError": true}),
        ),
    ];
    for (name, answer, failure) in wanted {
        assert_eq!(
            part(name, By::Function, Said::Object(&object)),
            answer,
            "{name}"
        );
        assert_eq!(
            part(name, By::Function, Said::Failure("no luck")),
            failure,
            "{name}"
        );
        let read = read(&answer);
        assert_eq!(
            format(name).answers(&Some(&read)).0.as_deref(),
            Some("1"),
            "{name}"
        );
    }
    assert_eq!(
        part("anthropic", By::Function, Said::References(&names)),
        json!({"type": "tool_result", "tool_use_id": "1", "content": [{"type": "tool_reference", "tool_name": "a"}, {"type": "tool_reference", "tool_name": "b\""}]})
    );
    assert_eq!(
        part("ai-sdk", By::Function, Said::References(&names)),
        sdk(json!({"type": "content", "value": [reference("a"), reference("b\"")]}))
    );
    assert_eq!(
        part("ai-sdk", By::Function, Said::Definitions(&definitions)),
        sdk(json!({"type": "json", "value": {"tools": [{"type": "function", "name": "a"}]}}))
    );
    let output = |tools: Plain| json!({"type": "tool_search_output", "execution": "client", "call_id": "1", "status": "completed", "tools": tools});
    assert_eq!(
        part(
            "openai-responses",
            By::Search,
            Said::Definitions(&definitions)
        ),
        output(json!([{"type": "function", "name": "a"}]))
    );
    assert_eq!(
        part("openai-responses", By::Search, Said::Failure("no luck")),
        output(json!([]))
    );
    // Without an id the field is left out; Ollama goes by the name.
    for (name, bare) in [
        (
            "openai-chat",
            json!({"role": "tool", "tool_name": "tool_search", "content": text}),
        ),
        (
            "gemini",
            json!({"functionResponse": {"name": "tool_search", "response": {"output": value}}}),
        ),
    ] {
        let part = result::part(
            format(name),
            Answering {
                id: None,
                name: "tool_search",
                by: By::Function,
            },
            Said::Object(&object),
        );
        assert_eq!(
            serde_json::from_str::<Plain>(&Some(&part).json_text().unwrap()).unwrap(),
            bare
        );
        assert_eq!(
            format(name).answers(&Some(&part)),
            (None, Some("tool_search".to_owned()))
        );
    }
}

#[test]
fn messages_show_their_format_or_none() {
    let round = Round {
        calls: vec![Asked {
            id: "1".to_owned(),
            name: "home",
        }],
        told: vec![Told {
            call: Some(0),
            failed: false,
            names: vec![],
        }],
        said: true,
    };
    for name in FORMATS {
        let messages: Plain = [vec![user("openai-chat", "hi")], rendered(name, &round)]
            .concat()
            .into();
        let found = detect(&Some(&read(&messages)));
        assert_eq!(
            found
                .iter()
                .map(|(format, _)| format.name())
                .collect::<Vec<_>>(),
            [name],
            "{messages}"
        );
        assert!((1..=2).contains(&found[0].1), "{found:?}");
    }
    let mixed: Plain = [rendered("gemini", &round), rendered("anthropic", &round)]
        .concat()
        .into();
    let found = detect(&Some(&read(&mixed)));
    assert_eq!(found, [(format("gemini"), 0), (format("anthropic"), 2)]);
    let told = |messages: Plain| {
        let found = detect(&Some(&read(&messages)));
        let names: Vec<&str> = found.iter().map(|(format, _)| format.name()).collect();
        names.join(" ")
    };
    for kind in [
        "reasoning",
        "item_reference",
        "web_search_call",
        "custom_tool_call",
        "mcp_call",
        "additional_tools",
        "compaction",
        "computer_call_output",
    ] {
        assert_eq!(
            told(json!([{"role": "user", "content": "x"}, {"type": kind, "id": "1"}])),
            "openai-responses",
            "{kind}"
        );
        // A part of that type, whoever has it.
        let parts =
            |role: &str| told(json!([{"role": role, "content": [{"type": kind, "id": "1"}]}]));
        let own = if kind == "compaction" {
            "anthropic"
        } else {
            ""
        };
        assert_eq!(
            (parts("assistant").as_str(), parts("user").as_str()),
            (own, ""),
            "{kind}"
        );
    }
    // Calls that are handed over alone.
    for name in [
        "openai-responses",
        "anthropic",
        "gemini",
        "bedrock",
        "ai-sdk",
    ] {
        let messages = json!(rendered(name, &round));
        let call = match name {
            "openai-responses" => &messages[1],
            "gemini" => &messages[0]["parts"][0],
            _ => &messages[0]["content"][0],
        };
        assert_eq!(told(json!([call])), name, "{call}");
    }
    for (role, part, name) in [
        (
            "user",
            json!({"type": "input_text", "text": "x"}),
            "openai-responses",
        ),
        (
            "developer",
            json!({"type": "input_image", "image_url": "x"}),
            "openai-responses",
        ),
        (
            "assistant",
            json!({"type": "output_text", "text": "x"}),
            "openai-responses",
        ),
        (
            "user",
            json!({"type": "input_audio", "input_audio": {}}),
            "",
        ),
        (
            "assistant",
            json!({"type": "thinking", "thinking": "x", "signature": "y"}),
            "anthropic",
        ),
        (
            "assistant",
            json!({"type": "redacted_thinking", "data": "x"}),
            "anthropic",
        ),
        (
            "system",
            json!({"type": "tool_addition", "tool": {"type": "tool_reference", "name": "alpha"}}),
            "anthropic",
        ),
        // Another provider's, whose messages are like those of Chat Completions.
        (
            "assistant",
            json!({"type": "thinking", "thinking": [{"type": "text", "text": "x"}]}),
            "",
        ),
        (
            "assistant",
            json!({"type": "reasoning", "text": "x"}),
            "ai-sdk",
        ),
        ("assistant", json!({"type": "reasoning", "summary": []}), ""),
        (
            "assistant",
            json!({"reasoningContent": {"reasoningText": {"text": "x"}}}),
            "bedrock",
        ),
        (
            "user",
            json!({"image": {"format": "png", "source": {}}}),
            "bedrock",
        ),
        (
            "user",
            json!({"document": {"format": "txt", "name": "x", "source": {}}}),
            "bedrock",
        ),
        (
            "system",
            json!({"toolAddition": {"tool": {"name": "alpha"}}}),
            "bedrock",
        ),
        ("user", json!({"type": "image", "image": "x"}), ""),
        // What the assistant would say, by a stranger.
        (
            "user",
            json!({"type": "tool_use", "id": "1", "name": "x", "input": {}}),
            "",
        ),
        ("user", json!({"type": "output_text", "text": "x"}), ""),
        ("user", json!({"type": "thinking", "thinking": "x"}), ""),
        ("user", json!({"type": "reasoning", "text": "x"}), ""),
        ("tool", json!({"type": "tool-call", "toolCallId": "1"}), ""),
        ("user", json!("input_text"), ""),
    ] {
        assert_eq!(
            told(json!([{"role": role, "content": [part]}])),
            name,
            "{role} {part}"
        );
    }
    let plain = json!([{"role": "system", "content": "be brief"}, {"role": "user", "content": [{"type": "text", "text": "hi"}]}, null, "x"]);
    assert_eq!(detect(&Some(&read(&plain))), []);
    for (message, is_one) in [
        (
            json!({"id": "1", "role": "user", "parts": [{"type": "text", "text": "hi"}]}),
            true,
        ),
        (
            json!({"role": "user", "parts": [{"type": "text", "text": "hi"}]}),
            true,
        ),
        (
            json!({"id": "1", "role": "assistant", "parts": [{"type": "tool-home", "toolCallId": "1", "state": "output-available"}]}),
            true,
        ),
        (
            json!({"id": "1", "role": "assistant", "parts": [{"type": "data-weather", "data": {}}]}),
            true,
        ),
        (
            json!({"id": "1", "role": "assistant", "parts": [{"type": "dynamic-tool", "toolName": "home"}]}),
            true,
        ),
        (json!({"id": "1", "role": "assistant", "parts": []}), true),
        (
            json!({"id": "1", "role": "assistant", "content": "hi", "toolInvocations": []}),
            true,
        ),
        (
            json!({"id": "1", "role": "assistant", "content": "hi", "toolInvocations": "tool-home"}),
            false,
        ),
        (
            json!({"id": "1", "role": "assistant", "content": "hi"}),
            false,
        ),
        (json!({"role": "model", "parts": []}), false),
        (
            json!({"id": "1", "role": "model", "parts": [{"text": "hi"}]}),
            false,
        ),
        (
            json!({"role": "user", "parts": ["text", {"text": "{\"type\":\"text\"}"}]}),
            false,
        ),
        (
            json!({"role": "user", "parts": [{"type": "tool_reference", "tool_name": "alpha"}]}),
            false,
        ),
        (
            json!({"role": "user", "parts": "text", "content": [{"type": "text", "text": "hi"}]}),
            false,
        ),
    ] {
        let messages = json!([{"role": "user", "content": "hi"}, message]);
        assert_eq!(
            ui_message(&Some(&read(&messages))),
            is_one.then_some(1),
            "{message}"
        );
    }
    assert_eq!(
        ui_message(&Some(&read(&json!(rendered("gemini", &round))))),
        None
    );
}

#[test]
fn messages_of_no_known_kind_are_named() {
    for (name, known) in [
        ("anthropic", "system"),
        ("gemini", "model"),
        ("bedrock", "assistant"),
        ("ai-sdk", "tool"),
        ("neutral", "tool"),
        ("openai-responses", "developer"),
    ] {
        let messages = json!([{"role": known}, {"role": "narrator"}, {"role": "user"}, 5]);
        assert_eq!(
            format(name).unknown(&Some(&read(&messages))),
            [1, 3],
            "{name}"
        );
    }
    let messages = json!([{"parts": [{"text": "hi"}]}, {"parts": "hi"}]);
    assert_eq!(format("gemini").unknown(&Some(&read(&messages))), [1]);
    let items = json!([{"type": "reasoning"}, {"type": "compaction"}, {"type": "heard_of"}, {"id": "1", "type": "item_reference"}]);
    assert_eq!(
        format("openai-responses").unknown(&Some(&read(&items))),
        [2]
    );
}
