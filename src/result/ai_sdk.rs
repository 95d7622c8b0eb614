//! The AI SDK: a `tool-result` part. References are the custom parts that its Anthropic provider knows.

use super::Form;

pub(super) const FORM: Form = Form {
    failure: r#"{"type":"tool-result","toolCallId":"$id","toolName":"$name","output":{"type":"error-text","value":"$error"}}"#,
    references: r#"{"type":"tool-result","toolCallId":"$id","toolName":"$name","output":{"type":"content","value":"$references"}}"#,
    reference: r#"{"type":"custom","providerOptions":{"anthropic":{"type":"tool-reference","toolName":"$name"}}}"#,
    ..Form::of(
        r#"{"type":"tool-result","toolCallId":"$id","toolName":"$name","output":{"type":"json","value":"$object"}}"#,
    )
};
