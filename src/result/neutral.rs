//! The neutral shape: a message of role `tool`, with `isError` where something was wrong.

use super::Form;

pub(super) const FORM: Form = Form {
    failure: r#"{"role":"tool","toolCallId":"$id","name":"$name","content":"$error","isError":true}"#,
    ..Form::of(r#"{"role":"tool","toolCallId":"$id","name":"$name","content":"$object"}"#)
};
