//! The AI SDK: a `tool-result` part. References are the custom parts that its Anthropic provider knows.

use super::{Answering, Fields, Said};
use crate::value::Json;

pub(super) fn part(to: Answering<'_>, said: Said<'_>) -> Json {
    let reference = |name: &String| {
        let reference = Fields::of("tool-reference").text("toolName", name);
        let provider = Fields::new().with("anthropic", reference.json());
        let part = Fields::of("custom").with("providerOptions", provider.json());
        part.json()
    };
    let output = match said {
        Said::References(names) => {
            let references = names.iter().map(reference).collect();
            Fields::of("content").with("value", Json::Array(references))
        }
        _ => match said.failure() {
            Some(error) => Fields::of("error-text").text("value", &error),
            None => Fields::of("json").with("value", said.object()),
        },
    };
    Fields::of("tool-result")
        .maybe("toolCallId", to.id)
        .text("toolName", to.name)
        .with("output", output.json())
        .json()
}
