//! The reader beside serde_json's: the same values, and the same words where there is none.

use std::fmt;

use proptest::prelude::*;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::*;

#[test]
fn powers_of_ten_are_the_nearest_doubles() {
    for exponent in 0..=LARGEST_POWER {
        let nearest: f64 = format!("1e{exponent}").parse().unwrap();
        let found = power_of_ten(exponent);
        assert_eq!(found.to_bits(), nearest.to_bits(), "1e{exponent}");
    }
}

/// What was read, with numbers to the last bit.
#[derive(Debug, PartialEq)]
enum Tree {
    Null,
    Bool(bool),
    Number(u64),
    Text(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

fn tree(reader: &mut Reader<'_>) -> Result<Tree, Fault> {
    Ok(match reader.item()? {
        Item::Null => Tree::Null,
        Item::Bool(value) => Tree::Bool(value),
        Item::Number(value) => Tree::Number(value.to_bits()),
        Item::Text(text) => Tree::Text(text.into_owned()),
        Item::Array => {
            let mut items = Vec::new();
            while reader.element(items.is_empty())? {
                items.push(tree(reader)?);
            }
            Tree::Array(items)
        }
        Item::Object => {
            let mut entries = Vec::new();
            while let Some(key) = reader.key(entries.is_empty())? {
                entries.push((key.into_owned(), tree(reader)?));
            }
            Tree::Object(entries)
        }
    })
}

struct Plain;

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tree, D::Error> {
        deserializer.deserialize_any(Plain)
    }
}

impl<'de> Visitor<'de> for Plain {
    type Value = Tree;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Number((value as f64).to_bits()))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Number((value as f64).to_bits()))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Number(value.to_bits()))
    }
    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Text(value.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Tree::Array(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Tree, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Tree::Object(entries))
    }
}

/// Reads a text in both ways, and in both passes over it.
fn same(text: &str) {
    let words = |fault: Fault| fault.message(text);
    let ours = |read: fn(&mut Reader<'_>) -> Result<Tree, Fault>| {
        let mut reader = Reader::new(text);
        read(&mut reader)
            .and_then(|tree| reader.end().map(|()| tree))
            .map_err(words)
    };
    let theirs = serde_json::from_str::<Tree>(text).map_err(|error| error.to_string());
    assert_eq!(ours(tree), theirs, "{text:?}");
    let passed = ours(|reader| reader.skip().map(|()| Tree::Null));
    let theirs = serde_json::from_str::<IgnoredAny>(text).map_err(|error| error.to_string());
    assert_eq!(passed, theirs.map(|_| Tree::Null), "{text:?}");
}

/// Pieces of which JSON and what is nearly JSON is made.
const PIECES: [&str; 56] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    " ",
    "\n",
    "\t\r",
    "null",
    "true",
    "false",
    "nul",
    "tru",
    "\"a\"",
    "\"a\":",
    "\"b\":[",
    "\"longer than eight bytes\"",
    "\"\\u00e9\"",
    "\"é😀\"",
    "\\ud83d\\ude00",
    "\\ud83d",
    "\\udc00",
    "\\ud83d\\u0041",
    "\\ud83d\\n",
    "\\u12",
    "\\uzzzz",
    "\\n",
    "\\q",
    "\u{1}",
    "\0",
    "x",
    "0",
    "-",
    "-0",
    "1",
    "12",
    "18446744073709551615",
    "18446744073709551616",
    "1844674407370955161",
    "9",
    "5",
    ".",
    ".5",
    "e",
    "E+",
    "e-",
    "308",
    "309",
    "99999999999",
    "000000000000000000000000",
    "\u{FEFF}",
    "é",
    "\"",
];

#[test]
fn reads_what_serde_json_reads() {
    for text in [
        "",
        " ",
        "[1,]",
        "{\"a\":1,}",
        "{\"a\"}",
        "{\"a\":}",
        "{,}",
        "[,]",
        "{1:2}",
        "1 2",
        "[1 2]",
        "{\"a\":1 2}",
        "\"\u{1f}\"",
        "[\"\n\"]",
        "1e400",
        "-1e400",
        "1e-400",
        "0e400",
        "123456789012345678901234567890",
        "0.1",
        "1.5e3",
        "2.2250738585072014e-308",
        "4.9e-324",
        "1.7976931348623157e308",
        "9007199254740993",
        "01",
        "1.",
        "1e",
        "-",
        "[-",
        "1.e",
        "0x",
        "1e99999999999",
        "1e-99999999999",
        "0e99999999999",
        "18446744073709551616.5",
        "0.18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "[[[[1]]]]",
        "{\"a\":{\"b\":{\"c\":[]}}}",
    ] {
        same(text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn pieces_in_any_order(picks in prop::collection::vec(0..PIECES.len(), 0..12)) {
        same(&picks.into_iter().map(|pick| PIECES[pick]).collect::<String>());
    }

    #[test]
    fn numbers(whole in "-?[0-9]{1,25}", fraction in "(\\.[0-9]{0,25})?", power in "([eE][+-]?[0-9]{0,4})?") {
        same(&format!("{whole}{fraction}{power}"));
        same(&format!("[{whole}{fraction}{power}]"));
    }

    #[test]
    fn documents_with_a_piece_put_in(
        keys in prop::collection::vec("[a-z\"\\\\é\u{1}😀]{0,20}", 1..5),
        at in any::<prop::sample::Index>(),
        pick in 0..PIECES.len(),
        cut in any::<bool>(),
    ) {
        let mut value = serde_json::json!({ "n": [1, -2.5e-7, null], "t": true });
        for key in keys {
            value = serde_json::json!({ key.clone(): [value, key], "last": 1e300 });
        }
        let text = serde_json::to_string_pretty(&value).unwrap();
        same(&text);
        let mut at = at.index(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let rest = if cut { "" } else { &text[at..] };
        same(&format!("{}{}{rest}", &text[..at], PIECES[pick]));
    }
}
