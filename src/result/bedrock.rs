//! Converse: a `toolResult` block.

use super::Form;

pub(super) const FORM: Form = Form {
    failure: r#"{"toolResult":{"toolUseId":"$id","content":[{"text":"$error"}],"status":"error"}}"#,
    ..Form::of(
        r#"{"toolResult":{"toolUseId":"$id","content":[{"json":"$object"}],"status":"success"}}"#,
    )
};
