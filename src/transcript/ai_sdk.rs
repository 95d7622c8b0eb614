//! The AI SDK's ModelMessages: parts in `content`. Results stand in messages of role `tool`; those of
//! tools that the provider ran stand in the assistant's. A call may wait for an approval.

use super::{HOSTED, Rule, Shape, What};

/// Where a call says that a remote server is called, which the provider connects to. Such a server names its tools as it
/// likes.
pub(super) const REMOTE: (&[&str], &str) = (&["anthropic", "type"], "mcp-tool-use");

/// Where a part that only one provider reads refers to a tool.
pub(super) const CUSTOM: &[&str] = &["providerOptions", "anthropic"];

pub(super) const SHAPE: Shape = Shape {
    sieve: &["content", "*", "toolName"],
    // What the provider runs has the host's own key for its name: the usual ones.
    also: HOSTED,
    results: "tool",
    tag: "type",
    rules: &[
        Rule::tag("tool-call", What::Call, ["toolCallId", "toolName", "input"]),
        Rule::tag(
            "tool-result",
            What::Result,
            ["toolCallId", "toolName", "output"],
        ),
        Rule::tag(
            "tool-approval-request",
            What::Approval,
            ["toolCallId", "", ""],
        ),
    ],
    known: &["system", "user", "assistant", "tool"],
    around: &["toolCalls", "content", "messages", "response"],
    marks: &[
        "*tool-call",
        "*tool-result",
        "*tool-approval-request",
        "*reasoning",
    ],
    defined_at: &["output", "value", "tools"],
    hides_search: true,
    stays: &["compaction"],
    ..Shape::MESSAGES
};
