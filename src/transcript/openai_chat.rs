//! Chat Completions: `tool_calls` of an assistant message, answered by messages of role `tool`.
//! The older `function_call` and role `function`, which know no ids, are read too.

use std::borrow::Cow;

use super::{Answered, Call, Event, Interest, Place};
use crate::sort::order;
use crate::value::{Json, Kind, Value, names_in};

pub(super) fn read<V: Value>(messages: &V, interest: Interest<'_>, each: &mut dyn FnMut(Event<V>)) {
    let turns = match interest {
        Interest::All => messages.holding(&["role"], &["assistant"]),
        Interest::Calls(names) => {
            let mut turns = messages.holding(&["tool_calls", "*", "function", "name"], names);
            for rare in [
                &["tool_calls", "*", "custom", "name"][..],
                &["function_call", "name"],
            ] {
                let more = messages.holding(rare, names);
                if !more.is_empty() {
                    turns.extend(more);
                    let sorted = order(turns.len(), &|a, b| turns[a] < turns[b]);
                    turns = sorted.into_iter().map(|at| turns[at]).collect();
                    turns.dedup();
                }
            }
            turns
        }
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
        for position in turn + 1..messages.len() {
            let message = messages.at(position);
            let role = message.get("role");
            if role.is("assistant") {
                break;
            }
            let is_tool = role.is("tool");
            if is_tool || role.is("function") {
                each(Event::Result(Answered {
                    place: Place {
                        message: position,
                        part: None,
                    },
                    id: message.text_at("tool_call_id"),
                    name: message
                        .text_at("name")
                        .or_else(|| message.text_at("tool_name")),
                    failed: false,
                    content: message.get("content"),
                }));
            }
        }
    }
}

pub(super) fn calls<V: Value>(value: &V) -> Vec<Call<V>> {
    let mut calls = Vec::new();
    match value.kind() {
        Kind::Array => list(value, &mut calls),
        Kind::Object => {
            let list_of_calls = value.get("tool_calls");
            if !list_of_calls.is_empty() {
                list(&list_of_calls, &mut calls);
            } else if let Some(call) = call(value, 0) {
                calls.push(call);
            } else if let Some(call) = named(&value.get("function_call"), value, None) {
                calls.push(call);
            }
        }
        _ => {}
    }
    calls
}

fn list<V: Value>(list: &V, calls: &mut Vec<Call<V>>) {
    calls.extend((0..list.len()).filter_map(|index| call(&list.at(index), index)));
}

/// `{id, function: {name, arguments}}`, or `{id, custom: {name, input}}` of a tool without schema.
fn call<V: Value>(value: &V, index: usize) -> Option<Call<V>> {
    named(&value.get("function"), value, Some(index))
        .or_else(|| named(&value.get("custom"), value, Some(index)))
}

fn named<V: Value>(function: &V, holder: &V, part: Option<usize>) -> Option<Call<V>> {
    let arguments = function.get("arguments");
    Some(Call {
        place: Place { message: 0, part },
        id: holder.text_at("id"),
        name: function.text_at("name")?,
        arguments: if arguments.exists() {
            arguments
        } else {
            function.get("input")
        },
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

pub(super) fn answers<V: Value>(part: &V) -> Option<String> {
    part.text_at("tool_call_id")
}
