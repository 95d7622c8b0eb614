//! The neutral shape: a message of role `tool`, with `isError` where something was wrong.

use super::Form;

pub(super) static FORM: Form = Form {
    failure: r#"{"role":"tool",$i"name":$n,"content":$e,"isError":true}"#,
    system: r#"{"role":"system","content":$t}"#,
    ..Form::of("toolCallId", r#"{"role":"tool",$i"name":$n,"content":$o}"#)
};
