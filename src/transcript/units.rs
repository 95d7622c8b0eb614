//! What of a conversation belongs together, for whoever shortens it.

use super::{By, CUSTOM, Event, Format, INPUT_ITEMS, MODELS, NOWHERE, Shape, part};
use crate::value::{Kind, Value};
use crate::vocabulary::Vocabulary;

/// What a message is to whoever shortens a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seat {
    /// It can't be parted from the message before it.
    pub joined: bool,
    /// It stays: a system message, a compaction, tools that were added, what the provider holds.
    pub stays: bool,
    /// All that it can't be parted from stays with it.
    pub binds: bool,
    /// A person speaks here.
    pub human: bool,
    /// Results stand here.
    pub results: bool,
    /// The model calls something here.
    pub calls: bool,
}

/// The keys by which items of a flat list belong together: those of calls, and those of what a person has to allow.
const LINKS: [&str; 2] = ["call_id", "approval_request_id"];
/// The item that asks; its id is what the answer names.
const ASKS: &str = "mcp_approval_request";

/// What a part or a message of a role says.
#[derive(PartialEq)]
enum Who {
    Lead,
    Model,
    Human,
    Results,
    Nobody,
}

impl Format {
    /// What each message is to whoever shortens the conversation. A call belongs to its results, whatever stands between
    /// them, and to all that the model said in the same turn.
    pub fn seats<V: Value>(self, messages: &V) -> Vec<Seat> {
        let shape = self.shape();
        let mut seats = Seats {
            seats: vec![Seat::default(); messages.len()],
            joints: vec![0; messages.len() + 1],
            ..Seats::default()
        };
        for at in 0..messages.len() {
            let message = messages.at(at);
            if shape.assistant.is_empty() {
                seats.item(shape, at, &message);
            } else {
                seats.message(shape, at, &message);
            }
        }
        seats.end()
    }

    /// The first message has to be the user's.
    pub fn opens_with_user(self) -> bool {
        self.shape().opens_with_user
    }
}

/// A part whose type says that it stays, or which says so to the provider whose it is.
fn stays<V: Value>(shape: &Shape, part: &V) -> bool {
    let own = part.get("type");
    let given = part.path(CUSTOM).get("type");
    [own, given].iter().any(|kind| {
        let kind = kind.text().unwrap_or_default();
        shape.stays.contains(&&*kind)
    })
}

#[derive(Default)]
struct Seats {
    seats: Vec<Seat>,
    /// How many more spans of what can't be parted hold each message than hold the one before.
    joints: Vec<i32>,
    /// Where the model spoke last.
    model: Option<usize>,
    /// The last message that is no lead, and whether the model speaks there.
    last: Option<(usize, bool)>,
    /// The ids of calls, and by their numbers where each was made and whether it waits for an approval.
    ids: Vocabulary,
    calls: Vec<(usize, bool)>,
}

impl Seats {
    /// Nothing from one position to the other can be parted.
    fn join(&mut self, from: usize, to: usize) {
        if from < to {
            self.joints[from + 1] += 1;
            self.joints[to + 1] -= 1;
        }
    }

    fn model(&mut self, at: usize, merges: bool) {
        if let Some((last, true)) = self.last
            && merges
        {
            self.join(last, at);
        }
        self.model = Some(at);
        self.last = Some((at, true));
    }

    fn opens(&mut self, id: Option<String>, at: usize) {
        self.seats[at].calls = true;
        let Some(id) = id else { return };
        // Runtimes repeat ids: the last call counts.
        match self.ids.intern(&id) {
            (_, true) => self.calls.push((at, false)),
            (number, false) => self.calls[number as usize] = (at, false),
        }
    }

    fn call(&mut self, id: Option<&str>) -> Option<&mut (usize, bool)> {
        let number = self.ids.number(id?)?;
        self.calls.get_mut(number as usize)
    }

    /// A result belongs to its call, if there is one.
    fn closes(&mut self, id: Option<&str>, at: usize) -> bool {
        self.seats[at].results = true;
        let Some((from, waits)) = self.call(id) else {
            return false;
        };
        *waits = false;
        let from = *from;
        self.join(from, at);
        true
    }

    fn message<V: Value>(&mut self, shape: &Shape, at: usize, message: &V) {
        let role = message.text_at("role").unwrap_or_default();
        let list = message.get(shape.list);
        let who = match role.as_str() {
            "system" | "developer" => Who::Lead,
            role if role == shape.assistant => Who::Model,
            "user" => Who::Human,
            "" if list.kind() == Kind::Array && shape.results.ends_with('|') => Who::Human,
            "" => Who::Nobody,
            _ => Who::Results,
        };
        match who {
            Who::Lead => self.seats[at].stays = true,
            Who::Nobody => self.last = Some((at, false)),
            Who::Model => {
                self.model(at, shape.merges);
                for index in 0..list.len() {
                    let value = list.at(index);
                    self.seats[at].binds |= !shape.stays.is_empty() && stays(shape, &value);
                    match part(shape, &value, NOWHERE) {
                        Some(Event::Call(call)) => {
                            // The result of what the provider runs mostly stands beside the call.
                            let id = call.id.filter(|_| call.by != By::Hosted);
                            self.opens(id, at);
                        }
                        Some(Event::Waits(id)) => {
                            if let Some((_, waits)) = self.call(Some(&id)) {
                                *waits = true;
                            }
                        }
                        _ => {}
                    }
                }
            }
            Who::Human | Who::Results => {
                let is_whole = who == Who::Results && shape.tag == "role";
                let count = if is_whole { 1 } else { list.len() };
                let mut results = usize::from(who == Who::Results && count == 0);
                // Where results have a role of their own a person's message holds none.
                let may_answer =
                    who == Who::Results || shape.results.split('|').any(|own| own == role);
                for index in 0..count {
                    if !may_answer {
                        break;
                    }
                    let value = if is_whole {
                        message.clone()
                    } else {
                        list.at(index)
                    };
                    if let Some(Event::Result(result)) = part(shape, &value, NOWHERE) {
                        self.closes(result.id.as_deref(), at);
                        results += 1;
                    }
                }
                let is_result = results > 0 || who == Who::Results;
                if let Some(model) = self.model.filter(|_| is_result) {
                    self.join(model, at);
                }
                self.seats[at].results = is_result;
                self.seats[at].human = who == Who::Human && (results == 0 || results < count);
                self.last = Some((at, false));
            }
        }
    }

    /// An item of a flat list. The ids tell what belongs together, so that kinds of calls count that nothing else here knows.
    fn item<V: Value>(&mut self, shape: &Shape, at: usize, item: &V) {
        let kind = item.text_at("type").unwrap_or_default();
        let role = item.text_at("role").unwrap_or_default();
        let is_message = matches!(kind.as_str(), "" | "message");
        let what = if is_message { &role } else { &kind };
        let link = LINKS.iter().find_map(|key| item.text_at(key));
        let id = match link {
            None if kind == ASKS => item.text_at("id"),
            link => link,
        };
        let is_hosted = item.get("execution").is("server");
        if matches!(what.as_str(), "system" | "developer") || shape.stays.contains(&what.as_str()) {
            self.seats[at].stays = true;
        } else if what == "user" {
            self.seats[at].human = true;
            self.last = Some((at, false));
        } else if is_message && what.is_empty() {
            self.last = Some((at, false));
        } else if MODELS.contains(&what.as_str()) || is_hosted {
            self.model(at, true);
            if !matches!(what.as_str(), "assistant" | "reasoning") {
                self.opens(id, at);
            }
        } else {
            let is_ours = self.closes(id.as_deref(), at);
            // The provider holds its call, so that it waits for this.
            self.seats[at].stays = !is_ours && INPUT_ITEMS.contains(&what.as_str()) && id.is_some();
            if let Some(model) = self.model.filter(|_| !self.seats[at].stays) {
                self.join(model, at);
            }
            self.last = Some((at, false));
        }
    }

    fn end(mut self) -> Vec<Seat> {
        // What waits for an approval goes on after it, with all that came since.
        let waits = self.calls.iter().filter(|(_, waits)| *waits);
        let from = waits.map(|(at, _)| *at).min();
        if let (Some(from), Some(last)) = (from, self.seats.len().checked_sub(1)) {
            self.join(from, last);
        }
        let mut spans = 0;
        for (seat, change) in self.seats.iter_mut().zip(&self.joints) {
            spans += change;
            seat.joined = spans > 0;
        }
        self.seats
    }
}
