//! What has changed since the last request of a conversation.

use serde::Serialize;

use super::Plan;
use crate::deferral::Reason;

/// Something that has changed since the last request of a conversation. It holds no text of the messages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnEvent {
    /// What: `deferral`, `loaded`, `unloaded`, `left_out` or `warning`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The tools, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
    /// The reason of a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The code of a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// The sentence of a decision or of a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What differs between the plan for the last request and that for this one; all is new where there was none.
pub fn events(before: Option<&Plan>, now: &Plan) -> Vec<TurnEvent> {
    let event = |kind| TurnEvent {
        kind,
        names: None,
        reason: None,
        code: None,
        message: None,
    };
    let mut events = Vec::new();
    let decision = |plan: &Plan| (plan.deferral.applied, plan.deferral.reason);
    if before.is_none_or(|before| decision(before) != decision(now)) {
        events.push(TurnEvent {
            reason: Some(now.deferral.reason),
            message: Some(now.deferral.message.clone()),
            ..event("deferral")
        });
    }
    let mut differ = |kind, names: &[String], known: &[String]| {
        let names = names.iter().filter(|name| !known.contains(name));
        let names: Vec<String> = names.cloned().collect();
        if !names.is_empty() {
            events.push(TurnEvent {
                names: Some(names),
                ..event(kind)
            });
        }
    };
    let loaded = before.map_or(&[][..], |before| &before.loaded);
    differ("loaded", &now.loaded, loaded);
    differ("unloaded", loaded, &now.loaded);
    let left_out = before.map_or(&[][..], |before| &before.left_out);
    differ("left_out", &now.left_out, left_out);
    let known = before.map_or(&[][..], |before| &before.warnings);
    let warnings = now.warnings.iter();
    events.extend(
        warnings
            .filter(|warning| !known.contains(warning))
            .map(|warning| TurnEvent {
                names: warning.tool.clone().map(|name| vec![name]),
                code: Some(warning.code),
                message: Some(warning.message.clone()),
                ..event("warning")
            }),
    );
    events
}
