//! Chat Completions: a message of role `tool`. There is no flag for a failure: the text says it. Ollama
//! goes by the name.

use super::Form;

pub(super) const FORM: Form =
    Form::of(r#"{"role":"tool","tool_call_id":"$id","tool_name":"$name alone","content":"$text"}"#);
