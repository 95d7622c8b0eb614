//! How turns are found and told, by where a format keeps its parts.

use super::{By, Call, Event, Interest, Piece, Place, Shape, Speaker};
use crate::value::{Kind, Value};

pub(super) fn read<V: Value>(
    shape: &Shape<V>,
    messages: &V,
    interest: Interest<'_>,
    each: &mut dyn FnMut(Event<V>),
) {
    if shape.assistant.is_empty() {
        return items(shape, messages, interest, each);
    }
    let hits = match interest {
        Interest::All if shape.in_list => messages.holding(&["role"], &[shape.assistant, "system"]),
        Interest::All => messages.holding(&["role"], &[shape.assistant]),
        Interest::Calls(names) => messages.holding(shape.sieve, &[names, shape.also].concat()),
    };
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
    shape: &Shape<V>,
    messages: &V,
    interest: Interest<'_>,
    each: &mut dyn FnMut(Event<V>),
) {
    let hits = match interest {
        Interest::All => messages.holding(&["type|role"], &[MODELS, shape.also].concat()),
        Interest::Calls(names) => messages.holding(shape.sieve, &[names, shape.also].concat()),
    };
    if hits.is_empty() {
        return;
    }
    let hosted = messages.holding(&["execution"], &["server"]);
    let mut inputs = messages.holding(&["type|role"], INPUTS);
    inputs.retain(|at| hosted.binary_search(at).is_err());
    let mut teller = Teller {
        shape,
        hosted: Vec::new(),
        each,
    };
    let mut told = 0;
    for hit in hits {
        let before = inputs.partition_point(|input| *input < hit);
        if hit < told {
            continue;
        }
        if inputs.get(before) == Some(&hit) {
            // Tools that the host adds between turns.
            teller.piece(&messages.at(hit), hit, Speaker::System);
            continue;
        }
        let start = before.checked_sub(1).and_then(|at| inputs.get(at));
        let mut at = start.map_or(0, |input| input + 1).max(told);
        let mut inputs = inputs.iter().skip(before).peekable();
        let mut is_over = false;
        teller.turn();
        while at < messages.len() {
            let item = messages.at(at);
            let is_input = inputs.next_if_eq(&&at).is_some();
            is_over |= is_input;
            if is_input {
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
    shape: &'a Shape<V>,
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
        if speaker == Speaker::Host && !self.shape.in_list {
            return self.piece(message, position, speaker);
        }
        let list = message.get(self.shape.list);
        self.list(&list, position, speaker);
    }

    fn piece(&mut self, part: &V, position: usize, speaker: Speaker) {
        let mut pieces = Vec::new();
        (self.shape.pieces)(part, &mut |piece| pieces.push((None, piece)));
        self.tell(pieces, position, speaker);
    }

    fn list(&mut self, list: &V, position: usize, speaker: Speaker) {
        let mut pieces = Vec::new();
        for index in 0..list.len() {
            (self.shape.pieces)(&list.at(index), &mut |piece| {
                pieces.push((Some(index), piece));
            });
        }
        self.tell(pieces, position, speaker);
    }

    fn tell(&mut self, pieces: Vec<(Option<usize>, Piece<V>)>, message: usize, speaker: Speaker) {
        let waiting: Vec<String> = pieces
            .iter()
            .filter_map(|(_, piece)| match piece {
                Piece::Approval(id) => Some(id.clone()),
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
                    call.waits = call.id.as_ref().is_some_and(|id| waiting.contains(id));
                    Event::Call(call)
                }
                Piece::Result(mut result)
                    if speaker == Speaker::Host
                        || speaker == Speaker::Assistant && self.hosted.contains(&result.id) =>
                {
                    result.place = place;
                    Event::Result(result)
                }
                // A flat list has no message around a part whose role would say it.
                Piece::Change { by, adds, names }
                    if by == speaker || self.shape.assistant.is_empty() =>
                {
                    if adds {
                        Event::Loads { place, names }
                    } else {
                        let names = names.into_iter().map(|named| named.name).collect();
                        Event::Unloads { place, names }
                    }
                }
                _ => continue,
            };
            (self.each)(event);
        }
    }
}

pub(super) fn unknown<V: Value>(shape: &Shape<V>, messages: &V) -> Vec<usize> {
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
    shape: &Shape<V>,
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
    let known = found.len();
    (shape.pieces)(value, &mut |piece| {
        if let Piece::Call(mut call) = piece {
            call.place.part = Some(index);
            found.push(call);
        }
    });
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

pub(super) fn answers<V: Value>(shape: &Shape<V>, part: &V) -> (Option<String>, Option<String>) {
    let mut answers = (None, None);
    (shape.pieces)(part, &mut |piece| {
        if let Piece::Result(result) = piece {
            answers = (result.id, result.name);
        }
    });
    answers
}
