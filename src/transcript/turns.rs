//! How turns are found and told, by where a format keeps its parts.

use super::{
    Answered, By, Call, Event, Holder, Interest, NOWHERE, Named, Place, REMOTE, Rule, SEARCH,
    Shape, What, names,
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

/// See [`super::Format::last_turn`].
pub(super) fn last<V: Value>(shape: &Shape, messages: &V) -> Option<usize> {
    let is_model = |at: &usize| match shape.assistant {
        "" => is_model(&messages.at(*at)),
        assistant => messages.at(*at).get("role").is(assistant),
    };
    let goes_on = |at: usize| match shape.assistant {
        // Items of unknown kinds are the model's, as where turns are told.
        "" => !is_input(&messages.at(at)),
        _ => shape.merges && is_model(&at),
    };
    let mut at = (0..messages.len()).rev().find(is_model)?;
    while at > 0 && goes_on(at - 1) {
        at -= 1;
    }
    Some(at)
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
    let words = [words, shape.also].concat();
    // No words would be any.
    if words.is_empty() {
        return Vec::new();
    }
    messages.holding(path, &words)
}

/// Types of items that a model writes; messages of its role are the others.
pub(super) const MODELS: &[&str] = &[
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
pub(super) const INPUTS: &[&str] = &[
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
    is_of(item, MODELS)
}

/// An item of the host's; what the provider ran gives results that are none.
fn is_input<V: Value>(item: &V) -> bool {
    is_of(item, INPUTS) && !item.get("execution").is("server")
}

fn is_of<V: Value>(item: &V, words: &[&str]) -> bool {
    let of = |key| {
        let text = item.text_at(key);
        text.is_some_and(|text| words.contains(&text.as_str()))
    };
    of("type") || of("role")
}

/// See [`super::Format::begins`].
pub(super) fn begins<V: Value>(shape: &Shape, messages: &V, position: usize) -> bool {
    let is_said = |at: usize| match shape.assistant {
        "" => is_model(&messages.at(at)),
        assistant => messages.at(at).get("role").is(assistant),
    };
    match position.checked_sub(1) {
        _ if messages.at(position).get("role").is("user") => true,
        before => is_said(position) && !before.is_some_and(is_said),
    }
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
        let Some(mut event) = part(self.shape, value, place) else {
            return;
        };
        let counts = match &mut event {
            Event::Turn => false,
            Event::Call(call) => {
                if call.by == By::Hosted {
                    self.hosted.push(call.id.clone());
                }
                speaker == Speaker::Assistant
            }
            Event::Waits(_) => speaker == Speaker::Assistant,
            Event::Result(result) => match speaker {
                Speaker::Assistant => {
                    result.hosted = true;
                    self.hosted.contains(&result.id)
                }
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
    for rule in shape.rules {
        let holder = match (&tag, rule.holder) {
            (Some(tag), Holder::Tagged) if tag == rule.tag => part.clone(),
            // A message may have a name, too.
            (None, Holder::Bare) if part.get(rule.tag).exists() && !part.get("role").exists() => {
                part.clone()
            }
            (None, Holder::Key | Holder::KeyOnly) => part.get(rule.tag),
            _ => continue,
        };
        if rule.holder != Holder::Tagged && holder.kind() != Kind::Object {
            continue;
        }
        let event = event(shape, rule, part, &holder, place);
        if event.is_some() {
            return event;
        }
    }
    None
}

/// The text at a key, if there is a key.
#[inline(never)]
fn text<V: Value>(value: &V, key: &'static str) -> Option<String> {
    if key.is_empty() {
        return None;
    }
    value.text_at(key)
}

/// What few calls and results have, so that what is not there costs no look.
const RARE: [&str; 10] = [
    "is_error",
    "isError",
    "status",
    "execution",
    "type",
    "providerExecuted",
    "role",
    "namespace",
    "providerOptions",
    "providerMetadata",
];
const IS_ERROR: [usize; 2] = [0, 1];
const STATUS: usize = 2;
const EXECUTION: usize = 3;
const TYPE: usize = 4;
const EXECUTED: usize = 5;
const ROLE: usize = 6;
const NAMESPACE: usize = 7;
const OPTIONS: [usize; 2] = [8, 9];

#[inline(never)]
fn event<V: Value>(
    shape: &Shape,
    rule: &Rule,
    part: &V,
    holder: &V,
    place: Place,
) -> Option<Event<V>> {
    let [id, name, body] = rule.keys;
    let is_outside = rule.holder == Holder::KeyOnly;
    let id = text(if is_outside { part } else { holder }, id);
    let name = text(holder, name);
    let body = match body {
        "" => holder.clone(),
        key => holder.get(key),
    };
    let present = holder.present(&RARE);
    let rare = |bit: usize| match present >> bit & 1 {
        0 => V::absent(),
        _ => holder.get(RARE[bit]),
    };
    let is_so = |bit| rare(bit).flag() == Some(true);
    let says = |bit, word| rare(bit).is(word);
    let mut changes = Vec::new();
    match rule.what {
        What::Call | What::Search => {
            // The call of a remote server's tool is none of ours, whatever its name, and neither is its result.
            let (at, remote) = REMOTE;
            if OPTIONS.into_iter().any(|bit| rare(bit).path(at).is(remote)) {
                return None;
            }
            let is_item = rule.what == What::Search;
            let by = if is_item && (id.is_none() || says(EXECUTION, "server"))
                || says(TYPE, "server_tool_use")
                || is_so(EXECUTED)
            {
                By::Hosted
            } else if is_item {
                By::Search
            } else {
                By::Function
            };
            return Some(Event::Call(Call {
                place,
                id,
                name: if is_item { SEARCH.to_owned() } else { name? },
                namespace: rare(NAMESPACE).text().map(|text| text.into_owned()),
                arguments: body,
                by,
            }));
        }
        What::Result => {
            // What it says is the item itself.
            let is_item = rule.keys[2].is_empty();
            return Some(Event::Result(Answered {
                place,
                // Where there are no ids the name stands in one of two fields.
                name: match (&name, &id) {
                    (None, None) => holder.text_at("tool_name"),
                    _ => name,
                },
                id,
                failed: IS_ERROR.into_iter().any(is_so)
                    || says(STATUS, "error")
                    || is_item && says(STATUS, "incomplete"),
                hosted: is_item,
                content: body,
            }));
        }
        What::Approval => return id.map(Event::Waits),
        // What a compaction left out.
        What::Changes => {
            for index in 0..body.len() {
                if let Some(Event::Changes { changes: more, .. }) =
                    self::part(shape, &body.at(index), place)
                {
                    changes.extend(more);
                }
            }
        }
        What::Adds | What::Removes => {
            let defined = body.get("definition");
            let schema = defined.exists();
            let named = Named {
                name: if schema { defined } else { body }.text_at("name")?,
                native: true,
                defined: schema,
                schema,
            };
            changes.push((rule.what == What::Adds, named));
        }
        What::Tools => {
            if says(ROLE, "developer") || says(ROLE, "system") {
                changes.extend(names(&body)?.into_iter().map(|named| (true, named)));
            }
        }
    }
    Some(Event::Changes { place, changes })
}

/// Types and roles of the items of a flat list.
#[inline(never)]
pub(super) fn item_types(shape: &Shape) -> Vec<&'static str> {
    if shape.assistant.is_empty() {
        [MODELS, INPUTS, shape.known].concat()
    } else {
        Vec::new()
    }
}

pub(super) fn unknown<V: Value>(shape: &Shape, messages: &V) -> Vec<usize> {
    let items = item_types(shape);
    if !items.is_empty() {
        return messages.lacking(&["type|role"], &items);
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

/// See [`super::Format::holds_search_items`]. The provider wants its search among the tools for each of them, also where
/// it holds the rest of the conversation itself.
pub(super) fn search_items<V: Value>(shape: &Shape, messages: &V, until: usize) -> bool {
    if !shape.assistant.is_empty() {
        return false;
    }
    let items = messages.holding(&["type"], shape.also);
    let mut items = items.into_iter().filter(|at| *at < until);
    items.any(|at| {
        let item = messages.at(at);
        let brings = |rule: &Rule| rule.what == What::Tools && item.get("type").is(rule.tag);
        !shape.rules.iter().any(brings) || has_deferred(&item.get("tools"), 2)
    })
}

/// Whether one of the tools is to be found first. Namespaces hold more of them.
fn has_deferred<V: Value>(tools: &V, depth: u8) -> bool {
    depth > 0
        && (0..tools.len()).any(|index| {
            let tool = tools.at(index);
            tool.get("defer_loading").flag() == Some(true)
                || has_deferred(&tool.get("tools"), depth - 1)
        })
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
