//! Gemini: `{name, description, parameters | parametersJsonSchema}`, many in one `{functionDeclarations}`.
//!
//! `parameters` may be written in a dialect of JSON Schema: `type: "STRING"`, `nullable`. Nobody else reads it, so it is
//! rewritten for every other wire, and for the index.

use super::{Found, Holder, NameRule, Parts, Wire, described};
use crate::value::{Json, Kind, Value};

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
    HOSTED.into_iter().find(|key| value.get(key).exists())
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
        ..Found::flat(SHAPE, key)
    })
}

fn write(parts: &Parts<'_>) -> Json {
    Json::Object(described(parts))
}

/// A schema as JSON Schema, where it is written in the dialect: `None` where it says the same as it stands.
pub fn plain(schema: &str) -> Option<String> {
    // No quick look finds a dialect that isn't there: it writes a type in capitals or says `nullable`.
    let bytes = schema.as_bytes();
    let says = |word: &[u8]| bytes.windows(word.len()).any(|at| at == word);
    let in_capitals =
        |at: &[u8]| at.starts_with(b"\"type\":\"") && at.last().is_some_and(u8::is_ascii_uppercase);
    if !bytes.windows(9).any(in_capitals) && !says(b"\"nullable\":") {
        return None;
    }
    let mut json = Json::parse(schema).ok()?;
    rewrite(&mut json);
    (&Some(&json)).json_text()
}

fn rewrite(schema: &mut Json) {
    match schema {
        Json::Array(items) => items.iter_mut().for_each(rewrite),
        Json::Object(entries) => {
            let is_nullable =
                |(key, value): &(String, Json)| key == "nullable" && *value == Json::Bool(true);
            let nullable = entries.iter().any(is_nullable);
            entries.retain(|(key, value)| key != "nullable" || !matches!(value, Json::Bool(_)));
            for (key, value) in entries.iter_mut() {
                match value {
                    Json::Text(kind)
                        if key == "type" && kind.bytes().all(|byte| byte.is_ascii_uppercase()) =>
                    {
                        kind.make_ascii_lowercase();
                        if nullable {
                            *value = Json::Array(vec![value.clone(), Json::string("null")]);
                        }
                    }
                    // Property names are the author's: "type" is one in no capitals, and holds an object.
                    Json::Object(_) | Json::Array(_)
                        if !matches!(key.as_str(), "enum" | "default" | "example") =>
                    {
                        rewrite(value);
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}
