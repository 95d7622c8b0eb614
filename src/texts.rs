//! Every sentence that a model reads, as a template, with the host's own in its place.

use crate::value::{Json, Value};

/// The names, the words and what may stand in braces, in one place.
macro_rules! texts {
    ($($text:ident = $key:literal, [$($place:literal),*], $words:literal;)+) => {
        /// A sentence that a model reads.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Text {
            $(#[doc = $words] $text,)+
        }

        /// What the host calls each, its words, and what is filled in, in the order of the enumeration.
        static TEXTS: &[(&str, &str, &[&str])] = &[$(($key, $words, &[$($place),*]),)+];
    };
}

texts! {
    SearchDescription = "searchDescription", [], "Finds tools that are available but not listed yet, and loads them. Use it when the task needs something that none of your listed tools does. The tools it loads can be called from your next step on.";
    SearchDescriptionProxy = "searchDescriptionProxy", [], "Finds tools that are available but not listed yet, and gives their parameters. Use it when the task needs something that none of your listed tools does. The tools that it finds are called with {call} from your next step on.";
    SearchQuery = "searchQuery", [], "A few words for what the tool should do and with what, such as \"create calendar event\", or exact tool names.";
    SearchLimit = "searchLimit", ["limit"], "How many tools to load at most. Default {limit}.";
    CallDescription = "callDescription", [], "Calls a tool that {search} has found, by its name and with arguments as its parameters say.";
    CallName = "callName", [], "The tool's name.";
    CallArguments = "callArguments", [], "Its arguments.";
    Note = "note", ["count", "from", "then"], "{count} more tools are available but not listed{from}. When a task needs something that your listed tools can't do, call {search} with a few words for it before you say that it can't be done; {then}";
    NoteOne = "noteOne", ["count", "from", "then"], "{count} more tool is available but not listed{from}. When a task needs something that your listed tools can't do, call {search} with a few words for it before you say that it can't be done; {then}";
    NoteFrom = "noteFrom", ["servers"], ", from {servers}";
    NoteServer = "noteServer", ["name", "count"], "{name} ({count})";
    NoteThen = "noteThen", [], "what it finds can be called from your next step on.";
    NoteThenProxy = "noteThenProxy", [], "what it finds is called with {call} from your next step on.";
    Loaded = "loaded", [], "These tools can be called from your next step on.";
    LoadedProxy = "loadedProxy", [], "Call these with {call}: {\"name\": \"...\", \"arguments\": {...}}, with arguments as their parameters say.";
    AlreadyLoaded = "alreadyLoaded", ["names"], "Loaded before, call directly: {names}.";
    AlreadyLoadedProxy = "alreadyLoadedProxy", ["names"], "Found before, call with {call}: {names}.";
    Available = "available", ["names"], "Already available, call directly: {names}.";
    LeftOut = "leftOut", ["count", "names"], "{count} named but not loaded, as no more fit into one answer: {names}. Search for them by name.";
    NoMatch = "noMatch", [], "No tool matches. Try other words for what the tool should do, once or twice; if nothing matches then, there is no such tool.";
    NoMatchUnavailable = "noMatchUnavailable", ["servers"], "No tool matches, but the tools of {servers} could not be listed right now, and what you look for may be among them: go on without it, or say so.";
    Unavailable = "unavailable", ["servers"], "The tools of {servers} could not be listed right now.";
    NothingElse = "nothingElse", [], "Nothing else was found; do not search for this again.";
    NothingLeft = "nothingLeft", [], "Nothing else is held back: what you have is all there is.";
    NoWords = "noWords", [], "The query holds no words. Say in a few words what the tool should do.";
    Repeated = "repeated", [], "You have searched for this before; do not search for it again.";
    Hopeless = "hopeless", [], "Several searches in a row have loaded nothing new. Stop searching: go on with the tools that you have, or say what can't be done.";
    Separator = "separator", [], ", ";
    More = "more", ["names", "count"], "{names} and {count} more";
    SearchUsage = "searchUsage", [], "Call {search} with {\"query\": \"a few words\"}.";
    NoQuery = "noQuery", [], "There is no query.";
    QueryEmpty = "queryEmpty", [], "The query holds no text.";
    QueryNotText = "queryNotText", [], "The query is not text.";
    SearchFailed = "searchFailed", ["error"], "The search failed: {error}";
    ArgumentsEmpty = "argumentsEmpty", [], "The arguments are empty.";
    ArgumentsNotJson = "argumentsNotJson", [], "The arguments are not JSON.";
    KeepNote = "keepNote", [], "{search} loaded these tools in messages that are gone. Those that are still among your tools can be called.";
    KeepNoteProxy = "keepNoteProxy", [], "{search} found these tools in messages that are gone. Call what is still there with {call}; search for one by its name to see its parameters.";
    KeepNoteEmpty = "keepNoteEmpty", [], "No tool that {search} found is available any more. Search again when one is needed.";
    Gone = "gone", [], "This tool is no longer available.";
    UnknownTool = "unknownTool", [], "There is no tool of this name.";
    AmbiguousTool = "ambiguousTool", [], "Several tools may be meant by this name.";
    SearchForIt = "searchForIt", [], "Call {search} to find one.";
    ExactName = "exactName", ["names"], "Call it by its exact name: {names}.";
    NotLoaded = "notLoaded", ["name"], "This tool is not loaded yet. Call {search} with \"select:{name}\" first.";
    CallUsage = "callUsage", [], "Call {call} with {\"name\": \"...\", \"arguments\": {...}}.";
    ArgumentsUnreadable = "argumentsUnreadable", [], "The arguments can't be read.";
    ArgumentsNoObject = "argumentsNoObject", [], "The arguments are no object.";
    ArgumentsFault = "argumentsFault", ["error"], "The arguments are not JSON: {error}.";
    InvalidArguments = "invalidArguments", ["name", "faults"], "The arguments do not fit the parameters of {name}. {faults}";
    FaultRequired = "faultRequired", ["name"], "{name}: required.";
    FaultRefused = "faultRefused", ["name"], "{name}: not allowed.";
    FaultExpected = "faultExpected", ["name", "expected", "got"], "{name}: expected {expected}, got {got}.";
    FaultOneOf = "faultOneOf", ["name", "expected", "got"], "{name}: expected one of {expected}, got {got}.";
    FaultOther = "faultOther", ["name", "error"], "{name}: {error}.";
    FaultAll = "faultAll", [], "arguments";
}

/// What every text may fill in: the names of the two tools of ours.
const ALWAYS: [&str; 2] = ["search", "call"];

/// The host's own words, by [`Text`].
#[derive(Clone, Debug, Default)]
pub struct Texts {
    own: Vec<Option<String>>,
}

impl Texts {
    /// Reads what a host has set, by the names of the texts.
    pub fn read<V: Value>(value: &V) -> Texts {
        let given = TEXTS.iter().map(|(key, ..)| value.text_at(key));
        Texts {
            own: if value.exists() {
                given.collect()
            } else {
                Vec::new()
            },
        }
    }

    fn own(&self, text: Text) -> Option<&str> {
        self.own.get(text as usize)?.as_deref()
    }

    fn template(&self, text: Text) -> &str {
        // One tool is told as several are where the host has words for those alone.
        let own = match text {
            Text::NoteOne => self.own(text).or(self.own(Text::Note)),
            _ => self.own(text),
        };
        own.unwrap_or(TEXTS[text as usize].1)
    }

    /// By how many bytes the host's words for answers are longer than ours, all in all.
    pub fn excess(&self) -> usize {
        let of_answers = Text::Loaded as usize..=Text::More as usize;
        let both = self.own.iter().zip(TEXTS).enumerate();
        both.filter(|(at, _)| of_answers.contains(at))
            .map(|(_, (own, (_, words, _)))| {
                let length = own.as_ref().map_or(0, String::len);
                length.saturating_sub(words.len())
            })
            .sum()
    }

    /// The text with what is filled in. What stands in other braces stays.
    pub fn say(&self, text: Text, fill: &[(&str, &str)]) -> String {
        let mut said = String::new();
        for (index, piece) in self.template(text).split('{').enumerate() {
            let found = piece.split_once('}').and_then(|(name, rest)| {
                let filled = fill.iter().find(|(known, _)| *known == name)?;
                Some((filled.1, rest))
            });
            match found {
                Some((filled, rest)) if index > 0 => {
                    said.push_str(filled);
                    said.push_str(rest);
                }
                _ => {
                    if index > 0 {
                        said.push('{');
                    }
                    said.push_str(piece);
                }
            }
        }
        said
    }
}

/// All texts: what each is called, its words, and what may be filled in.
pub fn all() -> Json {
    let text = |text: &str| Json::string(text);
    let each = TEXTS.iter().map(|(key, words, places)| {
        let places = places.iter().chain(&ALWAYS).map(|place| text(place));
        Json::Array(vec![text(key), text(words), Json::Array(places.collect())])
    });
    Json::Array(each.collect())
}
