//! Every form in which a search result was ever written, whatever the format: a conversation that was
//! searched in one format or delivery and goes on in another keeps what was loaded.

use super::Named;
use crate::value::{Json, Kind, Look, Value, head};

/// How deep wrappers and texts within them are read.
const DEPTH: u8 = 5;
/// So many characters of a text are read. A result of ours has more only where it shows the parameters of a single tool,
/// whose name stands before them; that of anyone else is not worth the time.
const LONGEST: usize = 1 << 16;
/// Where what a tool said lies in what frameworks put around it.
const WRAPPERS: [&str; 4] = ["value", "output", "result", "content"];

/// Where a value comes from: the further down, the more it says.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum From {
    /// A text. There a list alone may be anything, unless its items have a type.
    Text,
    /// What a tool gave, which the provider reads as data.
    Data,
    /// What the provider itself acts on.
    Wire,
    /// What the provider itself found. It says so by references and definitions, never in a text.
    Hosted,
}

/// The names that the content of a search result loads; `None` when it is none, or says that the search
/// failed.
pub fn names<V: Value>(content: &V) -> Option<Vec<Named>> {
    let mut names = Vec::new();
    gather(content, From::Wire, DEPTH, &mut names).then_some(names)
}

/// The same of a search that the provider ran.
pub fn hosted_names<V: Value>(content: &V) -> Option<Vec<Named>> {
    let mut names = Vec::new();
    gather(content, From::Hosted, DEPTH, &mut names).then_some(names)
}

/// True when the content says that the call failed: an object with an `error`.
pub fn is_failure<V: Value>(content: &V) -> bool {
    match content.kind() {
        Kind::Object => has_error(content),
        Kind::Array => V::parse(&joined(content), &mut Fails),
        _ => content.parsed(&mut Fails),
    }
}

struct Fails;

impl Look for Fails {
    fn look<V: Value>(&mut self, value: &V) -> bool {
        has_error(value)
    }
}

/// An error beside or in place of what was asked for, or the type of one.
fn has_error<V: Value>(content: &V) -> bool {
    !matches!(content.kind_at("error"), Kind::Absent | Kind::Null)
        || content.text_at("type").is_some_and(|kind| {
            [
                "error-text",
                "error-json",
                "execution-denied",
                "tool_search_tool_result_error",
            ]
            .contains(&kind.as_str())
        })
}

/// The texts of the parts of a content, joined.
fn joined<V: Value>(parts: &V) -> String {
    (0..parts.len())
        .filter_map(|index| parts.at(index).text_at("text"))
        .collect()
}

/// Whether there is a list of names, whose names are then among `names`.
fn gather<V: Value>(content: &V, from: From, depth: u8, names: &mut Vec<Named>) -> bool {
    match content.kind() {
        _ if depth == 0 => false,
        Kind::Text if from == From::Hosted => false,
        Kind::Text => match content.head(LONGEST) {
            Some(head) => cut(&head, names),
            None => {
                content.parsed(&mut Said { depth, names })
                    || content.text().is_some_and(|text| cut(&text, names))
            }
        },
        Kind::Array => {
            if listed(content, "", from, from == From::Text, depth, names) {
                return true;
            }
            let first = content.at(0).get("text");
            if from == From::Hosted {
                false
            } else if content.len() == 1 {
                // Where it lies, as most are.
                first.kind() == Kind::Text && gather(&first, from, depth, names)
            } else {
                let text = joined(content);
                match head(&text, LONGEST) {
                    Some(head) => cut(head, names),
                    None => V::parse(&text, &mut Said { depth, names }) || cut(&text, names),
                }
            }
        }
        Kind::Object if !has_error(content) => {
            for key in ["loaded", "tools", "tool_references"] {
                let list = content.get(key);
                if list.kind() == Kind::Array {
                    listed(&list, "", from, false, depth, names);
                    return true;
                }
            }
            // In a text an object around a list may be anything, unless it has a type or is what Gemini takes for a response.
            let kind = content.text_at("type");
            if from == From::Text && kind.is_none() && content.keys(2) != ["output"] {
                return false;
            }
            let is_data = from == From::Wire && kind.is_some_and(|kind| kind == "json");
            let from = if is_data { From::Data } else { from };
            WRAPPERS
                .iter()
                .any(|key| gather(&content.get(key), from, depth - 1, names))
        }
        _ => false,
    }
}

/// Notes the names of a text that was cut short.
fn cut(text: &str, names: &mut Vec<Named>) -> bool {
    let whole = Json::names_before_cut(text).into_iter();
    let known = names.len();
    names.extend(whole.map(|name| plain(&name)));
    names.len() > known
}

/// A name with nothing beside it.
fn plain(name: &str) -> Named {
    Named {
        name: name.to_owned(),
        native: false,
        defined: false,
        schema: false,
    }
}

struct Said<'a> {
    depth: u8,
    names: &'a mut Vec<Named>,
}

impl Look for Said<'_> {
    fn look<V: Value>(&mut self, value: &V) -> bool {
        value.kind() != Kind::Text && gather(value, From::Text, self.depth - 1, self.names)
    }
}

/// What an item of a list may have beside a name, so that what is not there costs no look.
const ITEM: [&str; 8] = [
    "type",
    "function",
    "json",
    "text",
    "parameters",
    "input_schema",
    "inputSchema",
    "parametersJsonSchema",
];
const SCHEMAS: u32 = 0b1111_0000;

/// Whether the list holds names: definitions, references, or objects that have them; those only that
/// have a type where `typed`.
fn listed<V: Value>(
    list: &V,
    namespace: &str,
    from: From,
    typed: bool,
    depth: u8,
    names: &mut Vec<Named>,
) -> bool {
    let known = names.len();
    let is_open = !typed && from != From::Hosted;
    if let (true, Some(lines)) = (is_open, list.lines("name", &ITEM)) {
        names.extend(lines.split_terminator('\n').map(plain));
        return names.len() > known;
    }
    let mut holds = false;
    for index in 0..list.len() {
        let mut item = list.at(index);
        let mut present = item.present(&ITEM);
        let kind = match present & 1 {
            0 => String::new(),
            _ => item.text_at("type").unwrap_or_default(),
        };
        let mut is_read = from >= From::Wire;
        let mut defined = false;
        let name = match kind.as_str() {
            "text" => continue,
            "tool_reference" => {
                let mut keys = ["tool_name", "toolName", "name"].iter();
                keys.find_map(|key| item.text_at(key))
            }
            "namespace" if namespace.is_empty() => {
                let inner = item.text_at("name").unwrap_or_default();
                listed(&item.get("tools"), &inner, from, typed, depth, names);
                continue;
            }
            _ => {
                // Some providers take definitions from what is data to a framework.
                defined = matches!(kind.as_str(), "function" | "custom");
                is_read = from > From::Text && defined;
                if present & 0b10 != 0 && item.kind_at("function") == Kind::Object {
                    item = item.get("function");
                    present = item.present(&ITEM);
                }
                let own = item.text_at("name");
                if own.is_none() && kind == "custom" {
                    is_read = from >= From::Wire;
                    defined = false;
                    let reference = item.path(super::CUSTOM);
                    reference.text_at("toolName")
                } else {
                    own
                }
            }
        };
        let Some(mut name) = name else {
            if present & 0b100 != 0 {
                let from = if from == From::Wire { From::Data } else { from };
                // A search that found nothing is one too.
                holds |= gather(&item.get("json"), from, depth - 1, names);
            }
            continue;
        };
        let is_hosted = || matches!(kind.as_str(), "tool_reference" | "function" | "custom");
        if typed && kind.is_empty() || from == From::Hosted && !is_hosted() {
            continue;
        }
        if !namespace.is_empty() {
            name = [namespace, "__", &name].concat();
        }
        names.push(Named {
            name,
            native: is_read,
            defined,
            schema: present & SCHEMAS != 0,
        });
    }
    holds || names.len() > known
}
