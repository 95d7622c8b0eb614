//! The tool that is meant by a name which none has.

use super::Catalogue;
use crate::names::{any_glob, bare, canonical, is_spelling};
use crate::options::Options;

impl Catalogue {
    /// The tools that a name may mean which none has, and whether something that is sent and is no tool of ours may be
    /// meant too.
    pub fn near(&self, name: &str, namespace: Option<&str>) -> (Vec<u32>, bool) {
        let joined = namespace.map(|namespace| [namespace, "__", name].concat());
        let text = joined.as_deref().unwrap_or(name);
        let is_from = |position: u32, before: &str| {
            let server = self.tool(position).and_then(|tool| tool.server.as_deref());
            server.is_none_or(|server| canonical(before).ends_with(&canonical(server)))
        };
        let mut found = self
            .names
            .near(text, &|position| self.name(position), &is_from);
        let all = found.len();
        // A name that can't go out is no tool's, and still may be meant.
        found.retain(|position| self.tool(*position).is_some());
        let plain = [canonical(text), canonical(bare(text))];
        let is_other = |(name, _): &(String, u32)| plain.contains(&canonical(name));
        let is_left_out = found.len() < all;
        (found, is_left_out || self.opaque.iter().any(is_other))
    }

    /// The tool that a call means whose name no tool has: where nothing else can be meant. A handoff is taken by its own
    /// name only, as it changes what is loaded. What stands before a whole name says whose tool is meant: it counts only
    /// where that is known.
    pub fn recovered(&self, name: &str, namespace: Option<&str>, options: &Options) -> Option<u32> {
        let ours = [&options.search_name, &options.call_name];
        let mut ours = ours.into_iter().chain(&options.former_names);
        if ours.any(|own| is_spelling(name, own)) {
            return None;
        }
        match self.near(name, namespace) {
            (found, false) if found.len() == 1 => found.first().copied().filter(|position| {
                let own = self.name(*position);
                let is_part = canonical(own).ends_with(&canonical(bare(name)));
                let is_of_server = || {
                    self.tool(*position)
                        .is_some_and(|tool| tool.server.is_some())
                };
                (is_part || is_of_server()) && !any_glob(&options.handoffs, own)
            }),
            _ => None,
        }
    }
}
