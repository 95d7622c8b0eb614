//! Chat Completions: a message of role `tool`. There is no flag for a failure: the text says it.

use crate::value::Json;

pub(super) fn part(id: Option<&str>, name: &str, content: &str) -> Json {
    let mut message = vec![("role".to_owned(), Json::string("tool"))];
    match id {
        Some(id) => message.push(("tool_call_id".to_owned(), Json::string(id))),
        // Ollama knows no ids and goes by the name.
        None => message.push(("tool_name".to_owned(), Json::string(name))),
    }
    message.push(("content".to_owned(), Json::string(content)));
    Json::Object(message)
}
