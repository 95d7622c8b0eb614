//! How turns are found and told, by where a format keeps its parts.

use super::{
    Answered, By, Call, Event, Holder, Interest, NOWHERE, Named, Place, Rule, SEARCH, Shape, What,
    names,
};
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
            teller.message(hit, &message, Speaker::System);
        } else if hit < told {
            // A part of the turn before.
        } else if role == shape.assistant {
            let mut at = hit;
            while shape.merges && at > told && is_assistant(at - 1) {
                at -= 1;
            }
            teller.turn();
            loop {
                teller.message(at, &messages.at(at), Speaker::Assistant);
                told = at + 1;
                if !(shape.merges && is_assistant(told)) {
                    break;
                }
                at = told;
            }
            for position in messages.run(at, "role", shape.results, shape.assistant) {
                teller.message(position, &messages.at(position), Speaker::Host);
                told = position + 1;
            }
        } else if shape.results.split('|').any(|known| known == role) {
            // A result after a later turn, such as that of a call which waited for an approval.
            teller.turn();
            teller.message(hit, &message, Speaker::Host);
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
            teller.message(hit, &messages.at(hit), Speaker::System);
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
                teller.message(at, &item, Speaker::Host);
            } else if !is_over {
                teller.message(at, &item, Speaker::Assistant);
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

    fn message(&mut self, at: usize, message: &V, speaker: Speaker) {
        let mut place = Place {
            message: at,
            part: None,
        };
        // Where the role says what a part is, the message itself is the part.
        if self.shape.assistant.is_empty() || speaker == Speaker::Host && self.shape.tag == "role" {
            return self.part(message, place, speaker);
        }
        let list = message.get(self.shape.list);
        for index in 0..list.len() {
            place.part = Some(index);
            self.part(&list.at(index), place, speaker);
        }
    }

    fn part(&mut self, value: &V, place: Place, speaker: Speaker) {
        let Some(event) = part(self.shape, value, place) else {
            return;
        };
        let counts = match &event {
            Event::Turn => false,
            Event::Call(call) => {
                if call.by == By::Hosted {
                    self.hosted.push(call.id.clone());
                }
                speaker == Speaker::Assistant
            }
            Event::Waits(_) => speaker == Speaker::Assistant,
            Event::Result(result) => match speaker {
                Speaker::Assistant => self.hosted.contains(&result.id),
                speaker => speaker == Speaker::Host,
            },
            // Only in a compaction several stand together. A flat list has no message around a part
            // whose role would say who speaks.
            Event::Changes { .. } => match speaker {
                Speaker::Assistant => value.get("tool_changes").exists(),
                speaker => speaker == Speaker::System || self.shape.assistant.is_empty(),
            },
        };
        if counts {
            (self.each)(event);
        }
    }
}

/// What a part is, if it says anything of tools.
pub(super) fn part<V: Value>(shape: &Shape, part: &V, place: Place) -> Option<Event<V>> {
    let tag = text(part, shape.tag);
    shape.rules.iter().find_map(|rule| {
        let holder = match rule.holder {
            Holder::Tagged if tag.as_deref() == Some(rule.tag) => part.clone(),
            Holder::Tagged => return None,
            _ if tag.is_some() => return None,
            kind => match (part.get(rule.tag), kind) {
                (key, Holder::Bare) if key.exists() => part.clone(),
                (key, _) if key.kind() == Kind::Object => key,
                _ => return None,
            },
        };
        event(rule, part, &holder, place)
    })
}

/// The text at a key, if there is a key.
fn text<V: Value>(value: &V, key: &'static str) -> Option<String> {
    if key.is_empty() {
        return None;
    }
    value.text_at(key)
}

fn says<V: Value>(value: &V, key: &'static str, word: &str) -> bool {
    value.text_at(key).is_some_and(|text| text == word)
}

/// What few calls and results have, so that what is not there costs no look.
const RARE: [&str; 8] = [
    "is_error",
    "isError",
    "status",
    "execution",
    "type",
    "providerExecuted",
    "role",
    "namespace",
];

fn event<V: Value>(rule: &Rule, part: &V, holder: &V, place: Place) -> Option<Event<V>> {
    let [id, name, body] = rule.keys;
    let is_outside = rule.holder == Holder::KeyOnly;
    let id = text(if is_outside { part } else { holder }, id);
    let name = text(holder, name);
    let body = if body.is_empty() {
        holder.clone()
    } else {
        holder.get(body)
    };
    let present = holder.present(&RARE);
    let has = |key: &str| {
        RARE.iter()
            .position(|known| *known == key)
            .is_some_and(|bit| present >> bit & 1 == 1)
    };
    let is_so = |key| has(key) && holder.get(key).flag() == Some(true);
    let says = |key, word| has(key) && says(holder, key, word);
    Some(match rule.what {
        What::Call | What::Search => {
            let is_item = rule.what == What::Search;
            let by = if (is_item && id.is_none())
                || says("execution", "server")
                || says("type", "server_tool_use")
                || is_so("providerExecuted")
            {
                By::Hosted
            } else if is_item {
                By::Search
            } else {
                By::Function
            };
            Event::Call(Call {
                place,
                id,
                name: if is_item { SEARCH.to_owned() } else { name? },
                namespace: has("namespace")
                    .then(|| holder.text_at("namespace"))
                    .flatten(),
                arguments: body,
                by,
            })
        }
        What::Result => Event::Result(Answered {
            place,
            // Where there are no ids the name stands in one of two fields.
            name: match (&name, &id) {
                (None, None) => holder.text_at("tool_name"),
                _ => name,
            },
            id,
            failed: is_so("is_error") || is_so("isError") || says("status", "error"),
            content: body,
        }),
        What::Approval => Event::Waits(id?),
        What::Changes => Event::Changes {
            place,
            changes: changes(&body),
        },
        What::Change => Event::Changes {
            place,
            changes: change(part).into_iter().collect(),
        },
        What::Tools => {
            if !says("role", "developer") && !says("role", "system") {
                return None;
            }
            let names = names(&body)?.into_iter();
            let changes = names.map(|named| (true, named)).collect();
            Event::Changes { place, changes }
        }
    })
}

/// What a compaction left out.
fn changes<V: Value>(list: &V) -> Vec<(bool, Named)> {
    (0..list.len())
        .filter_map(|index| change(&list.at(index)))
        .collect()
}

/// A tool that comes or goes: `{type, tool}` or `{toolAddition: {tool}}`, a reference to it or its definition.
fn change<V: Value>(block: &V) -> Option<(bool, Named)> {
    let keys = ["toolAddition", "toolRemoval"];
    let keyed = keys.iter().position(|key| block.get(key).exists());
    let adds = match keyed {
        Some(at) => at == 0,
        None => says(block, "type", "tool_addition"),
    };
    let tool = match keyed {
        Some(at) => block.get(keys[at]),
        None => block.clone(),
    }
    .get("tool");
    let defined = tool.get("definition");
    let schema = defined.exists();
    let name = if schema { defined } else { tool }.text_at("name")?;
    let named = Named {
        name,
        native: true,
        schema,
    };
    Some((adds, named))
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
pub(super) fn calls<V: Value>(shape: &Shape, value: &V, depth: u8, found: &mut Vec<Call<V>>) {
    if depth == 0 || !value.exists() {
        return;
    }
    for index in 0..value.len() {
        calls(shape, &value.at(index), depth - 1, found);
    }
    if let Some(Event::Call(call)) = part(shape, value, NOWHERE) {
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
        if matches!(*key, "choices" | "candidates") {
            inner = inner.at(0);
        }
        calls(shape, &inner, depth - 1, found);
    }
}
