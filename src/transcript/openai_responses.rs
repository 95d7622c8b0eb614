//! Responses: a flat list of items. A search of the provider's own tool has items of its own kinds, which
//! either we answer or the provider does.

use super::{Rule, SEARCH_ITEM, Shape, What};

pub(super) const SHAPE: Shape = Shape {
    sieve: &["name|type"],
    also: &[SEARCH_ITEM, "additional_tools"],
    assistant: "",
    tag: "type",
    rules: &[
        Rule::tag(
            "function_call",
            What::Call,
            ["call_id", "name", "arguments"],
        ),
        Rule::tag(
            "function_call_output",
            What::Result,
            ["call_id", "name", "output"],
        ),
        Rule::tag("custom_tool_call", What::Call, ["call_id", "name", "input"]),
        Rule::tag(
            "custom_tool_call_output",
            What::Result,
            ["call_id", "name", "output"],
        ),
        Rule::tag(SEARCH_ITEM, What::Call, ["call_id", "", "arguments"]),
        Rule::tag("tool_search_output", What::Result, ["call_id", "", ""]),
        Rule::tag("additional_tools", What::Tools, ["", "", ""]),
    ],
    known: &[
        "compaction",
        "compaction_trigger",
        "item_reference",
        "program_output",
        "configuration_update",
    ],
    around: &["output"],
    marks: &[
        "function_call",
        "function_call_output",
        SEARCH_ITEM,
        "tool_search_output",
        "additional_tools",
    ],
    ..Shape::MESSAGES
};
