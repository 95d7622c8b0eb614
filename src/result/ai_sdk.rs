//! The AI SDK: a `tool-result` part. References are the custom parts that its Anthropic provider knows.

use super::Form;

pub(super) static FORM: Form = Form {
    failure: r#"{"type":"tool-result",$i"toolName":$n,"output":{"type":"error-text","value":$e}}"#,
    references: r#"{"type":"tool-result",$i"toolName":$n,"output":{"type":"content","value":$o}}"#,
    reference: r#"{"type":"custom","providerOptions":{"anthropic":{"type":"tool-reference","toolName":$n}}}"#,
    system: r#"{"role":"system","content":$t}"#,
    ..Form::of(
        "toolCallId",
        r#"{"type":"tool-result",$i"toolName":$n,"output":{"type":"json","value":$o}}"#,
    )
};
