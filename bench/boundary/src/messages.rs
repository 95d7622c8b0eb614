//! Messages into the engine: the names that the results of searches hold.

use js_sys::{Array, Reflect};
use serde::Deserialize;
use toolcrib::transcript::{self, Event, Format, Interest};
use toolcrib::value::{Json, Value};
use wasm_bindgen::prelude::*;

use crate::Digest;

const SEARCH: &str = "tool_search";

fn digest(names: &[String]) -> u32 {
    let mut digest = Digest::new();
    names.iter().for_each(|name| digest.text(name));
    digest.value()
}

fn in_text(content: &str) -> Vec<String> {
    let content = Json::Text(content.to_owned());
    let names = transcript::names(&Some(&content)).unwrap_or_default();
    names.into_iter().map(|named| named.name).collect()
}

/// The engine's own reading, over whatever kind of value.
fn names<V: Value>(messages: &V) -> u32 {
    let mut open: Vec<Option<String>> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let format = Format::OpenaiChat;
    format.read(messages, Interest::Calls(&[SEARCH]), &mut |event| match event {
        Event::Turn => open.clear(),
        Event::Call(call) if call.name == SEARCH => open.push(call.id),
        Event::Result(result) if open.contains(&result.id) => {
            let found = transcript::names(&result.content).unwrap_or_default();
            names.extend(found.into_iter().map(|named| named.name));
        }
        _ => {}
    });
    digest(&names)
}

/// As the engine does it: a sieve in JavaScript, and what it lets through read where it lies.
#[wasm_bindgen(js_name = messagesByEngine)]
pub fn by_engine(messages: &JsValue) -> u32 {
    names(messages)
}

/// The JSON of all of them.
#[wasm_bindgen(js_name = messagesByText)]
pub fn by_text(text: &str) -> u32 {
    let messages = Json::parse(text).ok();
    names(&messages.as_ref())
}

/// What a message holds that counts, for the two ways below.
struct Message {
    role: String,
    calls: Vec<(String, String)>,
    answers: Option<String>,
    content: Option<String>,
}

fn fold(messages: impl Iterator<Item = Message>) -> u32 {
    let mut open: Vec<String> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for message in messages {
        if message.role == "assistant" {
            open = message
                .calls
                .into_iter()
                .filter(|(_, name)| name == SEARCH)
                .map(|(id, _)| id)
                .collect();
        } else if let (Some(id), Some(content)) = (message.answers, message.content)
            && open.contains(&id)
        {
            names.extend(in_text(&content));
        }
    }
    digest(&names)
}

/// The objects whole, through serde-wasm-bindgen.
#[wasm_bindgen(js_name = messagesBySerde)]
pub fn by_serde(messages: JsValue) -> Result<u32, JsValue> {
    #[derive(Deserialize)]
    struct Given {
        role: String,
        #[serde(default)]
        tool_calls: Vec<Call>,
        tool_call_id: Option<String>,
        content: Option<String>,
    }
    #[derive(Deserialize)]
    struct Call {
        id: String,
        function: Function,
    }
    #[derive(Deserialize)]
    struct Function {
        name: String,
    }
    let given: Vec<Given> = serde_wasm_bindgen::from_value(messages)?;
    Ok(fold(given.into_iter().map(|given| Message {
        role: given.role,
        calls: given
            .tool_calls
            .into_iter()
            .map(|call| (call.id, call.function.name))
            .collect(),
        answers: given.tool_call_id,
        content: given.content,
    })))
}

/// Message by message with js-sys, reading only what counts: of a result the content only where its call is open.
#[wasm_bindgen(js_name = messagesByReflect)]
pub fn by_reflect(messages: &Array) -> Result<u32, JsValue> {
    let get = |value: &JsValue, key: &str| Reflect::get(value, &key.into());
    let mut open: Vec<String> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for message in messages.iter() {
        let role = get(&message, "role")?.as_string().unwrap_or_default();
        if role == "assistant" {
            open.clear();
            let calls = get(&message, "tool_calls")?;
            let Some(calls) = calls.dyn_ref::<Array>() else {
                continue;
            };
            for call in calls.iter() {
                if get(&get(&call, "function")?, "name")? == SEARCH {
                    open.push(get(&call, "id")?.as_string().unwrap_or_default());
                }
            }
        } else if role == "tool" && !open.is_empty() {
            let id = get(&message, "tool_call_id")?.as_string().unwrap_or_default();
            if open.contains(&id)
                && let Some(content) = get(&message, "content")?.as_string()
            {
                names.extend(in_text(&content));
            }
        }
    }
    Ok(digest(&names))
}

