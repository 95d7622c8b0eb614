//! Converse: a `toolResult` block.

use super::{Answering, Fields, Said};
use crate::value::Json;

pub(super) fn part(to: Answering<'_>, said: Said<'_>) -> Json {
    let (status, block) = match said.failure() {
        Some(error) => ("error", Fields::new().text("text", &error)),
        None => ("success", Fields::new().with("json", said.object())),
    };
    let result = Fields::new()
        .maybe("toolUseId", to.id)
        .with("content", Json::Array(vec![block.json()]))
        .text("status", status);
    Fields::new().with("toolResult", result.json()).json()
}
