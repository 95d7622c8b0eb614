//! The AI SDK's ModelMessages: parts in `content`. Results stand in messages of role `tool`; those of
//! tools that the provider ran stand in the assistant's. A call may wait for an approval.

use super::{By, Marks, Piece, SEARCH, Shape};
use crate::value::Value;

pub(super) const MARKS: Marks = Marks {
    keys: &[],
    part_keys: &[],
    types: &[],
    part_types: &["tool-call", "tool-result", "tool-approval-request"],
};

pub(super) fn shape<V: Value>() -> Shape<V> {
    Shape {
        sieve: &["content", "*", "toolName"],
        // What the provider runs has the host's own key for its name: the usual ones.
        also: &[
            SEARCH,
            "toolSearch",
            "tool_search_tool_regex",
            "tool_search_tool_bm25",
        ],
        assistant: "assistant",
        results: "tool",
        list: "content",
        in_list: true,
        merges: false,
        known: &["system", "user", "assistant", "tool"],
        around: &["toolCalls", "content", "messages", "response"],
        pieces,
    }
}

fn pieces<V: Value>(part: &V, each: &mut dyn FnMut(Piece<V>)) {
    let kind = part.text_at("type").unwrap_or_default();
    let id = || part.text_at("toolCallId");
    let either = |key, former| {
        let value = part.get(key);
        // Until version 5 the fields had other names.
        if value.exists() {
            value
        } else {
            part.get(former)
        }
    };
    let piece = match kind.as_str() {
        "tool-call" => {
            let by = if part.get("providerExecuted").flag() == Some(true) {
                By::Hosted
            } else {
                By::Function
            };
            let name = part.text_at("toolName");
            Piece::call(id(), name, either("input", "args"), by)
        }
        "tool-result" => {
            let output = either("output", "result");
            let kind = output.text_at("type").unwrap_or_default();
            let failed = matches!(
                kind.as_str(),
                "error-text" | "error-json" | "execution-denied"
            );
            Piece::result(id(), part.text_at("toolName"), failed, output)
        }
        "tool-approval-request" => id().map(Piece::Approval),
        _ => None,
    };
    piece.into_iter().for_each(each);
}
