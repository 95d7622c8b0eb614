//! Chat Completions: `tool_calls` of an assistant message, answered by messages of role `tool`. Ollama
//! leaves out the ids and names the tool in `tool_name`. `function_call`, which `tool_calls` replaced,
//! is not read: no tool of ours is offered that way.

use super::{By, Marks, Piece, Shape};
use crate::value::Value;

pub(super) const MARKS: Marks = Marks {
    keys: &["tool_calls", "tool_call_id"],
    part_keys: &[],
    types: &[],
    part_types: &[],
};

pub(super) fn shape<V: Value>() -> Shape<V> {
    Shape {
        // The names of functions, and of tools without a schema.
        sieve: &["tool_calls", "*", "function|custom", "name"],
        also: &[],
        assistant: "assistant",
        results: "tool",
        list: "tool_calls",
        in_list: false,
        merges: false,
        known: &[
            "system",
            "developer",
            "user",
            "assistant",
            "tool",
            "function",
        ],
        around: &["tool_calls", "message", "choices"],
        pieces,
    }
}

/// `{id, function: {name, arguments}}`, or `{id, custom: {name, input}}` of a tool without schema.
fn pieces<V: Value>(value: &V, each: &mut dyn FnMut(Piece<V>)) {
    let piece = if value.get("role").is("tool") {
        let id = value.text_at("tool_call_id");
        let tool_name = || id.is_none().then(|| value.text_at("tool_name")).flatten();
        let name = value.text_at("name").or_else(tool_name);
        Piece::result(id, name, false, value.get("content"))
    } else {
        let function = value.get("function");
        let (name, arguments) = match function.text_at("name") {
            Some(name) => (Some(name), function.get("arguments")),
            None => {
                let custom = value.get("custom");
                (custom.text_at("name"), custom.get("input"))
            }
        };
        name.and_then(|name| Piece::call(value.text_at("id"), Some(name), arguments, By::Function))
    };
    piece.into_iter().for_each(each);
}
