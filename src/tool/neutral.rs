//! `{name, description, inputSchema}`: the neutral shape, and MCP's `tools/list`, which adds
//! `title` and `annotations`.

use super::{Found, Holder, NameRule, Parts, Wire, described};
use crate::value::{Json, Kind, Value};

const SHAPE: &str = "neutral";

/// MCP's rule: letters, digits, `_`, `-` and dots, up to 128 characters.
pub(super) const WIRE: Wire = Wire {
    format: "neutral",
    shape: SHAPE,
    write,
    name_at: &["name"],
    names: NameRule {
        longest: 128,
        starts: |_| true,
        allows: |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'),
        words: "MCP (letters, digits, _ - and .)",
    },
    schema_at: &["inputSchema"],
    needs_schema: true,
    breakpoint: None,
    has_cache_points: false,
    native: None,
};

pub(super) fn find<V: Value>(outer: &Holder<V>) -> Option<Found<V>> {
    // `{type: "web_search_20250305", name: "web_search"}` is run by the provider: a type and no
    // schema. A neutral tool without a schema has no type.
    let has_schema = outer.kind("inputSchema") != Kind::Absent;
    if outer.kind("name") != Kind::Text || (!has_schema && outer.kind("type") == Kind::Text) {
        return None;
    }
    Some(Found {
        title: outer.title(),
        ..Found::flat(SHAPE, "inputSchema")
    })
}

fn write(parts: &Parts<'_>) -> Json {
    Json::Object(described(parts))
}
