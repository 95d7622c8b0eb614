//! What can go wrong, and what is only worth a word.
//!
//! An [`Error`] is for the host's options: it stops the making of an engine. Whatever strangers
//! wrote (a definition, a message) is never an error but a [`Warning`], and the rest still works.

use std::fmt;

use serde::Serialize;

/// What went wrong, as a name that stays the same from release to release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Code {
    /// Two different tools have one name.
    DuplicateToolName,
    /// A tool has the name of the search tool while deferral applies.
    ReservedToolName,
    /// An option has a value that it can't have.
    InvalidOption,
    /// The format is not named, and what there is to read is of several.
    AmbiguousFormat,
    /// The messages are those of a user interface, which no model is sent.
    UiMessages,
}

impl Code {
    /// The name that hosts compare with.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::DuplicateToolName => "duplicate_tool_name",
            Code::ReservedToolName => "reserved_tool_name",
            Code::InvalidOption => "invalid_option",
            Code::AmbiguousFormat => "ambiguous_format",
            Code::UiMessages => "ui_messages",
        }
    }
}

/// The one error of this crate. Its message names the culprit and the bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Error {
    code: Code,
    message: String,
}

impl Error {
    pub(crate) fn new(code: Code, message: String) -> Error {
        Error { code, message }
    }

    /// What went wrong, as a stable name.
    pub fn code(&self) -> Code {
        self.code
    }

    /// What went wrong, for a person.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Something that was skipped, left out or assumed; the rest works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// A stable name of the kind of thing.
    pub code: &'static str,
    /// What and why, for a person.
    pub message: String,
    /// The tool that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

impl Warning {
    pub(crate) fn new(code: &'static str, tool: Option<&str>, message: String) -> Warning {
        Warning {
            code,
            message,
            tool: tool.map(str::to_owned),
        }
    }
}
