//! All the tools an agent has, in the host's order, and which of them are deferred.

use crate::error::{Code, Error, Warning};
use crate::names::{Names, Patterns, glob, is_pattern};
use crate::options::Options;
use crate::tool::{Definition, Read, Wire, Written};
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
}

/// What stands at one position.
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
    /// How it goes on the wire.
    pub sent: Sent,
}

/// How a tool goes on the wire.
#[derive(Clone, Debug, PartialEq)]
pub enum Sent {
    /// The host's own object.
    Own,
    /// A shallow copy without the keys at these paths.
    Strip(Vec<Vec<&'static str>>),
    /// Written anew in the wire's shape.
    Convert,
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
        };
        let deciders = Deciders::new(options, reads.len());
        // By number in `by_name`, where two definitions of one name meet.
        let mut definitions: Vec<Box<Definition>> = Vec::new();
        for (position, read) in reads.into_iter().enumerate() {
            let entry = match read {
                Read::Hosted { name, bytes } => Entry::Opaque {
                    name: name.unwrap_or_default(),
                    bytes,
                },
                Read::Broken {
                    name,
                    reason,
                    bytes,
                } => {
                    catalogue.warn_unreadable(position, name.as_deref(), &reason);
                    Entry::Opaque {
                        name: name.unwrap_or_default(),
                        bytes,
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
                        let entry = catalogue.entry(&definition, server, deferred, options, wire);
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
        catalogue.warn_unmatched(options);
        Ok(catalogue)
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
        let longest = options
            .name_limit
            .map_or(wire.names.longest, |limit| limit as usize);
        let is_long = definition.name.chars().count() > longest;
        let checked = options.refuse_names || (options.name_limit.is_some() && is_long);
        if let Some(fault) = wire.names.fault(&definition.name, longest) {
            self.warnings.push(Warning::new(
                if checked { "excluded_tool" } else { "refused_name" },
                Some(&definition.name),
                if checked {
                    format!("tool \"{}\" is left out: its name {fault}", definition.name)
                } else {
                    format!(
                        "tool \"{}\" is sent as it is, but its name {fault}: the provider may refuse the request",
                        definition.name
                    )
                },
            ));
            if checked {
                return Entry::Excluded { deferred };
            }
        }
        let sent = if definition.shape != wire.shape {
            Sent::Convert
        } else if definition.ours.is_empty() {
            Sent::Own
        } else {
            Sent::Strip(definition.ours.clone())
        };
        Entry::Tool(Tool {
            name: definition.name.clone(),
            description: definition.description.clone(),
            title: definition.title.clone().unwrap_or_default(),
            server,
            deferred,
            sent,
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

    /// The tool at `position` in the wire's shape, where it has another.
    pub fn written(&self, position: u32, wire: &Wire) -> Option<Written> {
        let tool = self.tool(position)?;
        (tool.sent == Sent::Convert).then(|| (wire.write)(&tool.name, tool.description.as_deref()))
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

    /// True when something that is sent has this name, tool or not.
    pub fn is_taken(&self, name: &str) -> bool {
        self.position(name).is_some() || self.opaque(name).is_some()
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
        let _ = namespace;
        self.position(name)
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
        if *name == self.options.search_name || self.never.take(name) {
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
fn same(a: &Definition, a_schema: Option<&str>, b: &Definition, b_schema: Option<&str>) -> bool {
    let read = |schema: Option<&str>| schema.and_then(|text| Json::parse(text).ok());
    a.description == b.description
        && a.title == b.title
        && a.server == b.server
        && a.mark == b.mark
        && (a_schema == b_schema || alike(&read(a_schema).as_ref(), &read(b_schema).as_ref()))
}

fn schema_at<'a>(schemas: &[Option<&'a str>], position: usize) -> Option<&'a str> {
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
