//! Chat Completions: a message of role `tool`. There is no flag for a failure: the text says it.

use super::{Answering, Fields, Said};
use crate::value::Json;

pub(super) fn part(to: Answering<'_>, said: Said<'_>) -> Json {
    let message = Fields::new().text("role", "tool");
    let message = match to.id {
        Some(id) => message.text("tool_call_id", id),
        // Ollama knows no ids and goes by the name.
        None => message.text("tool_name", to.name),
    };
    message.text("content", &said.text()).json()
}
