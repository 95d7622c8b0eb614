//! Messages as calls and results, whatever the provider's shape.
//!
//! Each format has a file of its own, which says where its parts stand and what each is. A new format
//! is a new file and its line in `formats`. How turns are found and told is the same for all.

use serde::Serialize;

use crate::value::{Kind, OTHERS, Value};

mod ai_sdk;
mod anthropic;
mod bedrock;
mod forms;
mod gemini;
mod neutral;
mod notes;
mod openai_chat;
mod openai_responses;
mod turns;
mod units;

use ai_sdk::{CUSTOM, REMOTE};
pub use forms::{hosted_names, is_failure, names};
pub use notes::{HEAD, Note, in_system};
use turns::{INPUTS as INPUT_ITEMS, MODELS, part};
pub use units::Seat;

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
}

impl<V> Call<V> {
    /// True for a search: a call of the tool that `ours` call, for us to answer, or one that the provider ran. That has one
    /// of the names `hosted`, or where there are none to choose from the provider's own.
    pub fn is_search(&self, ours: &[&str], hosted: Option<&[&str]>) -> bool {
        let name = self.name.as_str();
        match (self.by, hosted) {
            (By::Search, _) => true,
            (By::Function, _) => ours.contains(&name),
            (By::Hosted, Some(hosted)) => hosted.contains(&name),
            (By::Hosted, None) => name == SEARCH || name.starts_with("tool_search_tool_"),
        }
    }
}

/// The name under which the provider's own search item is told.
pub const SEARCH: &str = "tool_search";

/// The names that the host's own key for a search of the provider's mostly is: that of the provider, and the one that
/// the documentation of frameworks suggests.
pub const HOSTED: &[&str] = &[
    SEARCH,
    "toolSearch",
    "tool_search_tool_regex",
    "tool_search_tool_bm25",
];

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
    /// It may be that of a search which the provider ran: it stands beside that, or is an item of that kind.
    pub hosted: bool,
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
    /// By its definition, which needs no other.
    pub defined: bool,
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
    /// The call of this id, made just now, is answered only after an approval: it stays open over the next
    /// assistant turn.
    Waits(String),
    /// Tools that come from here on, or go where the flag is false.
    Changes {
        /// Where it stands.
        place: Place,
        /// The tools.
        changes: Vec<(bool, Named)>,
    },
}

impl<V> Event<V> {
    /// Where it stands, where that is told.
    pub fn place(&self) -> Option<Place> {
        match self {
            Event::Turn | Event::Waits(_) => None,
            Event::Call(call) => Some(call.place),
            Event::Result(result) => Some(result.place),
            Event::Changes { place, .. } => Some(*place),
        }
    }
}

/// Which assistant turns are wanted.
#[derive(Clone, Copy, Debug)]
pub enum Interest<'a> {
    /// Those that call one of these tools.
    Calls(&'a [&'a str]),
    /// All.
    All,
}

/// Of what stands in no list of messages.
const NOWHERE: Place = Place {
    message: 0,
    part: None,
};

/// Where a format keeps its parts.
struct Shape {
    /// Where the names of called tools stand, for the sieve, and what else is looked for there.
    sieve: &'static [&'static str],
    also: &'static [&'static str],
    /// The role that calls tools; none where the messages are one flat list of items.
    assistant: &'static str,
    /// The roles of messages that hold results, as [`Value::run`] takes them.
    results: &'static str,
    /// The list of parts in a message. Where only an assistant message has one, a message of `results`
    /// is a result itself.
    list: &'static str,
    /// The key whose text says what a part is; none where a key of its own does.
    tag: &'static str,
    /// What a part may be.
    rules: &'static [Rule],
    /// Assistant messages directly after one another are one turn.
    merges: bool,
    /// What a message's role may be, or an item's type or role.
    known: &'static [&'static str],
    /// Where calls lie in what hosts hand over: in messages and in the provider's whole response.
    around: &'static [&'static str],
    /// Keys and types, of messages or of their parts, that no other format has.
    marks: &'static [&'static str],
    /// Where in a result whole definitions stand.
    defined_at: &'static [&'static str],
    /// The provider's own search comes as a call of a tool like any other.
    hides_search: bool,
    /// The types of calls that the provider runs and nobody else reads.
    hosted: &'static [&'static str],
    /// Types of parts or items that stay when a conversation is shortened: what they stand for is nowhere else.
    stays: &'static [&'static str],
    /// The first message has to be the user's.
    opens_with_user: bool,
}

impl Shape {
    /// What most formats have in common.
    const MESSAGES: Shape = Shape {
        sieve: &[],
        also: &[],
        assistant: "assistant",
        results: "user",
        list: "content",
        tag: "",
        rules: &[],
        merges: false,
        known: &["user", "assistant", "system"],
        around: &["content"],
        marks: &[],
        defined_at: &["tools"],
        hides_search: false,
        hosted: &[],
        stays: &[],
        opens_with_user: false,
    };
}

/// What a part is where it has this tag or key.
struct Rule {
    tag: &'static str,
    what: What,
    holder: Holder,
    /// The keys of the id, of the name, and of the arguments or what the tool said; empty where there is
    /// none, or where the part itself is meant.
    keys: [&'static str; 3],
}

/// What a part may be.
#[derive(Clone, Copy, PartialEq)]
enum What {
    Call,
    Result,
    /// A call waits for an approval.
    Approval,
    /// A call of the provider's own search tool.
    Search,
    /// A tool comes.
    Adds,
    /// A tool goes.
    Removes,
    /// Several tools come or go, by what a compaction left out.
    Changes,
    /// Tools come, whole.
    Tools,
}

/// What holds the keys of a rule.
#[derive(Clone, Copy, PartialEq)]
enum Holder {
    /// The part, which has the tag.
    Tagged,
    /// What stands at a key of the part.
    Key,
    /// The same, but the id stands outside.
    KeyOnly,
    /// The part, which has the key and no tag.
    Bare,
}

impl Rule {
    const fn of(tag: &'static str, what: What, holder: Holder, keys: [&'static str; 3]) -> Rule {
        Rule {
            tag,
            what,
            holder,
            keys,
        }
    }
    const fn tag(tag: &'static str, what: What, keys: [&'static str; 3]) -> Rule {
        Rule::of(tag, what, Holder::Tagged, keys)
    }
    const fn key(tag: &'static str, what: What, keys: [&'static str; 3]) -> Rule {
        Rule::of(tag, what, Holder::Key, keys)
    }
    const fn bare(tag: &'static str, what: What, keys: [&'static str; 3]) -> Rule {
        Rule::of(tag, what, Holder::Bare, keys)
    }
    const fn outside(self) -> Rule {
        Rule::of(self.tag, self.what, Holder::KeyOnly, self.keys)
    }
}

/// The formats, and for each what differs.
macro_rules! formats {
    ($($format:ident = $name:literal in $module:ident),+ $(,)?) => {
        /// The shape of messages.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format {
            $(#[doc = $name] $format,)+
        }

        /// The formats, in the order of the enumeration.
        static FORMATS: &[(Format, &str, Shape)] = &[
            $((Format::$format, $name, $module::SHAPE),)+
        ];
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
        FORMATS[self as usize].1
    }

    fn shape(self) -> &'static Shape {
        &FORMATS[self as usize].2
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
        turns::read(self.shape(), messages, interest, each);
    }

    /// Where the last turn of the assistant begins.
    pub fn last_turn<V: Value>(self, messages: &V) -> Option<usize> {
        turns::last(self.shape(), messages)
    }

    /// True for a call that is no host's to run: one of the provider's own kinds, or one that says so.
    pub fn is_hosted<V: Value>(self, call: &V) -> bool {
        let kind = call.get("type");
        self.shape().hosted.iter().any(|known| kind.is(known))
            || call.get("providerExecuted").flag() == Some(true)
    }

    /// The positions of messages that are none of this format: they are passed over.
    pub fn unknown<V: Value>(self, messages: &V) -> Vec<usize> {
        turns::unknown(self.shape(), messages)
    }

    /// The calls in an assistant message, in an array of calls or of messages, in the provider's whole
    /// response, or a call alone.
    pub fn calls<V: Value>(self, value: &V) -> Vec<Call<V>> {
        let mut calls = Vec::new();
        turns::calls(self.shape(), value, 6, &mut calls);
        calls
    }

    /// True where items of the provider's own search stand before the position `until`, or tools that are to be found by it.
    pub fn holds_search_items<V: Value>(self, messages: &V, until: usize) -> bool {
        turns::search_items(self.shape(), messages, until)
    }

    /// True where someone begins to speak at a position: the user, or the assistant after another's words.
    pub fn begins<V: Value>(self, messages: &V, position: usize) -> bool {
        turns::begins(self.shape(), messages, position)
    }

    /// The provider's own search comes as a call of a tool like any other.
    pub fn hides_search_items(self) -> bool {
        self.shape().hides_search
    }

    /// Where in a result whole definitions stand.
    pub fn definitions_at(self) -> &'static [&'static str] {
        self.shape().defined_at
    }

    /// The id of the call that a part of an answer belongs to, and the tool's name where the
    /// format repeats it.
    pub fn answers<V: Value>(self, part: &V) -> (Option<String>, Option<String>) {
        match turns::part(self.shape(), part, NOWHERE) {
            Some(Event::Result(result)) => (result.id, result.name),
            _ => (None, None),
        }
    }
}

/// The formats whose marks the messages bear, each with the first position where one stands. Only what
/// no other format writes is a mark; of what stands within a message only what the assistant says or who leads it, as a
/// stranger's words may stand in any other.
pub fn detect<V: Value>(messages: &V) -> Vec<(Format, usize)> {
    let mut found = Vec::new();
    for position in 0..messages.len().min(LOOKED_AT) {
        look(&messages.at(position), true, position, &mut found);
        if found.len() > 1 {
            break;
        }
    }
    found
}

/// So many messages are enough to tell a format, and of each so many parts.
const LOOKED_AT: usize = 200;
const PARTS: usize = 16;
/// Bedrock's blocks are the only ones that name no type.
const BARE: &str = "*bare";
/// What they are named by.
const BLOCKS: [&str; 12] = [
    "text",
    "image",
    "document",
    "video",
    "audio",
    "reasoningContent",
    "citationsContent",
    "searchResult",
    "guardContent",
    "cachePoint",
    "toolAddition",
    "toolRemoval",
];
/// What stands in a flat list of items, of a type of its own.
const ITEM: &str = "*item";
/// The parts by which a host says in any message that it is one of Responses.
const INPUT: [&str; 3] = ["input_text", "input_image", "input_file"];

/// Looks for marks in a message, in a part of one, or in a call that was handed over alone. The type of a part has a star
/// before it: an item of that type is another thing.
fn look<V: Value>(value: &V, is_message: bool, position: usize, found: &mut Vec<(Format, usize)>) {
    const KEYS: [&str; 11] = [
        "content",
        "parts",
        "type",
        "text",
        "tool_calls",
        "tool_call_id",
        "toolCalls",
        "functionCall",
        "functionResponse",
        "toolUse",
        "toolResult",
    ];
    let present = value.present(&KEYS);
    if present & !OTHERS == 0 {
        return;
    }
    let has = |bit: usize| present >> bit & 1 == 1;
    let mut marks: Vec<String> = Vec::new();
    for (bit, key) in KEYS.iter().enumerate().filter(|(bit, _)| has(*bit)) {
        match bit {
            0 | 1 if is_message => {
                let list = value.get(key);
                if bit == 1 && list.kind() == Kind::Array {
                    marks.push((*key).to_owned());
                }
                let count = list.len().min(PARTS);
                // Most contents are one text, and each look is a call out of the engine.
                if count == 0 {
                    continue;
                }
                let role = value.text_at("role").unwrap_or_default();
                let is_said = matches!(&*role, "assistant" | "model" | "system");
                let first = list.at(0);
                if bit == 0 && first.present(&BLOCKS) & !OTHERS != 0 && !first.get("type").exists()
                {
                    marks.push(BARE.to_owned());
                }
                for index in 0..count {
                    let part = list.at(index);
                    let is_input = || INPUT.iter().any(|kind| part.get("type").is(kind));
                    if is_said || is_input() {
                        look(&part, false, position, found);
                    }
                }
            }
            0 | 1 | 3 => {}
            2 => {
                let kind = value.text_at(key).unwrap_or_default();
                let mut shapes = FORMATS.iter().map(|(.., shape)| shape);
                let is_item = |shape| turns::item_types(shape).contains(&kind.as_str());
                // Others have parts of these names that hold something else.
                let is_its = match kind.as_str() {
                    _ if is_message && shapes.any(is_item) => {
                        marks.push(ITEM.to_owned());
                        false
                    }
                    "reasoning" => has(3),
                    "thinking" => value.kind_at("thinking") == Kind::Text,
                    _ => true,
                };
                if is_its {
                    marks.push(["*", &kind].concat());
                }
            }
            _ => marks.push((*key).to_owned()),
        }
    }
    for (format, _, shape) in FORMATS {
        let is_its = marks
            .iter()
            .any(|mark| shape.marks.contains(&mark.as_str()));
        if is_its && !found.iter().any(|(known, _)| known == format) {
            found.push((*format, position));
        }
    }
}

/// The position of the first message that is the AI SDK's UIMessage, which a user interface keeps and no
/// model reads. Its parts have types, as those of no other message; it may have none, and always has an id. Before there
/// were parts it had tool invocations.
pub fn ui_message<V: Value>(messages: &V) -> Option<usize> {
    let mut found = None;
    // Two keys in one path, as the sieve has a way of its own for one alone, which would no longer be fast.
    for path in [&["parts", "*", "type"][..], &["id|toolInvocations"]] {
        for at in messages.holding(path, &[]).into_iter().take(LOOKED_AT) {
            if found.is_none_or(|found| at < found) && is_ui(&messages.at(at)) {
                found = Some(at);
                break;
            }
        }
    }
    found
}

fn is_ui<V: Value>(message: &V) -> bool {
    // Many have an id, and then neither.
    if message.present(&["parts", "toolInvocations"]) & !OTHERS == 0 {
        return false;
    }
    let parts = message.get("parts");
    let is_bare = || parts.is_empty() && message.kind_at("id") == Kind::Text;
    (0..parts.len()).any(|index| is_ui_type(&parts.at(index)))
        || parts.kind() == Kind::Array && is_bare()
        || message.kind_at("toolInvocations") == Kind::Array
}

fn is_ui_type<V: Value>(part: &V) -> bool {
    const TYPES: [&str; 8] = [
        "text",
        "reasoning",
        "step-start",
        "file",
        "dynamic-tool",
        "source",
        "source-url",
        "source-document",
    ];
    let kind = part.text_at("type").unwrap_or_default();
    TYPES.contains(&kind.as_str()) || kind.starts_with("tool-") || kind.starts_with("data-")
}
