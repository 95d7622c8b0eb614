//! Chat Completions: `tool_calls` of an assistant message, answered by messages of role `tool`. Ollama
//! leaves out the ids and names the tool in `tool_name`. `function_call`, which `tool_calls` replaced,
//! is not read: no tool of ours is offered that way.

use super::{Rule, Shape, What};

pub(super) const SHAPE: Shape = Shape {
    // The names of functions, and of tools without a schema.
    sieve: &["tool_calls", "*", "function|custom", "name"],
    results: "tool",
    list: "tool_calls",
    tag: "role",
    rules: &[
        Rule::tag("tool", What::Result, ["tool_call_id", "name", "content"]),
        Rule::key("function", What::Call, ["id", "name", "arguments"]).outside(),
        Rule::key("custom", What::Call, ["id", "name", "input"]).outside(),
    ],
    known: &[
        "system",
        "developer",
        "user",
        "assistant",
        "tool",
        "function",
    ],
    around: &["tool_calls", "message", "choices"],
    marks: &["tool_calls", "tool_call_id"],
    ..Shape::MESSAGES
};
