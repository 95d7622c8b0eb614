//! Gemini: a `functionResponse` part, which has the call's id where the call has one.

use super::Form;

pub(super) const FORM: Form = Form {
    failure: r#"{"functionResponse":{"id":"$id","name":"$name","response":{"error":"$error"}}}"#,
    ..Form::of(
        r#"{"functionResponse":{"id":"$id","name":"$name","response":{"output":"$object"}}}"#,
    )
};
