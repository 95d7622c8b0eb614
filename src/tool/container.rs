//! What definitions stand in: an array, a record, or what a provider or a server puts around them.

use super::{MARKERS, SERVER};
use crate::value::{KEYS as MOST_KEYS, Kind, Value};

/// Where a definition stood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// Its key in a record.
    pub key: Option<String>,
    /// Its namespace.
    pub namespace: Option<Namespace>,
    /// It stood among function declarations.
    pub is_declaration: bool,
    /// It is what else an object holds that has function declarations.
    pub is_rest: bool,
    /// What a mark beside its declarations says of all of them.
    pub mark: Option<bool>,
    /// It stood in a server's reply to `tools/list`: what it says of itself is the server's word and not the host's.
    pub is_listed: bool,
}

/// Tools of one namespace are called by a name within it.
#[derive(Clone, Debug, PartialEq)]
pub struct Namespace {
    /// Its name.
    pub name: String,
    /// What its tools are for.
    pub description: Option<String>,
}

impl Namespace {
    /// What a tool in it is called by the host, and where there are no namespaces: MCP hosts join a server and its tool so.
    pub fn qualified(&self, name: &str) -> String {
        [&self.name, "__", name].concat()
    }
}

/// More tools than any record holds that a person or a server wrote.
const MOST: usize = 1 << 20;

/// The definitions in what a host gives as its tools, each with where it stood. Whatever is no container is one.
pub fn flatten<V: Value>(tools: &V) -> Vec<(V, Origin)> {
    let mut all = Vec::new();
    match tools.kind() {
        Kind::Array => list(tools, &mut all),
        Kind::Object => {
            // A `tools/list` reply as it is or in its envelope, Bedrock's `toolConfig` with or without its name.
            let paths: [&[&str]; 3] = [&["tools"], &["result", "tools"], &["toolConfig", "tools"]];
            let mut inner = paths.into_iter().map(|path| (path[0], tools.path(path)));
            if tools.get("type").is("namespace") {
                element(tools.clone(), &mut all);
            } else if let Some((key, inner)) = inner.find(|(_, inner)| inner.kind() == Kind::Array)
            {
                list(&inner, &mut all);
                if key != "toolConfig" {
                    listed(&mut all);
                }
            } else if tools.get("functionDeclarations").kind() == Kind::Array
                || ["name", "type"]
                    .iter()
                    .any(|key| tools.kind_at(key) == Kind::Text)
                || ["function", "toolSpec"]
                    .iter()
                    .any(|key| tools.get(key).kind_at("name") == Kind::Text)
            {
                element(tools.clone(), &mut all);
            } else {
                record(tools, &mut all);
            }
        }
        _ => {}
    }
    all
}

/// What an element of an array is told by: that it holds definitions, or that it is one.
const KEYS: [&str; 8] = [
    "functionDeclarations",
    "tools",
    "toolConfig",
    "name",
    "type",
    "function",
    "toolSpec",
    "cachePoint",
];
const HOLDS: u32 = 0b111;
const IS_ONE: u32 = 0b1111_1000;

fn list<V: Value>(tools: &V, all: &mut Vec<(V, Origin)>) {
    for index in 0..tools.len() {
        element(tools.at(index), all);
    }
}

fn element<V: Value>(tool: V, all: &mut Vec<(V, Origin)>) {
    // One look for the many that are no container.
    let present = tool.present(&KEYS);
    if present & HOLDS == 0 {
        if present & IS_ONE == 0 && is_record(&tool) {
            return record(&tool, all);
        }
        return all.push((tool, Origin::default()));
    }
    let declarations = tool.get("functionDeclarations");
    if declarations.kind() == Kind::Array {
        let mark = MARKERS.iter().find_map(|key| tool.get(key).flag());
        for index in 0..declarations.len() {
            let origin = Origin {
                is_declaration: true,
                mark,
                ..Origin::default()
            };
            all.push((declarations.at(index), origin));
        }
        let is_ours = |key: &String| key == SERVER || MARKERS.contains(&key.as_str());
        let mut others = tool.keys(MOST_KEYS);
        others.retain(|key| key != "functionDeclarations" && !is_ours(key));
        if !others.is_empty() {
            let origin = Origin {
                is_rest: true,
                ..Origin::default()
            };
            all.push((tool, origin));
        }
        return;
    }
    let inner = tool.get("tools");
    if inner.kind() == Kind::Array && tool.get("type").is("namespace") {
        let namespace = tool.text_at("name").map(|name| Namespace {
            name,
            description: tool.text_at("description"),
        });
        for index in 0..inner.len() {
            let origin = Origin {
                namespace: namespace.clone(),
                ..Origin::default()
            };
            all.push((inner.at(index), origin));
        }
        return;
    }
    // The replies of several servers, one beside the other. What has a name is a tool that calls a parameter so.
    let inner = [inner, tool.path(&["toolConfig", "tools"])];
    let inner = inner.into_iter().find(|inner| inner.kind() == Kind::Array);
    match inner.filter(|_| present & IS_ONE == 0) {
        Some(inner) => {
            let first = all.len();
            for index in 0..inner.len() {
                all.push((inner.at(index), Origin::default()));
            }
            if tool.kind_at("tools") == Kind::Array {
                listed(all.get_mut(first..).unwrap_or_default());
            }
        }
        None => all.push((tool, Origin::default())),
    }
}

fn listed<V>(replied: &mut [(V, Origin)]) {
    for (_, origin) in replied {
        origin.is_listed = true;
    }
}

/// True for an object of definitions by their names: its first holds what a definition does.
fn is_record<V: Value>(value: &V) -> bool {
    if value.kind() != Kind::Object {
        return false;
    }
    let keys = value.keys(1);
    let Some(first) = keys.first().map(|key| value.member(key)) else {
        return false;
    };
    first.kind() == Kind::Object
        && first.present(&["inputSchema", "parameters", "execute"]) & 0b111 != 0
}

fn record<V: Value>(tools: &V, all: &mut Vec<(V, Origin)>) {
    for key in tools.keys(MOST) {
        let origin = Origin {
            key: Some(key.clone()),
            ..Origin::default()
        };
        all.push((tools.member(&key), origin));
    }
}
