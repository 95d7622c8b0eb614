//! Anthropic Messages: `{name, description, input_schema}`.

use super::{Breakpoint, Found, Holder, NAMES, NameRule, Native, Parts, Wire, described};
use crate::value::{Json, Kind, Value};

const SHAPE: &str = "anthropic";

pub(super) const WIRE: Wire = Wire {
    format: "anthropic",
    shape: SHAPE,
    write,
    name_at: &["name"],
    names: NameRule {
        words: "Anthropic (letters, digits, _ and -)",
        ..NAMES
    },
    schema_at: &["input_schema"],
    needs_schema: true,
    breakpoint: Some(Breakpoint {
        at: &["cache_control"],
        is_own: true,
    }),
    has_cache_points: false,
    native: Some(Native {
        reference: Some(&["defer_loading"]),
        definition: None,
        declared: None,
    }),
};

pub(super) fn find<V: Value>(outer: &Holder<V>) -> Option<Found<V>> {
    (outer.kind("name") == Kind::Text && outer.kind("input_schema") != Kind::Absent).then(|| {
        Found {
            // Whoever turns MCP's definitions into these often keeps it.
            title: outer.title(),
            ..Found::flat(SHAPE, "input_schema")
        }
    })
}

fn write(parts: &Parts<'_>) -> Json {
    Json::Object(described(parts))
}
