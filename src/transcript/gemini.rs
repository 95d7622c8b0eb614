//! Gemini: `parts` that are named by their key, with or without ids. A message without a role is the
//! user's.

use super::{By, Marks, Piece, Shape};
use crate::value::{Kind, Value};

pub(super) const MARKS: Marks = Marks {
    keys: &[],
    part_keys: &["functionCall", "functionResponse"],
    types: &[],
    part_types: &[],
};

pub(super) fn shape<V: Value>() -> Shape<V> {
    Shape {
        sieve: &["parts", "*", "functionCall|function_call", "name"],
        also: &[],
        assistant: "model",
        results: "user|function|",
        list: "parts",
        in_list: true,
        merges: true,
        known: &["user", "model", "function", "system"],
        around: &["parts", "content", "candidates"],
        pieces,
    }
}

fn pieces<V: Value>(part: &V, each: &mut dyn FnMut(Piece<V>)) {
    const KEYS: [&str; 5] = [
        "functionCall",
        "function_call",
        "functionResponse",
        "function_response",
        "args",
    ];
    let present = part.present(&KEYS);
    let piece = match KEYS
        .iter()
        .enumerate()
        .find(|(bit, _)| present >> bit & 1 == 1)
    {
        None => None,
        Some((2 | 3, key)) => {
            let result = part.get(key);
            let content = result.get("response");
            let failed = !matches!(content.kind_at("error"), Kind::Absent | Kind::Null);
            Piece::result(
                result.text_at("id"),
                result.text_at("name"),
                failed,
                content,
            )
        }
        // A call alone has arguments, without the key around it.
        Some((_, key)) => {
            let inner = part.get(key);
            let call = if *key == "args" { part } else { &inner };
            let name = call.text_at("name");
            Piece::call(call.text_at("id"), name, call.get("args"), By::Function)
        }
    };
    piece.into_iter().for_each(each);
}
