//! Messages as calls and results, whatever the provider's shape.
//!
//! Each format has a file of its own, which says where its parts stand and what each is. A new format
//! is a new file and its line in `formats`. How turns are found and told is the same for all.

use serde::Serialize;

use crate::value::{Kind, Value};

mod ai_sdk;
mod anthropic;
mod bedrock;
mod forms;
mod gemini;
mod neutral;
mod openai_chat;
mod openai_responses;
mod turns;

pub use forms::{is_failure, names};

/// Where a call or a result stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The message's position.
    pub message: usize,
    /// The position within the message, where a message can hold several.
    pub part: Option<usize>,
}

/// Whose a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A call of a tool by its name, for the host to run.
    Function,
    /// A call of the provider's own search tool, for us to answer.
    Search,
    /// A call that the provider runs itself.
    Hosted,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct Call<V> {
    /// Where it stands.
    pub place: Place,
    /// The id by which its result refers to it. Not every runtime gives one, and some repeat them.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The namespace that the tool is called in.
    pub namespace: Option<String>,
    /// The arguments: JSON text or an object, as the provider hands them over.
    pub arguments: V,
    /// Whose it is.
    pub by: By,
    /// It is answered only after an approval, so it stays open over the next assistant turn.
    pub waits: bool,
}

impl<V> Call<V> {
    /// True for a call of the search tool that `names` call, whoever answers it.
    pub fn is_search(&self, names: &[&str]) -> bool {
        match self.by {
            By::Search => true,
            By::Function => names.contains(&self.name.as_str()),
            By::Hosted => is_hosted_search(&self.name) || names.contains(&self.name.as_str()),
        }
    }
}

/// The name under which the provider's own search item is told.
const SEARCH: &str = "tool_search";

/// True for the names under which providers run searches: a fixed one, or the key that the
/// documentation of frameworks suggests.
fn is_hosted_search(name: &str) -> bool {
    name == SEARCH || name == "toolSearch" || name.starts_with("tool_search_tool_")
}

/// The result of a call.
#[derive(Clone, Debug)]
pub struct Answered<V> {
    /// Where it stands.
    pub place: Place,
    /// The id of its call.
    pub id: Option<String>,
    /// The tool's name, where the format repeats it.
    pub name: Option<String>,
    /// The format says that the call failed or was denied.
    pub failed: bool,
    /// What the tool said.
    pub content: V,
}

/// A name in a search result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name; that of a tool in a namespace stands behind it and `__`.
    pub name: String,
    /// By a reference or a definition that the provider reads itself.
    pub native: bool,
    /// The result carries its parameters.
    pub schema: bool,
}

/// What a transcript says, in its order.
#[derive(Clone, Debug)]
pub enum Event<V> {
    /// The assistant begins to speak: what is still unanswered stays so.
    Turn,
    /// The assistant calls a tool.
    Call(Call<V>),
    /// A result.
    Result(Answered<V>),
    /// Tools that whoever leads the conversation makes available from here on.
    Loads {
        /// Where it stands.
        place: Place,
        /// The tools.
        names: Vec<Named>,
    },
    /// Tools that are withdrawn from here on.
    Unloads {
        /// Where it stands.
        place: Place,
        /// Their names.
        names: Vec<String>,
    },
}

/// Which assistant turns are wanted.
#[derive(Clone, Copy, Debug)]
pub enum Interest<'a> {
    /// Those that call one of these tools.
    Calls(&'a [&'a str]),
    /// All.
    All,
}

/// Who says what stands in a message.
#[derive(Clone, Copy, PartialEq)]
enum Speaker {
    Assistant,
    /// The host, who hands results over.
    Host,
    /// Whoever leads the conversation.
    System,
}

/// What a part of a message is.
enum Piece<V> {
    Call(Call<V>),
    Result(Answered<V>),
    /// Tools that come, or go where `adds` is false; it counts only where `by` speaks.
    Change {
        by: Speaker,
        adds: bool,
        names: Vec<Named>,
    },
    /// The call of this id waits for an approval.
    Approval(String),
}

impl<V: Value> Piece<V> {
    fn call(id: Option<String>, name: Option<String>, arguments: V, by: By) -> Option<Piece<V>> {
        Some(Piece::Call(Call {
            place: NOWHERE,
            id,
            name: name?,
            namespace: None,
            arguments,
            by,
            waits: false,
        }))
    }

    fn result(
        id: Option<String>,
        name: Option<String>,
        failed: bool,
        content: V,
    ) -> Option<Piece<V>> {
        Some(Piece::Result(Answered {
            place: NOWHERE,
            id,
            name,
            failed,
            content,
        }))
    }
}

/// Until the reader has filled it in.
const NOWHERE: Place = Place {
    message: 0,
    part: None,
};

/// Where a format keeps its parts.
struct Shape<V> {
    /// Where the names of called tools stand, for the sieve, and what else is looked for there.
    sieve: &'static [&'static str],
    also: &'static [&'static str],
    /// The role that calls tools; none where the messages are one flat list of items.
    assistant: &'static str,
    /// The roles of messages that hold results, as [`Value::run`] takes them.
    results: &'static str,
    /// The list of parts in an assistant message.
    list: &'static str,
    /// Messages that hold results have their parts in the same list; else such a message is a result.
    in_list: bool,
    /// Assistant messages directly after one another are one turn.
    merges: bool,
    /// What a message's role may be, or an item's type or role.
    known: &'static [&'static str],
    /// Where calls lie in what hosts hand over: in messages and in the provider's whole response.
    around: &'static [&'static str],
    /// What a part is.
    pieces: fn(&V, &mut dyn FnMut(Piece<V>)),
}

/// What tells a format from all others.
struct Marks {
    /// Keys of a message.
    keys: &'static [&'static str],
    /// Keys of a part of a message.
    part_keys: &'static [&'static str],
    /// Types of a message.
    types: &'static [&'static str],
    /// Types of a part of a message.
    part_types: &'static [&'static str],
}

/// The formats, and for each the functions that differ.
macro_rules! formats {
    ($($format:ident = $name:literal in $module:ident),+ $(,)?) => {
        /// The shape of messages.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format {
            $(#[doc = $name] $format,)+
        }

        /// The formats with what tells them apart.
        const FORMATS: &[(Format, &str, Marks)] = &[
            $((Format::$format, $name, $module::MARKS),)+
        ];

        impl Format {
            fn shape<V: Value>(self) -> Shape<V> {
                match self {
                    $(Self::$format => $module::shape(),)+
                }
            }
        }
    };
}

formats! {
    OpenaiChat = "openai-chat" in openai_chat,
    OpenaiResponses = "openai-responses" in openai_responses,
    Anthropic = "anthropic" in anthropic,
    Gemini = "gemini" in gemini,
    Bedrock = "bedrock" in bedrock,
    AiSdk = "ai-sdk" in ai_sdk,
    Neutral = "neutral" in neutral,
}

impl Format {
    /// The format of this name.
    pub fn named(name: &str) -> Option<Format> {
        let found = FORMATS.iter().find(|(_, known, _)| *known == name);
        found.map(|(format, ..)| *format)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = FORMATS.iter().find(|(format, ..)| *format == self);
        found.map_or("", |(_, name, _)| name)
    }

    /// Calls `each` for the turns that are wanted, with the results that follow them, up to the next
    /// turn. Messages that are no part of them cost one look each, whatever the length of their
    /// texts; what can't be read is passed over.
    pub fn read<V: Value>(
        self,
        messages: &V,
        interest: Interest<'_>,
        each: &mut dyn FnMut(Event<V>),
    ) {
        turns::read(&self.shape(), messages, interest, each);
    }

    /// The positions of messages that are none of this format: they are passed over.
    pub fn unknown<V: Value>(self, messages: &V) -> Vec<usize> {
        turns::unknown(&self.shape(), messages)
    }

    /// The calls in an assistant message, in an array of calls or of messages, in the provider's whole
    /// response, or a call alone.
    pub fn calls<V: Value>(self, value: &V) -> Vec<Call<V>> {
        let mut calls = Vec::new();
        turns::calls(&self.shape(), value, 0, 6, &mut calls);
        calls
    }

    /// The provider's own search comes as a call of a tool like any other.
    pub fn hides_search_items(self) -> bool {
        self == Format::AiSdk
    }

    /// Where in a result whole definitions stand.
    pub fn definitions_at(self) -> &'static [&'static str] {
        match self {
            Format::AiSdk => &["output", "value", "tools"],
            _ => &["tools"],
        }
    }

    /// The id of the call that a part of an answer belongs to, and the tool's name where the
    /// format repeats it.
    pub fn answers<V: Value>(self, part: &V) -> (Option<String>, Option<String>) {
        turns::answers(&self.shape(), part)
    }
}

/// So many messages are enough to tell a format.
const LOOKED_AT: usize = 200;

/// The formats whose marks the messages bear, each with the first position where one stands. Only what
/// no other format writes is a mark.
pub fn detect<V: Value>(messages: &V) -> Vec<(Format, usize)> {
    const KEYS: [&str; 11] = [
        "tool_calls",
        "tool_call_id",
        "toolCalls",
        "toolCallId",
        "functionCall",
        "functionResponse",
        "toolUse",
        "toolResult",
        "type",
        "content",
        "parts",
    ];
    // The keys and the type, and the parts within.
    fn look<V: Value>(value: &V, is_part: bool, position: usize, found: &mut Vec<(Format, usize)>) {
        let present = value.present(&KEYS);
        let has = |key: &str| {
            let mut bits = KEYS.iter().enumerate();
            bits.any(|(bit, known)| *known == key && present >> bit & 1 == 1)
        };
        let kind = has("type").then(|| value.text_at("type")).flatten();
        for (format, _, marks) in FORMATS {
            let (keys, types) = if is_part {
                (marks.part_keys, marks.part_types)
            } else {
                (marks.keys, marks.types)
            };
            let is_its = keys.iter().any(|key| has(key))
                || kind.as_deref().is_some_and(|kind| types.contains(&kind));
            if is_its && !found.iter().any(|(known, _)| known == format) {
                found.push((*format, position));
            }
        }
        for key in ["content", "parts"] {
            if !is_part && has(key) {
                let list = value.get(key);
                for index in 0..list.len() {
                    look(&list.at(index), true, position, found);
                }
            }
        }
    }
    let mut found = Vec::new();
    for position in 0..messages.len().min(LOOKED_AT) {
        look(&messages.at(position), false, position, &mut found);
    }
    found
}

/// The position of the first message that is the AI SDK's UIMessage, which a user interface keeps and no
/// model reads.
pub fn ui_message<V: Value>(messages: &V) -> Option<usize> {
    const TYPES: [&str; 6] = [
        "text",
        "reasoning",
        "step-start",
        "file",
        "dynamic-tool",
        "source-url",
    ];
    let found = messages.holding(&["parts", "*", "type"], &TYPES);
    found.first().copied()
}

/// The tool that a change of the tools refers to or defines.
fn changed<V: Value>(tool: &V) -> Vec<Named> {
    let defined = tool.get("definition");
    let is_defined = defined.kind() == Kind::Object;
    let name = if is_defined { &defined } else { tool }.text_at("name");
    let named = name.map(|name| Named {
        name,
        native: true,
        schema: is_defined,
    });
    named.into_iter().collect()
}
