//! One reader for JSON text and for a host's living objects.
//!
//! Everything that looks into a definition or a message does so through [`Value`]: natively over
//! parsed [`Json`], in wasm over JavaScript objects where they lie, without copying them. A read
//! of what is not there, or of what refuses to be read, gives an absent value, never a failure.

use std::borrow::Cow;

use serde::ser::{Serialize, Serializer};
#[cfg(not(target_arch = "wasm32"))]
use serde::ser::{SerializeMap, SerializeSeq};

use crate::json::{Fault, Item, Reader};

mod told;

pub use told::Told;

/// How deep a JSON text is read. Real schemas stay under twenty levels; what lies deeper is passed
/// over, so that no nesting, however deep, costs stack.
pub const DEPTH: usize = 64;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Not there, or not readable.
    Absent,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    Text,
    /// An array.
    Array,
    /// Any other object.
    Object,
    /// A function, a symbol, a big integer: nothing that JSON can say.
    Other,
}

/// More properties than a definition has that a person wrote; of a stranger's no more are looked at.
pub const KEYS: usize = 64;

/// See [`Value::present`].
pub const OTHERS: u32 = 1 << 31;

/// Looks into a value of whatever kind.
pub trait Look {
    /// What it is asked.
    fn look<V: Value>(&mut self, value: &V) -> bool;
}

/// A value that can be looked into.
pub trait Value: Clone {
    /// What this is.
    fn kind(&self) -> Kind;
    /// What is not there.
    fn absent() -> Self;
    /// The property `key` of an object; absent when there is none or this is no object.
    fn get(&self, key: &'static str) -> Self;
    /// The element `index` of an array; absent when there is none or this is no array.
    fn at(&self, index: usize) -> Self;
    /// How many elements an array has; 0 for anything else.
    fn len(&self) -> usize;
    /// The text of a string. Lone surrogates come as U+FFFD.
    fn text(&self) -> Option<Cow<'_, str>>;
    /// The first `most` characters of a text that has more; `None` for all else. They are counted in whatever the text is
    /// made of.
    fn head(&self, most: usize) -> Option<String> {
        head(&self.text()?, most).map(str::to_owned)
    }
    /// The number, if this is one.
    fn number(&self) -> Option<f64>;
    /// The truth value, if this is one.
    fn flag(&self) -> Option<bool>;
    /// The names of an object's own properties, at most `most` of them.
    fn keys(&self, most: usize) -> Vec<String>;
    /// The property of an object under a name that only its author knows.
    fn member(&self, key: &str) -> Self;
    /// Calls `see` for each property of an object's own, in their order.
    fn each(&self, see: &mut dyn FnMut(&str, Self)) {
        for key in self.keys(usize::MAX) {
            see(&key, self.member(&key));
        }
    }
    /// What this message says, for an estimate. One pass, in the engine's stead where it lies elsewhere.
    fn told(&self) -> Told {
        told::tell(self)
    }
    /// This value as JSON of its own, down to [`DEPTH`].
    fn json(&self) -> Json;
    /// This value as minified JSON text; `None` where it has none.
    fn json_text(&self) -> Option<String>;
    /// The positions of those elements in which the text at `path` is one of `words`, in order.
    /// `"*"` in the path stands for every element of an array, `"a|b"` for either key. A text that
    /// stands where the path would go on counts too, so that one path can take in `role` and what
    /// lies deeper. Where there are no words any text does. One pass, whatever the texts' length.
    fn holding(&self, path: &[&str], words: &[&str]) -> Vec<usize>;

    /// The positions of all other elements.
    fn lacking(&self, path: &[&'static str], words: &[&str]) -> Vec<usize> {
        let holding = self.holding(path, words);
        (0..self.len())
            .filter(|index| holding.binary_search(index).is_err())
            .collect()
    }

    /// The positions after `after` of elements whose `key` is one of `wanted`, up to the first whose
    /// `key` is `stop`. `wanted` is `"a|b"` for either, and an empty one takes in what has no `key`.
    fn run(
        &self,
        after: usize,
        key: &'static str,
        wanted: &'static str,
        stop: &'static str,
    ) -> Vec<usize> {
        (after + 1..self.len())
            .map(|index| (index, self.at(index).get(key)))
            .take_while(|(_, own)| !own.is(stop))
            .filter(|(_, own)| {
                let own = own.text();
                let is_wanted = |word| word == own.as_deref().unwrap_or_default();
                wanted.split('|').any(is_wanted)
            })
            .map(|(index, _)| index)
            .collect()
    }

    /// What `look` says of the value that a JSON text holds; false where it holds none. Some hosts write
    /// a byte order mark before what they keep.
    fn parse<L: Look>(text: &str, look: &mut L) -> bool {
        let json = Json::parse(text.trim_start_matches('\u{FEFF}'));
        json.is_ok_and(|json| look.look(&Some(&json)))
    }
    /// The same of the text that this is.
    fn parsed<L: Look>(&self, look: &mut L) -> bool {
        self.text().is_some_and(|text| Self::parse(&text, look))
    }

    /// The texts at `key` of all elements, one a line, where each has one and none has any of `without`.
    /// A value for which this is no faster than to look at each says `None`.
    fn lines(&self, _key: &'static str, _without: &'static [&'static str]) -> Option<String> {
        None
    }

    /// True for what holds nothing.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// True when there is something, `null` included.
    fn exists(&self) -> bool {
        self.kind() != Kind::Absent
    }
    /// Which of `keys`, at most 31 of them, an object has: a bit for each in their order, and the
    /// bit [`OTHERS`] when it has properties besides.
    fn present(&self, keys: &'static [&'static str]) -> u32 {
        let mut mask = 0;
        for (bit, key) in keys.iter().enumerate() {
            mask |= u32::from(self.get(key).exists()) << bit;
        }
        if (self.keys(KEYS).iter()).any(|key| !keys.contains(&key.as_str())) {
            mask |= OTHERS;
        }
        mask
    }
    /// The text of the property `key`.
    fn text_at(&self, key: &'static str) -> Option<String> {
        self.get(key).text().map(Cow::into_owned)
    }
    /// What the property `key` is.
    fn kind_at(&self, key: &'static str) -> Kind {
        self.get(key).kind()
    }
    /// True when this is exactly the text `word`.
    #[inline(never)]
    fn is(&self, word: &str) -> bool {
        self.text().is_some_and(|text| text == word)
    }
    /// The property at the end of `path`.
    fn path(&self, path: &[&'static str]) -> Self {
        let mut value = self.clone();
        for key in path {
            value = value.get(key);
        }
        value
    }
}

/// The first `most` bytes of a text that has more, and the rest of the last character.
pub fn head(text: &str, most: usize) -> Option<&str> {
    let end = (most..text.len()).find(|at| text.is_char_boundary(*at))?;
    text.get(..end)
}

/// A parsed JSON value. Objects keep their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text(String),
    /// An array.
    Array(Vec<Json>),
    /// An object, in its own order; of two properties with one name the last counts.
    Object(Vec<(String, Json)>),
    /// What lay deeper than [`DEPTH`]: passed over.
    Deep,
    /// Minified JSON text that is written as it stands, such as a schema's. Never read.
    Raw(String),
}

impl Json {
    /// Reads JSON text. Lone surrogate escapes become U+FFFD and numbers too large for a double
    /// become the largest that fit, as models and cut texts hold both.
    pub fn parse(text: &str) -> Result<Json, String> {
        let place = Place::Elsewhere;
        Json::read(text, place, &mut Vec::new()).or_else(|first| match mend(text) {
            Some(mended) => Json::read(&mended, place, &mut Vec::new()),
            None => Err(first),
        })
    }

    /// The names in a search result that was cut short: those that stand whole before the cut. None of
    /// a text that can be read.
    pub fn names_before_cut(text: &str) -> Vec<String> {
        let text = text.trim_start_matches('\u{FEFF}');
        let mut names = Vec::new();
        let mut outcome = Json::read(text, Place::Top, &mut names);
        if outcome.is_err()
            && let Some(mended) = mend(text)
        {
            names.clear();
            outcome = Json::read(&mended, Place::Top, &mut names);
        }
        if outcome.is_ok() {
            names.clear();
        }
        names
    }

    /// The `name` of the object that a JSON text begins with, where it stands before the text was cut.
    pub fn name_before_cut(text: &str) -> Option<String> {
        let mut names = Vec::new();
        let _ = Json::read(text, Place::Call, &mut names);
        names.pop()
    }

    #[inline(never)]
    fn read(text: &str, place: Place, names: &mut Vec<String>) -> Result<Json, String> {
        let mut reader = Reader::new(text);
        value(&mut reader, DEPTH, place, names)
            .and_then(|json| reader.end().map(|()| json))
            .map_err(|fault| fault.message(text))
    }

    /// The property `key` of an object.
    pub(crate) fn field(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(entries) => entries
                .iter()
                .rev()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// An object of these properties.
    pub(crate) fn object<const N: usize>(entries: [(&str, Json); N]) -> Json {
        Json::Object(
            entries
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
        )
    }

    /// A string.
    pub(crate) fn string(text: impl Into<String>) -> Json {
        Json::Text(text.into())
    }
}

/// Where in a search result the reader stands, so that names can be noted as they pass.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Top,
    List,
    Item,
    /// The arguments of a call that names a tool.
    Call,
    /// An item of a list that stands alone: only references count there.
    Bare,
    Name,
    Elsewhere,
}

fn value(
    reader: &mut Reader<'_>,
    depth: usize,
    place: Place,
    names: &mut Vec<String>,
) -> Result<Json, Fault> {
    if depth == 0 {
        return reader.skip().map(|()| Json::Deep);
    }
    Ok(match reader.item()? {
        Item::Null => Json::Null,
        Item::Bool(value) => Json::Bool(value),
        Item::Number(value) => Json::Number(value),
        Item::Text(text) => {
            if place == Place::Name {
                names.push(text.clone().into_owned());
            }
            Json::Text(text.into_owned())
        }
        Item::Array => {
            let place = match place {
                Place::Top => Place::Bare,
                Place::List => Place::Item,
                _ => Place::Elsewhere,
            };
            let mut items = Vec::new();
            while reader.element(items.is_empty())? {
                items.push(value(reader, depth - 1, place, names)?);
            }
            Json::Array(items)
        }
        Item::Object => {
            let mut entries = Vec::new();
            while let Some(key) = reader.key(entries.is_empty())? {
                let place = match (place, &*key) {
                    (Place::Top, "loaded" | "tools" | "tool_references") => Place::List,
                    // Gemini's response, as a text.
                    (Place::Top, "output") => Place::Top,
                    (Place::Item | Place::Call, "name") => Place::Name,
                    (Place::Item | Place::Bare, "tool_name" | "toolName") => Place::Name,
                    _ => Place::Elsewhere,
                };
                let value = value(reader, depth - 1, place, names)?;
                entries.push((key.into_owned(), value));
            }
            Json::Object(entries)
        }
    })
}

/// The text with lone surrogate escapes and oversized numbers replaced; `None` when it has none.
pub(crate) fn mend(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = Vec::new();
    let mut copied = 0;
    let mut at = 0;
    let mut in_string = false;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                in_string = !in_string;
                at += 1;
            }
            b'\\' if in_string => match (unit(bytes, at), unit(bytes, at + 6)) {
                (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at += 12,
                (Some(0xD800..=0xDFFF), _) => {
                    out.extend_from_slice(&bytes[copied..at]);
                    out.extend_from_slice(b"\\ufffd");
                    at += 6;
                    copied = at;
                }
                _ => at += 2,
            },
            b'0'..=b'9' if !in_string => {
                let end = bytes[at..]
                    .iter()
                    .position(|byte| {
                        !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')
                    })
                    .map_or(bytes.len(), |length| at + length);
                if is_oversized(&bytes[at..end]) {
                    out.extend_from_slice(&bytes[copied..at]);
                    out.extend_from_slice(b"1.7976931348623157e308");
                    copied = end;
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return None;
    }
    out.extend_from_slice(bytes.get(copied..).unwrap_or_default());
    String::from_utf8(out).ok()
}

/// True for a number of more than 308 digits before the point.
fn is_oversized(number: &[u8]) -> bool {
    let digits = number
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let exponent = number
        .iter()
        .position(|byte| matches!(byte, b'e' | b'E'))
        .and_then(|at| number.get(at + 1..))
        .unwrap_or_default();
    let negative = exponent.first() == Some(&b'-');
    let exponent =
        exponent
            .iter()
            .filter(|byte| byte.is_ascii_digit())
            .fold(0_usize, |sum, digit| {
                sum.saturating_mul(10)
                    .saturating_add(usize::from(digit - b'0'))
            });
    !negative && digits.saturating_add(exponent) > 308
}

/// The code unit of a `\uXXXX` escape that starts at `at`.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?;
    if escape[0] != b'\\' || escape[1] != b'u' {
        return None;
    }
    let digits = std::str::from_utf8(&escape[2..]).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

/// To JavaScript a value goes as its JSON text, which is read there in a fraction of the time that making its objects one
/// by one takes; what is written so holds no fractions.
#[cfg(target_arch = "wasm32")]
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::new();
        write(self, &mut text, &decimal);
        serializer.serialize_str(&text)
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Number(value) if is_whole(*value) => serializer.serialize_i64(*value as i64),
            Json::Number(value) => serializer.serialize_f64(*value),
            Json::Text(text) => serializer.serialize_str(text),
            Json::Array(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    seq.serialize_element(item)?;
                }
                seq.end()
            }
            Json::Object(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
            Json::Deep => serializer.serialize_unit(),
            Json::Raw(text) => Json::parse(text)
                .unwrap_or(Json::Null)
                .serialize(serializer),
        }
    }
}

/// Writes minified JSON text. How a fraction is written is for the caller to say: the digits that
/// read back exactly cost 20 kB of wasm, which nothing that a model reads needs.
pub(crate) fn write(json: &Json, text: &mut String, fraction: &dyn Fn(f64) -> String) {
    match json {
        Json::Null => text.push_str("null"),
        Json::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Json::Number(value) if is_whole(*value) => text.push_str(&(*value as i64).to_string()),
        Json::Number(value) => text.push_str(&fraction(*value)),
        Json::Text(value) => quote(value, text),
        Json::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text, fraction);
            }
            text.push(']');
        }
        Json::Object(entries) => {
            text.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                quote(key, text);
                text.push(':');
                write(value, text, fraction);
            }
            text.push('}');
        }
        Json::Deep => text.push_str("null"),
        Json::Raw(raw) => text.push_str(raw),
    }
}

/// JavaScript writes a whole number without a fraction.
fn is_whole(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() < 9e15
}

/// A text as a JSON string, as `JSON.stringify` writes it.
pub(crate) fn quote(value: &str, text: &mut String) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    text.push('"');
    let mut copied = 0;
    for (at, byte) in value.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0..=0x1f => "\\u00",
            _ => continue,
        };
        text.push_str(value.get(copied..at).unwrap_or_default());
        copied = at + 1;
        text.push_str(escape);
        if escape.len() > 2 {
            text.push(char::from(HEX[usize::from(byte >> 4)]));
            text.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    text.push_str(value.get(copied..).unwrap_or_default());
    text.push('"');
}

/// The shortest digits of the number that was read.
fn exact(value: f64) -> String {
    serde_json::to_string(&value).unwrap_or_default()
}

/// A number for people: whole, or with up to three decimals.
pub(crate) fn decimal(value: f64) -> String {
    let thousandths = (value * 1000.0).round();
    if !is_whole(thousandths) {
        return "very large".to_owned();
    }
    let thousandths = thousandths as i64;
    let (whole, rest) = (thousandths / 1000, (thousandths % 1000).abs());
    if rest == 0 {
        return whole.to_string();
    }
    let digits = (1000 + rest).to_string();
    let digits = digits.get(1..).unwrap_or_default().trim_end_matches('0');
    format!("{whole}.{digits}")
}

impl Value for Option<&Json> {
    fn absent() -> Self {
        None
    }
    fn kind(&self) -> Kind {
        match self {
            None => Kind::Absent,
            Some(Json::Null) => Kind::Null,
            Some(Json::Bool(_)) => Kind::Bool,
            Some(Json::Number(_)) => Kind::Number,
            Some(Json::Text(_)) => Kind::Text,
            Some(Json::Array(_)) => Kind::Array,
            Some(Json::Object(_)) => Kind::Object,
            Some(Json::Deep | Json::Raw(_)) => Kind::Other,
        }
    }
    fn get(&self, key: &str) -> Self {
        self.and_then(|json| json.field(key))
    }
    fn at(&self, index: usize) -> Self {
        match self {
            Some(Json::Array(items)) => items.get(index),
            _ => None,
        }
    }
    fn len(&self) -> usize {
        match self {
            Some(Json::Array(items)) => items.len(),
            _ => 0,
        }
    }
    fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Some(Json::Text(text)) => Some(Cow::Borrowed(text)),
            _ => None,
        }
    }
    fn number(&self) -> Option<f64> {
        match self {
            Some(Json::Number(value)) => Some(*value),
            _ => None,
        }
    }
    fn flag(&self) -> Option<bool> {
        match self {
            Some(Json::Bool(value)) => Some(*value),
            _ => None,
        }
    }
    fn member(&self, key: &str) -> Self {
        self.and_then(|json| json.field(key))
    }
    fn each(&self, see: &mut dyn FnMut(&str, Self)) {
        if let Some(Json::Object(entries)) = self {
            for (key, value) in entries {
                see(key, Some(value));
            }
        }
    }
    fn keys(&self, most: usize) -> Vec<String> {
        match self {
            Some(Json::Object(entries)) => entries
                .iter()
                .take(most)
                .map(|(key, _)| key.clone())
                .collect(),
            _ => Vec::new(),
        }
    }
    fn json(&self) -> Json {
        self.cloned().unwrap_or(Json::Null)
    }
    fn json_text(&self) -> Option<String> {
        let json = (*self)?;
        let mut text = String::new();
        write(json, &mut text, &exact);
        Some(text)
    }
    fn holding(&self, path: &[&str], words: &[&str]) -> Vec<usize> {
        let is_held = |value: Self| value.kind() == Kind::Object && holds(&value, path, words);
        (0..self.len())
            .filter(|index| is_held(self.at(*index)))
            .collect()
    }
}

fn holds(value: &Option<&Json>, path: &[&str], words: &[&str]) -> bool {
    match path {
        _ if value.kind() == Kind::Text => {
            words.is_empty() || words.iter().any(|word| value.is(word))
        }
        [] => false,
        ["*", rest @ ..] => (0..value.len()).any(|index| holds(&value.at(index), rest, words)),
        [keys, rest @ ..] => keys
            .split('|')
            .any(|key| holds(&value.and_then(|json| json.field(key)), rest, words)),
    }
}
