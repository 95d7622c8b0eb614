//! What the engine says to its host, as plain data.

use serde::Serialize;

use crate::deferral::Deferral;
use crate::delivery::Choice;
use crate::error::Warning;
use crate::explain::{Explanation, Reason};
use crate::options::texts;
use crate::value::{Json, Kind, Value};

/// A hit, with the words that made it one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundTool {
    /// The tool's position in the host's array.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// How well it fits: higher is better, always above zero.
    pub score: f64,
    /// The query names it.
    pub exact: bool,
    /// The words of the query that it holds.
    pub terms: Vec<Reason>,
    /// The score as a tree, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// An answer to one search call.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reply {
    /// The call's id.
    pub id: Option<String>,
    /// The answer in the format's shape.
    pub part: Json,
    /// Where in the part positions stand, in namespaces or not, each for the definition of the tool there.
    pub fill: Option<&'static [&'static str]>,
    /// Nothing could be searched for.
    pub failed: bool,
    /// What was searched for.
    pub query: Vec<String>,
    /// The tools found, best first.
    pub hits: Vec<FoundTool>,
    /// The names that this answer loads.
    pub loaded: Vec<String>,
    /// The names among the hits that were loaded before.
    pub already_loaded: Vec<String>,
    /// The names of resident tools that fit.
    pub available: Vec<String>,
    /// How many deferred tools are not loaded after this answer.
    pub more: usize,
    /// What the model is told to do now.
    pub note: String,
    /// What was wrong with the call.
    pub error: Option<String>,
}

/// A search call, read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchCall {
    /// The call's id.
    pub id: Option<String>,
    /// What it searches for.
    pub query: Vec<String>,
    /// How many tools it wants at most.
    pub limit: usize,
    /// What is wrong with it.
    pub error: Option<String>,
}

/// What a host's own ranking said of one search call.
#[derive(Clone, Debug)]
pub enum Ranked {
    /// Names, best first.
    Names(Vec<String>),
    /// It failed, for this reason.
    Failed(String),
}

impl Ranked {
    /// Reads one entry for each search call: an array of names, `{error}`, or nothing.
    pub fn read<V: Value>(value: &V) -> Option<Vec<Option<Ranked>>> {
        (value.kind() == Kind::Array).then(|| {
            (0..value.len())
                .map(|at| {
                    let entry = value.at(at);
                    match entry.kind() {
                        Kind::Array => Some(Ranked::Names(texts(&entry))),
                        Kind::Object => entry.text_at("error").map(Ranked::Failed),
                        _ => None,
                    }
                })
                .collect()
        })
    }
}

/// Where a call leads.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Resolved {
    /// To a tool.
    Tool(Target),
    /// Nowhere: the result to give instead.
    Refused(Refusal),
}

/// A tool that is called.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Target {
    /// The tool's position in the host's array.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// The name that was called, where the tool was found by another spelling only.
    pub recovered: Option<String>,
    /// It is a deferred tool.
    pub deferred: bool,
    /// It was sent or loaded when the call was made.
    pub loaded: bool,
    /// The arguments as JSON text: an object. Whether they fit the schema is not looked at here.
    pub args: String,
    /// What the host may want to know.
    pub warnings: Vec<Warning>,
}

/// A call that leads nowhere.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refusal {
    /// The name that was called.
    pub name: Option<String>,
    /// Why, as a stable name.
    pub code: &'static str,
    /// Why, for the model.
    pub error: String,
    /// The result in the format's shape; `null` for a call that the provider answers itself.
    pub part: Json,
}

/// What is known once an engine is made.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// What was skipped or left out of the catalogue.
    pub warnings: Vec<Warning>,
    /// The decision for an empty transcript.
    pub deferral: Deferral,
    /// How loaded tools reach the model.
    pub delivery: Choice,
    /// The tools, one for each element of the host's array.
    pub tools: Vec<ReportedTool>,
    /// The search tool's definition on the wire.
    pub search_tool: Json,
    /// The paragraph for the system prompt.
    pub note: String,
}

/// A tool of the catalogue.
#[derive(Clone, Debug, Serialize)]
pub struct ReportedTool {
    /// Its name; none for what can't be read.
    pub name: Option<String>,
    /// Its server.
    pub server: Option<String>,
    /// It is withheld until something loads it.
    pub deferred: bool,
    /// The tokens of its definition.
    pub tokens: u32,
    /// How it goes on the wire.
    pub sent: Definition,
}

/// How something goes on the wire.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "as", rename_all = "snake_case")]
pub enum Definition {
    /// The host's own object.
    Own,
    /// A shallow copy of it, changed.
    Edit {
        /// The paths of keys that go.
        strip: Vec<Vec<&'static str>>,
        /// What comes in their place or beside them.
        put: Vec<Put>,
        /// A part of a definition that comes too.
        take: Option<Take>,
    },
    /// Written anew.
    Convert {
        /// The definition without its schema.
        template: Json,
        /// Where the schema goes; nowhere in what is no tool of the host's.
        at: &'static [&'static str],
        /// A part of a definition that comes too.
        take: Option<Take>,
    },
    /// Not sent: the same as an earlier one.
    Merged {
        /// The earlier one's position.
        into: u32,
    },
    /// Not sent: its name can't go out.
    Excluded,
}

/// A value at a path of a definition.
#[derive(Clone, Debug, Serialize)]
pub struct Put {
    /// The path.
    pub at: &'static [&'static str],
    /// The value.
    pub value: Json,
}

/// What a definition takes over from one of the host's, as it is there.
#[derive(Clone, Debug, Serialize)]
pub struct Take {
    /// The position of the other.
    pub index: u32,
    /// Where it stands there.
    pub from: &'static [&'static str],
    /// Where it goes.
    pub at: &'static [&'static str],
}

/// What becomes of the messages that a host compacts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Keeping {
    /// The positions of notes that go.
    pub replaced: Vec<usize>,
    /// The position that the note goes before.
    pub position: usize,
    /// The message, where one is needed and the format has a place for it.
    pub note: Option<Json>,
}

/// Where a search result stands in the messages.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultPlace {
    /// The message's position.
    pub message: usize,
    /// The position within the message, where a message can hold several.
    pub part: Option<usize>,
    /// The id of the call.
    pub call_id: Option<String>,
    /// The names that the result holds.
    pub names: Vec<String>,
}

/// A history that was cut so that it fits.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fitted {
    /// All messages from this position on stay.
    pub from: usize,
    /// The positions before it that stay.
    pub kept: Vec<usize>,
    /// The keep-note that stands for what went; none where nothing has to be said, or the format has no place for it.
    pub note: Option<Json>,
    /// So many of `kept` stand before the note.
    pub note_at: usize,
    /// The names of what all messages have loaded, in order: what to pass on.
    pub loaded: Vec<String>,
    /// How many messages went.
    pub cut: usize,
    /// Where the turn's `since` is among what stays.
    pub since: usize,
    /// What it costs.
    pub tokens: Room,
    /// It fits.
    pub fits: bool,
    /// What was assumed, and what does not fit.
    pub warnings: Vec<Warning>,
}

/// What a history and its tools take of the window, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Room {
    /// The messages that were given.
    pub before: f64,
    /// Those that stay, with the note.
    pub messages: f64,
    /// The tools of their turn, with the search tool and its note.
    pub tools: f64,
    /// What messages and tools may take.
    pub budget: f64,
}
