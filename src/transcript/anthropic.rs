//! Messages: blocks in `content`. Results stand in the user's messages; those of searches that the
//! provider ran stand in the assistant's. System messages and compactions change the tools.

use super::{By, Marks, Piece, Shape, Speaker, changed};
use crate::value::Value;

pub(super) const MARKS: Marks = Marks {
    keys: &[],
    part_keys: &[],
    types: &[],
    part_types: &[
        "tool_use",
        "tool_result",
        "server_tool_use",
        "tool_search_tool_result",
    ],
};

pub(super) fn shape<V: Value>() -> Shape<V> {
    Shape {
        sieve: &["content", "*", "name|type"],
        also: &[
            "tool_search_tool_result",
            "tool_addition",
            "tool_removal",
            "compaction",
        ],
        assistant: "assistant",
        results: "user",
        list: "content",
        in_list: true,
        merges: true,
        known: &["user", "assistant", "system"],
        around: &["content"],
        pieces,
    }
}

fn pieces<V: Value>(block: &V, each: &mut dyn FnMut(Piece<V>)) {
    let kind = block.text_at("type").unwrap_or_default();
    let piece = match kind.as_str() {
        "tool_use" | "server_tool_use" => {
            let by = if kind == "tool_use" {
                By::Function
            } else {
                By::Hosted
            };
            let name = block.text_at("name");
            Piece::call(block.text_at("id"), name, block.get("input"), by)
        }
        "tool_result" | "tool_search_tool_result" => {
            let failed = block.get("is_error").flag() == Some(true);
            let id = block.text_at("tool_use_id");
            Piece::result(id, None, failed, block.get("content"))
        }
        "tool_addition" | "tool_removal" => change(block, &kind, Speaker::System),
        "compaction" => {
            let changes = block.get("tool_changes");
            for index in 0..changes.len() {
                let block = changes.at(index);
                let kind = block.text_at("type").unwrap_or_default();
                change(&block, &kind, Speaker::Assistant)
                    .into_iter()
                    .for_each(&mut *each);
            }
            None
        }
        _ => None,
    };
    piece.into_iter().for_each(each);
}

fn change<V: Value>(block: &V, kind: &str, by: Speaker) -> Option<Piece<V>> {
    let adds = kind == "tool_addition";
    (adds || kind == "tool_removal").then(|| Piece::Change {
        by,
        adds,
        names: changed(&block.get("tool")),
    })
}
