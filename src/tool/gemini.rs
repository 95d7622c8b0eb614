//! Gemini: `{name, description, parameters | parametersJsonSchema}`, many in one `{functionDeclarations}`.
//!
//! `parameters` may be written in a dialect of JSON Schema: `type: "STRING"`, `nullable`. Nobody else reads it, so it is
//! rewritten for every other wire, and for the index.

use super::{Found, Holder, NameRule, Parts, Wire, described};
use crate::json::{Fault, Reader};
use crate::value::{DEPTH, Json, Kind, Value, quote};

const SHAPE: &str = "gemini";

pub(super) const WIRE: Wire = Wire {
    format: "gemini",
    shape: SHAPE,
    write,
    name_at: &["name"],
    names: NameRule {
        longest: 128,
        starts: |c| c.is_ascii_alphabetic() || c == '_',
        allows: |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'),
        words: "Gemini (letters, digits, _ - . and :, a letter or _ first)",
    },
    schema_at: &["parametersJsonSchema"],
    needs_schema: false,
    breakpoint: None,
    has_cache_points: false,
    native: None,
};

/// What Gemini's tools hold beside function declarations: what the provider runs itself.
const HOSTED: [&str; 10] = [
    "googleSearch",
    "googleSearchRetrieval",
    "codeExecution",
    "urlContext",
    "googleMaps",
    "computerUse",
    "fileSearch",
    "retrieval",
    "enterpriseWebSearch",
    "mcpServers",
];

/// The provider's own tool in an object without a name or a type.
pub(super) fn hosted<V: Value>(value: &V) -> Option<&'static str> {
    let is_there = |kind: Kind| matches!(kind, Kind::Object | Kind::Array);
    HOSTED.into_iter().find(|key| is_there(value.kind_at(key)))
}

pub(super) fn find<V: Value>(outer: &Holder<V>) -> Option<Found<V>> {
    if outer.kind("name") != Kind::Text {
        return None;
    }
    let key = ["parametersJsonSchema", "parameters"]
        .into_iter()
        .find(|key| outer.kind(key) != Kind::Absent)?;
    Some(Found {
        has_dialect: key == "parameters",
        // Catalogues on disk write MCP's keys beside `parameters`.
        title: outer.title(),
        ..Found::flat(SHAPE, key)
    })
}

fn write(parts: &Parts<'_>) -> Json {
    Json::Object(described(parts))
}

/// A schema as JSON Schema, where it is written in the dialect: `None` where it says the same as it stands. Numbers stay
/// the digits that they are.
pub fn plain(schema: &str) -> Option<String> {
    let mut text = String::new();
    rewrite(schema, false, DEPTH, &mut text).ok()?;
    (text != schema).then_some(text)
}

/// What holds schemas under names that their author chose, so that they mean nothing.
const NAMED: [&str; 5] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "defs",
];

fn rewrite(raw: &str, is_named: bool, depth: usize, text: &mut String) -> Result<(), Fault> {
    let mut reader = Reader::new(raw);
    match raw.as_bytes().first() {
        Some(b'[') if depth > 0 => {
            reader.item()?;
            text.push('[');
            let mut first = true;
            while reader.element(first)? {
                if !first {
                    text.push(',');
                }
                first = false;
                rewrite(reader.raw()?, false, depth - 1, text)?;
            }
            text.push(']');
        }
        Some(b'{') if depth > 0 => {
            reader.item()?;
            let mut entries: Vec<(String, &str)> = Vec::new();
            while let Some(key) = reader.key(entries.is_empty())? {
                let key = key.into_owned();
                entries.push((key, reader.raw()?));
            }
            let is_flag = |(key, raw): &(String, &str)| {
                !is_named && key == "nullable" && matches!(*raw, "true" | "false")
            };
            let nullable = entries
                .iter()
                .any(|entry| is_flag(entry) && entry.1 == "true");
            entries.retain(|entry| !is_flag(entry));
            text.push('{');
            for (index, (key, raw)) in entries.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                quote(&key, text);
                text.push(':');
                let kind = raw.trim_matches('"');
                if is_named {
                    rewrite(raw, false, depth - 1, text)?;
                } else if key == "type"
                    && kind.len() + 2 == raw.len()
                    && kind.bytes().all(|byte| byte.is_ascii_alphabetic())
                {
                    let kind = kind.to_ascii_lowercase();
                    text.push_str(if nullable { "[\"" } else { "\"" });
                    text.push_str(&kind);
                    text.push_str(if nullable { "\",\"null\"]" } else { "\"" });
                } else if matches!(key.as_str(), "enum" | "default" | "example" | "const") {
                    text.push_str(raw);
                    if nullable && key == "enum" {
                        also(text, "null");
                    }
                } else {
                    rewrite(raw, NAMED.contains(&key.as_str()), depth - 1, text)?;
                    if nullable && key == "anyOf" {
                        also(text, "{\"type\":\"null\"}");
                    }
                }
            }
            text.push('}');
        }
        _ => text.push_str(raw),
    }
    Ok(())
}

/// One more element in the list at the end of the text.
fn also(text: &mut String, element: &str) {
    if text.ends_with(']') && !text.ends_with(&[element, "]"].concat()) {
        text.pop();
        text.push_str(if text.ends_with('[') { "" } else { "," });
        text.push_str(element);
        text.push(']');
    }
}
