//! Responses: `{type: "function", name, description, parameters, strict}`, alone or in a namespace.

use super::{FUNCTION, Found, Holder, NAMES, NameRule, Native, Parts, Wire, described};
use crate::value::{Json, Kind, Value};

const SHAPE: &str = "openai-responses";

pub(super) const WIRE: Wire = Wire {
    format: "openai-responses",
    shape: SHAPE,
    write,
    name_at: &["name"],
    names: NameRule {
        words: "Responses (letters, digits, _ and -)",
        ..NAMES
    },
    schema_at: &["parameters"],
    needs_schema: true,
    breakpoint: None,
    has_cache_points: false,
    native: Some(Native {
        reference: None,
        definition: Some(search),
        declared: None,
    }),
};

pub(super) fn find<V: Value>(outer: &Holder<V>) -> Option<Found<V>> {
    let is_function = outer.text_at("type").as_deref() == Some(FUNCTION);
    (is_function && outer.kind("name") == Kind::Text && outer.kind("inputSchema") == Kind::Absent)
        .then(|| Found::flat(SHAPE, "parameters"))
}

fn write(parts: &Parts<'_>) -> Json {
    let mut entries = vec![("type".to_owned(), Json::string(FUNCTION))];
    entries.extend(described(parts));
    // The API takes a missing `strict` for true, and refuses schemas that were not written for it.
    let strict = parts.strict.unwrap_or(false);
    entries.push(("strict".to_owned(), Json::Bool(strict)));
    Json::Object(entries)
}

/// The provider's own tool, whose calls the client answers. It has no name.
fn search(description: &str, parameters: Json) -> Json {
    Json::object([
        ("type", Json::string("tool_search")),
        ("execution", Json::string("client")),
        ("description", Json::string(description)),
        ("parameters", parameters),
    ])
}
