//! Responses: an item of the kind that answers the call's. There is no flag for a failure: the text says
//! it, and where the provider's own search item takes no text, it finds nothing.

use super::Form;

pub(super) static FORM: Form = Form {
    item: r#"{"type":"tool_search_output","execution":"client",$i"status":"completed","tools":$l}"#,
    system: r#"{"type":"message","role":"system","content":$t}"#,
    ..Form::of(
        "call_id",
        r#"{"type":"function_call_output",$i"output":$t}"#,
    )
};
