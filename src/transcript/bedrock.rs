//! Converse: blocks in `content` that are named by their key. Results stand in the user's messages;
//! system messages change the tools.

use super::{By, Marks, Piece, Shape, Speaker, changed};
use crate::value::Value;

pub(super) const MARKS: Marks = Marks {
    keys: &[],
    part_keys: &["toolUse", "toolResult"],
    types: &[],
    part_types: &[],
};

pub(super) fn shape<V: Value>() -> Shape<V> {
    Shape {
        sieve: &["role|content", "*", "toolUse", "name"],
        also: &["system"],
        assistant: "assistant",
        results: "user",
        list: "content",
        in_list: true,
        merges: true,
        known: &["user", "assistant", "system"],
        around: &["content", "message", "output"],
        pieces,
    }
}

fn pieces<V: Value>(block: &V, each: &mut dyn FnMut(Piece<V>)) {
    const KEYS: [&str; 5] = [
        "toolUse",
        "toolResult",
        "toolAddition",
        "toolRemoval",
        "toolUseId",
    ];
    let present = block.present(&KEYS);
    let change = |key, adds| {
        let names = changed(&block.get(key).get("tool"));
        let by = Speaker::System;
        Some(Piece::Change { by, adds, names })
    };
    let piece = match KEYS
        .iter()
        .enumerate()
        .find(|(bit, _)| present >> bit & 1 == 1)
    {
        // A call alone has an id, without the key around it.
        Some((0 | 4, key)) => {
            let inner = block.get(key);
            let call = if *key == "toolUse" { &inner } else { block };
            // What Converse runs itself has a type.
            let by = if call.get("type").is("server_tool_use") {
                By::Hosted
            } else {
                By::Function
            };
            let name = call.text_at("name");
            Piece::call(call.text_at("toolUseId"), name, call.get("input"), by)
        }
        Some((1, key)) => {
            let result = block.get(key);
            let failed = result.get("status").is("error");
            let id = result.text_at("toolUseId");
            Piece::result(id, None, failed, result.get("content"))
        }
        Some((2, key)) => change(*key, true),
        Some((_, key)) => change(*key, false),
        None => None,
    };
    piece.into_iter().for_each(each);
}
