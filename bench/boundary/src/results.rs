//! Small results out of the engine.

use js_sys::{Array, Object, Reflect};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

#[derive(Serialize)]
struct Hit {
    index: u32,
    name: String,
    score: f64,
    exact: bool,
    terms: Vec<Term>,
}

#[derive(Serialize)]
struct Term {
    term: String,
    fields: Vec<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Plan {
    tools: Vec<i32>,
    note: Option<String>,
    loaded: Vec<String>,
    applied: bool,
    message: String,
    deferred_tools: u32,
}

fn hits() -> Vec<Hit> {
    let term = |term: &str, fields: &[&'static str]| Term {
        term: term.to_owned(),
        fields: fields.to_vec(),
    };
    (0..5)
        .map(|index| Hit {
            index: index * 31,
            name: format!("github__create_issue_{index}"),
            score: 41.25 / f64::from(index + 3),
            exact: index == 0,
            terms: vec![
                term("create", &["name", "summary"]),
                term("issue", &["name", "summary", "parameter text"]),
                term("github", &["name"]),
            ],
        })
        .collect()
}

fn plan() -> Plan {
    Plan {
        tools: (0..300).chain([-1]).collect(),
        note: Some("280 more tools are deferred. ".repeat(10)),
        loaded: (0..10).map(|index| format!("github__create_issue_{index}")).collect(),
        applied: true,
        message: "tools are deferred: the deferred definitions take 31000 tokens".to_owned(),
        deferred_tools: 280,
    }
}

fn serde<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    Ok(value.serialize(&Serializer::json_compatible())?)
}

fn text<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn put(object: &Object, key: &str, value: impl Into<JsValue>) {
    let _ = Reflect::set(object, &key.into(), &value.into());
}

/// Hits through serde-wasm-bindgen.
#[wasm_bindgen(js_name = hitsBySerde)]
pub fn hits_by_serde() -> Result<JsValue, JsValue> {
    serde(&hits())
}

/// Hits as JSON text.
#[wasm_bindgen(js_name = hitsByText)]
pub fn hits_by_text() -> String {
    text(&hits())
}

/// Hits put together with js-sys.
#[wasm_bindgen(js_name = hitsByReflect)]
pub fn hits_by_reflect() -> Array {
    hits()
        .iter()
        .map(|hit| {
            let terms: Array = hit
                .terms
                .iter()
                .map(|term| {
                    let object = Object::new();
                    put(&object, "term", term.term.as_str());
                    put(&object, "fields", term.fields.iter().map(|field| JsValue::from_str(field)).collect::<Array>());
                    object
                })
                .collect();
            let object = Object::new();
            put(&object, "index", hit.index);
            put(&object, "name", hit.name.as_str());
            put(&object, "score", hit.score);
            put(&object, "exact", hit.exact);
            put(&object, "terms", terms);
            object
        })
        .collect()
}

/// The words of the query, which hits refer to by number.
#[wasm_bindgen(js_name = hitWords)]
pub fn hit_words() -> String {
    "create\nissue\ngithub".to_owned()
}

/// Hits as numbers alone: position, score, exact, how many terms, and for each the word's number and its fields as bits.
/// The names are the host's, and the fields' names are known on both sides.
#[wasm_bindgen(js_name = hitsByNumbers)]
pub fn hits_by_numbers() -> Vec<f64> {
    const FIELDS: [&str; 3] = ["name", "summary", "parameter text"];
    let mut numbers = Vec::new();
    for hit in hits() {
        numbers.extend([
            f64::from(hit.index),
            hit.score,
            f64::from(u8::from(hit.exact)),
            hit.terms.len() as f64,
        ]);
        for (number, term) in hit.terms.iter().enumerate() {
            let bits = FIELDS
                .iter()
                .enumerate()
                .filter(|(_, field)| term.fields.contains(field))
                .fold(0, |bits, (bit, _)| bits | 1_u32 << bit);
            numbers.extend([number as f64, f64::from(bits)]);
        }
    }
    numbers
}

/// A plan through serde-wasm-bindgen.
#[wasm_bindgen(js_name = planBySerde)]
pub fn plan_by_serde() -> Result<JsValue, JsValue> {
    serde(&plan())
}

/// A plan as JSON text.
#[wasm_bindgen(js_name = planByText)]
pub fn plan_by_text() -> String {
    text(&plan())
}
