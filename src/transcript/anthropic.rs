//! Messages: blocks in `content`. Results stand in the user's messages; those of searches that the
//! provider ran stand in the assistant's. System messages and compactions change the tools.

use super::{Rule, Shape, What};

pub(super) const SHAPE: Shape = Shape {
    sieve: &["content", "*", "name|type"],
    also: &[
        "tool_search_tool_result",
        "tool_addition",
        "tool_removal",
        "compaction",
    ],
    tag: "type",
    rules: &[
        Rule::tag("tool_use", What::Call, ["id", "name", "input"]),
        Rule::tag("server_tool_use", What::Call, ["id", "name", "input"]),
        Rule::tag("tool_result", What::Result, ["tool_use_id", "", "content"]),
        Rule::tag(
            "tool_search_tool_result",
            What::Result,
            ["tool_use_id", "", "content"],
        ),
        Rule::tag("tool_addition", What::Adds, ["", "", "tool"]),
        Rule::tag("tool_removal", What::Removes, ["", "", "tool"]),
        Rule::tag("compaction", What::Changes, ["", "", "tool_changes"]),
    ],
    merges: true,
    hosted: &["mcp_tool_use"],
    marks: &[
        "*tool_use",
        "*tool_result",
        "*server_tool_use",
        "*tool_search_tool_result",
        "*tool_addition",
        "*tool_removal",
        "*thinking",
        "*redacted_thinking",
        "*compaction",
    ],
    stays: &["compaction"],
    opens_with_user: true,
    ..Shape::MESSAGES
};
