//! Responses: an item of the kind that answers the call's. There is no flag for a failure: the text says
//! it, and where the provider's own search item takes no text, it finds nothing.

use super::{Answering, Fields, Said};
use crate::transcript::By;
use crate::value::Json;

pub(super) fn part(to: Answering<'_>, said: Said<'_>) -> Json {
    if to.by != By::Search {
        return Fields::of("function_call_output")
            .maybe("call_id", to.id)
            .text("output", &said.text())
            .json();
    }
    let tools = match said {
        Said::Definitions(tools) => tools.to_vec(),
        _ => Vec::new(),
    };
    Fields::of("tool_search_output")
        .text("execution", "client")
        .maybe("call_id", to.id)
        .text("status", "completed")
        .with("tools", Json::Array(tools))
        .json()
}
