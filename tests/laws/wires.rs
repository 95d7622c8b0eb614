//! The same run of searches in the messages of every format.

use serde_json::{Value as Plain, json};
use toolcrib::engine::Engine;
use toolcrib::options::{Delivery, Options};
use toolcrib::plan::{Plan, Turn};
use toolcrib::report::Reply;
use toolcrib::tool::WIRES;

use crate::world::{always, answer, message, turn};

/// A format, how loaded tools reach the model in it, and the model that does it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wire {
    pub format: &'static str,
    pub delivery: Delivery,
    pub model: Option<&'static str>,
}

impl Wire {
    /// Every format with every delivery that it has.
    pub fn all() -> Vec<Wire> {
        let wire = |format, delivery, model| Wire {
            format,
            delivery,
            model,
        };
        let mut all: Vec<Wire> = Vec::new();
        for known in WIRES {
            all.push(wire(known.format, Delivery::Append, None));
            all.push(wire(known.format, Delivery::Proxy, None));
        }
        all.push(wire("anthropic", Delivery::Native, None));
        all.push(wire("openai-responses", Delivery::Native, None));
        for model in ["claude-opus-4-5", "gpt-5.4"] {
            all.push(wire("ai-sdk", Delivery::Native, Some(model)));
        }
        all
    }

    pub fn options(self) -> Options {
        Options {
            format: Some(self.format.to_owned()),
            delivery: self.delivery,
            model: self.model.map(str::to_owned),
            ..always()
        }
    }

    /// The provider has a search of its own, with calls of another kind.
    fn has_items(self) -> bool {
        self.format == "openai-responses" && self.delivery == Delivery::Native
    }

    /// What the model says when it calls a tool.
    pub fn call(self, id: &str, name: &str, arguments: &Plain) -> Plain {
        let text = arguments.to_string();
        match self.format {
            "openai-chat" => json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": id, "type": "function", "function": {"name": name, "arguments": text}}
            ]}),
            "openai-responses" if self.has_items() && name == "tool_search" => {
                json!({"type": "tool_search_call", "execution": "client", "call_id": id, "status": "completed", "arguments": arguments})
            }
            "openai-responses" => {
                json!({"type": "function_call", "call_id": id, "name": name, "arguments": text})
            }
            "anthropic" => json!({"role": "assistant", "content": [
                {"type": "tool_use", "id": id, "name": name, "input": arguments}
            ]}),
            "gemini" => json!({"role": "model", "parts": [
                {"functionCall": {"id": id, "name": name, "args": arguments}}
            ]}),
            "bedrock" => json!({"role": "assistant", "content": [
                {"toolUse": {"toolUseId": id, "name": name, "input": arguments}}
            ]}),
            "ai-sdk" => json!({"role": "assistant", "content": [
                {"type": "tool-call", "toolCallId": id, "toolName": name, "input": arguments}
            ]}),
            "neutral" => json!({"role": "assistant", "content": "", "toolCalls": [
                {"id": id, "name": name, "arguments": arguments}
            ]}),
            other => panic!("{other} is told here too"),
        }
    }

    /// A result as a message, or an item.
    pub fn result(self, part: Plain) -> Plain {
        match self.format {
            "anthropic" | "bedrock" => json!({"role": "user", "content": [part]}),
            "gemini" => json!({"role": "user", "parts": [part]}),
            "ai-sdk" => json!({"role": "tool", "content": [part]}),
            _ => part,
        }
    }

    /// Searches one after the other: the plan of each turn, and the answer that follows it.
    pub fn run(self, engine: &Engine, queries: &[String]) -> (Vec<Plan>, Vec<Reply>) {
        let mut messages: Vec<Plain> = Vec::new();
        let mut plans = vec![turn(engine, &messages, &Turn::default())];
        let mut replies = Vec::new();
        for (number, query) in queries.iter().enumerate() {
            let asked = json!({"query": query});
            let call = self.call(&format!("c{number}"), "tool_search", &asked);
            let mut answers = answer(engine, &call, &messages, &Turn::default());
            assert_eq!(answers.len(), 1, "{call} is a search of {self:?}");
            let reply = answers.remove(0);
            messages.push(call);
            messages.push(self.result(filled(engine, &reply)));
            plans.push(turn(engine, &messages, &Turn::default()));
            replies.push(reply);
        }
        (plans, replies)
    }
}

/// The part of a reply, with a definition where the position of one stands.
fn filled(engine: &Engine, reply: &Reply) -> Plain {
    let mut part = message(&reply.part);
    let Some(path) = reply.fill else { return part };
    let holder = path.iter().fold(&mut part, |inner, key| &mut inner[*key]);
    for hole in holder.as_array_mut().unwrap() {
        let position = hole.as_u64().unwrap() as u32;
        // Of the definition only what the engine writes is needed: its name.
        let how = json!(engine.definition_in_result(position, false));
        *hole = how["template"].clone();
        assert!(hole["name"].is_string(), "{how}");
    }
    part
}

/// A definition as it goes out, for one that is compared and not sent.
pub fn form(engine: &Engine, slot: i32, form: u8) -> String {
    format!("{:?}", engine.definition(slot, form, None))
}
