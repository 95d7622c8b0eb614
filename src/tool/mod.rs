//! A tool definition as a host wrote it, in whatever shape.
//!
//! Each shape has a file of its own that says how it is recognised, where its parts stand and how
//! it is written. A new shape is a new file and its line in `shapes`.

mod neutral;
mod openai_chat;

use crate::value::{Json, Kind, OTHERS, Value};

/// The keys by which a definition says that it is deferred.
const MARKERS: [&str; 3] = ["deferred", "deferLoading", "defer_loading"];
/// What people write when they mean one of [`MARKERS`], without case and separators.
const NEAR_MARKERS: [&str; 8] = [
    "defer",
    "deferred",
    "deferload",
    "deferloading",
    "deferredloading",
    "isdeferred",
    "lazy",
    "lazyload",
];
/// The key by which a host says whose tool it is.
const SERVER: &str = "server";

/// What stands at one place of the host's array.
#[derive(Clone, Debug)]
pub enum Read {
    /// A tool that can be withheld and found.
    Tool(Box<Definition>),
    /// A tool that the provider runs itself, or of a kind that has no schema: sent as it is.
    Hosted {
        /// What it calls itself, if anything.
        name: Option<String>,
        /// The length of its JSON, in bytes.
        bytes: usize,
    },
    /// Nothing that can be read as a tool: sent as it is, with a warning.
    Broken {
        /// Its name, if that much could be read.
        name: Option<String>,
        /// Why it can't be read.
        reason: String,
        /// The length of its JSON, in bytes.
        bytes: usize,
    },
}

impl Read {
    /// The name, as far as it can be read.
    pub fn name(&self) -> Option<&str> {
        match self {
            Read::Tool(definition) => Some(&definition.name),
            Read::Hosted { name, .. } | Read::Broken { name, .. } => name.as_deref(),
        }
    }

    /// The path to a tool's schema, whether or not something stands there.
    pub fn schema_at(&self) -> Option<&[&'static str]> {
        match self {
            Read::Tool(definition) => Some(&definition.schema_at),
            Read::Hosted { .. } | Read::Broken { .. } => None,
        }
    }
}

/// A definition's parts, and where they stand.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The name, exactly as it was given.
    pub name: String,
    /// What it does, in the author's words.
    pub description: Option<String>,
    /// A name for people, where the shape has one.
    pub title: Option<String>,
    /// The path to the JSON Schema of its parameters, whether or not something stands there.
    pub schema_at: Vec<&'static str>,
    /// What the definition's own marker says; `None` when it has none.
    pub mark: Option<bool>,
    /// The server that the host named on the object.
    pub server: Option<String>,
    /// The shape it was written in.
    pub shape: &'static str,
    /// The paths of the keys that are ours and must not go on the wire.
    pub ours: Vec<Vec<&'static str>>,
    /// Keys that look like a misspelt marker.
    pub near_marks: Vec<String>,
    /// Keys of texts that are none, or refuse to be read.
    pub unreadable: Vec<&'static str>,
    /// Markers that are neither true nor false.
    pub idle_marks: Vec<&'static str>,
}

/// Where a shape keeps its parts.
struct Found<V> {
    /// The object that holds name and description, where that is not the definition itself.
    holder: Option<Holder<V>>,
    /// The path to the holder.
    holder_at: &'static [&'static str],
    /// The path to the schema.
    schema_at: Vec<&'static str>,
    /// A name for people.
    title: Option<String>,
    shape: &'static str,
}

/// How a definition goes out.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The definition, without its schema.
    pub template: Json,
    /// Where in the template the schema belongs.
    pub schema_at: &'static [&'static str],
}

/// What names a format takes.
#[derive(Clone, Copy, Debug)]
pub struct NameRule {
    /// The longest name, in characters.
    pub longest: usize,
    /// True for a character that may stand in a name.
    pub allows: fn(char) -> bool,
    /// The rule in words, for a warning.
    pub words: &'static str,
}

impl NameRule {
    /// Why the format would refuse `name`, or `None` when it takes it.
    pub fn fault(&self, name: &str, longest: usize) -> Option<String> {
        let length = name.chars().count();
        if length > longest {
            Some(format!("has {length} characters, at most {longest} go out"))
        } else if !name.chars().all(self.allows) {
            Some(format!(
                "holds characters that {} does not take",
                self.words
            ))
        } else {
            None
        }
    }
}

/// A shape on the wire.
#[derive(Debug)]
pub struct Wire {
    /// The format's name.
    pub format: &'static str,
    /// True for a definition of this shape, which then passes as it is.
    pub shape: &'static str,
    /// Writes a definition from its parts.
    pub write: fn(name: &str, description: Option<&str>) -> Written,
    /// The names that it takes.
    pub names: NameRule,
}

/// The shapes that a definition is looked for in, in this order.
fn shapes<V: Value>(outer: &Holder<V>) -> Option<Found<V>> {
    openai_chat::find(outer).or_else(|| neutral::find(outer))
}

/// The formats that can go out.
pub const WIRES: &[&Wire] = &[&openai_chat::WIRE];

/// The format of this name.
pub fn wire(format: &str) -> Option<&'static Wire> {
    WIRES.iter().find(|wire| wire.format == format).copied()
}

/// What a definition may hold: what is read, and what MCP, the providers and frameworks put beside
/// it. Whatever else it holds may be a misspelt marker.
const KEYS: [&str; 24] = [
    "type",
    "name",
    "title",
    "description",
    "function",
    "inputSchema",
    "input_schema",
    "parameters",
    "annotations",
    "deferred",
    "deferLoading",
    "defer_loading",
    "server",
    "strict",
    "outputSchema",
    "_meta",
    "icons",
    "execution",
    "execute",
    "custom",
    "cache_control",
    "providerOptions",
    "id",
    "tags",
];

/// An object of which it is known what it holds, so that what is not there costs no look.
struct Holder<V> {
    value: V,
    present: u32,
}

impl<V: Value> Holder<V> {
    fn of(value: V) -> Holder<V> {
        let present = value.present(&KEYS);
        Holder { value, present }
    }
    fn has(&self, key: &'static str) -> bool {
        KEYS.iter()
            .position(|known| *known == key)
            .is_none_or(|bit| self.present >> bit & 1 == 1)
    }
    fn get(&self, key: &'static str) -> V {
        self.at(key).unwrap_or_else(V::absent)
    }
    /// The value of a key, if it is there: what is not need not be asked what it is.
    fn at(&self, key: &'static str) -> Option<V> {
        self.has(key).then(|| self.value.get(key))
    }
    /// What stands there; nothing is looked at where the key is not.
    fn kind(&self, key: &'static str) -> Kind {
        if self.has(key) {
            self.value.kind_at(key)
        } else {
            Kind::Absent
        }
    }
    fn text_at(&self, key: &'static str) -> Option<String> {
        self.has(key).then(|| self.value.text_at(key)).flatten()
    }
    /// Names of properties that are not among [`KEYS`].
    fn others(&self) -> Vec<String> {
        if self.present & OTHERS == 0 {
            return Vec::new();
        }
        let mut keys = self.value.keys();
        keys.retain(|key| !KEYS.contains(&key.as_str()));
        keys
    }
}

/// Reads one element of the host's array.
pub fn read<V: Value>(value: &V) -> Read {
    let bytes = || value.json_text().map_or(0, |text| text.len());
    let broken = |name: Option<String>, reason: &str| Read::Broken {
        name,
        reason: reason.to_owned(),
        bytes: bytes(),
    };
    if value.kind() != Kind::Object {
        return broken(None, "it is not an object");
    }
    let outer = Holder::of(value.clone());
    let Some(found) = shapes(&outer) else {
        return match outer.text_at("type") {
            Some(kind) if kind == openai_chat::KIND => {
                broken(outer.text_at("name"), "it has no function that can be read")
            }
            Some(kind) => Read::Hosted {
                name: outer
                    .text_at("name")
                    .or_else(|| openai_chat::custom_name(&outer))
                    .or(Some(kind)),
                bytes: bytes(),
            },
            None => broken(None, "it has no name"),
        };
    };
    let holder = found.holder.as_ref().unwrap_or(&outer);
    let name = match holder.text_at("name") {
        Some(name) if !name.is_empty() => name,
        _ => {
            return broken(None, "its name is empty or can't be read");
        }
    };
    let mut mark = None;
    let mut ours = Vec::new();
    let mut near_marks = Vec::new();
    let mut idle_marks = Vec::new();
    let nested = found
        .holder
        .as_ref()
        .map(|holder| (holder, found.holder_at));
    for (place, at) in [(&outer, &[][..])].into_iter().chain(nested) {
        for key in MARKERS.into_iter().filter(|key| place.has(key)) {
            let marker = place.get(key);
            let flag = marker.flag();
            if flag.is_none() {
                if !marker.exists() {
                    continue;
                }
                idle_marks.push(key);
            }
            mark = mark.or(flag);
            ours.push([at, &[key]].concat());
        }
        for key in place.others() {
            let plain: String = key
                .chars()
                .filter(char::is_ascii_alphanumeric)
                .map(|c| c.to_ascii_lowercase())
                .collect();
            if NEAR_MARKERS.contains(&plain.as_str()) {
                near_marks.push(key);
            }
        }
    }
    let server = outer.text_at(SERVER);
    if server.is_some() || outer.kind(SERVER) != Kind::Absent {
        ours.push(vec![SERVER]);
    }
    let description = holder.text_at("description");
    let is_none = |kind: Kind| matches!(kind, Kind::Absent | Kind::Null | Kind::Text);
    let unreadable = [
        (holder, "description", description.is_some()),
        (&outer, SERVER, server.is_some()),
    ]
    .into_iter()
    .filter(|(place, key, is_text)| !is_text && !is_none(place.kind(key)))
    .map(|(_, key, _)| key)
    .collect();
    Read::Tool(Box::new(Definition {
        name,
        unreadable,
        description,
        title: found.title,
        schema_at: found.schema_at,
        mark,
        server: server.filter(|server| !server.is_empty()),
        shape: found.shape,
        ours,
        near_marks,
        idle_marks,
    }))
}
