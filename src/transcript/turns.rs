//! How turns are found and told, by where a format keeps its parts.

use super::parts::{self, Piece};
use super::{By, Call, Event, Interest, Place, Shape};
use crate::value::{Kind, Value};

/// Who says what stands in a message.
#[derive(Clone, Copy, PartialEq)]
enum Speaker {
    Assistant,
    /// The host, who hands results over.
    Host,
    /// Whoever leads the conversation.
    System,
}

pub(super) fn read<V: Value>(
    shape: &Shape,
    messages: &V,
    interest: Interest<'_>,
    each: &mut dyn FnMut(Event<V>),
) {
    if shape.assistant.is_empty() {
        return items(shape, messages, interest, each);
    }
    let hits = hits(
        shape,
        messages,
        interest,
        &["role"],
        &[shape.assistant, "system"],
    );
    let is_assistant = |at: usize| messages.at(at).get("role").is(shape.assistant);
    let mut teller = Teller {
        shape,
        hosted: Vec::new(),
        each,
    };
    // Where what was told ends.
    let mut told = 0;
    for hit in hits {
        let message = messages.at(hit);
        let role = message.text_at("role").unwrap_or_default();
        if role == "system" {
            teller.message(&message, hit, Speaker::System);
        } else if hit < told {
            // A part of the turn before.
        } else if role == shape.assistant {
            let mut at = hit;
            while shape.merges && at > told && is_assistant(at - 1) {
                at -= 1;
            }
            teller.turn();
            loop {
                teller.message(&messages.at(at), at, Speaker::Assistant);
                told = at + 1;
                if !(shape.merges && is_assistant(told)) {
                    break;
                }
                at = told;
            }
            for position in messages.run(at, "role", shape.results, shape.assistant) {
                teller.message(&messages.at(position), position, Speaker::Host);
                told = position + 1;
            }
        } else if shape.results.split('|').any(|known| known == role) {
            // A result after a later turn, such as that of a call which waited for an approval.
            teller.turn();
            teller.message(&message, hit, Speaker::Host);
        }
    }
}

/// A flat list of items: a turn is a run of items of the model's, and the next one begins at the first
/// such item after one of the host's.
fn items<V: Value>(
    shape: &Shape,
    messages: &V,
    interest: Interest<'_>,
    each: &mut dyn FnMut(Event<V>),
) {
    let hits = hits(shape, messages, interest, &["type|role"], MODELS);
    if hits.is_empty() {
        return;
    }
    let hosted = messages.holding(&["execution"], &["server"]);
    let inputs = messages.holding(&["type|role"], INPUTS);
    let is_input =
        |at: usize| inputs.binary_search(&at).is_ok() && hosted.binary_search(&at).is_err();
    let mut teller = Teller {
        shape,
        hosted: Vec::new(),
        each,
    };
    let mut told = 0;
    for hit in hits {
        if hit < told {
            continue;
        }
        if is_input(hit) {
            // Tools that the host adds between turns.
            teller.piece(&messages.at(hit), hit, Speaker::System);
            continue;
        }
        let mut at = hit;
        while at > told && !is_input(at - 1) {
            at -= 1;
        }
        let mut is_over = false;
        teller.turn();
        while at < messages.len() {
            let item = messages.at(at);
            is_over |= is_input(at);
            if is_input(at) {
                teller.piece(&item, at, Speaker::Host);
            } else if !is_over {
                teller.piece(&item, at, Speaker::Assistant);
            } else if is_model(&item) {
                break;
            }
            at += 1;
        }
        told = at;
    }
}

/// The positions of what is wanted.
fn hits<V: Value>(
    shape: &Shape,
    messages: &V,
    interest: Interest<'_>,
    path: &[&str],
    all: &[&str],
) -> Vec<usize> {
    let (path, words) = match interest {
        Interest::All => (path, all),
        Interest::Calls(names) => (shape.sieve, names),
    };
    messages.holding(path, &[words, shape.also].concat())
}

/// Types of items that a model writes; messages of its role are the others.
const MODELS: &[&str] = &[
    "assistant",
    "function_call",
    "custom_tool_call",
    "tool_search_call",
    "reasoning",
    "file_search_call",
    "computer_call",
    "web_search_call",
    "image_generation_call",
    "code_interpreter_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_call",
    "program",
];

/// Types and roles of items that a host writes.
const INPUTS: &[&str] = &[
    "user",
    "system",
    "developer",
    "function_call_output",
    "custom_tool_call_output",
    "tool_search_output",
    "computer_call_output",
    "local_shell_call_output",
    "shell_call_output",
    "apply_patch_call_output",
    "mcp_approval_response",
];

fn is_model<V: Value>(item: &V) -> bool {
    let of = |key| {
        let text = item.text_at(key);
        text.is_some_and(|text| MODELS.contains(&text.as_str()))
    };
    of("type") || of("role")
}

/// Tells what stands in a message.
struct Teller<'a, V> {
    shape: &'a Shape,
    /// The ids of this turn's calls that the provider runs: their results stand beside them.
    hosted: Vec<Option<String>>,
    each: &'a mut dyn FnMut(Event<V>),
}

impl<V: Value> Teller<'_, V> {
    fn turn(&mut self) {
        self.hosted.clear();
        (self.each)(Event::Turn);
    }

    fn message(&mut self, message: &V, position: usize, speaker: Speaker) {
        // Where the role says what a part is, the message itself is the part.
        if speaker == Speaker::Host && self.shape.tag == "role" {
            return self.piece(message, position, speaker);
        }
        let list = message.get(self.shape.list);
        let pieces = (0..list.len()).filter_map(|index| {
            let piece = parts::read(self.shape, &list.at(index))?;
            Some((Some(index), piece))
        });
        let pieces = pieces.collect();
        self.tell(pieces, position, speaker);
    }

    fn piece(&mut self, part: &V, position: usize, speaker: Speaker) {
        let piece = parts::read(self.shape, part);
        let pieces = piece.into_iter().map(|piece| (None, piece)).collect();
        self.tell(pieces, position, speaker);
    }

    fn tell(&mut self, pieces: Vec<(Option<usize>, Piece<V>)>, message: usize, speaker: Speaker) {
        let waiting: Vec<Option<String>> = pieces
            .iter()
            .filter_map(|(_, piece)| match piece {
                Piece::Approval(id) => Some(Some(id.clone())),
                _ => None,
            })
            .collect();
        for (part, piece) in pieces {
            let place = Place { message, part };
            let event = match piece {
                Piece::Call(mut call) if speaker == Speaker::Assistant => {
                    if call.by == By::Hosted {
                        self.hosted.push(call.id.clone());
                    }
                    call.place = place;
                    call.waits = waiting.contains(&call.id);
                    Event::Call(call)
                }
                Piece::Result(mut result)
                    if speaker == Speaker::Host
                        || speaker == Speaker::Assistant && self.hosted.contains(&result.id) =>
                {
                    result.place = place;
                    Event::Result(result)
                }
                // A flat list has no message around a part whose role would say who speaks.
                Piece::Change(adds, names)
                    if speaker == Speaker::System || self.shape.assistant.is_empty() =>
                {
                    if adds {
                        Event::Loads { place, names }
                    } else {
                        let names = names.into_iter().map(|named| named.name).collect();
                        Event::Unloads { place, names }
                    }
                }
                Piece::Changes(list) if speaker == Speaker::Assistant => {
                    for index in 0..list.len() {
                        self.piece(&list.at(index), message, Speaker::System);
                    }
                    continue;
                }
                _ => continue,
            };
            (self.each)(event);
        }
    }
}

pub(super) fn unknown<V: Value>(shape: &Shape, messages: &V) -> Vec<usize> {
    if shape.assistant.is_empty() {
        let known = [MODELS, INPUTS, shape.known].concat();
        return messages.lacking(&["type|role"], &known);
    }
    let mut unknown = messages.lacking(&["role"], shape.known);
    if shape.results.ends_with('|') {
        // A message without a role is the user's there.
        let is_the_users = |message: V| {
            message.kind_at(shape.list) == Kind::Array && !message.get("role").exists()
        };
        unknown.retain(|at| !is_the_users(messages.at(*at)));
    }
    unknown
}

/// Those of a call, of each element of an array, or of what lies within, as deep as `depth`.
pub(super) fn calls<V: Value>(
    shape: &Shape,
    value: &V,
    index: usize,
    depth: u8,
    found: &mut Vec<Call<V>>,
) {
    let kind = value.kind();
    if depth == 0 || !matches!(kind, Kind::Array | Kind::Object) {
        return;
    }
    if kind == Kind::Array {
        for index in 0..value.len() {
            calls(shape, &value.at(index), index, depth - 1, found);
        }
        return;
    }
    if let Some(Piece::Call(mut call)) = parts::read(shape, value) {
        call.place.part = Some(index);
        found.push(call);
        return;
    }
    let known = found.len();
    for key in shape.around {
        if found.len() > known {
            break;
        }
        let mut inner = value.get(key);
        // Of several answers to choose from the first one counts.
        if *key == "choices" || *key == "candidates" {
            inner = inner.at(0);
        }
        calls(shape, &inner, 0, depth - 1, found);
    }
}
