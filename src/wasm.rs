//! The boundary to JavaScript: values in, values out, and no decisions.
//!
//! Tools and messages are read where they lie, through `reader.js`; schemas come as JSON text, one
//! for each tool; options and results go through serde. DESIGN.md has the measurements.

use std::borrow::Cow;

use js_sys::Array;
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

use crate::engine;
use crate::error::Error;
use crate::identity;
use crate::options::Options;
use crate::plan::Turn;
use crate::report::Ranked;
use crate::value::{Json, Kind, Value};

#[wasm_bindgen(module = "/src/reader.js")]
extern "C" {
    #[wasm_bindgen(js_name = kindOf)]
    fn kind_of(value: &JsValue) -> u8;
    fn property(value: &JsValue, key: &str) -> JsValue;
    fn element(value: &JsValue, index: u32) -> JsValue;
    #[wasm_bindgen(js_name = lengthOf)]
    fn length_of(value: &JsValue) -> u32;
    #[wasm_bindgen(js_name = keysOf)]
    fn keys_of(value: &JsValue, most: u32) -> Vec<String>;
    #[wasm_bindgen(js_name = textOf)]
    fn text_of(value: &JsValue) -> Option<String>;
    fn holding(list: &JsValue, path: Vec<String>, words: Vec<String>) -> Vec<u32>;
}

impl Value for JsValue {
    fn kind(&self) -> Kind {
        match kind_of(self) {
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
    fn get(&self, key: &str) -> JsValue {
        property(self, key)
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
    fn number(&self) -> Option<f64> {
        self.as_f64()
    }
    fn flag(&self) -> Option<bool> {
        self.as_bool()
    }
    fn keys(&self) -> Vec<String> {
        keys_of(self, 64)
    }
    fn json(&self) -> Json {
        text_of(self)
            .and_then(|text| Json::parse(&text).ok())
            .unwrap_or(Json::Null)
    }
    fn json_text(&self) -> Option<String> {
        text_of(self)
    }
    fn holding(&self, path: &[&str], words: &[&str]) -> Vec<usize> {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        holding(self, owned(path), owned(words))
            .into_iter()
            .map(|index| index as usize)
            .collect()
    }
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

fn texts(values: &Array) -> Vec<Option<String>> {
    values.iter().map(|value| value.as_string()).collect()
}

fn borrowed(texts: &[Option<String>]) -> Vec<Option<&str>> {
    texts.iter().map(Option::as_deref).collect()
}

/// See [`engine::Engine`].
#[wasm_bindgen]
pub struct Engine {
    engine: engine::Engine,
}

#[wasm_bindgen]
impl Engine {
    /// See [`engine::Engine::new`].
    #[wasm_bindgen(constructor)]
    pub fn new(tools: &JsValue, schemas: &Array, settings: &JsValue) -> Result<Engine, JsValue> {
        #[cfg(feature = "panic-hook")]
        console_error_panic_hook::set_once();
        let options = Options::read(settings);
        let schemas = texts(schemas);
        engine::Engine::new(&list(tools), &borrowed(&schemas), options)
            .map(|engine| Engine { engine })
            .map_err(|error| failure(&error))
    }

    /// See [`engine::Engine::report`].
    pub fn report(&self) -> Result<JsValue, JsValue> {
        out(&self.engine.report())
    }

    /// See [`engine::Engine::turn`].
    pub fn turn(&self, messages: &JsValue, turn: &JsValue) -> Result<JsValue, JsValue> {
        let turn = Turn::read(turn);
        out(&self.engine.turn(messages, &turn))
    }

    /// See [`engine::Engine::search`].
    pub fn search(
        &self,
        query: &JsValue,
        limit: &JsValue,
        explain: bool,
    ) -> Result<JsValue, JsValue> {
        out(&self.engine.search(query, limit, explain))
    }

    /// See [`engine::Engine::calls`].
    pub fn calls(&self, calls: &JsValue) -> Result<JsValue, JsValue> {
        out(&self.engine.calls(calls))
    }

    /// See [`engine::Engine::answer`].
    pub fn answer(
        &self,
        calls: &JsValue,
        messages: &JsValue,
        turn: &JsValue,
        ranked: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let turn = Turn::read(turn);
        let ranked = Ranked::read(ranked);
        out(&self
            .engine
            .answer(calls, messages, &turn, ranked.as_deref()))
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

    /// See [`engine::Engine::order`].
    pub fn order(&self, calls: &JsValue, parts: &JsValue) -> Result<JsValue, JsValue> {
        out(&self.engine.order(calls, &list(parts)))
    }

    /// See [`engine::Engine::search_results`].
    #[wasm_bindgen(js_name = searchResults)]
    pub fn search_results(&self, messages: &JsValue) -> Result<JsValue, JsValue> {
        out(&self.engine.search_results(messages))
    }

    /// See [`engine::Engine::pending`].
    pub fn pending(&self, messages: &JsValue) -> Result<JsValue, JsValue> {
        out(&self.engine.pending(messages))
    }
}

/// See [`engine::read_tools`].
#[wasm_bindgen(js_name = readTools)]
pub fn read_tools(tools: &JsValue) -> Result<JsValue, JsValue> {
    out(&engine::read_tools(&list(tools)))
}

/// See [`identity::identity`].
#[wasm_bindgen]
pub fn identity(tools: &JsValue, schemas: &Array) -> Result<JsValue, JsValue> {
    let schemas = texts(schemas);
    out(&identity::identity(&list(tools), &borrowed(&schemas)))
}

/// See [`engine::rank_tools`].
#[wasm_bindgen(js_name = rankTools)]
pub fn rank_tools(
    query: &str,
    tools: &JsValue,
    schemas: &Array,
    limit: Option<f64>,
    by_keywords: bool,
) -> Result<JsValue, JsValue> {
    let schemas = texts(schemas);
    let limit = limit.map(|limit| limit as usize);
    engine::rank_tools(query, &list(tools), &borrowed(&schemas), limit, by_keywords)
        .map_err(|error| failure(&error))
        .and_then(|names| out(&names))
}

/// See [`crate::cost::estimate`].
#[wasm_bindgen(js_name = estimateTokens)]
pub fn estimate_tokens(text: &str) -> u32 {
    crate::cost::estimate(text)
}
