//! Messages: a `tool_result` block. References stand alone in it.

use super::{Answering, Fields, Said};
use crate::value::Json;

pub(super) fn part(to: Answering<'_>, said: Said<'_>) -> Json {
    let block = Fields::of("tool_result").maybe("tool_use_id", to.id);
    let reference = |name: &String| Fields::of("tool_reference").text("tool_name", name).json();
    match said {
        Said::References(names) => {
            let references = names.iter().map(reference).collect();
            block.with("content", Json::Array(references)).json()
        }
        _ => match said.failure() {
            Some(error) => block
                .text("content", &error)
                .with("is_error", Json::Bool(true))
                .json(),
            None => block.text("content", &said.text()).json(),
        },
    }
}
