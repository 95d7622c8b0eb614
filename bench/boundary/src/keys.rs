//! The names of properties, which go out with every look into an object.

use std::cell::OnceCell;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use crate::Digest;

/// What a definition is asked for.
const KEYS: [&str; 12] = [
    "type",
    "function",
    "name",
    "title",
    "description",
    "inputSchema",
    "parameters",
    "annotations",
    "deferred",
    "deferLoading",
    "defer_loading",
    "server",
];

#[wasm_bindgen(module = "/variants.js")]
extern "C" {
    #[wasm_bindgen(js_name = property)]
    fn property_by_text(value: &JsValue, key: &str) -> JsValue;
    #[wasm_bindgen(js_name = property)]
    fn property_by_value(value: &JsValue, key: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = propertyOf)]
    fn property_by_number(value: &JsValue, key: u32) -> JsValue;
    #[wasm_bindgen(js_name = properties)]
    fn properties(value: &JsValue, keys: &JsValue) -> Array;
    #[wasm_bindgen(js_name = present)]
    fn present(value: &JsValue, keys: &JsValue) -> u32;
}

thread_local! {
    static VALUES: OnceCell<Vec<JsValue>> = const { OnceCell::new() };
    static LIST: OnceCell<JsValue> = const { OnceCell::new() };
}

fn with_values<T>(use_them: impl FnOnce(&[JsValue]) -> T) -> T {
    VALUES.with(|values| use_them(values.get_or_init(|| KEYS.map(JsValue::from_str).to_vec())))
}

fn with_list<T>(use_it: impl FnOnce(&JsValue) -> T) -> T {
    LIST.with(|list| use_it(list.get_or_init(|| KEYS.map(JsValue::from_str).iter().collect::<Array>().into())))
}

/// Which of the keys the tools have, all of them asked for.
fn look(tools: &Array, mut get: impl FnMut(&JsValue, usize) -> JsValue) -> u32 {
    let mut digest = Digest::new();
    for tool in tools.iter() {
        for key in 0..KEYS.len() {
            digest.bytes(&[u8::from(!get(&tool, key).is_undefined())]);
        }
    }
    digest.value()
}

/// Interns the keys; of use only where the feature is on.
#[wasm_bindgen(js_name = internKeys)]
pub fn intern_keys() {
    for key in KEYS {
        wasm_bindgen::intern(key);
    }
}

/// A text each time. With the feature `interning`, of the texts that are interned.
#[wasm_bindgen(js_name = keysByText)]
pub fn by_text(tools: &Array) -> u32 {
    look(tools, |tool, key| property_by_text(tool, KEYS[key]))
}

/// A JavaScript string, made once.
#[wasm_bindgen(js_name = keysByValue)]
pub fn by_value(tools: &Array) -> u32 {
    with_values(|values| look(tools, |tool, key| property_by_value(tool, &values[key])))
}

/// A number, which JavaScript has the text for.
#[wasm_bindgen(js_name = keysByNumber)]
pub fn by_number(tools: &Array) -> u32 {
    look(tools, |tool, key| property_by_number(tool, key as u32))
}

/// All the values of an object at once, in an array.
#[wasm_bindgen(js_name = keysByArray)]
pub fn by_array(tools: &Array) -> u32 {
    with_list(|list| {
        let mut digest = Digest::new();
        for tool in tools.iter() {
            for value in properties(&tool, list).iter() {
                digest.bytes(&[u8::from(!value.is_undefined())]);
            }
        }
        digest.value()
    })
}

/// First which keys an object has, then only those.
#[wasm_bindgen(js_name = keysByMask)]
pub fn by_mask(tools: &Array) -> u32 {
    with_list(|list| {
        with_values(|values| {
            let mut digest = Digest::new();
            for tool in tools.iter() {
                let mask = present(&tool, list);
                for (bit, value) in values.iter().enumerate() {
                    let there = mask >> bit & 1 == 1 && !property_by_value(&tool, value).is_undefined();
                    digest.bytes(&[u8::from(there)]);
                }
            }
            digest.value()
        })
    })
}
