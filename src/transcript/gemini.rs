//! Gemini: `parts` that are named by their key, with or without ids. A message without a role is the
//! user's.

use super::{Rule, Shape, What};

const CALL: [&str; 3] = ["id", "name", "args"];
const RESULT: [&str; 3] = ["id", "name", "response"];

pub(super) const SHAPE: Shape = Shape {
    sieve: &["parts", "*", "functionCall|function_call", "name"],
    assistant: "model",
    results: "user|function|",
    list: "parts",
    rules: &[
        Rule::key("functionCall", What::Call, CALL),
        Rule::key("functionResponse", What::Result, RESULT),
        Rule::key("function_call", What::Call, CALL),
        Rule::key("function_response", What::Result, RESULT),
        // It has no arguments where the tool takes none.
        Rule::bare("name", What::Call, CALL),
    ],
    merges: true,
    known: &["user", "model", "function", "system"],
    around: &["parts", "content", "candidates"],
    marks: &["functionCall", "functionResponse", "parts"],
    opens_with_user: true,
    ..Shape::MESSAGES
};
