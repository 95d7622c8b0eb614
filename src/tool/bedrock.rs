//! Bedrock Converse: `{toolSpec: {name, description, inputSchema: {json}}}`; `{cachePoint}` stands among them.

use super::{Found, Holder, NAMES, NameRule, Parts, Wire, described};
use crate::value::{Json, Kind, Value};

const SHAPE: &str = "bedrock";
const HOLDER: &[&str] = &["toolSpec"];

pub(super) const WIRE: Wire = Wire {
    format: "bedrock",
    shape: SHAPE,
    write,
    name_at: &["toolSpec", "name"],
    names: NameRule {
        words: "Bedrock (letters, digits, _ and -)",
        ..NAMES
    },
    schema_at: &["toolSpec", "inputSchema", "json"],
    needs_schema: true,
    breakpoint: None,
    has_cache_points: true,
    native: None,
};

pub(super) fn find<V: Value>(outer: &Holder<V>) -> Option<Found<V>> {
    let holder = outer.at("toolSpec")?;
    (holder.kind() == Kind::Object).then(|| Found {
        holder: Some(Holder::of(holder)),
        holder_at: HOLDER,
        schema_at: WIRE.schema_at.to_vec(),
        ..Found::flat(SHAPE, "")
    })
}

fn write(parts: &Parts<'_>) -> Json {
    let mut spec = described(parts);
    spec.push(("inputSchema".to_owned(), Json::Object(Vec::new())));
    Json::Object(vec![("toolSpec".to_owned(), Json::Object(spec))])
}

/// An entry that is no tool but a place up to which the provider's cache reaches.
pub(crate) fn cache_point(ttl: Option<&str>) -> Json {
    let mut point = vec![("type".to_owned(), Json::string("default"))];
    if let Some(ttl) = ttl {
        point.push(("ttl".to_owned(), Json::string(ttl)));
    }
    Json::object([("cachePoint", Json::Object(point))])
}
