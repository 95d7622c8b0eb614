//! Messages as calls and results, whatever the provider's shape.
//!
//! Each format has a file of its own. A new format is a new file and its line in `formats`.

use crate::value::Value;

mod openai_chat;

/// Where a call or a result stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The message's position.
    pub message: usize,
    /// The position within the message, where a message can hold several.
    pub part: Option<usize>,
}

/// Whose a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A call of a tool by its name.
    Function,
    /// The provider's own search item, ours to answer.
    Search,
    /// A search that the provider ran.
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
    /// The namespace that it is called in.
    pub namespace: Option<String>,
    /// Whose it is.
    pub by: By,
    /// Answered only after an approval.
    pub waits: bool,
    /// The arguments: JSON text or an object, as the provider hands them over.
    pub arguments: V,
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

/// What a transcript says, in its order.
#[derive(Clone, Debug)]
pub enum Event<V> {
    /// The assistant begins to speak: what is still unanswered stays so.
    Turn,
    /// The assistant calls a tool.
    Call(Call<V>),
    /// A result.
    Result(Answered<V>),
}

/// Which assistant turns are wanted.
#[derive(Clone, Copy, Debug)]
pub enum Interest<'a> {
    /// Those that call one of these tools.
    Calls(&'a [&'a str]),
    /// All.
    All,
}

/// The formats, and for each the functions that differ.
/// Stands in until the readers of all formats are here.
pub fn detect<V: Value>(messages: &V) -> Vec<(Format, usize)> {
    let _ = messages;
    Vec::new()
}
/// The same.
pub fn ui_message<V: Value>(messages: &V) -> Option<usize> {
    let _ = messages;
    None
}

macro_rules! formats {
    ($($format:ident = $name:literal in $module:ident),+ $(,)?) => {
        /// The shape of messages.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format {
            $(#[doc = $name] $format,)+
        }

        impl Format {
            /// The provider's own search comes as a call of a tool like any other: AI SDK translates it.
            pub fn hides_search_items(self) -> bool {
                false
            }

            /// Where in a result whole definitions stand.
            pub fn definitions_at(self) -> &'static [&'static str] {
                &["tools"]
            }

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Format::$format => $name,)+
                }
            }

            /// The format of this name.
            pub fn named(name: &str) -> Option<Format> {
                match name {
                    $($name => Some(Format::$format),)+
                    _ => None,
                }
            }

            /// Calls `each` for the turns that are wanted, with the results that follow them, up
            /// to the next turn. Messages that are no part of them cost one look each, whatever
            /// the length of their texts; what can't be read is passed over.
            pub fn read<V: Value>(self, messages: &V, interest: Interest<'_>, each: &mut dyn FnMut(Event<V>)) {
                match self {
                    $(Format::$format => $module::read(messages, interest, each),)+
                }
            }

            /// The positions of messages that are none of this format: they are passed over.
            pub fn unknown<V: Value>(self, messages: &V) -> Vec<usize> {
                match self {
                    $(Format::$format => $module::unknown(messages),)+
                }
            }

            /// The calls in an assistant message, in an array of calls, or in a call alone.
            pub fn calls<V: Value>(self, value: &V) -> Vec<Call<V>> {
                match self {
                    $(Format::$format => $module::calls(value),)+
                }
            }

            /// The names that the content of a search result loads; `None` when it is none.
            pub fn names<V: Value>(self, content: &V) -> Option<Vec<String>> {
                match self {
                    $(Format::$format => $module::names(content),)+
                }
            }

            /// True when the content says that the call failed, where the format has no flag for it.
            pub fn is_failure<V: Value>(self, content: &V) -> bool {
                match self {
                    $(Format::$format => $module::is_failure(content),)+
                }
            }

            /// The id of the call that a part of an answer belongs to, and the tool's name where the
            /// format repeats it.
            pub fn answers<V: Value>(self, part: &V) -> (Option<String>, Option<String>) {
                match self {
                    $(Format::$format => $module::answers(part),)+
                }
            }
        }
    };
}

formats! {
    OpenaiChat = "openai-chat" in openai_chat,
}
