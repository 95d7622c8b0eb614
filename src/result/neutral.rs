//! The neutral shape: a message of role `tool`, with `isError` where something was wrong.

use super::{Answering, Fields, Said};
use crate::value::Json;

pub(super) fn part(to: Answering<'_>, said: Said<'_>) -> Json {
    let message = Fields::new()
        .text("role", "tool")
        .maybe("toolCallId", to.id)
        .text("name", to.name);
    match said.failure() {
        Some(error) => message
            .text("content", &error)
            .with("isError", Json::Bool(true))
            .json(),
        None => message.with("content", said.object()).json(),
    }
}
