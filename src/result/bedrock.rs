//! Converse: a `toolResult` block.

use super::Form;

pub(super) static FORM: Form = Form {
    failure: r#"{"toolResult":{$i"content":[{"text":$e}],"status":"error"}}"#,
    ..Form::of(
        "toolUseId",
        r#"{"toolResult":{$i"content":[{"json":$o}],"status":"success"}}"#,
    )
};
