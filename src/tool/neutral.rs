//! `{name, description, inputSchema}`: the neutral shape, and MCP's `tools/list`, which adds
//! `title` and `annotations`. `parameters` and `input_schema` are read in the schema's place too,
//! as catalogues on disk write them.

use super::{Found, Holder};
use crate::value::{Kind, Value};

const SHAPE: &str = "neutral";
const SCHEMA: [&str; 3] = ["inputSchema", "parameters", "input_schema"];

pub(super) fn find<V: Value>(outer: &Holder<V>) -> Option<Found<V>> {
    // `{type: "web_search_20250305", name: "web_search"}` is run by the provider: a type and no
    // schema. A neutral tool without a schema has no type.
    let schema = SCHEMA
        .into_iter()
        .find(|key| outer.kind(key) != Kind::Absent);
    if outer.kind("name") != Kind::Text || (schema.is_none() && outer.kind("type") == Kind::Text) {
        return None;
    }
    Some(Found {
        holder: None,
        holder_at: &[],
        schema_at: vec![schema.unwrap_or(SCHEMA[0])],
        title: outer
            .text_at("title")
            .or_else(|| outer.at("annotations")?.text_at("title")),
        shape: SHAPE,
    })
}
