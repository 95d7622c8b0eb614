//! What became of a catalogue: which of its tools are as they were, and an index that takes them over.

use super::Engine;
use crate::catalogue::{Tool, same, same_schema, schema_at};
use crate::index::Index;
use crate::tool::{Definition, Read};
use crate::vocabulary::Vocabulary;

/// How a tool stands to one of an older engine that has the same schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// There is none to compare it with.
    Unknown = 0,
    /// It has the same texts.
    None = 1,
    /// It has another description or title.
    Changed = 2,
}

impl Engine {
    /// For each position how the tool there stands to the one of its name in an older engine. `at` has where that one
    /// stands, if the texts of their schemas are the same.
    pub fn changes(&self, older: &Engine, at: &[Option<u32>]) -> Vec<Change> {
        let change = |position: u32, at: Option<u32>| -> Option<Change> {
            let (tool, older) = (self.catalogue.tool(position)?, older.catalogue.tool(at?)?);
            let is_same = tool.name == older.name
                && same_texts(tool, older.description.as_deref(), &older.title);
            Some(if is_same {
                Change::None
            } else {
                Change::Changed
            })
        };
        let all = (0..self.catalogue.entries.len() as u32).zip(at);
        all.map(|(position, at)| change(position, *at).unwrap_or(Change::Unknown))
            .collect()
    }

    /// [`Engine::index`] by way of an older engine's: only what was changed or added is split into words. The answers
    /// are the same to the last bit. The older engine and its index may go afterwards.
    ///
    /// `kept` has for each tool the position of the older engine's that has the same texts, by [`Engine::changes`];
    /// `schemas` need hold those of the others only, and only of these it is said which can't be read.
    pub fn reindex(
        &self,
        schemas: &[Option<&str>],
        index: &Index,
        kept: &[Option<u32>],
    ) -> (Index, Vec<(u32, String)>) {
        index.rebuild(&self.catalogue, schemas, kept)
    }

    /// The positions of what can't stay among tools that are to take the place of this engine's: of several different
    /// definitions of one name that one stays which is this engine's, else the first.
    pub fn newcomers(
        &self,
        reads: &[Read],
        schemas: &[Option<&str>],
        own_schemas: &[Option<&str>],
    ) -> Vec<u32> {
        let mut names = Vocabulary::default();
        let mut groups: Vec<Vec<(usize, &Definition)>> = Vec::new();
        for (position, read) in reads.iter().enumerate() {
            let Read::Tool(definition) = read else {
                continue;
            };
            let (number, is_new) = names.intern(&definition.name);
            if is_new {
                groups.push(Vec::new());
            }
            groups[number as usize].push((position, definition));
        }
        let is_own = |(position, definition): &&(usize, &Definition)| {
            let at = self.catalogue.position(&definition.name);
            let own = at.and_then(|at| Some((at, self.catalogue.tool(at)?)));
            own.is_some_and(|(at, tool)| {
                let title = definition.title.as_deref().unwrap_or_default();
                same_texts(tool, definition.description.as_deref(), title)
                    && same_schema(
                        schema_at(schemas, *position),
                        schema_at(own_schemas, at as usize),
                    )
            })
        };
        let mut left_out = Vec::new();
        for group in groups.iter().filter(|group| group.len() > 1) {
            let Some((first, stays)) = group.iter().find(is_own).or(group.first()) else {
                continue;
            };
            let schema = schema_at(schemas, *first);
            for (position, other) in group {
                if !same(stays, schema, other, schema_at(schemas, *position)) {
                    left_out.push(*position as u32);
                }
            }
        }
        left_out
    }
}

fn same_texts(tool: &Tool, description: Option<&str>, title: &str) -> bool {
    tool.description.as_deref() == description && tool.title == title
}
