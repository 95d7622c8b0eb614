//! What is searched of a tool: its texts, by the field they stand in.

use crate::catalogue::Tool;
use crate::value::{Json, Kind, Value};

/// A field of a tool. The order is that of [`Field::ALL`] and of the bits in a posting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The tool's name.
    Name,
    /// The title and the first sentence of the description.
    Summary,
    /// The rest of the description.
    Description,
    /// The names of parameters.
    Parameter,
    /// What the schema says of parameters.
    ParameterText,
}

impl Field {
    /// Every field.
    pub const ALL: [Field; 5] = [
        Field::Name,
        Field::Summary,
        Field::Description,
        Field::Parameter,
        Field::ParameterText,
    ];

    /// What it is called in explanations.
    pub fn as_str(self) -> &'static str {
        match self {
            Field::Name => "name",
            Field::Summary => "summary",
            Field::Description => "description",
            Field::Parameter => "parameter",
            Field::ParameterText => "parameter text",
        }
    }
}

/// Of one tool at most this many bytes of text are searched, so that one definition of a megabyte
/// costs no more than a thousand ordinary ones. The longest real definition seen holds 40 kB.
const TOOL_BYTES: usize = 64 * 1024;

/// Where one sentence ends and the next begins, in the scripts that mark it. A full stop counts
/// only before white space: `v1.2` and `e.g.x` are no ends.
const ENDS: [char; 6] = ['\n', '。', '！', '？', '।', '؟'];

/// Calls `each` for every searchable text of the tool.
pub fn fields(tool: &Tool, schema: Option<&Json>, each: &mut dyn FnMut(Field, &str)) {
    let mut left = TOOL_BYTES;
    let mut take = |field: Field, text: &str| {
        let text = head(text, left);
        left -= text.len();
        if !text.is_empty() {
            each(field, text);
        }
    };
    take(Field::Name, &tool.name);
    take(Field::Summary, &tool.title);
    let (summary, rest) = first_sentence(&tool.description);
    take(Field::Summary, summary);
    take(Field::Description, rest);
    if let Some(schema) = schema {
        parameters(Some(schema), &mut take);
    }
}

/// The first `most` bytes of a text, cut at a character.
pub fn head(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// A text's first sentence and what follows it.
pub fn first_sentence(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let ends =
            ENDS.contains(&c) || (c.is_whitespace() && matches!(before, '.' | '!' | '?') && at > 1);
        if ends {
            let end = at + c.len_utf8();
            return (
                text.get(..end).unwrap_or_default(),
                text.get(end..).unwrap_or_default(),
            );
        }
        before = c;
    }
    (text, "")
}

/// Keywords that hold one schema.
const ONE: [&str; 10] = [
    "items",
    "additionalProperties",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords that hold a list of schemas.
const LIST: [&str; 4] = ["oneOf", "anyOf", "allOf", "prefixItems"];
/// Keywords that hold schemas by a name that is no parameter's.
const MAP: [&str; 4] = [
    "$defs",
    "definitions",
    "dependentSchemas",
    "patternProperties",
];

/// Every schema within `schema` once: a reference is not followed, as what it points to stands in
/// the same document and is visited where it stands. The depth is that of [`Json`], thus bounded.
fn parameters(schema: Option<&Json>, take: &mut dyn FnMut(Field, &str)) {
    if let Some(Json::Object(entries)) = schema.get("properties") {
        for (name, property) in entries {
            take(Field::Parameter, name);
            let property = Some(property);
            for key in ["title", "description"] {
                if let Some(text) = property.get(key).text() {
                    take(Field::ParameterText, &text);
                }
            }
            if let Some(Json::Array(values)) = property.get("enum") {
                for value in values.iter().filter_map(|value| match value {
                    Json::Text(text) => Some(text),
                    _ => None,
                }) {
                    take(Field::ParameterText, value);
                }
            }
            parameters(property, take);
        }
    }
    for key in ONE {
        described(schema.get(key), take);
    }
    for key in LIST {
        let list = schema.get(key);
        for index in 0..list.len() {
            described(list.at(index), take);
        }
    }
    for key in MAP {
        if let Some(Json::Object(entries)) = schema.get(key) {
            for (_, inner) in entries {
                described(Some(inner), take);
            }
        }
    }
}

/// A schema that is nobody's property: what it says of itself, and its parameters.
fn described(schema: Option<&Json>, take: &mut dyn FnMut(Field, &str)) {
    if schema.kind() == Kind::Object {
        if let Some(text) = schema.get("description").text() {
            take(Field::ParameterText, &text);
        }
        parameters(schema, take);
    } else if schema.kind() == Kind::Array {
        // `items: [...]` of older drafts.
        for index in 0..schema.len() {
            described(schema.at(index), take);
        }
    }
}
