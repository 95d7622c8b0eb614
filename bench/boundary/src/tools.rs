//! Tool definitions into the engine: name, description and the schema as a tree.

use js_sys::{Array, Object, Reflect};
use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};
use toolcrib::tool::{self, Read};
use toolcrib::value::{Json, Value};
use wasm_bindgen::prelude::*;

use crate::Digest;

/// What all ways end in.
struct Definition {
    name: String,
    description: String,
    schema: Json,
}

fn digest(definitions: &[Definition]) -> u32 {
    fn tree(json: &Json, digest: &mut Digest) {
        match json {
            Json::Null => digest.text("null"),
            Json::Bool(value) => digest.bytes(&[u8::from(*value)]),
            Json::Number(value) => digest.bytes(&value.to_le_bytes()),
            Json::Text(text) => digest.text(text),
            Json::Array(items) => items.iter().for_each(|item| tree(item, digest)),
            Json::Object(entries) => {
                for (key, value) in entries {
                    digest.text(key);
                    tree(value, digest);
                }
            }
            _ => digest.text("deep"),
        }
    }
    let mut digest = Digest::new();
    for Definition {
        name,
        description,
        schema,
    } in definitions
    {
        digest.text(name);
        digest.text(description);
        tree(schema, &mut digest);
    }
    digest.value()
}

/// Takes a definition's parts out of its parsed text.
fn from_json(json: Json) -> Definition {
    let mut definition = Definition {
        name: String::new(),
        description: String::new(),
        schema: Json::Null,
    };
    let Json::Object(entries) = json else {
        return definition;
    };
    for (key, value) in entries {
        match (key.as_str(), value) {
            ("name", Json::Text(text)) => definition.name = text,
            ("description", Json::Text(text)) => definition.description = text,
            ("inputSchema", value) => definition.schema = value,
            _ => {}
        }
    }
    definition
}

/// The objects whole, through serde-wasm-bindgen.
#[wasm_bindgen(js_name = toolsBySerde)]
pub fn by_serde(tools: JsValue) -> Result<u32, JsValue> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Given {
        name: String,
        #[serde(default)]
        description: String,
        input_schema: Tree,
    }
    let given: Vec<Given> = serde_wasm_bindgen::from_value(tools)?;
    let definitions: Vec<Definition> = given
        .into_iter()
        .map(|given| Definition {
            name: given.name,
            description: given.description,
            schema: given.input_schema.0,
        })
        .collect();
    Ok(digest(&definitions))
}

/// One JSON text for each tool.
#[wasm_bindgen(js_name = toolsByTexts)]
pub fn by_texts(texts: Vec<String>) -> u32 {
    let parse = |text: &String| from_json(Json::parse(text).unwrap_or(Json::Null));
    digest(&texts.iter().map(parse).collect::<Vec<_>>())
}

/// One JSON text for all, in UTF-8, one tool a line: a bad one spoils its line alone.
#[wasm_bindgen(js_name = toolsByLines)]
pub fn by_lines(text: &[u8]) -> u32 {
    let text = std::str::from_utf8(text).unwrap_or_default();
    let parse = |text| from_json(Json::parse(text).unwrap_or(Json::Null));
    digest(&text.split('\n').map(parse).collect::<Vec<_>>())
}

/// The same as a text, which wasm-bindgen turns into UTF-8 one character after the other.
#[wasm_bindgen(js_name = toolsByText)]
pub fn by_text(text: &str) -> u32 {
    by_lines(text.as_bytes())
}

/// Everything read where it lies, with js-sys.
#[wasm_bindgen(js_name = toolsByReflect)]
pub fn by_reflect(tools: &Array) -> Result<u32, JsValue> {
    fn tree(value: &JsValue) -> Result<Json, JsValue> {
        if let Some(text) = value.as_string() {
            return Ok(Json::Text(text));
        }
        if let Some(number) = value.as_f64() {
            return Ok(Json::Number(number));
        }
        if let Some(flag) = value.as_bool() {
            return Ok(Json::Bool(flag));
        }
        if let Some(array) = value.dyn_ref::<Array>() {
            return array.iter().map(|item| tree(&item)).collect::<Result<_, _>>().map(Json::Array);
        }
        let Some(object) = value.dyn_ref::<Object>() else {
            return Ok(Json::Null);
        };
        let mut entries = Vec::new();
        for key in Object::keys(object).iter() {
            let inner = Reflect::get(object, &key)?;
            entries.push((key.as_string().unwrap_or_default(), tree(&inner)?));
        }
        Ok(Json::Object(entries))
    }
    let text = |tool: &JsValue, key: &str| -> Result<String, JsValue> {
        Ok(Reflect::get(tool, &key.into())?.as_string().unwrap_or_default())
    };
    let mut definitions = Vec::new();
    for tool in tools.iter() {
        definitions.push(Definition {
            name: text(&tool, "name")?,
            description: text(&tool, "description")?,
            schema: tree(&Reflect::get(&tool, &"inputSchema".into())?)?,
        });
    }
    Ok(digest(&definitions))
}

/// As the engine does it: the parts read where they lie by the engine's own reader, which says where the schemas stand,
/// and then the schemas as JSON, one a line.
#[wasm_bindgen]
pub struct Reading {
    reads: Vec<Read>,
}

#[wasm_bindgen]
impl Reading {
    /// Reads.
    #[wasm_bindgen(constructor)]
    pub fn new(tools: &JsValue) -> Reading {
        let reads = (0..tools.len()).map(|index| tool::read(&tools.at(index)));
        Reading {
            reads: reads.collect(),
        }
    }

    /// The names and, of all tools alike, the path to the schema.
    pub fn columns(&self) -> Vec<String> {
        let mut columns = Vec::new();
        for read in &self.reads {
            if let Read::Tool(read) = read {
                columns.push(read.name.clone());
            }
        }
        columns
    }

    /// Takes in the schemas.
    pub fn finish(self, schemas: &[u8]) -> u32 {
        let mut definitions = Vec::new();
        let schemas = std::str::from_utf8(schemas).unwrap_or_default().split('\n');
        for (read, schema) in self.reads.into_iter().zip(schemas) {
            if let Read::Tool(read) = read {
                definitions.push(Definition {
                    name: read.name,
                    description: read.description.unwrap_or_default(),
                    schema: Json::parse(schema).unwrap_or(Json::Null),
                });
            }
        }
        digest(&definitions)
    }
}

/// The parts as JSON of what `sketch` in variants.js has copied of each tool, one a line, and the schemas likewise:
/// the engine's reader then reads JSON, and no living object.
#[wasm_bindgen(js_name = toolsBySketch)]
pub fn by_sketch(sketches: &[u8], schemas: &[u8]) -> u32 {
    let sketches = std::str::from_utf8(sketches).unwrap_or_default();
    let schemas = std::str::from_utf8(schemas).unwrap_or_default();
    let mut definitions = Vec::new();
    for (sketch, schema) in sketches.split('\n').zip(schemas.split('\n')) {
        let sketch = Json::parse(sketch).ok();
        if let Read::Tool(read) = tool::read(&sketch.as_ref()) {
            definitions.push(Definition {
                name: read.name,
                description: read.description.unwrap_or_default(),
                schema: Json::parse(schema).unwrap_or(Json::Null),
            });
        }
    }
    digest(&definitions)
}

/// What JSON can say, as serde hands it over.
struct Tree(Json);

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Tree, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Tree;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("JSON")
            }
            fn visit_unit<E>(self) -> Result<Tree, E> {
                Ok(Tree(Json::Null))
            }
            fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
                Ok(Tree(Json::Bool(value)))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
                Ok(Tree(Json::Number(value as f64)))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
                Ok(Tree(Json::Number(value as f64)))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
                Ok(Tree(Json::Number(value)))
            }
            fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
                Ok(Tree(Json::Text(value.to_owned())))
            }
            fn visit_string<E>(self, value: String) -> Result<Tree, E> {
                Ok(Tree(Json::Text(value)))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Tree, A::Error> {
                let mut items = Vec::new();
                while let Some(Tree(item)) = access.next_element()? {
                    items.push(item);
                }
                Ok(Tree(Json::Array(items)))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Tree, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, Tree(value))) = access.next_entry::<String, Tree>()? {
                    entries.push((key, value));
                }
                Ok(Tree(Json::Object(entries)))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}
