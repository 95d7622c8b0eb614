//! The set that the fold fills: which tools are loaded, in which order, and how each of them came to it.

use super::{Cap, History, SearchResult};
use crate::catalogue::Catalogue;
use crate::transcript::Named;

/// So many names that are no deferred tools are kept: no more find room in a keep-note.
const OTHERS: usize = 256;
/// A longer text is no tool's name.
const LONGEST_NAME: usize = 256;

/// Deferred tools in the order in which they were first loaded.
pub(super) struct Loaded<'a> {
    pub(super) catalogue: &'a Catalogue,
    pub(super) order: Vec<u32>,
    /// How many there is room for, if that is bounded.
    pub(super) cap: Option<Cap>,
    /// What that has dropped.
    pub(super) dropped: Vec<u32>,
    strangers: Vec<String>,
    others: Vec<String>,
    /// The others that a note names which is to be put among the messages.
    wanted: &'a [String],
    /// What is so of each tool.
    pub(super) flags: Vec<u8>,
    /// The position of the message that is read.
    pub(super) at: usize,
    /// See [`Around::settled`].
    pub(super) settled: usize,
    /// Where the last handoff was that cleared it.
    pub(super) handed: Option<usize>,
}

impl<'a> Loaded<'a> {
    /// It is loaded.
    pub(super) const IN: u8 = 1;
    /// The provider has seen it.
    const SEEN: u8 = 2;
    /// Its parameters were shown.
    const SCHEMA: u8 = 4;
    /// A text loaded it before the provider saw it, so that it is sent among the tools and stays there.
    const TOLD: u8 = 8;
    /// The provider has seen its definition.
    const DEFINED: u8 = 16;
    /// A reference leads to it.
    const REFERRED: u8 = 32;
    /// Nothing but what the host carries over has loaded it yet.
    pub(super) const CARRIED: u8 = 128;
    /// A note that is to be put among the messages names it.
    const WANTED: u8 = 64;

    pub(super) fn new(catalogue: &'a Catalogue, wanted: Option<&'a History>) -> Loaded<'a> {
        let mut flags = vec![0; catalogue.entries.len()];
        for position in wanted.iter().flat_map(|wanted| &wanted.loaded) {
            flags[*position as usize] = Loaded::WANTED;
        }
        Loaded {
            catalogue,
            handed: None,
            order: Vec::new(),
            cap: None,
            dropped: Vec::new(),
            strangers: Vec::new(),
            others: Vec::new(),
            wanted: wanted.map_or(&[], |wanted| &wanted.others),
            flags,
            at: 0,
            settled: 0,
        }
    }
    /// Adds a tool, if there is one and it is deferred. True where the messages had not loaded it before.
    pub(super) fn add(&mut self, position: Option<u32>, flags: u8) -> bool {
        let Some(position) = position.filter(|at| self.catalogue.is_deferred(*at)) else {
            return false;
        };
        let own = &mut self.flags[position as usize];
        if flags & Loaded::IN != 0 && *own & Loaded::WANTED == 0 {
            self.settled = self.settled.max(self.at + 1);
        }
        if flags & !*own & Loaded::IN != 0 {
            self.order.push(position);
            self.dropped.retain(|at| *at != position);
        }
        let is_new = *own & Loaded::IN == 0 || *own & Loaded::CARRIED != 0;
        *own = *own & !Loaded::CARRIED | flags;
        if *own & Loaded::TOLD != 0 {
            *own &= !(Loaded::SEEN | Loaded::DEFINED);
        }
        is_new
    }
    /// Adds what a keep-note names, which no provider has seen by it.
    pub(super) fn note(&mut self, names: &[String]) {
        for name in names {
            let named = Named {
                name: name.clone(),
                native: false,
                defined: false,
                schema: false,
            };
            self.name(&named, true);
        }
        self.settle(&[]);
    }
    /// Adds what a result names, true where that is new. Where it does not count, the provider has seen it all the same.
    pub(super) fn name(&mut self, named: &Named, counts: bool) -> bool {
        let position = self.catalogue.known(&named.name, None);
        // A definition needs no other; only a reference has to lead somewhere.
        if position.is_none()
            && named.native
            && !named.defined
            && !self.strangers.contains(&named.name)
        {
            self.strangers.push(named.name.clone());
        }
        let known = position.map_or(0, |at| self.flags[at as usize]);
        let seen = match (named.native, named.defined) {
            (true, false) => Loaded::SEEN | Loaded::REFERRED,
            (true, true) => Loaded::DEFINED,
            (false, _) if known & (Loaded::SEEN | Loaded::DEFINED) == 0 => Loaded::TOLD,
            (false, _) => 0,
        };
        let shown = if named.schema { Loaded::SCHEMA } else { 0 };
        let loads = if counts { Loaded::IN } else { 0 };
        let is_new = self.add(position, loads | seen | shown) && counts;
        if counts && position.is_none_or(|at| !self.catalogue.is_deferred(at)) {
            self.other(&named.name);
        }
        is_new
    }
    /// Keeps the name of what is no deferred tool here, as far as a keep-note has room for it.
    fn other(&mut self, name: &str) {
        let is_name = !name.is_empty() && name.len() <= LONGEST_NAME;
        if is_name && self.others.len() < OTHERS && !self.others.iter().any(|own| own == name) {
            self.others.push(name.to_owned());
            if !self.wanted.iter().any(|own| own == name) {
                self.settled = self.settled.max(self.at + 1);
            }
        }
    }
    /// What is so now.
    pub(super) fn history(&self, began: bool, results: Vec<SearchResult>) -> History {
        History {
            seen: self.having(Loaded::SEEN),
            defined: self.having(Loaded::DEFINED),
            referred: self.referred(),
            schemas: self.having(Loaded::SCHEMA),
            loaded: self.order.clone(),
            dropped: self.dropped.clone(),
            others: self.others.clone(),
            strangers: self.strangers.clone(),
            began,
            results,
            native_items: false,
            handed: self.handed,
        }
    }
    /// Those that a reference leads to, in the host's order.
    fn referred(&self) -> Vec<u32> {
        let flags = self.flags.iter().enumerate();
        let referred = flags.filter(|(_, flags)| **flags & Loaded::REFERRED != 0);
        referred.map(|(at, _)| at as u32).collect()
    }
    pub(super) fn remove(&mut self, name: &str, counts: bool) {
        let mut stays = Loaded::REFERRED | Loaded::WANTED | Loaded::IN;
        if counts {
            stays ^= Loaded::IN;
            self.others.retain(|own| own != name);
        }
        if let Some(position) = self.catalogue.known(name, None) {
            self.order.retain(|at| !counts || *at != position);
            self.dropped.retain(|at| !counts || *at != position);
            let own = &mut self.flags[position as usize];
            if *own & Loaded::WANTED != 0 {
                self.settled = self.settled.max(self.at + 1);
            }
            *own &= stays;
        }
    }
    /// A handoff: what was shown stays before the provider's eyes.
    pub(super) fn clear(&mut self) {
        // From a note that names nothing this takes nothing, and whatever came in between goes.
        let is_wanted = self.flags.iter().any(|own| own & Loaded::WANTED != 0);
        self.settled = match is_wanted || !self.wanted.is_empty() {
            true => self.at + 1,
            false => 0,
        };
        self.order.clear();
        self.dropped.clear();
        self.others.clear();
        self.flags.iter_mut().for_each(|own| *own &= !Loaded::IN);
    }
    /// Those loaded of which it is so.
    fn having(&self, flag: u8) -> Vec<u32> {
        let order = self.order.iter().copied();
        order
            .filter(|at| self.flags[*at as usize] & flag != 0)
            .collect()
    }
}
