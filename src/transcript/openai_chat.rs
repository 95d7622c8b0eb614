//! Chat Completions: `tool_calls` of an assistant message, answered by messages of role `tool`.
//! `function_call`, which `tool_calls` replaced, is not read: no tool of ours is offered that way.

use std::borrow::Cow;

use super::{Answered, Call, Event, Interest, Place};
use crate::value::{Json, Kind, Value, names_in};

/// Where the names of called tools stand: those of functions, and of tools without a schema.
const NAMES: &[&str] = &["tool_calls", "*", "function|custom", "name"];

pub(super) fn read<V: Value>(messages: &V, interest: Interest<'_>, each: &mut dyn FnMut(Event<V>)) {
    let turns = match interest {
        Interest::All => messages.holding(&["role"], &["assistant"]),
        Interest::Calls(names) => messages.holding(NAMES, names),
    };
    for turn in turns {
        let message = messages.at(turn);
        if !message.get("role").is("assistant") {
            continue;
        }
        each(Event::Turn);
        for mut call in calls(&message) {
            call.place.message = turn;
            each(Event::Call(call));
        }
        for position in messages.run(turn, "role", "tool", "assistant") {
            let message = messages.at(position);
            let id = message.text_at("tool_call_id");
            let tool_name = || id.is_none().then(|| message.text_at("tool_name")).flatten();
            each(Event::Result(Answered {
                place: Place {
                    message: position,
                    part: None,
                },
                name: message.text_at("name").or_else(tool_name),
                id,
                failed: false,
                content: message.get("content"),
            }));
        }
    }
}

/// The positions of what is no message of this format.
pub(super) fn unknown<V: Value>(messages: &V) -> Vec<usize> {
    const ROLES: [&str; 6] = [
        "system",
        "developer",
        "user",
        "assistant",
        "tool",
        "function",
    ];
    messages.lacking(&["role"], &ROLES)
}

/// Those of a message, of each element of an array, or a call alone.
pub(super) fn calls<V: Value>(value: &V) -> Vec<Call<V>> {
    match value.kind() {
        Kind::Array => (0..value.len())
            .flat_map(|index| calls_of(&value.at(index)))
            .collect(),
        _ => calls_of(value),
    }
}

fn calls_of<V: Value>(value: &V) -> Vec<Call<V>> {
    let list = value.get("tool_calls");
    match list.kind() {
        Kind::Array => (0..list.len())
            .filter_map(|index| call(&list.at(index), index))
            .collect(),
        _ => call(value, 0).into_iter().collect(),
    }
}

/// `{id, function: {name, arguments}}`, or `{id, custom: {name, input}}` of a tool without schema.
fn call<V: Value>(value: &V, index: usize) -> Option<Call<V>> {
    let function = value.get("function");
    let (name, arguments) = match function.text_at("name") {
        Some(name) => (name, function.get("arguments")),
        None => {
            let custom = value.get("custom");
            (custom.text_at("name")?, custom.get("input"))
        }
    };
    Some(Call {
        place: Place {
            message: 0,
            part: Some(index),
        },
        id: value.text_at("id"),
        name,
        namespace: None,
        by: super::By::Function,
        waits: false,
        arguments,
    })
}

/// The text of a content, its parts joined.
fn text<V: Value>(content: &V) -> Option<Cow<'_, str>> {
    if content.kind() != Kind::Array {
        return content.text();
    }
    Some(Cow::Owned(
        (0..content.len())
            .filter_map(|index| content.at(index).text_at("text"))
            .collect(),
    ))
}

pub(super) fn names<V: Value>(content: &V) -> Option<Vec<String>> {
    match text(content) {
        Some(text) => Json::parse_names(&text),
        // Some runtimes keep a result as the object it was.
        None => names_in(content),
    }
}

/// There is no flag, so what we write for a failure is what tells one: an object with an `error`.
pub(super) fn is_failure<V: Value>(content: &V) -> bool {
    let has_error = |kind: Kind| !matches!(kind, Kind::Absent | Kind::Null);
    match text(content) {
        None => has_error(content.get("error").kind()),
        Some(text) => {
            let starts = text.trim_start().starts_with('{');
            starts && Json::parse(&text).is_ok_and(|json| has_error(json.field("error").kind()))
        }
    }
}

/// The id of the call that a part answers, and without one the tool's name.
pub(super) fn answers<V: Value>(part: &V) -> (Option<String>, Option<String>) {
    (part.text_at("tool_call_id"), part.text_at("tool_name"))
}
