//! Chat Completions: a message of role `tool`. There is no flag for a failure: the text says it. Ollama
//! knows no ids and goes by the name.

use super::Form;

pub(super) static FORM: Form = Form {
    no_id: "tool_name",
    system: r#"{"role":"system","content":$t}"#,
    ..Form::of("tool_call_id", r#"{"role":"tool",$i"content":$t}"#)
};
