//! Keep-notes: what stands for search results that a compaction dropped.

use super::{Format, Shape};
use crate::value::{Json, Kind, OTHERS, Value};

/// How every keep-note begins. What it is stands first, so that no other text has to be read.
pub const HEAD: &str = r#"{"toolcrib":"keep-note""#;
/// What may stand before it, such as a line break of a template's.
const BEFORE: usize = 16;
/// A longer text is none of ours: four times what we write leaves room for a sentence of the host's.
const LONGEST: usize = 1 << 16;
/// How deep blocks lie in what a host gives as its system prompt.
const DEPTH: u8 = 4;

/// A message with a keep-note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The message's position.
    pub message: usize,
    /// There is nothing else in the message.
    pub is_whole: bool,
    /// The names, in order.
    pub names: Vec<String>,
}

impl Format {
    /// The keep-notes among the messages. Only who leads the conversation writes them: system messages are few, so no
    /// text of anyone else is looked at.
    pub fn notes<V: Value>(self, messages: &V) -> Vec<Note> {
        let leaders = self.leaders();
        let mut notes = Vec::new();
        for position in messages.holding(&["role"], leaders) {
            let message = messages.at(position);
            let list = content(self.shape(), &message);
            if let Some(names) = list.as_ref().and_then(|list| within(list, 2)) {
                notes.push(Note {
                    message: position,
                    is_whole: list.is_some_and(|list| list.len() < 2),
                    names,
                });
            }
        }
        notes
    }

    /// How many messages at the beginning are those of who leads the conversation.
    pub fn leading<V: Value>(self, messages: &V) -> usize {
        let positions = messages.holding(&["role"], self.leaders());
        let leading = positions.iter().enumerate();
        leading.take_while(|(at, position)| at == *position).count()
    }

    fn leaders(self) -> &'static [&'static str] {
        let known = self.shape().known;
        // A flat list has no other roles among what it knows, and takes both.
        if known.contains(&"developer") || self.shape().assistant.is_empty() {
            &["system", "developer"]
        } else {
            &["system"]
        }
    }
}

/// The names of the last keep-note in what a host gives as its system prompt: a text, blocks, or an object that holds them.
pub fn in_system<V: Value>(system: &V) -> Option<Vec<String>> {
    within(system, DEPTH)
}

/// What a system message says. One with a name gives an example of someone else's words.
fn content<V: Value>(shape: &Shape, message: &V) -> Option<V> {
    const KEYS: [&str; 3] = ["type", "name", "content"];
    let present = message.present(&KEYS);
    let has = |bit: u32| present & !OTHERS & (1 << bit) != 0;
    if has(1) || has(0) && !message.get("type").is("message") {
        return None;
    }
    Some(message.get(if has(2) { "content" } else { shape.list }))
}

/// The names of the last note that stands whole in a value.
fn within<V: Value>(value: &V, depth: u8) -> Option<Vec<String>> {
    match value.kind() {
        _ if depth == 0 => None,
        Kind::Text => read(value),
        Kind::Array => (0..value.len())
            .rev()
            .find_map(|index| within(&value.at(index), depth - 1)),
        Kind::Object => {
            const KEYS: [&str; 4] = ["text", "content", "parts", "type"];
            let present = value.present(&KEYS);
            let key = (0..3).find(|bit| present & (1 << bit) != 0)?;
            let inner = value.get(KEYS[key]);
            if key > 0 {
                return within(&inner, depth - 1);
            }
            let kind = value.get("type");
            let is_text =
                present & 0b1000 == 0 || ["text", "input_text"].iter().any(|known| kind.is(known));
            if is_text { read(&inner) } else { None }
        }
        _ => None,
    }
}

/// The names of a text that is a note and nothing else.
fn read<V: Value>(text: &V) -> Option<Vec<String>> {
    let is_ours = |text: &str| {
        text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}')
            .starts_with(HEAD)
    };
    // Most are whole system prompts, of which no more is copied than tells them from a note.
    if text
        .head(HEAD.len() + BEFORE)
        .is_some_and(|head| !is_ours(&head))
        || text.head(LONGEST).is_some()
    {
        return None;
    }
    let text = text.text()?;
    if !is_ours(&text) {
        return None;
    }
    let json = Json::parse(text.trim_start_matches('\u{FEFF}')).ok()?;
    let Some(Json::Array(loaded)) = json.field("loaded") else {
        return None;
    };
    let names = loaded.iter().filter_map(|name| match name {
        Json::Text(name) => Some(name.clone()),
        _ => None,
    });
    Some(names.collect())
}
