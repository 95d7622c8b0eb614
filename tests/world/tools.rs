//! Tools, names, texts and queries.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Plain, json};
use toolcrib::value::Json;

use super::read;

/// Words of names and texts: inflected forms, identifiers, several scripts, words that say nothing.
pub const WORDS: [&str; 44] = [
    "create",
    "creates",
    "creating",
    "invoice",
    "invoices",
    "issue",
    "issues",
    "file",
    "files",
    "read",
    "search",
    "list",
    "user",
    "users",
    "repo",
    "github",
    "s3",
    "oauth2",
    "HTTPServer",
    "createInvoice",
    "v2",
    "the",
    "a",
    "find",
    "get",
    "to",
    "send",
    "message",
    "messages",
    "2024",
    "创建",
    "发票",
    "工单",
    "파일을",
    "поиск",
    "счёт",
    "résumé",
    "don't",
    "user's",
    "URLs",
    "3DModel",
    "พยากรณ์",
    "delete",
    "authorize",
];

/// Words that names are made of.
pub const NAME_WORDS: [&str; 16] = [
    "create", "invoice", "invoices", "issue", "file", "read", "search", "list", "user", "repo",
    "s3", "oauth2", "get", "message", "v2", "all",
];

/// How a parameter's own schema lies within the tool's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Nesting {
    Properties,
    Items,
    AnyOf,
    Defs,
}

/// A parameter of a tool.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    pub title: Option<String>,
    pub text: Option<String>,
    pub values: Vec<String>,
    /// Parameters of the parameter, and where they stand.
    pub inner: Vec<Parameter>,
    pub nesting: Nesting,
    /// What the schema around the inner parameters says of itself, where it is nobody's own.
    pub aside: Option<String>,
}

impl Parameter {
    /// What of `aside` stands in the schema.
    pub fn said_aside(&self) -> Option<&String> {
        let has_place = !self.inner.is_empty() && self.nesting != Nesting::Properties;
        self.aside.as_ref().filter(|_| has_place)
    }
}

/// In which shape a definition is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    Neutral,
    Mcp,
    OpenaiChat,
}

/// A tool, in parts that an oracle can take without reading a definition.
#[derive(Clone, Debug)]
pub struct Tool {
    pub name: String,
    pub title: Option<String>,
    /// The first sentence of the description, with its end.
    pub first: String,
    /// The rest of it.
    pub rest: String,
    pub parameters: Vec<Parameter>,
    pub server: Option<String>,
    pub mark: Option<bool>,
    pub shape: Shape,
}

impl Tool {
    /// A deferred tool of this name and description, and nothing else.
    pub fn plain(name: &str, description: &str) -> Tool {
        Tool {
            name: name.to_owned(),
            title: None,
            first: description.to_owned(),
            rest: String::new(),
            parameters: Vec::new(),
            server: None,
            mark: Some(true),
            shape: Shape::Neutral,
        }
    }

    /// The definition as the host wrote it, and its schema's text.
    pub fn definition(&self) -> (Json, Option<String>) {
        let schema = (!self.parameters.is_empty()).then(|| {
            // What the whole says of itself is the tool's, which has a description of its own.
            schema_of(&self.parameters, Some("create an invoice"))
        });
        let mut definition =
            json!({"name": self.name, "description": format!("{}{}", self.first, self.rest)});
        match self.shape {
            Shape::Neutral => {
                if let Some(title) = &self.title {
                    definition["title"] = json!(title);
                }
                if let Some(schema) = &schema {
                    definition["parameters"] = schema.clone();
                }
            }
            Shape::Mcp => {
                if let Some(title) = &self.title {
                    definition["annotations"] = json!({"title": title, "readOnlyHint": true});
                }
                definition["inputSchema"] = schema.clone().unwrap_or(json!({"type": "object"}));
            }
            Shape::OpenaiChat => {
                if let Some(schema) = &schema {
                    definition["parameters"] = schema.clone();
                }
                definition = json!({"type": "function", "function": definition});
            }
        }
        if let Some(mark) = self.mark {
            definition["deferLoading"] = json!(mark);
        }
        if let Some(server) = &self.server {
            definition["server"] = json!(server);
        }
        (read(&definition), schema.map(|schema| schema.to_string()))
    }

    /// True where the shape has a place for a title.
    pub fn shows_title(&self) -> bool {
        self.shape != Shape::OpenaiChat
    }
}

fn schema_of(parameters: &[Parameter], says: Option<&str>) -> Plain {
    let mut properties = serde_json::Map::new();
    for parameter in parameters {
        let mut schema = json!({"type": "string"});
        if let Some(title) = &parameter.title {
            schema["title"] = json!(title);
        }
        if let Some(text) = &parameter.text {
            schema["description"] = json!(text);
        }
        if !parameter.values.is_empty() {
            schema["enum"] = json!(parameter.values);
        }
        if !parameter.inner.is_empty() {
            let inner = schema_of(&parameter.inner, parameter.aside.as_deref());
            match parameter.nesting {
                Nesting::Properties => schema["properties"] = inner["properties"].clone(),
                Nesting::Items => schema["items"] = inner,
                Nesting::AnyOf => schema["anyOf"] = json!([{"type": "null"}, inner]),
                Nesting::Defs => schema["$defs"] = json!({"Inner": inner}),
            }
        }
        properties.insert(parameter.name.clone(), schema);
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if let Some(says) = says {
        schema["description"] = json!(says);
    }
    schema
}

/// Some words with spaces between.
pub fn sentence(least: usize, most: usize) -> impl Strategy<Value = String> {
    vec(select(&WORDS[..]), least..=most).prop_map(|words| words.join(" "))
}

/// A name as servers write them: a few words in some convention, perhaps after a prefix.
pub fn name() -> impl Strategy<Value = String> {
    const PREFIXES: [&str; 9] = [
        "",
        "",
        "",
        "github__",
        "mcp__github__",
        "slack__",
        "acme.",
        "fs/",
        "acme.billing.",
    ];
    (
        select(&PREFIXES[..]),
        vec(select(&NAME_WORDS[..]), 1..=3),
        0..5_u8,
    )
        .prop_map(|(prefix, words, convention)| format!("{prefix}{}", spell(&words, convention)))
}

/// Words in a convention: snake, camel, kebab, Pascal, capitals.
pub fn spell(words: &[&str], convention: u8) -> String {
    let capital = |word: &str| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    };
    match convention {
        0 => words.join("_"),
        1 => {
            words[0].to_owned()
                + &words[1..]
                    .iter()
                    .map(|word| capital(word))
                    .collect::<String>()
        }
        2 => words.join("-"),
        3 => words.iter().map(|word| capital(word)).collect(),
        _ => words.join("_").to_uppercase(),
    }
}

fn parameters(depth: u32) -> BoxedStrategy<Vec<Parameter>> {
    let inner = if depth == 0 {
        Just(Vec::new()).boxed()
    } else {
        prop_oneof![3 => Just(Vec::new()), 1 => parameters(depth - 1)].boxed()
    };
    const NESTINGS: [Nesting; 4] = [
        Nesting::Properties,
        Nesting::Items,
        Nesting::AnyOf,
        Nesting::Defs,
    ];
    let parameter = (
        prop_oneof![select(&WORDS[..]).prop_map(str::to_owned), name()],
        proptest::option::weighted(0.2, sentence(1, 2)),
        proptest::option::weighted(0.6, sentence(1, 5)),
        prop_oneof![3 => Just(Vec::new()), 1 => vec(sentence(1, 1), 1..3)],
        inner,
        select(&NESTINGS[..]),
        proptest::option::weighted(0.5, sentence(1, 3)),
    )
        .prop_map(
            |(name, title, text, values, inner, nesting, aside)| Parameter {
                name,
                title,
                text,
                values,
                inner,
                nesting,
                aside,
            },
        );
    vec(parameter, 0..=3)
        .prop_map(|mut parameters| {
            // A property is one, whatever order they come in.
            parameters.sort_by(|a, b| a.name.cmp(&b.name));
            parameters.dedup_by(|a, b| a.name == b.name);
            parameters
        })
        .boxed()
}

/// A tool; `mark` says how it is marked.
pub fn tool(mark: impl Strategy<Value = Option<bool>>) -> impl Strategy<Value = Tool> {
    const ENDS: [&str; 5] = [". ", "! ", "? ", "\n", "。"];
    (
        name(),
        proptest::option::weighted(0.3, sentence(1, 3)),
        prop_oneof![1 => Just(String::new()), 8 => (sentence(1, 6), select(&ENDS[..])).prop_map(|(words, end)| words + end)],
        prop_oneof![Just(String::new()), sentence(1, 12)],
        parameters(2),
        proptest::option::weighted(0.4, select(&["github", "slack", "acme"][..])),
        mark,
        select(&[Shape::Neutral, Shape::Mcp, Shape::OpenaiChat][..]),
    )
        .prop_map(|(name, title, first, rest, parameters, server, mark, shape)| Tool {
            rest: if first.is_empty() { String::new() } else { rest },
            name,
            title,
            first,
            parameters,
            server: server.map(str::to_owned),
            mark,
            shape,
        })
}

/// Tools of different names.
pub fn catalogue(
    mark: impl Strategy<Value = Option<bool>>,
    most: usize,
) -> impl Strategy<Value = Vec<Tool>> {
    vec(tool(mark), 1..=most).prop_map(|mut tools| {
        let mut seen = std::collections::BTreeSet::new();
        tools.retain(|tool| seen.insert(tool.name.clone()));
        tools
    })
}

/// Every tool deferred.
pub fn deferred() -> impl Strategy<Value = Option<bool>> {
    Just(Some(true))
}

/// Deferred, resident, or without a mark, which is resident too.
pub fn mixed() -> impl Strategy<Value = Option<bool>> {
    prop_oneof![4 => Just(Some(true)), 1 => Just(Some(false)), 1 => Just(None)]
}

/// A query: words, names, lists of names, `select:`, or any text.
pub fn query() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => sentence(1, 6),
        2 => name(),
        1 => vec(name(), 1..4).prop_map(|names| names.join(", ")),
        1 => vec(name(), 2..4).prop_map(|names| names.join(";")),
        1 => vec(name(), 1..4).prop_map(|names| format!("select:{}", names.join(","))),
        1 => (sentence(1, 2), name()).prop_map(|(words, name)| format!("{words} {name}")),
        1 => any_text(),
    ]
}

/// Any text, biased to where Unicode is interesting.
pub fn any_text() -> impl Strategy<Value = String> {
    let blocks = prop_oneof![
        4 => 0x20_u32..0x7F,
        2 => 0xC0_u32..0x250,
        1 => 0x300_u32..0x370,
        1 => 0x370_u32..0x530,
        1 => 0x590_u32..0x700,
        1 => 0x900_u32..0x1200,
        1 => 0x1780_u32..0x1800,
        1 => 0x2000_u32..0x2200,
        1 => 0x3000_u32..0x3200,
        1 => 0x4E00_u32..0x4E40,
        1 => 0xAC00_u32..0xAD00,
        1 => 0xFE00_u32..0x10000,
        1 => 0x1D400_u32..0x1D800,
        1 => 0_u32..0x110000,
    ];
    vec(blocks, 0..24).prop_map(|codes| codes.into_iter().filter_map(char::from_u32).collect())
}
