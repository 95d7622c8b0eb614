//! Messages: a `tool_result` block. References stand alone in it.

use super::Form;

pub(super) static FORM: Form = Form {
    failure: r#"{"type":"tool_result",$i"content":$e,"is_error":true}"#,
    references: r#"{"type":"tool_result",$i"content":$o}"#,
    reference: r#"{"type":"tool_reference","tool_name":$n}"#,
    ..Form::of("tool_use_id", r#"{"type":"tool_result",$i"content":$t}"#)
};
