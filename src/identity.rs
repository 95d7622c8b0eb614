//! Whether a catalogue is the same as before: digests that depend neither on the order of tools
//! nor on that of keys, nor on what is loaded.

use sha2::{Digest, Sha256};

use crate::sort::order;
use crate::tool::{self, Origin, Read};
use crate::value::{Json, Value, write};

/// The digests of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Identity {
    /// Of the whole, as 64 hexadecimal digits.
    pub fingerprint: String,
    /// Of each tool, in the host's order.
    pub digests: Vec<String>,
}

/// Reads what a model and a search can see of each tool: name, description, title and schema.
pub fn identity<V: Value>(tools: &[(V, Origin)], schemas: &[Option<&str>]) -> Identity {
    let digests: Vec<String> = tools
        .iter()
        .enumerate()
        .map(|(position, tool)| digest(tool, schemas.get(position).copied().flatten()))
        .collect();
    let mut hash = Sha256::new();
    let mut before = "";
    for at in order(digests.len(), &|a, b| digests[a] < digests[b]) {
        // The same definition twice is sent once.
        if digests[at] != before {
            hash.update(digests[at].as_bytes());
        }
        before = &digests[at];
    }
    Identity {
        fingerprint: hex(&hash.finalize()),
        digests,
    }
}

fn digest<V: Value>((value, origin): &(V, Origin), schema: Option<&str>) -> String {
    let mut hash = Sha256::new();
    match tool::read_from(value, origin) {
        Read::Tool(definition) => {
            for text in [
                Some(&definition.name),
                definition.description.as_ref(),
                definition.title.as_ref(),
            ] {
                piece(&mut hash, text.map_or("", String::as_str));
            }
            match schema.map(Json::parse) {
                Some(Ok(parsed)) => {
                    piece(&mut hash, &canonical(&parsed));
                    if is_cut(&parsed) {
                        // Down there the order of keys matters; no real schema goes that deep.
                        piece(&mut hash, schema.unwrap_or_default());
                    }
                }
                _ => piece(&mut hash, schema.unwrap_or_default()),
            }
        }
        Read::Hosted { .. } | Read::Broken { .. } => {
            piece(&mut hash, &canonical(&value.json()));
        }
    }
    hex(&hash.finalize())
}

/// True when the reader passed over something that lies too deep.
fn is_cut(value: &Json) -> bool {
    match value {
        Json::Deep => true,
        Json::Array(items) => items.iter().any(is_cut),
        Json::Object(entries) => entries.iter().any(|(_, value)| is_cut(value)),
        _ => false,
    }
}

/// Each piece goes in with its length, so that no two lists of pieces read alike.
fn piece(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

/// One text for every way to write a value: keys in order, and a fraction by its bits.
fn canonical(value: &Json) -> String {
    let mut text = String::new();
    write(&sorted(value), &mut text, &|fraction| {
        hex(&fraction.to_bits().to_be_bytes())
    });
    text
}

fn sorted(value: &Json) -> Json {
    match value {
        Json::Array(items) => Json::Array(items.iter().map(sorted).collect()),
        Json::Object(entries) => Json::Object(
            order(entries.len(), &|a, b| entries[a].0 < entries[b].0)
                .into_iter()
                .map(|at| (entries[at].0.clone(), sorted(&entries[at].1)))
                .collect(),
        ),
        other => other.clone(),
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}
