//! Chat Completions: `{type: "function", function: {name, description, parameters, strict?}}`.

use super::{Found, Holder, NameRule, Wire, Written};
use crate::value::{Json, Kind, Value};

const SHAPE: &str = "openai-chat";
const HOLDER: &[&str] = &["function"];

/// The type of a tool with a schema.
pub(super) const KIND: &str = "function";

/// The name of a tool that takes any text: `{type: "custom", custom: {name}}`.
pub(super) fn custom_name<V: Value>(outer: &Holder<V>) -> Option<String> {
    outer.get("custom").text_at("name")
}

pub(super) const WIRE: Wire = Wire {
    format: "openai-chat",
    shape: SHAPE,
    write,
    names: NameRule {
        longest: 64,
        allows: |c| c.is_ascii_alphanumeric() || c == '_' || c == '-',
        words: "Chat Completions (letters, digits, _ and -)",
    },
};

pub(super) fn find<V: Value>(outer: &Holder<V>) -> Option<Found<V>> {
    let holder = outer.at("function")?;
    (holder.kind() == Kind::Object).then(|| Found {
        holder: Some(Holder::of(holder)),
        holder_at: HOLDER,
        schema_at: vec!["function", "parameters"],
        title: None,
        shape: SHAPE,
    })
}

fn write(name: &str, description: Option<&str>) -> Written {
    let mut function = vec![("name".to_owned(), Json::string(name))];
    if let Some(description) = description {
        function.push(("description".to_owned(), Json::string(description)));
    }
    Written {
        template: Json::object([
            ("type", Json::string("function")),
            ("function", Json::Object(function)),
        ]),
        schema_at: &["function", "parameters"],
    }
}
