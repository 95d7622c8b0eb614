//! How each thing in a request's tools goes out.

use super::{Engine, put};
use crate::catalogue::{Entry, Reach, Tool};
use crate::delivery::Way;
use crate::options::{Delivery, Lifetime};
use crate::plan::{
    CACHE_POINT, CALL_TOOL, DEFERRED, INNER, NATIVE, OWN_BREAKPOINT, OWN_CACHE_POINT, SEARCH_TOOL,
    UNMARKED,
};
use crate::report::{Definition, Put, Take};
use crate::texts::Text;
use crate::tool::{self, Parts, Wire};
use crate::value::Json;

/// The flag of a deferred definition within a result.
const WITHIN_RESULT: &[&str] = &["defer_loading"];

impl Engine {
    /// How what stands in a plan goes out: in which form, and with a breakpoint of whose, if it has one; see
    /// [`crate::plan::Plan`].
    pub fn definition(&self, slot: i32, form: u8, source: Option<i32>) -> Definition {
        let wire = self.wire_of(form);
        let mut puts: Vec<Put> = Vec::new();
        let mut take = None;
        if let (Some(breakpoint), Some(source)) = (wire.breakpoint, source) {
            match self.reach(source) {
                Some(Reach::At(from)) => {
                    take = Some(Take {
                        index: source as u32,
                        from,
                        at: breakpoint.at,
                    });
                }
                _ => puts.push(Put {
                    at: breakpoint.at,
                    value: self.own_breakpoint(source),
                }),
            }
        }
        let Ok(position) = u32::try_from(slot) else {
            let template = match slot {
                SEARCH_TOOL => match (form & NATIVE != 0, &self.native_search) {
                    (true, Some(native)) => native.clone(),
                    _ => self.search_tool.clone(),
                },
                CALL_TOOL => self.call_tool.clone(),
                CACHE_POINT => tool::cache_point(None),
                OWN_CACHE_POINT => {
                    tool::cache_point(self.options.breakpoint.and_then(Lifetime::as_str))
                }
                _ => Json::Null,
            };
            return made(template, &[], puts, take);
        };
        match self.catalogue.entries.get(position as usize) {
            Some(Entry::Merged(into)) => Definition::Merged { into: *into },
            Some(Entry::Excluded { .. }) => Definition::Excluded,
            Some(Entry::Opaque { is_rest, ours, .. }) => {
                let mut strip = ours.clone();
                if self.choice.used == Delivery::Native {
                    // What the provider runs it may load late, too, and then by this very mark.
                    strip.retain(|path| path.as_slice() != WITHIN_RESULT);
                }
                if *is_rest {
                    strip.push(vec!["functionDeclarations"]);
                }
                edit(strip, puts, take)
            }
            Some(Entry::Tool(tool)) => self.tool_definition(tool, wire, form, puts, take),
            None => edit(Vec::new(), puts, take),
        }
    }

    /// A tool that the messages refer to and that there is no longer.
    pub fn stub(&self, name: &str, form: u8) -> Json {
        let description = self.options.say(Text::Gone, &[]);
        let mut template = written(self.wire, name, Some(&description), None);
        put(&mut template, self.wire.schema_at, nothing());
        if form & DEFERRED != 0
            && let Some(flag) = self.flag(self.wire, 0)
        {
            put(&mut template, flag, Json::Bool(true));
        }
        template
    }

    fn tool_definition(
        &self,
        tool: &Tool,
        wire: &'static Wire,
        form: u8,
        mut puts: Vec<Put>,
        take: Option<Take>,
    ) -> Definition {
        if form & DEFERRED != 0
            && let Some(at) = self.flag(wire, form)
        {
            puts.insert(
                0,
                Put {
                    at,
                    value: Json::Bool(true),
                },
            );
        }
        let inner = tool.namespace.as_ref().filter(|_| form & INNER != 0);
        let name = match inner {
            _ if inner.is_some() && tool.alias.is_some() => tool.wire_name(),
            // What the namespace's name and its joint take.
            Some(namespace) => tool
                .name
                .get(namespace.qualified("").len()..)
                .unwrap_or_default(),
            None => tool.wire_name(),
        };
        if tool.shape != wire.shape {
            let mut template = written(wire, name, tool.description.as_deref(), tool.strict);
            if !tool.has_schema && wire.needs_schema {
                put(&mut template, wire.schema_at, nothing());
            }
            return made(template, wire.schema_at, puts, take);
        }
        let mut strip = tool.ours.clone();
        // What is put there anyway needs no copy without it.
        strip.retain(|path| !puts.iter().any(|put| put.at == path.as_slice()));
        if form & UNMARKED != 0
            && let Some(Reach::At(path)) = tool.breakpoint
        {
            strip.push(path.to_vec());
        }
        let is_named = tool.alias.is_some() || (tool.namespace.is_some() && inner.is_none());
        if is_named && !wire.name_at.is_empty() {
            puts.push(Put {
                at: wire.name_at,
                value: Json::string(name),
            });
        }
        edit(strip, puts, take)
    }

    /// Results hold definitions in the shape of the provider that reads them there.
    fn wire_of(&self, form: u8) -> &'static Wire {
        if form & NATIVE == 0 {
            self.wire
        } else {
            tool::IN_RESULTS
        }
    }

    fn flag(&self, wire: &Wire, form: u8) -> Option<&'static [&'static str]> {
        if form & NATIVE != 0 {
            return Some(WITHIN_RESULT);
        }
        let native = wire.native?;
        match self.choice.way {
            Way::Definition => native.declared,
            _ => native.reference,
        }
    }

    fn reach(&self, source: i32) -> Option<Reach> {
        self.catalogue.tool(u32::try_from(source).ok()?)?.breakpoint
    }

    fn own_breakpoint(&self, source: i32) -> Json {
        let mut entries = vec![("type".to_owned(), Json::string("ephemeral"))];
        let wanted = self.options.breakpoint.filter(|_| source == OWN_BREAKPOINT);
        if let Some(lifetime) = wanted.and_then(Lifetime::as_str) {
            entries.push(("ttl".to_owned(), Json::string(lifetime)));
        }
        Json::Object(entries)
    }
}

fn written(wire: &Wire, name: &str, description: Option<&str>, strict: Option<bool>) -> Json {
    (wire.write)(&Parts {
        name,
        description,
        strict,
    })
}

/// The schema of a tool that takes nothing.
fn nothing() -> Json {
    Json::object([
        ("type", Json::string("object")),
        ("properties", Json::Object(Vec::new())),
    ])
}

fn made(
    mut template: Json,
    at: &'static [&'static str],
    puts: Vec<Put>,
    take: Option<Take>,
) -> Definition {
    for Put { at, value } in puts {
        put(&mut template, at, value);
    }
    Definition::Convert { template, at, take }
}

fn edit(strip: Vec<Vec<&'static str>>, put: Vec<Put>, take: Option<Take>) -> Definition {
    if strip.is_empty() && put.is_empty() && take.is_none() {
        return Definition::Own;
    }
    Definition::Edit { strip, put, take }
}
