//! What a host needs to compact a history.

use super::Engine;
use crate::loaded::History;
use crate::result;
use crate::value::Json;

impl Engine {
    /// The message that says what is loaded, for a history that loses the results which say so; `None` where the format
    /// has no system message among the others.
    pub fn kept(&self, history: &History) -> Option<Json> {
        let loaded = history.loaded.iter();
        let names: Vec<&str> = loaded
            .map(|position| self.catalogue.wire_name(*position))
            .collect();
        result::keep_note(
            self.format,
            &self.options,
            self.choice.way,
            &names,
            &history.others,
        )
    }
}
