//! Chat Completions: `{type: "function", function: {name, description, parameters, strict?}}`.

use super::{Breakpoint, FUNCTION, Found, Holder, NAMES, NameRule, Parts, Wire, described};
use crate::value::{Json, Kind, Value};

const SHAPE: &str = "openai-chat";
const HOLDER: &[&str] = &["function"];

/// The name of a tool that takes any text: `{type: "custom", custom: {name}}`.
pub(super) fn custom_name<V: Value>(outer: &Holder<V>) -> Option<String> {
    outer.get("custom").text_at("name")
}

pub(super) const WIRE: Wire = Wire {
    format: "openai-chat",
    shape: SHAPE,
    write,
    name_at: &["function", "name"],
    names: NameRule {
        words: "Chat Completions (letters, digits, _ and -)",
        ..NAMES
    },
    schema_at: &["function", "parameters"],
    needs_schema: false,
    // Gateways take Anthropic's beside the function; OpenAI has none, so none is made.
    breakpoint: Some(Breakpoint {
        at: &["cache_control"],
        is_own: false,
    }),
    has_cache_points: false,
    native: None,
};

pub(super) fn find<V: Value>(outer: &Holder<V>) -> Option<Found<V>> {
    let holder = outer.at("function")?;
    (holder.kind() == Kind::Object).then(|| Found {
        holder: Some(Holder::of(holder)),
        holder_at: HOLDER,
        schema_at: vec!["function", "parameters"],
        ..Found::flat(SHAPE, "")
    })
}

fn write(parts: &Parts<'_>) -> Json {
    let mut function = described(parts);
    if let Some(strict) = parts.strict {
        function.push(("strict".to_owned(), Json::Bool(strict)));
    }
    Json::Object(vec![
        ("type".to_owned(), Json::string(FUNCTION)),
        ("function".to_owned(), Json::Object(function)),
    ])
}
