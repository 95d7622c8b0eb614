//! Messages: a `tool_result` block. References stand alone in it.

use super::Form;

pub(super) const FORM: Form = Form {
    failure: r#"{"type":"tool_result","tool_use_id":"$id","content":"$error","is_error":true}"#,
    references: r#"{"type":"tool_result","tool_use_id":"$id","content":"$references"}"#,
    reference: r#"{"type":"tool_reference","tool_name":"$name"}"#,
    ..Form::of(r#"{"type":"tool_result","tool_use_id":"$id","content":"$text"}"#)
};
