//! A tool definition as a host wrote it, in whatever shape.
//!
//! Each shape has a file of its own that says how it is recognised, where its parts stand and how
//! it is written. A new shape is a new file and its line in `shapes`.

mod ai_sdk;
mod anthropic;
mod bedrock;
mod container;
mod gemini;
mod neutral;
mod openai_chat;
mod openai_responses;

pub(crate) use bedrock::cache_point;
pub use container::{Namespace, Origin, flatten};
pub use gemini::plain as plain_schema;

use crate::value::{Json, KEYS as MOST_KEYS, Kind, OTHERS, Value};

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
        /// It is no tool but a place up to which the provider's cache reaches.
        is_cache_point: bool,
        /// It also holds function declarations, which stand on their own here.
        is_rest: bool,
        /// It is a search that the provider runs, by the id that the AI SDK gives it.
        searches: bool,
        /// The paths of keys in it that are ours and must not go on the wire.
        ours: Vec<Vec<&'static str>>,
        /// The provider's cache reaches up to here.
        is_breakpoint: bool,
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
    /// It stood in a server's reply and says of itself what only the host can say.
    pub marks_itself: bool,
    /// Whether the provider must hold the model to the schema, where the shape can say so.
    pub strict: Option<bool>,
    /// Where the definition says that the provider's cache reaches up to here.
    pub breakpoint: Option<&'static [&'static str]>,
    /// Its schema may be written in Gemini's dialect; see [`plain_schema`].
    pub has_dialect: bool,
    /// It stood among Gemini's function declarations.
    pub is_declaration: bool,
    /// The namespace that it stands in: the name is then that of both.
    pub namespace: Option<Namespace>,
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
    /// The name, where the definition itself does not hold it.
    name: Option<String>,
    /// The schema may be in Gemini's dialect.
    has_dialect: bool,
    shape: &'static str,
}

impl<V> Found<V> {
    /// A shape that keeps everything in the definition itself.
    fn flat(shape: &'static str, schema: &'static str) -> Found<V> {
        Found {
            holder: None,
            holder_at: &[],
            schema_at: vec![schema],
            title: None,
            name: None,
            has_dialect: false,
            shape,
        }
    }
}

/// What a definition is written from.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// The name on the wire.
    pub name: &'a str,
    /// What it does.
    pub description: Option<&'a str>,
    /// See [`Definition::strict`].
    pub strict: Option<bool>,
}

/// Name and description, as nearly every shape begins.
fn described(parts: &Parts<'_>) -> Vec<(String, Json)> {
    let mut entries = vec![("name".to_owned(), Json::string(parts.name))];
    // Bedrock refuses an empty one, and it tells nobody anything.
    if let Some(description) = parts.description.filter(|text| !text.is_empty()) {
        entries.push(("description".to_owned(), Json::string(description)));
    }
    entries
}

/// The type of a tool with a schema, where a shape has types.
const FUNCTION: &str = "function";

/// What most providers take.
const NAMES: NameRule = NameRule {
    longest: 64,
    starts: |_| true,
    allows: |c| c.is_ascii_alphanumeric() || c == '_' || c == '-',
    words: "the provider (letters, digits, _ and -)",
};

/// What names a format takes.
#[derive(Clone, Copy, Debug)]
pub struct NameRule {
    /// The longest name, in characters.
    pub longest: usize,
    /// True for a character that a name may begin with.
    pub starts: fn(char) -> bool,
    /// True for a character that may stand in a name.
    pub allows: fn(char) -> bool,
    /// The rule in words, for a warning.
    pub words: &'static str,
}

impl NameRule {
    /// Why the format would refuse `name`, or `None` when it takes it.
    pub fn fault(&self, name: &str, longest: usize) -> Option<String> {
        if name.is_ascii() {
            // Most are, and need no reading of characters.
            let bytes = name.as_bytes();
            let is_fine = bytes.len() <= longest
                && bytes
                    .first()
                    .is_some_and(|first| (self.starts)(char::from(*first)))
                && bytes.iter().all(|byte| (self.allows)(char::from(*byte)));
            if is_fine {
                return None;
            }
        }
        let length = name.chars().count();
        if length > longest {
            Some(format!("has {length} characters, at most {longest} go out"))
        } else if !name.chars().all(self.allows) || !name.starts_with(self.starts) {
            Some(format!(
                "holds characters that {} does not take",
                self.words
            ))
        } else {
            None
        }
    }
}

/// Where a shape says that the provider's cache reaches up to this tool.
#[derive(Clone, Copy, Debug)]
pub struct Breakpoint {
    /// The path.
    pub at: &'static [&'static str],
    /// The provider has it, so that we may set one of our own.
    pub is_own: bool,
}

/// How a provider loads tools itself. Of the two ways each provider knows one; what stands between them knows both.
#[derive(Clone, Copy, Debug)]
pub struct Native {
    /// By reference: every definition is sent, deferred ones with this flag, and a result names what it loads.
    pub reference: Option<&'static [&'static str]>,
    /// By definition: the provider's own search tool, and results that hold whole definitions.
    pub definition: Option<fn(description: &str, parameters: Json) -> Json>,
    /// By definition, and every deferred one is sent all the same, with this flag.
    pub declared: Option<&'static [&'static str]>,
}

/// A shape on the wire.
#[derive(Debug)]
pub struct Wire {
    /// The format's name.
    pub format: &'static str,
    /// True for a definition of this shape, which then passes as it is.
    pub shape: &'static str,
    /// Writes a definition from its parts, but for its schema.
    pub write: fn(&Parts<'_>) -> Json,
    /// Where a definition of this shape holds its name, if it does.
    pub name_at: &'static [&'static str],
    /// The names that it takes.
    pub names: NameRule,
    /// Where the schema belongs.
    pub schema_at: &'static [&'static str],
    /// A definition without a schema is refused, so that one of nothing is written.
    pub needs_schema: bool,
    /// Where a cache breakpoint stands, where it stands in a definition.
    pub breakpoint: Option<Breakpoint>,
    /// Breakpoints are entries among the tools.
    pub has_cache_points: bool,
    /// How its provider loads tools itself, if it can.
    pub native: Option<Native>,
}

impl Wire {
    /// The provider bills what its cache writes, so that a change of the tools costs more than a definition.
    pub fn bills_cache(&self) -> bool {
        self.has_cache_points || self.breakpoint.is_some_and(|breakpoint| breakpoint.is_own)
    }

    /// The format is one provider's, whose models load by reference: Anthropic's.
    pub fn is_anthropics(&self) -> bool {
        self.native
            .is_some_and(|native| native.definition.is_none())
    }
}

/// The shapes that a definition is looked for in, in this order: those first that can't be taken for another.
fn shapes<V: Value>(outer: &Holder<V>, key: Option<&str>) -> Option<Found<V>> {
    openai_chat::find(outer)
        .or_else(|| bedrock::find(outer))
        .or_else(|| openai_responses::find(outer))
        .or_else(|| ai_sdk::find(outer, key))
        .or_else(|| anthropic::find(outer))
        .or_else(|| gemini::find(outer))
        .or_else(|| neutral::find(outer))
}

/// The formats that can go out.
pub const WIRES: &[&Wire] = &[
    &openai_chat::WIRE,
    &openai_responses::WIRE,
    &anthropic::WIRE,
    &gemini::WIRE,
    &bedrock::WIRE,
    &ai_sdk::WIRE,
    &neutral::WIRE,
];

/// The shape in which a provider reads whole definitions in a result.
pub const IN_RESULTS: &Wire = &openai_responses::WIRE;

/// The format of this name.
pub fn wire(format: &str) -> Option<&'static Wire> {
    WIRES.iter().find(|wire| wire.format == format).copied()
}

/// The provider's shape that definitions are in, and the first of them; two where they are in several. The neutral shape
/// says nothing of the wire, nor does `parameters` beside a name, which catalogues on disk have as well as Gemini.
pub fn evidence(reads: &[Read]) -> Vec<(&'static str, &str)> {
    let mut seen: Vec<(&'static str, &str)> = Vec::new();
    for read in reads {
        if let Read::Tool(definition) = read
            && definition.shape != neutral::WIRE.shape
            && (!definition.has_dialect || definition.is_declaration)
            && !seen.iter().any(|(shape, _)| *shape == definition.shape)
        {
            seen.push((definition.shape, &definition.name));
        }
    }
    seen
}

/// What a definition may hold: what is read, and what MCP, the providers and frameworks put beside
/// it. Whatever else it holds may be a misspelt marker.
const KEYS: [&str; 29] = [
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
    "parametersJsonSchema",
    "toolSpec",
    "cachePoint",
    "toModelOutput",
    "needsApproval",
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
        for (bit, known) in KEYS.iter().enumerate() {
            if known.len() == key.len() && *known == key {
                return self.present >> bit & 1 == 1;
            }
        }
        true
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
    /// A name for people, where MCP has it.
    fn title(&self) -> Option<String> {
        self.text_at("title")
            .or_else(|| self.at("annotations")?.text_at("title"))
    }
    /// Names of properties that are not among [`KEYS`].
    fn others(&self) -> Vec<String> {
        if self.present & OTHERS == 0 {
            return Vec::new();
        }
        let mut keys = self.value.keys(MOST_KEYS);
        keys.retain(|key| !KEYS.contains(&key.as_str()));
        keys
    }
}

/// Reads a definition that stands alone.
pub fn read<V: Value>(value: &V) -> Read {
    read_from(value, &Origin::default())
}

/// Reads a definition, knowing where it stood.
pub fn read_from<V: Value>(value: &V, origin: &Origin) -> Read {
    let bytes = || value.json_text().map_or(0, |text| text.len());
    let key = origin.key.as_deref();
    let broken = |name: Option<String>, reason: &str| Read::Broken {
        name: name.or_else(|| origin.key.clone()),
        reason: reason.to_owned(),
        bytes: bytes(),
    };
    let ours_in = |place: &Holder<V>| -> Vec<Vec<&'static str>> {
        let keys = MARKERS.into_iter().chain([SERVER]);
        keys.filter(|key| place.has(key))
            .map(|key| vec![key])
            .collect()
    };
    let outer = Holder::of(value.clone());
    let hosted = |name: Option<String>, is_cache_point: bool| Read::Hosted {
        ours: ours_in(&outer),
        is_breakpoint: breakpoint(&outer).is_some(),
        name: origin.key.clone().or(name),
        bytes: bytes(),
        is_cache_point,
        is_rest: origin.is_rest,
        searches: value.text_at("id").is_some_and(|id| {
            let known = ["anthropic.tool_search", "openai.tool_search"];
            known.iter().any(|start| id.starts_with(start))
        }),
    };
    if value.kind() != Kind::Object {
        return broken(None, "it is not an object");
    }
    if origin.is_rest {
        return hosted(gemini::hosted(value).map(str::to_owned), false);
    }
    let Some(found) = shapes(&outer, key) else {
        return match outer.text_at("type") {
            Some(kind) if kind == FUNCTION => {
                broken(outer.text_at("name"), "it has no function that can be read")
            }
            Some(kind) => hosted(
                outer
                    .text_at("name")
                    .or_else(|| openai_chat::custom_name(&outer))
                    .or(Some(kind)),
                false,
            ),
            None if outer.has("cachePoint") => hosted(None, true),
            None => match gemini::hosted(value) {
                Some(name) => hosted(Some(name.to_owned()), false),
                None => broken(None, "it has no name"),
            },
        };
    };
    let holder = found.holder.as_ref().unwrap_or(&outer);
    let name = match found.name.or_else(|| holder.text_at("name")) {
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
    if outer.kind(SERVER) != Kind::Absent {
        ours.push(vec![SERVER]);
    }
    // Other shapes are a provider's, and no server's.
    let is_listed = origin.is_listed && found.shape == neutral::WIRE.shape;
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
        name: match &origin.namespace {
            Some(namespace) => namespace.qualified(&name),
            None => name,
        },
        unreadable,
        description,
        title: found.title,
        schema_at: found.schema_at,
        marks_itself: is_listed && !ours.is_empty(),
        mark: mark.filter(|_| !is_listed).or(origin.mark),
        server: server
            .filter(|server| !server.is_empty() && !is_listed)
            .or_else(|| Some(origin.namespace.as_ref()?.name.clone())),
        shape: found.shape,
        ours,
        near_marks,
        idle_marks,
        strict: holder.at("strict").and_then(|strict| strict.flag()),
        breakpoint: breakpoint(&outer),
        has_dialect: found.has_dialect,
        is_declaration: origin.is_declaration,
        namespace: origin.namespace.clone(),
    }))
}

/// Where a definition says that the provider's cache reaches up to here.
fn breakpoint<V: Value>(outer: &Holder<V>) -> Option<&'static [&'static str]> {
    const TOP: &[&str] = &["cache_control"];
    const NESTED: &[&str] = ai_sdk::BREAKPOINT;
    if outer.has("cache_control") {
        return (outer.kind("cache_control") == Kind::Object).then_some(TOP);
    }
    let is_nested = outer.has("providerOptions") && outer.value.path(NESTED).kind() == Kind::Object;
    is_nested.then_some(NESTED)
}
