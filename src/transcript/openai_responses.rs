//! Responses: a flat list of items. A search of the provider's own tool has items of its own kinds, which
//! either we answer or the provider does.

use super::{By, Marks, Piece, SEARCH, Shape, Speaker, names};
use crate::value::Value;

pub(super) const MARKS: Marks = Marks {
    keys: &[],
    part_keys: &[],
    types: &[
        "function_call",
        "function_call_output",
        "tool_search_call",
        "tool_search_output",
        "additional_tools",
        "reasoning",
    ],
    part_types: &[],
};

pub(super) fn shape<V: Value>() -> Shape<V> {
    Shape {
        sieve: &["name|type"],
        also: &["tool_search_call", "additional_tools"],
        assistant: "",
        results: "",
        list: "",
        in_list: false,
        merges: false,
        known: &[
            "compaction",
            "compaction_trigger",
            "item_reference",
            "program_output",
            "configuration_update",
        ],
        around: &["output"],
        pieces,
    }
}

fn pieces<V: Value>(item: &V, each: &mut dyn FnMut(Piece<V>)) {
    let kind = item.text_at("type").unwrap_or_default();
    let id = || item.text_at("call_id");
    let piece = match kind.as_str() {
        "function_call" | "custom_tool_call" => {
            let key = if kind == "function_call" {
                "arguments"
            } else {
                "input"
            };
            let mut piece = Piece::call(id(), item.text_at("name"), item.get(key), By::Function);
            if let Some(Piece::Call(call)) = &mut piece {
                call.namespace = item.text_at("namespace");
            }
            piece
        }
        "tool_search_call" => {
            let id = id();
            let execution = item.text_at("execution");
            let by = match execution.as_deref() {
                Some("server") => By::Hosted,
                None if id.is_none() => By::Hosted,
                _ => By::Search,
            };
            Piece::call(id, Some(SEARCH.to_owned()), item.get("arguments"), by)
        }
        "function_call_output" | "custom_tool_call_output" => {
            Piece::result(id(), item.text_at("name"), false, item.get("output"))
        }
        "tool_search_output" => Piece::result(id(), Some(SEARCH.to_owned()), false, item.clone()),
        "additional_tools" => {
            let role = item.text_at("role").unwrap_or_default();
            let leads = matches!(role.as_str(), "developer" | "system");
            leads.then(|| Piece::Change {
                by: Speaker::System,
                adds: true,
                names: names(item).unwrap_or_default(),
            })
        }
        _ => None,
    };
    piece.into_iter().for_each(each);
}
