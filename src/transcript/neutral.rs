//! The neutral shape: `toolCalls: [{id, name, arguments}]` of an assistant message, answered by messages
//! `{role: "tool", toolCallId, name?, content, isError?}`.

use super::{By, Marks, Piece, Shape};
use crate::value::Value;

pub(super) const MARKS: Marks = Marks {
    keys: &["toolCalls", "toolCallId"],
    part_keys: &[],
    types: &[],
    part_types: &[],
};

pub(super) fn shape<V: Value>() -> Shape<V> {
    Shape {
        sieve: &["toolCalls", "*", "name"],
        also: &[],
        assistant: "assistant",
        results: "tool",
        list: "toolCalls",
        in_list: false,
        merges: false,
        known: &["system", "user", "assistant", "tool"],
        around: &["toolCalls"],
        pieces,
    }
}

fn pieces<V: Value>(value: &V, each: &mut dyn FnMut(Piece<V>)) {
    let role = value.get("role");
    let name = value.text_at("name");
    let piece = if role.is("tool") {
        let failed = value.get("isError").flag() == Some(true);
        let id = value.text_at("toolCallId");
        Piece::result(id, name, failed, value.get("content"))
    } else if role.exists() {
        None
    } else {
        let id = value.text_at("id");
        Piece::call(id, name, value.get("arguments"), By::Function)
    };
    piece.into_iter().for_each(each);
}
