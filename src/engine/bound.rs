//! How many tools a turn may send.

use super::Engine;
use crate::catalogue::{Catalogue, Entry};
use crate::delivery::Way;
use crate::error::{Code, Error, Warning};
use crate::loaded::Cap;

impl Engine {
    /// Finds out how many loaded tools a turn has room for under the option `max_sent`.
    ///
    /// # Errors
    /// What is always sent is more than that, while deferral applies.
    pub(super) fn bound(&mut self) -> Result<(), Error> {
        let Some(most) = self.options.max_sent else {
            return Ok(());
        };
        let name = &self.options.search_name;
        let residents = residents(&self.catalogue);
        let total = residents + self.deferral().deferred_tools as usize;
        let ours = match self.choice.way {
            Way::Proxy => [name, " and ", &self.options.call_name].concat(),
            _ => name.clone(),
        };
        let fixed = residents + 1 + usize::from(self.choice.way == Way::Proxy);
        if self.deferral().applied {
            // What is found needs a place, where it is sent.
            let least = fixed + usize::from(self.choice.way == Way::Append);
            if least > most {
                return Err(Error::new(
                    Code::InvalidOption,
                    format!(
                        "option \"maxSent\" is {most}, and {fixed} tools are always sent, {ours} among them: defer more, or raise it to at least {least}"
                    ),
                ));
            }
            if self.choice.way == Way::Append {
                self.cap = Some(Cap::of(most, fixed));
            }
        } else if total > most {
            self.catalogue.warnings.push(Warning::new(
                "max_sent",
                None,
                format!(
                    "option \"maxSent\" is {most}, and all {total} tools are sent, as nothing is withheld: defer some"
                ),
            ));
        }
        // Deferral may begin later.
        if self.cap.is_none() && self.choice.way == Way::Append {
            self.cap = Some(Cap::of(most, fixed));
        }
        Ok(())
    }
}

/// How many tools are always sent.
fn residents(catalogue: &Catalogue) -> usize {
    let is_resident = |entry: &&Entry| match entry {
        Entry::Tool(tool) => !tool.deferred,
        Entry::Opaque { is_cache_point, .. } => !is_cache_point,
        _ => false,
    };
    catalogue.entries.iter().filter(is_resident).count()
}
