//! Gemini: a `functionResponse` part, which has the call's id where the call has one.

use super::{Answering, Fields, Said};
use crate::value::Json;

pub(super) fn part(to: Answering<'_>, said: Said<'_>) -> Json {
    let response = match said.failure() {
        Some(error) => Fields::new().text("error", &error),
        None => Fields::new().with("output", said.object()),
    };
    let response = Fields::new()
        .maybe("id", to.id)
        .text("name", to.name)
        .with("response", response.json());
    Fields::new()
        .with("functionResponse", response.json())
        .json()
}
