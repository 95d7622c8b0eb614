//! The neutral shape: `toolCalls: [{id, name, arguments}]` of an assistant message, answered by messages
//! `{role: "tool", toolCallId, name?, content, isError?}`.

use super::{Rule, Shape, What};

pub(super) const SHAPE: Shape = Shape {
    sieve: &["toolCalls", "*", "name"],
    results: "tool",
    list: "toolCalls",
    tag: "role",
    rules: &[
        Rule::tag("tool", What::Result, ["toolCallId", "name", "content"]),
        Rule::bare("name", What::Call, ["id", "name", "arguments"]),
    ],
    known: &["system", "user", "assistant", "tool"],
    around: &["toolCalls"],
    marks: &["toolCalls"],
    ..Shape::MESSAGES
};
