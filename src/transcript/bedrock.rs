//! Converse: blocks in `content` that are named by their key. Results stand in the user's messages;
//! system messages change the tools.

use super::{BARE, Rule, Shape, What};

pub(super) const SHAPE: Shape = Shape {
    sieve: &["role|content", "*", "toolUse", "name"],
    also: &["system"],
    rules: &[
        Rule::key("toolUse", What::Call, ["toolUseId", "name", "input"]),
        Rule::key("toolResult", What::Result, ["toolUseId", "", "content"]),
        Rule::key("toolAddition", What::Adds, ["", "", "tool"]),
        Rule::key("toolRemoval", What::Removes, ["", "", "tool"]),
        Rule::bare("toolUseId", What::Call, ["toolUseId", "name", "input"]),
    ],
    merges: true,
    around: &["content", "message", "output"],
    marks: &["toolUse", "toolResult", BARE],
    opens_with_user: true,
    ..Shape::MESSAGES
};
