//! AI SDK: `{description, inputSchema, execute?}` under its name in a record.

use super::{Breakpoint, Found, Holder, NAMES, NameRule, Native, Parts, Wire, described};
use crate::value::{Json, Kind, Value};

const SHAPE: &str = "ai-sdk";

/// Where a tool says that Anthropic's cache reaches up to it.
pub(super) const BREAKPOINT: &[&str] = &["providerOptions", "anthropic", "cacheControl"];

pub(super) const WIRE: Wire = Wire {
    format: "ai-sdk",
    shape: SHAPE,
    write,
    name_at: &[],
    // Whichever provider the model is of takes names by the strictest rule.
    names: NameRule {
        starts: |c| c.is_ascii_alphabetic() || c == '_',
        words: "every provider (letters, digits, _ and -, a letter or _ first)",
        ..NAMES
    },
    schema_at: &["inputSchema", "jsonSchema"],
    needs_schema: true,
    breakpoint: Some(Breakpoint {
        at: BREAKPOINT,
        is_own: true,
    }),
    has_cache_points: false,
    native: Some(Native {
        reference: Some(&["providerOptions", "anthropic", "deferLoading"]),
        definition: Some(search),
        // The SDK runs no tool that is not in its record.
        declared: Some(&["providerOptions", "openai", "deferLoading"]),
    }),
};

/// What the shape calls a tool that the provider runs.
pub(super) fn is_hosted<V: Value>(outer: &Holder<V>) -> bool {
    let kind = outer.text_at("type");
    matches!(kind.as_deref(), Some("provider" | "provider-defined"))
        && outer.kind("id") == Kind::Text
}

pub(super) fn find<V: Value>(outer: &Holder<V>, key: Option<&str>) -> Option<Found<V>> {
    let key = key?;
    if is_hosted(outer) {
        return None;
    }
    let schema = ["inputSchema", "parameters", "input_schema"]
        .into_iter()
        .find(|key| outer.kind(key) != Kind::Absent);
    Some(Found {
        name: Some(key.to_owned()),
        title: outer.text_at("title"),
        ..Found::flat(SHAPE, schema.unwrap_or("inputSchema"))
    })
}

fn write(parts: &Parts<'_>) -> Json {
    let mut entries = described(parts);
    // The name is the record's key.
    entries.remove(0);
    entries.push(("inputSchema".to_owned(), Json::Object(Vec::new())));
    Json::Object(entries)
}

/// What `openai.tools.toolSearch({execution: "client", ...})` of `@ai-sdk/openai` gives.
fn search(description: &str, parameters: Json) -> Json {
    Json::object([
        ("type", Json::string("provider")),
        ("id", Json::string("openai.tool_search")),
        (
            "args",
            Json::object([
                ("execution", Json::string("client")),
                ("description", Json::string(description)),
                ("parameters", parameters),
            ]),
        ),
    ])
}
