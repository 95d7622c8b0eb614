//! Gemini: a `functionResponse` part, which has the call's id where the call has one.

use super::Form;

pub(super) static FORM: Form = Form {
    failure: r#"{"functionResponse":{$i"name":$n,"response":{"error":$e}}}"#,
    ..Form::of(
        "id",
        r#"{"functionResponse":{$i"name":$n,"response":{"output":$o}}}"#,
    )
};
