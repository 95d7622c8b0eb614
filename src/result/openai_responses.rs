//! Responses: an item of the kind that answers the call's. There is no flag for a failure: the text says
//! it, and where the provider's own search item takes no text, it finds nothing.

use super::Form;

pub(super) const FORM: Form = Form {
    item: r#"{"type":"tool_search_output","execution":"client","call_id":"$id","status":"completed","tools":"$tools"}"#,
    ..Form::of(r#"{"type":"function_call_output","call_id":"$id","output":"$text"}"#)
};
