//! What a request makes the model call: its tool choice, in any provider's form.
//!
//! | whose | forms |
//! | --- | --- |
//! | Chat Completions, Responses | `"required"`, `{type: "function", function: {name}}`, `{type: "function", name}`, `{type: "allowed_tools", ...}` |
//! | Anthropic | `{type: "any"}`, `{type: "tool", name}` |
//! | Gemini | `{functionCallingConfig: {mode: "ANY", allowedFunctionNames}}`, or what stands in it |
//! | Bedrock | `{any: {}}`, `{tool: {name}}` |
//! | AI SDK | `"required"`, `{type: "tool", toolName}` |
//!
//! They are told apart by their keys, so one reader takes all of them, and a choice may come from before a change of
//! provider.

use crate::value::{Json, Kind, Value};

/// A tool choice, as far as it says what has to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolChoice {
    /// The tools that it names, in its order: each has to be among those that are sent.
    pub names: Vec<String>,
    /// The model has to call some tool, whichever.
    pub is_required: bool,
    /// It is of no form that is known.
    pub is_unreadable: bool,
}

/// What a word says of a choice.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    /// The model may call a tool or not.
    Free,
    /// It has to.
    Required,
    /// It must not.
    None,
}

impl ToolChoice {
    /// Reads one. Nothing is chosen where there is none.
    pub fn read<V: Value>(choice: &V) -> ToolChoice {
        match choice.kind() {
            Kind::Absent | Kind::Null => ToolChoice::default(),
            // It is small, and the same code reads it in every host.
            _ => ToolChoice::of(&choice.json()),
        }
    }

    fn of(choice: &Json) -> ToolChoice {
        let mut read = ToolChoice::default();
        read.is_unreadable = read.take(choice).is_none();
        read
    }

    /// Nothing where the form is not known.
    fn take(&mut self, choice: &Json) -> Option<()> {
        if let Json::Text(_) = choice {
            return self.list(mode(Some(choice))?, None);
        }
        // Gemini's, in its two spellings, within the tool configuration or bare.
        let outer = choice.field("toolConfig").unwrap_or(choice);
        let config = outer.field("functionCallingConfig");
        let config = config.or_else(|| outer.field("function_calling_config"));
        let word = config
            .or(Some(choice))
            .and_then(|config| config.field("mode"));
        if config.is_some() || word.is_some() && choice.field("tools").is_none() {
            let config = config.unwrap_or(choice);
            let names = config.field("allowedFunctionNames");
            let names = names.or_else(|| config.field("allowed_function_names"));
            // Without a mode it is the provider's own, which leaves it to the model.
            return self.list(
                word.map_or(Some(Mode::Free), |word| mode(Some(word)))?,
                names,
            );
        }
        // Bedrock's.
        if let Some(Json::Text(name)) = choice.field("tool").and_then(|tool| tool.field("name")) {
            self.names.push(name.clone());
            return Some(());
        }
        for (key, meant) in [("any", Mode::Required), ("auto", Mode::Free)] {
            if let Some(Json::Object(_)) = choice.field(key) {
                return self.list(meant, None);
            }
        }
        // OpenAI's list, in its two forms.
        let allowed = choice.field("allowed_tools").unwrap_or(choice);
        if let Some(tools) = allowed.field("tools") {
            return self.list(mode(allowed.field("mode"))?, Some(tools));
        }
        // All others have a type.
        let kind = choice.field("type");
        if let Some(meant) = mode(kind) {
            return self.list(meant, None);
        }
        match (named(choice), kind) {
            (Some(name), _) => self.names.push(name.to_owned()),
            // What the provider runs itself is sent in any case.
            (None, Some(Json::Text(kind))) if !is_callable(kind) => {}
            _ => return None,
        }
        Some(())
    }

    /// A mode, and the list that it is about. A tool that the model must not call need not be sent.
    fn list(&mut self, mode: Mode, list: Option<&Json>) -> Option<()> {
        if let (true, Some(Json::Array(list))) = (mode != Mode::None, list) {
            for tool in list {
                let name = match tool {
                    Json::Text(name) => Some(name.as_str()),
                    tool => named(tool),
                };
                self.names.extend(name.map(str::to_owned));
            }
        }
        self.is_required = mode == Mode::Required && self.names.is_empty();
        Some(())
    }
}

fn mode(word: Option<&Json>) -> Option<Mode> {
    let Some(Json::Text(word)) = word else {
        return None;
    };
    [
        ("auto", Mode::Free),
        ("validated", Mode::Free),
        ("mode_unspecified", Mode::Free),
        ("required", Mode::Required),
        ("any", Mode::Required),
        ("none", Mode::None),
    ]
    .into_iter()
    .find(|(known, _)| word.eq_ignore_ascii_case(known))
    .map(|(_, mode)| mode)
}

/// The host runs what a reference of this type names.
fn is_callable(kind: &str) -> bool {
    matches!(kind, "function" | "custom" | "tool")
}

/// The name of the host's tool that a reference means. A name also stands in what the provider runs, such as a tool of one
/// of its MCP servers, so that the type decides.
fn named(tool: &Json) -> Option<&str> {
    let Some(Json::Text(kind)) = tool.field("type") else {
        return None;
    };
    if !is_callable(kind) {
        return None;
    }
    let nested = tool.field("function").or_else(|| tool.field("custom"));
    let holder = nested.unwrap_or(tool);
    match holder.field("name").or_else(|| holder.field("toolName")) {
        Some(Json::Text(name)) if !name.is_empty() => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Json;

    fn read(text: &str) -> ToolChoice {
        let json = Json::parse(text).unwrap();
        ToolChoice::read(&Some(&json))
    }

    #[test]
    fn forms_that_are_read() {
        for (text, names, is_required) in [
            (r#""auto""#, &[][..], false),
            (r#""none""#, &[], false),
            (r#""required""#, &[], true),
            (
                r#"{"type": "function", "function": {"name": "a"}}"#,
                &["a"],
                false,
            ),
            (
                r#"{"type": "custom", "custom": {"name": "a"}}"#,
                &["a"],
                false,
            ),
            (
                r#"{"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [
                    {"type": "function", "function": {"name": "a"}}, {"type": "web_search"}, 5,
                    {"type": "function", "function": {"name": "b"}}]}}"#,
                &["a", "b"],
                false,
            ),
            (r#"{"type": "function", "name": "a"}"#, &["a"], false),
            (
                r#"{"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "a"},
                    {"type": "mcp", "server_label": "x", "name": "c"}]}"#,
                &["a"],
                false,
            ),
            (
                r#"{"type": "allowed_tools", "mode": "required", "tools": []}"#,
                &[],
                true,
            ),
            (r#"{"type": "web_search_preview"}"#, &[], false),
            (
                r#"{"type": "mcp", "server_label": "x", "name": "a"}"#,
                &[],
                false,
            ),
            (r#"{"type": "tool_search"}"#, &[], false),
            (
                r#"{"type": "any", "disable_parallel_tool_use": true}"#,
                &[],
                true,
            ),
            (r#"{"type": "tool", "name": "a"}"#, &["a"], false),
            (
                r#"{"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["a", "b"]}}"#,
                &["a", "b"],
                false,
            ),
            (
                r#"{"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}"#,
                &[],
                true,
            ),
            (
                r#"{"function_calling_config": {"mode": "any", "allowed_function_names": ["a"]}}"#,
                &["a"],
                false,
            ),
            (
                r#"{"functionCallingConfig": {"mode": "NONE", "allowedFunctionNames": ["a"]}}"#,
                &[],
                false,
            ),
            (
                r#"{"functionCallingConfig": {"streamFunctionCallArguments": true}}"#,
                &[],
                false,
            ),
            (
                r#"{"mode": "VALIDATED", "allowedFunctionNames": ["a"]}"#,
                &["a"],
                false,
            ),
            (r#"{"any": {}}"#, &[], true),
            (r#"{"auto": {}}"#, &[], false),
            (r#"{"tool": {"name": "a"}}"#, &["a"], false),
            (r#"{"type": "tool", "toolName": "a"}"#, &["a"], false),
            ("null", &[], false),
        ] {
            let wanted = ToolChoice {
                names: names.iter().map(|name| (*name).to_owned()).collect(),
                is_required,
                is_unreadable: false,
            };
            assert_eq!(read(text), wanted, "{text}");
        }
    }

    #[test]
    fn forms_that_are_not() {
        for text in [
            r#""search""#,
            "5",
            "true",
            "[]",
            "{}",
            r#"{"type": "function"}"#,
            r#"{"type": "tool", "name": ""}"#,
            r#"{"type": 5}"#,
            r#"{"mode": "often"}"#,
            r#"{"name": "a"}"#,
            r#"{"type": "allowed_tools", "tools": []}"#,
        ] {
            assert!(read(text).is_unreadable, "{text}");
        }
    }
}
