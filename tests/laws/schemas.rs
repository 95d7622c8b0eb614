//! Gemini's dialect as JSON Schema.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Plain, json};
use toolcrib::tool::plain_schema;

use crate::world::*;

/// The names of properties, among them words that mean something where they are no names.
const NAMES: [&str; 9] = [
    "id",
    "type",
    "nullable",
    "enum",
    "default",
    "const",
    "example",
    "properties",
    "items",
];

/// A number as someone wrote it.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?",
        select(
            &[
                "1.10",
                "1e5",
                "0.30000000000000004",
                "12345678901234567890",
                "-0"
            ][..]
        )
        .prop_map(str::to_owned),
    ]
}

/// The text of a schema in the dialect, or in JSON Schema where not.
fn schema(dialect: bool) -> impl Strategy<Value = String> {
    let kinds = if dialect {
        &["STRING", "INTEGER", "OBJECT", "string"][..]
    } else {
        &["string", "integer", "object"][..]
    };
    let leaf = (
        select(kinds),
        proptest::option::of(any::<bool>()),
        proptest::option::of(number()),
        proptest::option::weighted(0.2, select(&["[\"a\",\"b\"]", "[]", "[null]"][..])),
        proptest::option::weighted(
            0.2,
            select(
                &[
                    "[\"STRING\",\"a\"]",
                    "{\"type\":\"STRING\",\"nullable\":true}",
                ][..],
            ),
        ),
    )
        .prop_map(move |(kind, nullable, number, values, default)| {
            let mut text = format!("{{\"type\":\"{kind}\"");
            if let Some(nullable) = nullable.filter(|_| dialect) {
                text += &format!(",\"nullable\":{nullable}");
            }
            if let Some(number) = number {
                text += &format!(",\"minimum\":{number}");
            }
            if let Some(values) = values {
                text += &format!(",\"enum\":{values}");
            }
            if let Some(default) = default {
                text += &format!(",\"default\":{default}");
            }
            text + "}"
        });
    leaf.prop_recursive(4, 24, 3, move |inner| {
        let named = vec((select(&NAMES[..]), inner.clone()), 0..4).prop_map(|mut all| {
            all.sort_by_key(|(name, _)| *name);
            all.dedup_by_key(|(name, _)| *name);
            let all: Vec<String> = all.into_iter().map(|(name, text)| format!("\"{name}\":{text}")).collect();
            format!("{{{}}}", all.join(","))
        });
        let kind = if dialect { "OBJECT" } else { "object" };
        prop_oneof![
            3 => named.prop_map(move |properties| format!("{{\"type\":\"{kind}\",\"properties\":{properties}}}")),
            1 => inner.clone().prop_map(|items| format!("{{\"items\":{items}}}")),
            1 => (vec(inner, 1..3), any::<bool>()).prop_map(move |(all, nullable)| {
                let nullable = if dialect && nullable { ",\"nullable\":true" } else { "" };
                format!("{{\"anyOf\":[{}]{nullable}}}", all.join(","))
            }),
        ]
    })
}

fn plain(text: &str) -> String {
    plain_schema(text).unwrap_or_else(|| text.to_owned())
}

/// The numbers of a text, as they are written.
fn digits(text: &str) -> Vec<&str> {
    let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    let words = text.split(|c: char| !is_of_number(c));
    words
        .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
        .collect()
}

/// The paths of all parameters, and the types on the way.
fn parameters(schema: &Plain, path: &str, found: &mut Vec<String>) {
    if let Some(kind) = schema.get("type") {
        found.push(format!("{path}: {}", kind.to_string().to_ascii_lowercase()));
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        parameters(inner, &format!("{path}/{name}"), found);
    }
    for inner in schema["anyOf"]
        .as_array()
        .into_iter()
        .flatten()
        .chain(schema.get("items"))
    {
        parameters(inner, &format!("{path}/*"), found);
    }
}

/// Null is allowed wherever it was.
fn takes_null(before: &Plain, after: &Plain) -> bool {
    let holds = |key: &str, element: Plain| {
        let list = after[key].as_array();
        before.get(key).is_none() || list.is_some_and(|list| list.contains(&element))
    };
    let own = before["nullable"] != json!(true)
        || holds("type", json!("null"))
            && holds("enum", Plain::Null)
            && holds("anyOf", json!({"type": "null"}));
    let all = |schema: &Plain| -> Vec<Plain> {
        let named = schema["properties"].as_object().into_iter().flatten();
        let named = named.map(|(_, inner)| inner.clone());
        let any = schema["anyOf"].as_array().into_iter().flatten().cloned();
        let any = any.filter(|inner| *inner != json!({"type": "null"}));
        named
            .chain(any)
            .chain(schema.get("items").cloned())
            .collect()
    };
    let (inner, others) = (all(before), all(after));
    let pairs = inner.iter().zip(&others);
    own && inner.len() == others.len()
        && pairs.into_iter().all(|(one, other)| takes_null(one, other))
}

/// No keyword of the dialect where a schema may have it.
fn is_plain(schema: &Plain) -> bool {
    let kind = schema["type"].as_str().unwrap_or_default();
    let inner = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(_, inner)| inner);
    let all = inner
        .chain(schema["anyOf"].as_array().into_iter().flatten())
        .chain(schema.get("items"));
    kind.to_ascii_lowercase() == kind
        && schema.get("nullable").is_none()
        && all.into_iter().all(is_plain)
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn a_plain_schema_has_nothing_of_the_dialect_and_every_parameter(text in schema(true)) {
        let once = plain(&text);
        prop_assert_eq!(&plain(&once), &once, "{}", text);
        prop_assert_eq!(digits(&once), digits(&text));
        let read = |text: &str| serde_json::from_str::<Plain>(text).expect("a schema is JSON");
        prop_assert!(is_plain(&read(&once)), "{} of {}", once, text);
        prop_assert!(takes_null(&read(&text), &read(&once)), "{} of {}", once, text);
        let names = |text: &str| {
            let mut found = Vec::new();
            parameters(&read(text), "", &mut found);
            // Whether null is allowed may have moved into the type.
            for each in &mut found {
                *each = each.replace("[\"", "\"").replace("\",\"null\"]", "\"");
            }
            found.retain(|each| !each.ends_with(": \"null\""));
            found
        };
        prop_assert_eq!(names(&once), names(&text), "{}", text);
    }

    #[test]
    fn a_plain_schema_stays_as_it_is(text in schema(false)) {
        prop_assert_eq!(plain_schema(&text), None, "{}", text);
    }

    #[test]
    fn any_text_is_a_schema_or_none(value in any_json(), text in "[\\[\\]{}:,\"\\\\u0-9typenulab \\-]{0,40}") {
        let once = plain(&value.to_string());
        prop_assert_eq!(&plain(&once), &once);
        prop_assert!(serde_json::from_str::<Plain>(&once).is_ok());
        let _ = plain_schema(&text);
    }
}
