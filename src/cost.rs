//! What definitions cost, in tokens.
//!
//! An estimate without tables: four UTF-8 bytes a token, which is closer than four characters (those
//! are off by two to six times on Chinese). The host's own counts take its place where given.

use crate::catalogue::{Catalogue, Entry, Tool};
use crate::options::Options;
use crate::value::{Json, decimal, write};

/// UTF-8 bytes that make a token, on the average of real definitions.
const BYTES: f64 = 4.0;

/// The estimated tokens of a text.
pub fn estimate(text: &str) -> u32 {
    tokens(text.len())
}

fn tokens(bytes: usize) -> u32 {
    (bytes as f64 / BYTES).ceil() as u32
}

/// The tokens of each definition, by position: those of the minified JSON of
/// `{name, description, parameters}`. What is not sent costs nothing.
pub fn costs(schemas: &[Option<&str>], catalogue: &Catalogue, options: &Options) -> Vec<u32> {
    catalogue
        .entries
        .iter()
        .enumerate()
        .map(|(position, entry)| {
            let given = options
                .costs
                .as_ref()
                .and_then(|costs| costs.get(position).copied().flatten());
            match entry {
                Entry::Merged(_) | Entry::Excluded { .. } => 0,
                _ if given.is_some() => given.map_or(0, |cost| cost as u32),
                Entry::Tool(tool) => definition(tool, schemas.get(position).copied().flatten()),
                Entry::Opaque { bytes, .. } => tokens(*bytes),
            }
        })
        .collect()
}

fn definition(tool: &Tool, schema: Option<&str>) -> u32 {
    let mut bytes = r#"{"name":}"#.len() + quoted(&tool.name);
    if let Some(description) = &tool.description {
        bytes += r#","description":"#.len() + quoted(description);
    }
    if let Some(schema) = schema {
        bytes += r#","parameters":"#.len() + schema.len();
    }
    tokens(bytes)
}

/// The length of a text as a JSON string.
fn quoted(text: &str) -> usize {
    let mut length = text.len() + 2;
    for byte in text.as_bytes() {
        // The commonest first.
        if *byte > b'\\' {
            continue;
        }
        length += match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0C => 1,
            ..0x20 => 5,
            _ => 0,
        };
    }
    length
}

/// The tokens of a definition that is JSON already.
pub fn of_json(definition: &Json) -> u32 {
    let mut text = String::new();
    write(definition, &mut text, &decimal);
    estimate(&text)
}
