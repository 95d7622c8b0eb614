//! Mirrors js/wire.ts: the little that the face has to know of a format.

use toolcrib::tool::Origin;

use super::node::Node;

/// A definition on the wire.
pub struct Sent {
    pub definition: Node,
    /// The name on the wire.
    pub name: String,
    /// The provider runs it itself.
    pub hosted: bool,
}

/// A format.
#[derive(Clone, Copy)]
pub struct Wire {
    /// Where a call stands in a message; nowhere where a call is an item of its own.
    calls: Option<&'static str>,
    /// The role and the list of the one message for all results, where the format wants one.
    message: Option<(&'static str, &'static str)>,
    tools: Tools,
}

/// What a request takes as its tools.
#[derive(Clone, Copy, PartialEq)]
enum Tools {
    Array,
    /// An array in which a namespace holds some.
    Namespaces,
    /// An array in which one object holds all declarations, after what the provider runs.
    Declarations,
    /// An object by their names.
    Record,
}

impl Wire {
    pub fn of(format: &str) -> Wire {
        let wire = |calls, message, tools| Wire {
            calls,
            message,
            tools,
        };
        let content = |role| Some((role, "content"));
        match format {
            "openai-chat" => wire(Some("tool_calls"), None, Tools::Array),
            "openai-responses" => wire(None, None, Tools::Namespaces),
            "anthropic" | "bedrock" => wire(Some("content"), content("user"), Tools::Array),
            "gemini" => wire(Some("parts"), Some(("user", "parts")), Tools::Declarations),
            "ai-sdk" => wire(Some("content"), content("tool"), Tools::Record),
            "neutral" => wire(Some("toolCalls"), None, Tools::Array),
            other => panic!("format \"{other}\" is not mirrored here"),
        }
    }

    pub fn hosted_first(self) -> bool {
        self.tools == Tools::Declarations
    }

    /// Whatever a request takes as its tools.
    pub fn tools(self, sent: &[Sent]) -> Node {
        let those = |hosted: bool| {
            let sent = sent.iter().filter(move |each| each.hosted == hosted);
            sent.map(|each| each.definition.clone())
        };
        match self.tools {
            Tools::Array | Tools::Namespaces => {
                Node::List(sent.iter().map(|each| each.definition.clone()).collect())
            }
            Tools::Declarations => {
                let declarations: Vec<Node> = those(false).collect();
                let mut tools: Vec<Node> = those(true).collect();
                if !declarations.is_empty() {
                    tools.push(Node::object([(
                        "functionDeclarations",
                        Node::List(declarations),
                    )]));
                }
                Node::List(tools)
            }
            Tools::Record => {
                let mut record = Node::Object(Vec::new());
                for each in sent {
                    record.put(&[&each.name], each.definition.clone());
                }
                record
            }
        }
    }

    /// True for what holds definitions in such a request.
    pub fn holds(self, tool: &Node) -> bool {
        match self.tools {
            Tools::Namespaces => tool.get("type").and_then(Node::str) == Some("namespace"),
            Tools::Declarations => matches!(tool.get("functionDeclarations"), Some(Node::List(_))),
            Tools::Array | Tools::Record => false,
        }
    }

    /// The definitions in that again.
    pub fn list(self, tools: &Node) -> Vec<Node> {
        let held = |tool: &Node, key: &str| match tool.get(key) {
            Some(Node::List(inner)) => Some(inner.clone()),
            _ => None,
        };
        let all = tools.items();
        match self.tools {
            Tools::Array => all.to_vec(),
            Tools::Namespaces => {
                let each = |tool: &Node| held(tool, "tools").unwrap_or_else(|| vec![tool.clone()]);
                all.iter().flat_map(each).collect()
            }
            Tools::Declarations => {
                let each = |tool: &Node| {
                    held(tool, "functionDeclarations").unwrap_or_else(|| vec![tool.clone()])
                };
                all.iter().flat_map(each).collect()
            }
            Tools::Record => tools
                .entries()
                .iter()
                .map(|(_, tool)| tool.clone())
                .collect(),
        }
    }

    /// A call, by its place in a message.
    pub fn call(self, message: &Node, part: Option<usize>) -> Node {
        match (self.calls, part) {
            (Some(key), Some(part)) => message.get(key).unwrap().items()[part].clone(),
            _ => message.clone(),
        }
    }

    /// The results in what a host gives as one: itself, or those that a message of its holds.
    pub fn within(self, other: &Node) -> Vec<Node> {
        let Some((_, key)) = self.message else {
            return vec![other.clone()];
        };
        let is_message = other.get("role").and_then(Node::str).is_some();
        match other.get(key) {
            Some(Node::List(inner)) if is_message => inner.clone(),
            _ => vec![other.clone()],
        }
    }

    /// The results as messages.
    pub fn messages(self, parts: Vec<Node>) -> Node {
        match self.message {
            Some(_) if parts.is_empty() => Node::List(parts),
            Some((role, key)) => Node::List(vec![Node::object([
                ("role", Node::text(role)),
                (key, Node::List(parts)),
            ])]),
            None => Node::List(parts),
        }
    }
}

/// True where a definition stood in nothing.
pub fn is_bare(origin: &Origin) -> bool {
    *origin == Origin::default()
}

/// The calls in an assistant message of any format, or in the items of a turn.
pub fn calls_in(message: &Node) -> Vec<&Node> {
    if let Node::List(items) = message {
        return items.iter().flat_map(calls_in).collect();
    }
    let kind = message.get("type").and_then(Node::str);
    if matches!(kind, Some("function_call" | "tool_search_call")) {
        return vec![message];
    }
    let calls = ["tool_calls", "toolCalls"].into_iter();
    let mut calls = calls.filter_map(|key| message.get(key));
    if let Some(calls) = calls.find(|calls| **calls != Node::Null) {
        return calls.items().iter().collect();
    }
    let lists = ["content", "parts"].into_iter();
    let parts = lists
        .filter_map(|key| message.get(key))
        .flat_map(Node::items);
    let is_call = |part: &&Node| {
        let kind = part.get("type").and_then(Node::str);
        let holds = |key: &str| matches!(part.get(key), Some(Node::Object(_)));
        matches!(kind, Some("tool_use" | "tool-call")) || holds("toolUse") || holds("functionCall")
    };
    parts.filter(is_call).collect()
}
