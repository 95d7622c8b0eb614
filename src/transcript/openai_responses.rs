//! Responses: a flat list of items. A search of the provider's own tool has items of its own kinds, which
//! either we answer or the provider does.

use super::{ITEM, Rule, Shape, What};

pub(super) const SHAPE: Shape = Shape {
    sieve: &["name|type"],
    also: &["tool_search_call", "tool_search_output", "additional_tools"],
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
        Rule::tag(
            "tool_search_call",
            What::Search,
            ["call_id", "", "arguments"],
        ),
        Rule::tag("tool_search_output", What::Result, ["call_id", "", ""]),
        Rule::tag("additional_tools", What::Tools, ["", "", ""]),
    ],
    known: &[
        "additional_tools",
        "compaction",
        "compaction_trigger",
        "item_reference",
        "program_output",
        "configuration_update",
    ],
    around: &["output"],
    hosted: &[
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
    ],
    marks: &[
        ITEM,
        "*output_text",
        "*input_text",
        "*input_image",
        "*input_file",
    ],
    stays: &[
        "additional_tools",
        "compaction",
        "compaction_trigger",
        "item_reference",
        "configuration_update",
    ],
    ..Shape::MESSAGES
};
