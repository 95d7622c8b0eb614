//! The texts of a JSON Schema, read as it streams by: no tree is built, as nothing else is wanted.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Field, Texts};
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
        let mut reader = serde_json::Deserializer::from_str(schema);
        let seed = Seed {
            place: Place::Root,
            depth: DEPTH,
            texts,
        };
        seed.deserialize(&mut reader)
            .and_then(|()| reader.end())
            .map_err(|error| {
                texts.reset(start);
                error.to_string()
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
            Place::Root | Place::Property | Place::Inner => match key {
                "properties" => Place::Properties,
                "description" if self != Place::Root => Place::Text,
                "title" if self == Place::Property => Place::Text,
                "enum" if self == Place::Property => Place::Values,
                _ if ONE.contains(&key) => Place::Inner,
                _ if SEVERAL.contains(&key) => Place::Several,
                _ => Place::Elsewhere,
            },
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

struct Seed<'t> {
    place: Place,
    depth: usize,
    texts: &'t mut Texts,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.place == Place::Elsewhere || self.depth == 0 {
            return deserializer.deserialize_ignored_any(IgnoredAny).map(|_| ());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a schema")
    }
    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E: de::Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E: de::Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E: de::Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        if self.place == Place::Text {
            self.texts.add(Field::ParameterText, text);
        }
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let place = self.place.within();
        while access
            .next_element_seed(Seed {
                place,
                depth: self.depth - 1,
                texts: self.texts,
            })?
            .is_some()
        {}
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        while let Some(place) = access.next_key_seed(Key {
            place: self.place,
            texts: self.texts,
        })? {
            access.next_value_seed(Seed {
                place,
                depth: self.depth - 1,
                texts: self.texts,
            })?;
        }
        Ok(())
    }
}

/// A key, read as what stands under it.
struct Key<'t> {
    place: Place,
    texts: &'t mut Texts,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Place;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Place, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Place;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a property's name")
    }
    fn visit_str<E: de::Error>(self, key: &str) -> Result<Place, E> {
        Ok(self.place.under(key, self.texts))
    }
}
