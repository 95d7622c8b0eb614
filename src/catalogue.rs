//! All the tools an agent has, in the host's order, and which of them are deferred.

mod near;

use crate::error::{Code, Error, Warning};
use crate::names::{Names, Patterns, alias, glob, is_pattern, is_safe};
use crate::options::{Delivery, Options};
use crate::tool::{Definition, Namespace, Read, Wire};
use crate::value::{Json, Kind, Value};
use crate::vocabulary::Vocabulary;

/// What the engine keeps of a catalogue. Positions are those of the host's array throughout.
#[derive(Debug)]
pub struct Catalogue {
    /// One entry for each element of the host's array.
    pub entries: Vec<Entry>,
    /// The names, by the ways in which people write them.
    pub names: Names,
    /// What was skipped or left out.
    pub warnings: Vec<Warning>,
    by_name: Vocabulary,
    positions: Vec<u32>,
    /// The names of what is sent and is no tool of ours: few, and looked through at every turn.
    opaque: Vec<(String, u32)>,
    /// The aliases of names that some provider refuses, and the positions of their tools.
    aliases: Vocabulary,
    aliased: Vec<u32>,
}

/// What stands at one position.
// Nearly all are tools: a box for each would be one more allocation, and no smaller.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub enum Entry {
    /// A tool.
    Tool(Tool),
    /// Sent as it is and never found: run by the provider, or unreadable.
    Opaque {
        /// Its name; empty where it has none.
        name: String,
        /// The length of its JSON, in bytes.
        bytes: usize,
        /// It is a place up to which the provider's cache reaches.
        is_cache_point: bool,
        /// It also holds function declarations, which do not go out with it.
        is_rest: bool,
        /// Whether it is a search that the provider runs; `None` where it is unreadable.
        searches: Option<bool>,
        /// The paths of keys in it that are ours and must not go out.
        ours: Vec<Vec<&'static str>>,
        /// The provider's cache reaches up to here.
        is_breakpoint: bool,
    },
    /// The same definition as an earlier one: not sent again.
    Merged(u32),
    /// Its name can't go out: neither sent nor found.
    Excluded {
        /// It would be deferred.
        deferred: bool,
    },
}

/// A tool that can be sent and found.
#[derive(Debug)]
pub struct Tool {
    /// Its name, exactly as given.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// A name for people.
    pub title: String,
    /// Its server, as the host assigned it.
    pub server: Option<String>,
    /// Withheld until something loads it.
    pub deferred: bool,
    /// The shape it was written in: on a wire of that shape it goes out as the host's own object.
    pub shape: &'static str,
    /// The paths of keys in it that are ours and must not go out.
    pub ours: Vec<Vec<&'static str>>,
    /// The name that it goes out under, where its own is refused.
    pub alias: Option<String>,
    /// The namespace that it stood in.
    pub namespace: Option<Namespace>,
    /// See [`Definition::strict`].
    pub strict: Option<bool>,
    /// There is a schema.
    pub has_schema: bool,
    /// The provider's cache reaches up to here.
    pub breakpoint: Option<Reach>,
}

/// How a definition says that the provider's cache reaches up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// By what stands at this path of it.
    At(&'static [&'static str]),
    /// By what follows it.
    After,
}

impl Tool {
    /// The name that the model reads.
    pub fn wire_name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }
}

impl Catalogue {
    /// Makes one of what was read of the host's array.
    ///
    /// # Errors
    /// Two different tools with one name.
    pub fn new(
        reads: Vec<Read>,
        schemas: &[Option<&str>],
        options: &Options,
        wire: &Wire,
    ) -> Result<Catalogue, Error> {
        let mut catalogue = Catalogue {
            entries: Vec::with_capacity(reads.len()),
            names: Names::default(),
            warnings: Vec::new(),
            by_name: Vocabulary::default(),
            positions: Vec::new(),
            opaque: Vec::new(),
            aliases: Vocabulary::default(),
            aliased: Vec::new(),
        };
        let deciders = Deciders::new(options, reads.len());
        // By number in `by_name`, where two definitions of one name meet.
        let mut definitions: Vec<Box<Definition>> = Vec::new();
        for (position, read) in reads.into_iter().enumerate() {
            let entry = match read {
                Read::Hosted {
                    name,
                    bytes,
                    is_cache_point,
                    is_rest,
                    searches,
                    ours,
                    is_breakpoint,
                } => {
                    if is_cache_point && !wire.has_cache_points {
                        // Where a definition says it itself, the one before this does; to all others it says nothing.
                        if wire.breakpoint.is_some() {
                            catalogue.reach_last();
                        }
                        catalogue.entries.push(Entry::Excluded { deferred: false });
                        continue;
                    }
                    Entry::Opaque {
                        name: name.unwrap_or_default(),
                        bytes,
                        is_cache_point,
                        is_rest,
                        searches: Some(searches),
                        ours,
                        is_breakpoint,
                    }
                }
                Read::Broken {
                    name,
                    reason,
                    bytes,
                } => {
                    catalogue.warn_unreadable(position, name.as_deref(), &reason);
                    Entry::Opaque {
                        name: name.unwrap_or_default(),
                        bytes,
                        is_cache_point: false,
                        is_rest: false,
                        searches: None,
                        ours: Vec::new(),
                        is_breakpoint: false,
                    }
                }
                Read::Tool(definition) => {
                    catalogue.warn_marks(&definition);
                    let (number, is_new) = catalogue.by_name.intern(&definition.name);
                    let number = number as usize;
                    if is_new {
                        catalogue.positions.push(position as u32);
                        let server = deciders.server(&definition);
                        let deferred = deciders.defer(&definition, position, server.as_deref());
                        let mut entry =
                            catalogue.entry(&definition, server, deferred, options, wire);
                        if let Entry::Tool(tool) = &mut entry {
                            tool.has_schema =
                                schema_at(schemas, position).is_some_and(|text| text != "null");
                        }
                        definitions.push(definition);
                        entry
                    } else {
                        let first = catalogue.positions[number] as usize;
                        let earlier = &definitions[number];
                        if !same(
                            earlier,
                            schema_at(schemas, first),
                            &definition,
                            schema_at(schemas, position),
                        ) {
                            return Err(duplicate(&definition, earlier, first, position));
                        }
                        catalogue.warnings.push(Warning::new(
                            "merged_tool",
                            Some(&definition.name),
                            format!(
                                "tool \"{}\" is defined twice with one definition (positions {first} and {position}): sent once",
                                definition.name
                            ),
                        ));
                        Entry::Merged(first as u32)
                    }
                }
            };
            match &entry {
                Entry::Tool(tool) => catalogue.names.insert(&tool.name, position as u32),
                Entry::Opaque { name, .. } if name.is_empty() => {}
                Entry::Opaque { name, .. } => {
                    catalogue.opaque.push((name.clone(), position as u32));
                }
                Entry::Merged(_) | Entry::Excluded { .. } => {}
            }
            catalogue.entries.push(entry);
        }
        catalogue.name_aliases(options, wire);
        catalogue.warn_unmatched(options);
        Ok(catalogue)
    }

    /// The last tool is one up to which the provider's cache reaches.
    fn reach_last(&mut self) {
        let last = self.entries.iter_mut().rev().find_map(|entry| match entry {
            Entry::Tool(tool) => Some(tool),
            _ => None,
        });
        if let Some(tool) = last {
            tool.breakpoint.get_or_insert(Reach::After);
        }
    }

    /// Gives every tool an alias whose name some provider refuses: messages may have been written where it was refused.
    /// No two are the same, whatever the order of the tools: of those that would be, each takes more of its hash.
    fn name_aliases(&mut self, options: &Options, wire: &Wire) {
        /// Forty bits of a hash keep honest names apart; strangers can make two that agree in them, not in all 255.
        const DIGITS: [usize; 4] = [8, 16, 32, 51];
        let longest = alias_length(options);
        let mut waiting: Vec<u32> = self
            .tools()
            .filter(|(_, tool)| longest >= LEAST_ALIAS && !is_safe(&tool.name, longest))
            .map(|(position, _)| position)
            .collect();
        for digits in DIGITS.map(|digits| digits.min(longest.saturating_sub(2))) {
            let made: Vec<String> = waiting
                .iter()
                .map(|position| alias(self.name(*position), longest, digits))
                .collect();
            let mut seen = Vocabulary::default();
            let mut counts: Vec<u32> = Vec::new();
            let numbers: Vec<usize> = made
                .iter()
                .map(|text| {
                    let (number, is_new) = seen.intern(text);
                    if is_new {
                        counts.push(0);
                    }
                    counts[number as usize] += 1;
                    number as usize
                })
                .collect();
            let mut left = Vec::new();
            for ((position, text), number) in waiting.into_iter().zip(made).zip(numbers) {
                let is_taken = self.is_taken(&text)
                    || text == options.search_name
                    || text == options.call_name;
                if is_taken || counts[number] > 1 {
                    left.push(position);
                    continue;
                }
                self.aliases.intern(&text);
                self.aliased.push(position);
                self.names.insert(&text, position);
                if let Some(Entry::Tool(tool)) = self.entries.get_mut(position as usize)
                    && fault(wire, options, &tool.name).is_some()
                {
                    tool.alias = Some(text);
                }
            }
            waiting = left;
        }
        // Names that a stranger has chosen so that every alias is taken.
        for position in waiting {
            let Some(tool) = self.tool(position) else {
                continue;
            };
            if let Some(fault) = fault(wire, options, &tool.name) {
                let (name, deferred) = (tool.name.clone(), tool.deferred);
                self.warn_excluded(&name, &fault);
                self.entries[position as usize] = Entry::Excluded { deferred };
            }
        }
    }

    fn warn_excluded(&mut self, name: &str, fault: &str) {
        self.warnings.push(Warning::new(
            "excluded_tool",
            Some(name),
            format!("tool \"{name}\" is left out: its name {fault}"),
        ));
    }

    /// A pattern or a server that takes no tool in is most often a slip of the host's.
    fn warn_unmatched(&mut self, options: &Options) {
        let matches = |pattern: &String| {
            self.by_name.number(pattern).is_some()
                || (is_pattern(pattern) && self.tools().any(|(_, tool)| glob(pattern, &tool.name)))
        };
        let names = options.deferred_names.iter().filter(|name| !matches(name));
        let mut warnings: Vec<Warning> = names
            .map(|name| {
                let message = format!("deferred: \"{name}\" matches no tool");
                Warning::new("unmatched_name", None, message)
            })
            .collect();
        for server in &options.servers {
            let owns = |tool: &Tool| tool.server.as_ref() == Some(&server.name);
            if !self.tools().any(|(_, tool)| owns(tool)) {
                let message = format!("servers: no tool belongs to \"{}\"", server.name);
                warnings.push(Warning::new("unmatched_server", None, message));
            }
        }
        self.warnings.append(&mut warnings);
    }

    fn entry(
        &mut self,
        definition: &Definition,
        server: Option<String>,
        deferred: bool,
        options: &Options,
        wire: &Wire,
    ) -> Entry {
        if let Some(fault) = fault(wire, options, &definition.name)
            && (options.refuse_names || alias_length(options) < LEAST_ALIAS)
        {
            self.warn_excluded(&definition.name, &fault);
            return Entry::Excluded { deferred };
        }
        Entry::Tool(Tool {
            name: definition.name.clone(),
            description: definition.description.clone(),
            title: definition.title.clone().unwrap_or_default(),
            server,
            deferred,
            shape: definition.shape,
            ours: definition.ours.clone(),
            alias: None,
            namespace: definition.namespace.clone(),
            strict: definition.strict,
            has_schema: false,
            breakpoint: definition.breakpoint.map(Reach::At),
        })
    }

    fn warn_unreadable(&mut self, position: usize, name: Option<&str>, reason: &str) {
        let who = name.map_or_else(
            || format!("the tool at position {position}"),
            |name| format!("tool \"{name}\" (position {position})"),
        );
        self.warnings.push(Warning::new(
            "unreadable_tool",
            name,
            format!("{who} is sent as it is and can't be found: {reason}"),
        ));
    }

    fn warn_marks(&mut self, definition: &Definition) {
        for key in &definition.unreadable {
            self.warnings.push(Warning::new(
                "unreadable_part",
                Some(&definition.name),
                format!(
                    "tool \"{}\" has a {key} that is no text: it is not read",
                    definition.name
                ),
            ));
        }
        for key in &definition.idle_marks {
            self.warnings.push(Warning::new(
                "invalid_marker",
                Some(&definition.name),
                format!(
                    "tool \"{}\" has a \"{key}\" that is neither true nor false: it marks nothing",
                    definition.name
                ),
            ));
        }
        if definition.marks_itself {
            self.warnings.push(Warning::new(
                "server_mark",
                Some(&definition.name),
                format!(
                    "tool \"{}\" says in its server's reply whether it is deferred or whose it is: only the host can; name it in an option, or take it out of the reply",
                    definition.name
                ),
            ));
        }
        for key in &definition.near_marks {
            self.warnings.push(Warning::new(
                "unknown_marker",
                Some(&definition.name),
                format!(
                    "tool \"{}\" has \"{key}\", which marks nothing; did you mean \"deferLoading\"?",
                    definition.name
                ),
            ));
        }
    }

    /// The tool at `position`, if one stands there.
    pub fn tool(&self, position: u32) -> Option<&Tool> {
        match self.entries.get(position as usize) {
            Some(Entry::Tool(tool)) => Some(tool),
            _ => None,
        }
    }

    /// The name of the tool at `position`; empty when none stands there.
    pub fn name(&self, position: u32) -> &str {
        self.tool(position).map_or("", |tool| &tool.name)
    }

    /// The name of what stands at `position`, tool or not.
    pub fn entry_name(&self, position: u32) -> &str {
        match self.entries.get(position as usize) {
            Some(Entry::Tool(tool)) => &tool.name,
            Some(Entry::Opaque { name, .. }) => name,
            _ => "",
        }
    }

    /// The position of what is sent under this name and is no tool of ours.
    pub fn opaque(&self, name: &str) -> Option<u32> {
        let found = self.opaque.iter().find(|(known, _)| known == name);
        found.map(|(_, position)| *position)
    }

    /// The names of the searches that the provider runs; `None` where the catalogue holds nothing of the provider's to
    /// tell.
    pub fn provider_searches(&self) -> Option<Vec<&str>> {
        let mut names = None;
        for (name, position) in &self.opaque {
            if let Some(Entry::Opaque { searches, .. }) = self.entries.get(*position as usize)
                && let Some(searches) = searches
            {
                let names: &mut Vec<&str> = names.get_or_insert_default();
                names.extend(searches.then_some(name.as_str()));
            }
        }
        names
    }

    /// True when something that is sent has this name, tool or not.
    pub fn is_taken(&self, name: &str) -> bool {
        self.position(name).is_some() || self.opaque(name).is_some()
    }

    /// True when the host's tools have this name or alias, even where it can't go out.
    pub fn has(&self, name: &str) -> bool {
        self.by_name.number(name).is_some()
            || self.known(name, None).is_some()
            || self.opaque(name).is_some()
    }

    /// The position of the tool with exactly this name.
    pub fn position(&self, name: &str) -> Option<u32> {
        let number = self.by_name.number(name)?;
        let position = self.positions.get(number as usize).copied()?;
        // A name that can't go out is no tool's.
        self.tool(position).map(|_| position)
    }

    /// The position of the tool that the messages mean by this name, which may be its own or its alias, or its name within
    /// a namespace.
    pub fn known(&self, name: &str, namespace: Option<&str>) -> Option<u32> {
        let within =
            namespace.and_then(|namespace| self.position(&[namespace, "__", name].concat()));
        let by_alias = |alias: &str| {
            self.aliased
                .get(self.aliases.number(alias)? as usize)
                .copied()
        };
        // Within a namespace a tool may go out under its alias, and what is read of both is joined.
        let inner = || {
            /// Longer than a namespace and an alias.
            const LONGEST: usize = 512;
            let joints = name
                .get(..LONGEST.min(name.len()))
                .filter(|head| head.len() == name.len())?
                .char_indices()
                .filter(|(at, _)| name.as_bytes().get(at.saturating_sub(2)..*at) == Some(b"__"));
            joints
                .filter_map(|(at, _)| by_alias(name.get(at..)?))
                .next()
        };
        within
            .or_else(|| self.position(name))
            .or_else(|| by_alias(name))
            .or_else(inner)
    }

    /// The name that the model reads of the tool at `position`; empty when none stands there.
    pub fn wire_name(&self, position: u32) -> &str {
        self.tool(position).map_or("", Tool::wire_name)
    }

    /// The names that go out as others, with those.
    pub fn aliases(&self) -> Vec<(&str, &str)> {
        self.tools()
            .filter_map(|(_, tool)| Some((tool.name.as_str(), tool.alias.as_deref()?)))
            .collect()
    }

    /// True when a deferred tool stands at `position`.
    pub fn is_deferred(&self, position: u32) -> bool {
        self.tool(position).is_some_and(|tool| tool.deferred)
    }

    /// The tools and their positions, in the host's order.
    pub fn tools(&self) -> impl Iterator<Item = (u32, &Tool)> {
        self.entries
            .iter()
            .enumerate()
            .filter_map(|(position, entry)| match entry {
                Entry::Tool(tool) => Some((position as u32, tool)),
                _ => None,
            })
    }
}

/// The longest alias: every provider takes as much.
fn alias_length(options: &Options) -> usize {
    const LONGEST: usize = 64;
    options
        .name_limit
        .map_or(LONGEST, |limit| LONGEST.min(limit as usize))
}

/// A hash, what joins it, and one character of the name.
const LEAST_ALIAS: usize = 10;

/// Why a name can't go out, if it can't.
fn fault(wire: &Wire, options: &Options, name: &str) -> Option<String> {
    let limit = options.name_limit.map(|limit| limit as usize);
    wire.names.fault(name, limit.unwrap_or(wire.names.longest))
}

/// Who decides on deferral, each read once for the whole catalogue.
struct Deciders<'a> {
    options: &'a Options,
    /// What is never deferred.
    never: Patterns<'a>,
    /// What this agent defers.
    listed: Patterns<'a>,
    /// The tools that the servers name as theirs, in the servers' order.
    servers: Vec<Patterns<'a>>,
    /// The catalogue has so many tools that all of them are deferred.
    above: bool,
}

impl<'a> Deciders<'a> {
    fn new(options: &'a Options, tools: usize) -> Deciders<'a> {
        let servers = options.servers.iter();
        Deciders {
            options,
            never: Patterns::of(options.resident.iter().chain(&options.handoffs)),
            listed: Patterns::of(options.deferred_names.iter()),
            servers: servers
                .map(|server| Patterns::of(server.tools.iter()))
                .collect(),
            above: options
                .deferred_above
                .is_some_and(|above| tools as f64 > above),
        }
    }

    /// Nearest to the host wins: `resident`, then this agent's list or predicate, then the mark on
    /// the tool, then its server, then `above`.
    fn defer(&self, definition: &Definition, position: usize, server: Option<&str>) -> bool {
        let name = &definition.name;
        let is_caller = self.options.delivery == Delivery::Proxy && *name == self.options.call_name;
        if is_caller || *name == self.options.search_name || self.never.take(name) {
            return false;
        }
        let flags = self.options.deferred_flags.as_ref();
        let predicate = flags.and_then(|flags| flags.get(position).copied().flatten());
        let by_server = self
            .options
            .servers
            .iter()
            .find(|known| Some(known.name.as_str()) == server)
            .and_then(|known| known.defer_loading);
        self.listed
            .take(name)
            .then_some(true)
            .or(predicate)
            .or(definition.mark)
            .or(by_server)
            .unwrap_or(self.above)
    }

    /// The server on the tool, or the one whose list or prefix takes the name in.
    fn server(&self, definition: &Definition) -> Option<String> {
        let name = definition.name.as_str();
        let owns = |server: &crate::options::Server, tools: &Patterns<'_>| {
            let prefix = server.prefix.as_deref();
            tools.take(name) || prefix.is_some_and(|prefix| name.starts_with(prefix))
        };
        definition.server.clone().or_else(|| {
            let mut servers = self.options.servers.iter().zip(&self.servers);
            servers
                .find(|(server, tools)| owns(server, tools))
                .map(|(server, _)| server.name.clone())
        })
    }
}

/// Two definitions are rarely met under one name, so their schemas are read only here.
pub(crate) fn same(
    a: &Definition,
    a_schema: Option<&str>,
    b: &Definition,
    b_schema: Option<&str>,
) -> bool {
    a.description == b.description
        && a.title == b.title
        && a.server == b.server
        && a.mark == b.mark
        && same_schema(a_schema, b_schema)
}

/// The same schema, in whatever order its keys stand.
pub(crate) fn same_schema(a: Option<&str>, b: Option<&str>) -> bool {
    let read = |schema: Option<&str>| schema.and_then(|text| Json::parse(text).ok());
    a == b || matches!((read(a), read(b)), (Some(a), Some(b)) if alike(&Some(&a), &Some(&b)))
}

pub(crate) fn schema_at<'a>(schemas: &[Option<&'a str>], position: usize) -> Option<&'a str> {
    schemas.get(position).copied().flatten()
}

/// Equal but for the order of keys.
fn alike(a: &Option<&Json>, b: &Option<&Json>) -> bool {
    match (a, b) {
        // What lies deeper than is read may differ.
        (Some(Json::Deep), _) | (_, Some(Json::Deep)) => false,
        (Some(Json::Object(left)), Some(other @ Json::Object(right))) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| {
                    let other = other.field(key);
                    other.is_some() && alike(&Some(value), &other)
                })
        }
        _ if a.kind() == Kind::Array => {
            a.len() == b.len() && (0..a.len()).all(|index| alike(&a.at(index), &b.at(index)))
        }
        _ => a == b,
    }
}

fn duplicate(b: &Definition, a: &Definition, first: usize, second: usize) -> Error {
    let mut servers = match (&a.server, &b.server) {
        (Some(a), Some(b)) => format!(", servers \"{a}\" and \"{b}\""),
        _ => String::new(),
    };
    if a.mark != b.mark {
        servers += ", marked as deferred in one way and the other";
    }
    Error::new(
        Code::DuplicateToolName,
        format!(
            "tool \"{}\" is defined twice (positions {first} and {second}{servers}); give each its own name, for example with its server's name before it",
            b.name
        ),
    )
}
