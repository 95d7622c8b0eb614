//! The boundary to JavaScript: values in, values out, and no decisions.
//!
//! Tools and messages are read where they lie, through `reader.js`; schemas come as JSON text, one
//! for each tool; options and results go through serde. DESIGN.md has the measurements.

use std::borrow::Cow;
use std::cell::RefCell;

use js_sys::Array;
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

use crate::deferral::Deferral;
use crate::delivery::Choice;
use crate::engine;
use crate::error::{Error, Warning};
use crate::identity;
use crate::index;
use crate::options::Options;
use crate::plan::Turn;
use crate::prefix::{Before, Now};
use crate::report::Ranked;
use crate::tool::{self, Namespace, Origin, Read};
use crate::value::{Json, Kind, Look, Told, Value, quote};

#[wasm_bindgen(module = "/src/reader.js")]
extern "C" {
    #[wasm_bindgen(js_name = kindOf)]
    fn kind_of(value: &JsValue) -> u8;
    #[wasm_bindgen(js_name = kindAt)]
    fn kind_at(value: &JsValue, key: &JsValue) -> u8;
    fn property(value: &JsValue, key: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = textAt)]
    fn text_at(value: &JsValue, key: &JsValue) -> Option<String>;
    #[wasm_bindgen(js_name = headOf)]
    fn head_of(value: &JsValue, most: u32) -> Option<String>;
    fn present(value: &JsValue, keys: &JsValue) -> u32;
    fn element(value: &JsValue, index: u32) -> JsValue;
    #[wasm_bindgen(js_name = lengthOf)]
    fn length_of(value: &JsValue) -> u32;
    #[wasm_bindgen(js_name = keysOf)]
    fn keys_of(value: &JsValue, most: u32) -> Vec<String>;
    #[wasm_bindgen(js_name = textOf)]
    fn text_of(value: &JsValue) -> Option<String>;
    fn parsed(text: &JsValue) -> JsValue;
    fn told(message: &JsValue, counts: &mut [u32]) -> String;
    #[wasm_bindgen(js_name = lines)]
    fn lines_of(list: &JsValue, key: &JsValue, without: &JsValue) -> Option<String>;
    fn run(list: &JsValue, after: u32, key: &JsValue, wanted: &JsValue, stop: &JsValue)
    -> Vec<u32>;
    fn holding(list: &JsValue, path: Vec<String>, words: Vec<String>, wanted: bool) -> Vec<u32>;
}

/// How many static texts the engine can ask for by: several times as many as there are.
const SLOTS: usize = 256;
thread_local! {
    /// Static texts as JavaScript values, by their address. A text made anew for every look costs as
    /// much again as the look (DESIGN.md).
    static KEPT: RefCell<Vec<Kept>> = RefCell::new(vec![None; SLOTS]);
}
type Kept = Option<(usize, usize, &'static JsValue)>;

/// The value for what lies at an address, made once and kept for as long as the instance lives.
fn kept(address: usize, length: usize, make: impl FnOnce() -> JsValue) -> &'static JsValue {
    KEPT.with_borrow_mut(|kept| {
        for probe in 0..SLOTS {
            let slot = &mut kept[(address / 4).wrapping_add(length).wrapping_add(probe) % SLOTS];
            match slot {
                Some((known, long, value)) if *known == address && *long == length => {
                    return *value;
                }
                Some(_) => {}
                None => {
                    let value: &'static JsValue = Box::leak(Box::new(make()));
                    *slot = Some((address, length, value));
                    return value;
                }
            }
        }
        Box::leak(Box::new(make()))
    })
}

fn key(text: &'static str) -> &'static JsValue {
    kept(text.as_ptr() as usize, text.len(), || {
        JsValue::from_str(text)
    })
}

fn list_of(names: &'static [&'static str]) -> &'static JsValue {
    let list = || {
        let texts = names.iter().map(|name| JsValue::from_str(name));
        texts.collect::<Array>()
    };
    // No text of this address is so long, so that list and text can't be taken for each other.
    let length = usize::MAX - names.len();
    kept(names.as_ptr() as usize, length, || list().into())
}

impl Value for JsValue {
    fn absent() -> JsValue {
        JsValue::UNDEFINED
    }
    fn kind(&self) -> Kind {
        kind(kind_of(self))
    }
    fn kind_at(&self, name: &'static str) -> Kind {
        kind(kind_at(self, key(name)))
    }
    fn get(&self, name: &'static str) -> JsValue {
        property(self, key(name))
    }
    fn text_at(&self, name: &'static str) -> Option<String> {
        text_at(self, key(name))
    }
    fn present(&self, names: &'static [&'static str]) -> u32 {
        present(self, list_of(names))
    }
    fn lines(&self, name: &'static str, without: &'static [&'static str]) -> Option<String> {
        lines_of(self, key(name), list_of(without))
    }
    fn at(&self, index: usize) -> JsValue {
        element(self, index as u32)
    }
    fn len(&self) -> usize {
        length_of(self) as usize
    }
    fn text(&self) -> Option<Cow<'_, str>> {
        self.as_string().map(Cow::Owned)
    }
    fn head(&self, most: usize) -> Option<String> {
        head_of(self, most as u32)
    }
    fn number(&self) -> Option<f64> {
        self.as_f64()
    }
    fn flag(&self) -> Option<bool> {
        self.as_bool()
    }
    fn keys(&self, most: usize) -> Vec<String> {
        keys_of(self, most as u32)
    }
    fn member(&self, name: &str) -> JsValue {
        property(self, &JsValue::from_str(name))
    }
    fn told(&self) -> Told {
        let mut counts = [0; 2];
        let text = told(self, &mut counts);
        Told {
            text,
            media: counts[0],
            sealed: counts[1],
        }
    }
    fn json(&self) -> Json {
        text_of(self)
            .and_then(|text| Json::parse(&text).ok())
            .unwrap_or(Json::Null)
    }
    fn json_text(&self) -> Option<String> {
        text_of(self)
    }
    fn parse<L: Look>(text: &str, look: &mut L) -> bool {
        JsValue::from_str(text).parsed(look)
    }
    fn parsed<L: Look>(&self, look: &mut L) -> bool {
        // Where it lies: the text need not cross, and what looks into values is there once.
        let value = parsed(self);
        !value.is_undefined() && look.look(&value)
    }
    fn run(
        &self,
        after: usize,
        name: &'static str,
        wanted: &'static str,
        stop: &'static str,
    ) -> Vec<usize> {
        positions(run(self, after as u32, key(name), key(wanted), key(stop)))
    }
    fn holding(&self, path: &[&str], words: &[&str]) -> Vec<usize> {
        sieve(self, path, words, true)
    }
    fn lacking(&self, path: &[&'static str], words: &[&str]) -> Vec<usize> {
        sieve(self, path, words, false)
    }
}

/// What src/reader.js means by a number.
fn kind(number: u8) -> Kind {
    match number {
        1 => Kind::Null,
        2 => Kind::Bool,
        3 => Kind::Number,
        4 => Kind::Text,
        5 => Kind::Array,
        6 => Kind::Object,
        7 => Kind::Other,
        _ => Kind::Absent,
    }
}

fn sieve(list: &JsValue, path: &[&str], words: &[&str], wanted: bool) -> Vec<usize> {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    positions(holding(list, owned(path), owned(words), wanted))
}

fn positions(indices: Vec<u32>) -> Vec<usize> {
    indices.into_iter().map(|index| index as usize).collect()
}

fn out<T: Serialize + ?Sized>(value: &T) -> Result<JsValue, JsValue> {
    value
        .serialize(&Serializer::json_compatible())
        .map_err(JsValue::from)
}

fn failure(error: &Error) -> JsValue {
    out(error).unwrap_or_else(|fallback| fallback)
}

fn list(values: &JsValue) -> Vec<JsValue> {
    (0..values.len()).map(|index| values.at(index)).collect()
}

/// One JSON text a line in UTF-8, empty for none: minified JSON has no line breaks, and one long
/// text crosses in a fraction of the time of many.
fn lines(texts: &[u8]) -> Vec<Option<&str>> {
    str::from_utf8(texts)
        .unwrap_or_default()
        .split('\n')
        .map(|text| (!text.is_empty()).then_some(text))
        .collect()
}

/// Positions; below 0 for none.
fn places(at: &[i32]) -> Vec<Option<u32>> {
    at.iter().map(|at| u32::try_from(*at).ok()).collect()
}

/// What the face needs of [`crate::report::Report`], without an object for each tool.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    warnings: Vec<Warning>,
    deferral: Deferral,
    delivery: Choice,
    search_tool: Json,
    /// It is the provider's own.
    is_native: bool,
    note: String,
    /// The format on the wire.
    format: &'static str,
    /// Names and what they go out as.
    aliases: Vec<(String, String)>,
}

/// See [`engine::Engine::index`].
#[wasm_bindgen]
pub struct Index {
    index: index::Index,
}

/// See [`engine::Engine`].
#[wasm_bindgen]
pub struct Engine {
    engine: engine::Engine,
}

#[wasm_bindgen]
impl Engine {
    /// See [`engine::Engine::unindexed`].
    #[wasm_bindgen(constructor)]
    pub fn new(
        definitions: Definitions,
        schemas: &[u8],
        settings: &JsValue,
    ) -> Result<Engine, JsValue> {
        #[cfg(feature = "panic-hook")]
        console_error_panic_hook::set_once();
        let options = Options::read(settings);
        engine::Engine::unindexed(definitions.reads, &lines(schemas), options)
            .map(|engine| Engine { engine })
            .map_err(|error| failure(&error))
    }

    /// See [`engine::Engine::report`].
    pub fn report(&self) -> Result<JsValue, JsValue> {
        out(&Report {
            warnings: self.engine.warnings().to_vec(),
            deferral: self.engine.deferral(),
            delivery: self.engine.delivery().clone(),
            format: self.engine.format(),
            aliases: (self.engine.aliases().iter())
                .map(|(name, alias)| ((*name).to_owned(), (*alias).to_owned()))
                .collect(),
            search_tool: self.engine.search_tool().clone(),
            is_native: self.engine.delivery().way == crate::delivery::Way::Definition,
            note: self.engine.note().to_owned(),
        })
    }

    /// See [`engine::Engine::deferred`].
    pub fn deferred(&self, turn: &JsValue) -> Vec<u32> {
        self.engine.deferred(&Turn::read(turn))
    }

    /// See [`engine::Engine::definition`].
    pub fn definition(&self, slot: i32, form: u8, source: Option<i32>) -> Result<JsValue, JsValue> {
        out(&self.engine.definition(slot, form, source))
    }

    /// See [`engine::Engine::definition_in_result`].
    #[wasm_bindgen(js_name = definitionInResult)]
    pub fn definition_in_result(&self, position: u32, is_inner: bool) -> Result<JsValue, JsValue> {
        out(&self.engine.definition_in_result(position, is_inner))
    }

    /// See [`engine::Engine::stub`].
    pub fn stub(&self, name: &str, form: u8) -> Result<JsValue, JsValue> {
        out(&self.engine.stub(name, form))
    }

    /// See [`engine::Engine::prefix`].
    pub fn prefix(&self, before: &JsValue, now: &JsValue) -> Result<JsValue, JsValue> {
        out(&self.engine.prefix(&Before::read(before), &Now::read(now)))
    }

    /// See [`engine::Engine::turn`].
    pub fn turn(&self, messages: &JsValue, turn: &JsValue) -> Result<JsValue, JsValue> {
        self.check(messages)?;
        out(&self.engine.turn(messages, &Turn::read(turn)))
    }

    /// See [`engine::Engine::fit`].
    pub fn fit(
        &self,
        messages: &JsValue,
        turn: &JsValue,
        window: Option<f64>,
        reserve: Option<f64>,
    ) -> Result<JsValue, JsValue> {
        self.check(messages)?;
        let turn = Turn::read(turn);
        out(&self.engine.fit(messages, &turn, window, reserve))
    }

    /// See [`engine::Engine::index`]. The face has made the schemas' texts, so none is unreadable.
    pub fn index(&self, schemas: &[u8]) -> Index {
        let (index, _) = self.engine.index(&lines(schemas));
        Index { index }
    }

    /// See [`engine::Engine::reindex`]; nothing where it is not worth it.
    pub fn reindex(&self, schemas: &[u8], index: &Index, kept: &[i32]) -> Option<Index> {
        if index.index.is_worn() {
            return None;
        }
        let (index, _) = (self.engine).reindex(&lines(schemas), &index.index, &places(kept));
        Some(Index { index })
    }

    /// See [`engine::Engine::changes`].
    pub fn changes(&self, older: &Engine, at: &[i32]) -> Vec<u8> {
        let changes = self.engine.changes(&older.engine, &places(at));
        changes.into_iter().map(|change| change as u8).collect()
    }

    /// See [`engine::Engine::newcomers`].
    pub fn newcomers(
        &self,
        definitions: &Definitions,
        schemas: &[u8],
        own_schemas: &[u8],
    ) -> Vec<u32> {
        self.engine
            .newcomers(&definitions.reads, &lines(schemas), &lines(own_schemas))
    }

    /// See [`engine::Engine::search_by`].
    pub fn search(
        &self,
        index: &Index,
        query: &JsValue,
        limit: &JsValue,
        explain: bool,
    ) -> Result<JsValue, JsValue> {
        out(&self.engine.search_by(&index.index, query, limit, explain))
    }

    /// See [`engine::Engine::calls`].
    pub fn calls(&self, calls: &JsValue) -> Result<JsValue, JsValue> {
        out(&self.engine.calls(calls))
    }

    /// See [`engine::Engine::answer_by`].
    pub fn answer(
        &self,
        index: &Index,
        calls: &JsValue,
        messages: &JsValue,
        turn: &JsValue,
        ranked: &JsValue,
    ) -> Result<JsValue, JsValue> {
        self.check(messages)?;
        let turn = Turn::read(turn);
        let ranked = Ranked::read(ranked);
        out(&self
            .engine
            .answer_by(&index.index, calls, messages, &turn, ranked.as_deref()))
    }

    /// See [`engine::Engine::resolve`].
    pub fn resolve(
        &self,
        call: &JsValue,
        messages: &JsValue,
        turn: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let turn = Turn::read(turn);
        out(&self.engine.resolve(call, messages, &turn))
    }

    /// See [`engine::Engine::refused`].
    pub fn refused(
        &self,
        call: &JsValue,
        name: &str,
        faults: &JsValue,
    ) -> Result<JsValue, JsValue> {
        out(&self.engine.refused(call, name, faults))
    }

    /// See [`engine::Engine::order`].
    pub fn order(&self, calls: &JsValue, parts: &JsValue) -> Result<JsValue, JsValue> {
        out(&self.engine.order(calls, &list(parts)))
    }

    /// See [`engine::Engine::search_results`].
    #[wasm_bindgen(js_name = searchResults)]
    pub fn search_results(&self, messages: &JsValue) -> Result<JsValue, JsValue> {
        out(&self.engine.search_results(messages))
    }

    /// See [`engine::Engine::keep_note`].
    #[wasm_bindgen(js_name = keepNote)]
    pub fn keep_note(
        &self,
        before: &JsValue,
        after: &JsValue,
        turn: &JsValue,
    ) -> Result<JsValue, JsValue> {
        self.check(before)?;
        self.check(after)?;
        out(&self.engine.keep_note(before, after, &Turn::read(turn)))
    }

    /// See [`engine::Engine::pending`].
    pub fn pending(&self, messages: &JsValue) -> Result<JsValue, JsValue> {
        out(&self.engine.pending(messages))
    }
}

impl Engine {
    fn check(&self, messages: &JsValue) -> Result<(), JsValue> {
        self.engine.check(messages).map_err(|error| failure(&error))
    }
}

/// What [`Definitions::origins`] wrote.
fn origins_of(text: &str, leaves: usize) -> Vec<Origin> {
    let json = Json::parse(text).unwrap_or(Json::Null);
    let origins = &Some(&json);
    let read = |at: usize| {
        let origin = origins.at(at);
        Origin {
            key: origin.text_at("key"),
            namespace: origin.text_at("namespace").map(|name| Namespace {
                name,
                description: origin.text_at("description"),
            }),
            is_declaration: origin.get("isDeclaration").flag().unwrap_or(false),
            is_rest: origin.get("isRest").flag().unwrap_or(false),
            mark: origin.get("mark").flag(),
            is_listed: origin.get("isListed").flag().unwrap_or(false),
        }
    };
    (0..leaves).map(read).collect()
}

/// What was read of a host's tools, on its way into an engine. Their schemas are the face's to find,
/// so it looks at this in between: in columns, as an object for each tool costs as much as reading it.
#[wasm_bindgen]
pub struct Definitions {
    leaves: Vec<JsValue>,
    origins: Vec<Origin>,
    reads: Vec<Read>,
}

#[wasm_bindgen]
impl Definitions {
    /// Reads the tools in what the host gives.
    #[wasm_bindgen(constructor)]
    pub fn new(tools: &JsValue) -> Definitions {
        let (leaves, origins) = tool::flatten(tools).into_iter().unzip();
        Definitions::of(leaves, origins)
    }

    /// Reads tools that were taken out of what they stood in. `origins` is what [`Definitions::origins`] gave then.
    pub fn again(leaves: Vec<JsValue>, origins: &str) -> Definitions {
        let origins = origins_of(origins, leaves.len());
        Definitions::of(leaves, origins)
    }

    fn of(leaves: Vec<JsValue>, origins: Vec<Origin>) -> Definitions {
        let both = leaves.iter().zip(&origins);
        let reads = both
            .map(|(leaf, origin)| tool::read_from(leaf, origin))
            .collect();
        Definitions {
            leaves,
            origins,
            reads,
        }
    }

    /// The tools, each on its own.
    pub fn leaves(&mut self) -> Vec<JsValue> {
        std::mem::take(&mut self.leaves)
    }

    /// Where they stood, as JSON; empty where all of them stood alone.
    pub fn origins(&self) -> String {
        if self
            .origins
            .iter()
            .all(|origin| *origin == Origin::default())
        {
            return String::new();
        }
        let origins = self.origins.iter().map(|origin| {
            let text =
                |text: Option<&String>| text.map_or(Json::Null, |text| Json::string(text.as_str()));
            let namespace = origin.namespace.as_ref();
            Json::object([
                ("key", text(origin.key.as_ref())),
                (
                    "namespace",
                    text(namespace.map(|namespace| &namespace.name)),
                ),
                (
                    "description",
                    text(namespace.and_then(|namespace| namespace.description.as_ref())),
                ),
                ("isDeclaration", Json::Bool(origin.is_declaration)),
                ("isRest", Json::Bool(origin.is_rest)),
                ("mark", origin.mark.map_or(Json::Null, Json::Bool)),
                ("isListed", Json::Bool(origin.is_listed)),
            ])
        });
        crate::result::text(&Json::Array(origins.collect()))
    }

    /// See [`engine::detect`]; nothing where the tools do not tell.
    pub fn format(&self) -> Result<Option<String>, JsValue> {
        engine::detect(&self.reads)
            .map(|format| format.map(str::to_owned))
            .map_err(|error| failure(&error))
    }

    /// For each whether its schema may be in Gemini's dialect.
    pub fn dialects(&self) -> Vec<u8> {
        let has = |read: &Read| matches!(read, Read::Tool(tool) if tool.has_dialect);
        self.reads.iter().map(|read| u8::from(has(read))).collect()
    }

    /// What each is: 0 a tool, 1 run by the provider, 2 broken.
    pub fn kinds(&self) -> Vec<u8> {
        let kind = |read: &Read| match read {
            Read::Tool(_) => 0,
            Read::Hosted { .. } => 1,
            Read::Broken { .. } => 2,
        };
        self.reads.iter().map(kind).collect()
    }

    /// The names, as the JSON of an array: one text crosses sooner than many.
    pub fn names(&self) -> String {
        let mut text = String::from("[");
        for (index, read) in self.reads.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            match read.name() {
                Some(name) => quote(name, &mut text),
                None => text.push_str("null"),
            }
        }
        text.push(']');
        text
    }

    /// The path to the schema of the tool at `position`; none for what is no tool.
    #[wasm_bindgen(js_name = schemaAt)]
    pub fn schema_at(&self, position: u32) -> Result<JsValue, JsValue> {
        let read = self.reads.get(position as usize);
        out(&read.and_then(Read::schema_at))
    }

    /// For each tool the first that has its schema at the same path.
    pub fn alike(&self) -> Vec<u32> {
        let mut firsts: Vec<u32> = Vec::new();
        let path = |position: u32| self.reads.get(position as usize).map(Read::schema_at);
        (0..self.reads.len() as u32)
            .map(|position| {
                let known = firsts.iter().find(|first| path(**first) == path(position));
                known.copied().unwrap_or_else(|| {
                    firsts.push(position);
                    position
                })
            })
            .collect()
    }
}

/// See [`identity::identity`].
#[wasm_bindgen]
pub fn identity(leaves: &JsValue, origins: &str, schemas: &[u8]) -> Result<JsValue, JsValue> {
    let leaves = list(leaves);
    let origins = origins_of(origins, leaves.len());
    let tools: Vec<(JsValue, Origin)> = leaves.into_iter().zip(origins).collect();
    out(&identity::identity(&tools, &lines(schemas)))
}

/// See [`engine::rank_tools`].
#[wasm_bindgen(js_name = rankTools)]
pub fn rank_tools(
    query: &str,
    definitions: Definitions,
    schemas: &[u8],
    limit: Option<f64>,
    by_keywords: bool,
) -> Result<JsValue, JsValue> {
    let limit = limit.map(|limit| limit as usize);
    let reads = definitions.reads;
    engine::rank_reads(query, reads, &lines(schemas), limit, by_keywords)
        .map_err(|error| failure(&error))
        .and_then(|names| out(&names))
}

/// See [`tool::plain_schema`].
#[wasm_bindgen(js_name = plainSchema)]
pub fn plain_schema(schema: &str) -> Option<String> {
    tool::plain_schema(schema)
}

/// The formats whose marks messages bear, as [`crate::transcript::detect`] finds them.
#[wasm_bindgen(js_name = detectFormat)]
pub fn detect_format(messages: &JsValue) -> Result<Option<String>, JsValue> {
    engine::detect_messages(messages)
        .map(|format| format.map(str::to_owned))
        .map_err(|error| failure(&error))
}

/// See [`crate::cost::estimate`].
#[wasm_bindgen(js_name = estimateTokens)]
pub fn estimate_tokens(text: &str) -> u32 {
    crate::cost::estimate(text)
}

/// See [`crate::texts::all`].
#[wasm_bindgen]
pub fn texts() -> String {
    crate::result::text(&crate::texts::all())
}
