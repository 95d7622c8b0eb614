//! The texts of a JSON Schema, read as it streams by: no tree is built, as nothing else is wanted.

use super::{Field, Texts};
use crate::json::{Fault, Item, Reader};
use crate::value::{DEPTH, mend};

/// Keywords that hold one schema, or in older drafts a list of them.
const ONE: [&str; 10] = [
    "items",
    "additionalProperties",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords that hold several schemas, in a list or by a name that is no parameter's.
const SEVERAL: [&str; 8] = [
    "oneOf",
    "anyOf",
    "allOf",
    "prefixItems",
    "$defs",
    "definitions",
    "dependentSchemas",
    "patternProperties",
];

/// Adds the names of parameters and what the schema says of them. Every schema within is visited
/// once: a reference is not followed, as what it points to stands in the same document and is
/// visited where it stands.
///
/// # Errors
/// What the text is if not JSON; then nothing is added.
pub(super) fn read(schema: &str, texts: &mut Texts) -> Result<(), String> {
    let start = texts.mark();
    let mut attempt = |schema: &str| {
        let mut reader = Reader::new(schema);
        visit(&mut reader, DEPTH, Place::Root, texts)
            .and_then(|()| reader.end())
            .map_err(|fault| {
                texts.reset(start);
                fault.message(schema)
            })
    };
    attempt(schema).or_else(|fault| match mend(schema) {
        Some(mended) => attempt(&mended),
        None => Err(fault),
    })
}

/// What stands at a place of the document.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// The schema of all parameters: its title and description are the tool's.
    Root,
    /// The schema of a parameter.
    Property,
    /// A schema that is no parameter's own.
    Inner,
    /// The parameters, by name.
    Properties,
    /// Schemas, in a list or by name.
    Several,
    /// A text that says something of a parameter.
    Text,
    /// The values that a parameter can have.
    Values,
    /// Anything else.
    Elsewhere,
}

impl Place {
    /// What stands under a key of an object.
    fn under(self, key: &str, texts: &mut Texts) -> Place {
        match self {
            Place::Properties => {
                texts.add(Field::Parameter, key);
                Place::Property
            }
            Place::Several => Place::Inner,
            Place::Root | Place::Property | Place::Inner => {
                // The commonest.
                if is_in(key, &["type"]) {
                    Place::Elsewhere
                } else if is_in(key, &["properties"]) {
                    Place::Properties
                } else if is_in(key, &["description"]) && self != Place::Root
                    || is_in(key, &["title"]) && self == Place::Property
                {
                    Place::Text
                } else if is_in(key, &["enum"]) && self == Place::Property {
                    Place::Values
                } else if is_in(key, &ONE) {
                    Place::Inner
                } else if is_in(key, &SEVERAL) {
                    Place::Several
                } else {
                    Place::Elsewhere
                }
            }
            Place::Text | Place::Values | Place::Elsewhere => Place::Elsewhere,
        }
    }

    /// What stands in an array.
    fn within(self) -> Place {
        match self {
            Place::Inner | Place::Several => Place::Inner,
            Place::Values => Place::Text,
            _ => Place::Elsewhere,
        }
    }
}

/// Asked of every key of a schema: most are told apart by their length, without a call.
#[inline(always)]
fn is_in(key: &str, words: &[&str]) -> bool {
    for word in words {
        if word.len() == key.len() && *word == key {
            return true;
        }
    }
    false
}

fn visit(
    reader: &mut Reader<'_>,
    depth: usize,
    place: Place,
    texts: &mut Texts,
) -> Result<(), Fault> {
    if place == Place::Elsewhere || depth == 0 {
        return reader.skip();
    }
    match reader.item()? {
        Item::Null | Item::Bool(_) | Item::Number(_) => {}
        Item::Text(text) => {
            if place == Place::Text {
                texts.add(Field::ParameterText, &text);
            }
        }
        Item::Array => {
            let mut first = true;
            while reader.element(first)? {
                first = false;
                visit(reader, depth - 1, place.within(), texts)?;
            }
        }
        Item::Object => {
            let mut first = true;
            while let Some(key) = reader.key(first)? {
                first = false;
                visit(reader, depth - 1, place.under(&key, texts), texts)?;
            }
        }
    }
    Ok(())
}
