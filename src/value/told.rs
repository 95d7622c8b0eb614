//! What a message says, as far as it can be told what it costs.

use super::{Kind, Value, is_whole};

/// What a message says, for an estimate of what it costs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// All that is text: what was said, and calls and results with their keys as JSON has them.
    pub text: String,
    /// How many images, files and recordings it holds. They are not in the text, whatever stands for them.
    pub media: u32,
    /// How long the texts are that only a provider reads, such as encrypted reasoning.
    pub sealed: u32,
}

/// See [`Value::told`]; `src/reader.js` has the same.
pub(super) fn tell<V: Value>(message: &V) -> Told {
    let mut tell = Tell {
        told: Told::default(),
        left: VALUES,
    };
    tell.value(message, DEPTH, false);
    tell.told
}

struct Tell {
    told: Told,
    /// How many values may still be looked at.
    left: u32,
}

/// So deep lies what counts of a message, and so many values of one are looked at: a message can refer to itself.
const DEPTH: u32 = 60;
const VALUES: u32 = 1 << 20;
/// What stands here is an image, a file or a recording, however it is given.
const MEDIA: [&str; 14] = [
    "image_url",
    "input_audio",
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
    "file_url",
    "file_id",
    "file",
    "image",
    "bytes",
    "s3Location",
    "data",
    "blob",
];
/// What stands here only its provider can read.
const SEALED: [&str; 7] = [
    "encrypted_content",
    "reasoningEncryptedContent",
    "signature",
    "thoughtSignature",
    "thought_signature",
    "redactedData",
    "redactedContent",
];
/// What stands here is JSON of the model's or of a tool's, whatever its keys are.
const PLAIN: [&str; 5] = ["input", "args", "arguments", "response", "json"];

impl Tell {
    /// `plain`: within JSON of the model's or of a tool's, which is text through and through.
    fn value<V: Value>(&mut self, value: &V, depth: u32, plain: bool) {
        if depth == 0 || self.left == 0 {
            return;
        }
        self.left -= 1;
        match value.kind() {
            Kind::Text => self.text(&value.text().unwrap_or_default(), plain),
            Kind::Array => {
                self.mark("[", plain);
                for index in 0..value.len() {
                    if self.left == 0 {
                        break;
                    }
                    self.value(&value.at(index), depth - 1, plain);
                }
                self.mark("],", plain);
            }
            Kind::Object => {
                let kind = value.text_at("type").unwrap_or_default();
                self.mark("{", plain);
                value.each(&mut |key, inner| {
                    if self.left > 0 {
                        self.property(key, &inner, &kind, depth - 1, plain);
                    }
                });
                self.mark("},", plain);
            }
            Kind::Number if plain => {
                let number = value.number().filter(|number| is_whole(*number));
                // However many digits a fraction has: its last ones differ from runtime to runtime.
                let number = number.map_or("0.12345678,".to_owned(), |number| {
                    (number as i64).to_string() + ","
                });
                self.told.text.push_str(&number);
            }
            Kind::Bool => self.mark(
                if value.flag() == Some(true) {
                    "true,"
                } else {
                    "false,"
                },
                plain,
            ),
            Kind::Null => self.mark("null,", plain),
            Kind::Number | Kind::Other | Kind::Absent => {}
        }
    }

    fn property<V: Value>(&mut self, key: &str, value: &V, kind: &str, depth: u32, plain: bool) {
        if plain {
            self.told.text.push('"');
            self.told.text.push_str(key);
            self.told.text.push_str("\":");
            return self.value(value, depth, true);
        }
        let given = value.kind();
        if given == Kind::Text
            && (SEALED.contains(&key) || key == "data" && kind == "redacted_thinking")
        {
            let length = value.text().unwrap_or_default().encode_utf16().count();
            self.told.sealed = self.told.sealed.saturating_add(length as u32);
        } else if is_medium(key, value, kind) {
            self.told.media += u32::from(!matches!(given, Kind::Null | Kind::Absent));
        } else {
            // What a tool said in the neutral shape may be an object; elsewhere content is a text or a list.
            let is_said = key == "content" && given == Kind::Object;
            let is_json = is_said || key == "value" && matches!(kind, "json" | "error-json");
            self.value(value, depth, is_json || PLAIN.contains(&key));
        }
    }

    fn text(&mut self, text: &str, plain: bool) {
        self.mark("\"", plain);
        self.told.text.push_str(text);
        self.told.text.push_str(if plain { "\"," } else { "\n" });
    }

    /// What only JSON has.
    fn mark(&mut self, mark: &str, plain: bool) {
        if plain {
            self.told.text.push_str(mark);
        }
    }
}

/// Whether a property of a part is an image, a file or a recording. `kind` is the part's type.
fn is_medium<V: Value>(key: &str, value: &V, kind: &str) -> bool {
    match key {
        // Of a text document the data is the text.
        "data" => kind != "text",
        // Bedrock says in it where the bytes are.
        "image" => !value.get("source").exists(),
        "source" => ["base64", "url", "file"]
            .iter()
            .any(|own| value.get("type").is(own)),
        "url" => kind.ends_with("-url"),
        "result" => kind == "image_generation_call",
        _ => MEDIA.contains(&key),
    }
}
