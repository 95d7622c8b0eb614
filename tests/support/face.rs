//! Mirrors js/face.ts: what the JavaScript face does before and after the engine.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use toolcrib::engine::{Change, Engine, detect, detect_messages};
use toolcrib::error::{Code, Error};
use toolcrib::identity::{Identity, identity};
use toolcrib::index::Index;
use toolcrib::options::{Delivery, Options};
use toolcrib::plan::{CALL_TOOL, FIRST_STUB, INNER, SEARCH_TOOL, Turn};
use toolcrib::prefix::{Before, Now};
use toolcrib::report::{Definition, FoundTool, Reply, Take};
use toolcrib::tool::{self, Origin, Read};
use toolcrib::value::{Json, Value};

use super::node::{Living, Node};
use super::wire::{Sent, Wire, is_bare};
use super::{Wrap, borrowed, object, optional};

/// What neither tools nor messages tell is read as what most providers take.
const STANDARD: &str = "openai-chat";

/// The schema of one tool.
#[derive(Clone)]
struct Schema {
    text: Option<String>,
    value: Option<Node>,
}

/// A host's tools with an engine for each format in which they are sent.
pub struct Search<'n, V> {
    options: Options,
    /// The format, if the host or the tools tell it.
    format: Option<&'static str>,
    leaves: Vec<&'n Node>,
    values: Vec<(V, Origin)>,
    reads: Vec<Read>,
    /// What the host gave, where definitions stood in what it held.
    whole: Option<Node>,
    schemas: Vec<Schema>,
    warnings: Vec<Node>,
    wired: RefCell<Vec<Rc<Wired>>>,
    /// By format what the engines of several agents share. Made on the first search, as it is most of what an engine costs.
    indexes: Indexes,
}

type Indexes = Rc<RefCell<Vec<(&'static str, Rc<OnceCell<Index>>)>>>;

/// An engine for one format.
pub struct Wired {
    format: &'static str,
    wire: Wire,
    pub engine: Engine,
    index: Rc<OnceCell<Index>>,
    texts: Vec<Option<String>>,
    aliases: Vec<(String, String)>,
}

/// What a turn gives.
pub struct Given {
    pub tools: Node,
    pub names: Node,
    pub note: Node,
    pub loaded: Node,
    pub deferral: Node,
    pub delivery: Node,
    pub cache: Node,
    pub left_out: Node,
    pub tokens: Node,
    pub events: Node,
    pub warnings: Node,
}

impl<'n, V: Value> Search<'n, V> {
    pub fn open(
        tools: &'n Node,
        options: Options,
        wrap: Wrap<'_, 'n, V>,
    ) -> Result<Search<'n, V>, Error> {
        let search = Search::read(tools, options, wrap)?;
        search.of(search.format.unwrap_or(STANDARD))?;
        Ok(search)
    }

    /// Everything but the engine.
    fn read(
        tools: &'n Node,
        options: Options,
        wrap: Wrap<'_, 'n, V>,
    ) -> Result<Search<'n, V>, Error> {
        let stood = tool::flatten(&Living(Some(tools)));
        let leaves: Vec<&Node> = stood.iter().map(|(leaf, _)| leaf.0.unwrap()).collect();
        let values = tool::flatten(&wrap(Some(tools)));
        let origins = |stood: &[Origin]| format!("{stood:?}");
        assert_eq!(
            origins(&values.iter().map(|(_, at)| at.clone()).collect::<Vec<_>>()),
            origins(&stood.iter().map(|(_, at)| at.clone()).collect::<Vec<_>>()),
            "the same tools in both readings"
        );
        let reads: Vec<Read> = values
            .iter()
            .map(|(value, origin)| tool::read_from(value, origin))
            .collect();
        let (schemas, warnings) = schemas(&leaves, &reads);
        let format = match &options.format {
            Some(named) => Some(tool::wire(named).unwrap().format),
            None => detect(&reads)?,
        };
        let is_list = matches!(tools, Node::List(_));
        let is_whole = is_list || tools.get("functionDeclarations").is_some();
        let holds = values.iter().any(|(_, origin)| !is_bare(origin));
        let whole = (holds && is_whole).then(|| match is_list {
            true => tools.clone(),
            false => Node::List(vec![tools.clone()]),
        });
        Ok(Search {
            options,
            format,
            leaves,
            values,
            reads,
            whole,
            schemas,
            warnings,
            wired: RefCell::default(),
            indexes: Indexes::default(),
        })
    }

    /// Another agent over the same tools.
    pub fn agent(
        tools: &'n Node,
        options: Options,
        wrap: Wrap<'_, 'n, V>,
        sibling: &Search<'n, V>,
    ) -> Result<Search<'n, V>, Error> {
        let mut search = Search::read(tools, options, wrap)?;
        search.format = sibling.format;
        search.leaves.clone_from(&sibling.leaves);
        search.reads.clone_from(&sibling.reads);
        search.schemas.clone_from(&sibling.schemas);
        search.whole.clone_from(&sibling.whole);
        search.warnings.clone_from(&sibling.warnings);
        search.indexes = Rc::clone(&sibling.indexes);
        search.of(search.format.unwrap_or(STANDARD))?;
        Ok(search)
    }

    fn index_of(&self, format: &'static str) -> Rc<OnceCell<Index>> {
        let mut indexes = self.indexes.borrow_mut();
        if let Some((_, index)) = indexes.iter().find(|(known, _)| *known == format) {
            return Rc::clone(index);
        }
        let index = Rc::new(OnceCell::new());
        indexes.push((format, Rc::clone(&index)));
        index
    }

    fn texts(&self) -> Vec<Option<String>> {
        self.schemas
            .iter()
            .map(|schema| schema.text.clone())
            .collect()
    }

    /// The engine for a format.
    fn of(&self, format: &'static str) -> Result<Rc<Wired>, Error> {
        let known = self.wired.borrow();
        if let Some(known) = known.iter().find(|wired| wired.format == format) {
            return Ok(Rc::clone(known));
        }
        drop(known);
        let texts = self.texts();
        let options = Options {
            format: Some(format.to_owned()),
            ..self.options.clone()
        };
        let engine = Engine::unindexed(self.reads.clone(), &borrowed(&texts), options)?;
        let aliases = engine.aliases().into_iter();
        let wired = Rc::new(Wired {
            format,
            wire: Wire::of(format),
            index: self.index_of(format),
            texts,
            aliases: aliases
                .map(|(name, alias)| (name.to_owned(), alias.to_owned()))
                .collect(),
            engine,
        });
        self.wired.borrow_mut().push(Rc::clone(&wired));
        Ok(wired)
    }

    /// For what is the same in every format.
    pub fn standard(&self) -> Rc<Wired> {
        self.of(self.format.unwrap_or(STANDARD)).unwrap()
    }

    /// The engine for what these messages are.
    pub fn on(&self, messages: &V) -> Result<Rc<Wired>, Error> {
        match self.format {
            Some(format) => self.of(format),
            None => self.of(detect_messages(messages)?.unwrap_or(STANDARD)),
        }
    }

    /// Those of the face, then the engine's.
    pub fn warnings(&self) -> Node {
        let mut warnings = self.warnings.clone();
        warnings.extend_from_slice(Node::of(&self.standard().engine.warnings()).items());
        Node::List(warnings)
    }

    pub fn turn(&self, messages: &V, turn: &Turn, previous: Option<&Node>) -> Result<Given, Error> {
        let wired = self.on(messages)?;
        let Wired { wire, engine, .. } = &*wired;
        engine.check(messages)?;
        let plan = engine.turn(messages, turn);
        let mut sent: Vec<((i32, u8), Option<String>, Sent)> = Vec::new();
        for (at, slot) in plan.tools.iter().enumerate() {
            let read = usize::try_from(*slot).ok().map(|slot| &self.reads[slot]);
            let stub = usize::try_from(FIRST_STUB - slot).ok();
            let own = match (read, *slot) {
                (Some(read), _) => read.name(),
                (None, SEARCH_TOOL) => Some(self.options.search_name.as_str()),
                (None, CALL_TOOL) => Some(self.options.call_name.as_str()),
                (None, _) => stub.and_then(|at| plan.stubs.get(at)).map(String::as_str),
            };
            let source = plan.breakpoints.iter().find(|(of, _)| *of as usize == at);
            let form = plan.forms.get(at).copied().unwrap_or(0);
            let alias = wired
                .aliases
                .iter()
                .find(|(name, _)| Some(name.as_str()) == own);
            let name = alias
                .map(|(_, alias)| alias.clone())
                .or(own.map(str::to_owned));
            let sent_here = Sent {
                definition: self.definition(&wired, *slot, form, source.map(|(_, of)| *of), own),
                name: name.unwrap_or_else(|| format!("tool_{slot}")),
                hosted: read.is_some_and(|read| !matches!(read, Read::Tool(_))),
            };
            sent.push(((*slot, form), own.map(str::to_owned), sent_here));
        }
        let untouched = self.untouched(&wired, &plan.tools, plan.deferral.applied);
        if wire.hosted_first() && untouched.is_none() {
            sent.sort_by_key(|(_, _, sent)| !sent.hosted);
        }
        let (slots, forms) = sent.iter().map(|(slot, ..)| *slot).unzip();
        let names = sent.iter().map(|(_, own, _)| optional(own.as_deref()));
        let names = Node::List(names.collect());
        let sent: Vec<Sent> = sent.into_iter().map(|(_, _, sent)| sent).collect();
        let now = Now {
            tools: slots,
            forms,
            loaded: plan.loaded.clone(),
            applied: plan.deferral.applied,
            exclude: turn.exclude.clone(),
        };
        Ok(Given {
            tools: untouched.unwrap_or_else(|| wire.tools(&sent)),
            names,
            note: optional(plan.note.as_deref()),
            loaded: Node::of(&plan.loaded),
            deferral: Node::of(&plan.deferral),
            delivery: Node::of(engine.delivery()),
            cache: previous.map_or(Node::Null, |previous| cache(&wired, previous, &sent, &now)),
            left_out: Node::of(&plan.left_out),
            tokens: Node::of(&plan.tokens),
            events: Node::of(&plan.events),
            warnings: Node::of(&plan.warnings),
        })
    }

    /// What the host gave, where all of it goes out as it is.
    fn untouched(&self, wired: &Wired, slots: &[i32], applied: bool) -> Option<Node> {
        let whole = self.whole.as_ref()?;
        let is_leaf = |node: &Node| self.leaves.contains(&node);
        if !whole
            .items()
            .iter()
            .all(|node| is_leaf(node) || wired.wire.holds(node))
        {
            return None;
        }
        let is_as_it_is = |(at, slot): (usize, &i32)| {
            let how = wired.engine.definition(*slot, INNER, None);
            let is_own = matches!(
                how,
                Definition::Own | Definition::Merged { .. } | Definition::Excluded
            );
            usize::try_from(*slot) == Ok(at) && is_own
        };
        let all = slots.len() == self.leaves.len() && slots.iter().enumerate().all(is_as_it_is);
        (!applied && all).then(|| whole.clone())
    }

    /// What goes on the wire for what stands in a plan.
    fn definition(
        &self,
        wired: &Wired,
        slot: i32,
        form: u8,
        source: Option<i32>,
        name: Option<&str>,
    ) -> Node {
        let engine = &wired.engine;
        if slot <= FIRST_STUB {
            return Node::of(&engine.stub(name.unwrap(), form));
        }
        let how = engine.definition(slot, form, source);
        self.sent(usize::try_from(slot).ok(), &how)
    }

    /// Mirrors js/definitions.ts.
    fn sent(&self, position: Option<usize>, how: &Definition) -> Node {
        let own = || self.leaves[position.unwrap()].clone();
        let took = |made: &mut Node, take: &Option<Take>| {
            if let Some(Take { index, from, at }) = take {
                let value = self.leaves[*index as usize].path(from).unwrap();
                made.put(at, value.clone());
            }
        };
        match how {
            Definition::Own | Definition::Merged { .. } | Definition::Excluded => own(),
            Definition::Edit { strip, put, take } => {
                let mut tool = own();
                for path in strip {
                    tool = tool.without(path);
                }
                for put in put {
                    tool.put(put.at, Node::of(&put.value));
                }
                took(&mut tool, take);
                tool
            }
            Definition::Convert { template, at, take } => {
                let mut made = Node::of(template);
                let schema = position.and_then(|position| self.schemas[position].value.as_ref());
                if let Some(schema) = schema.filter(|schema| **schema != Node::Null)
                    && !at.is_empty()
                {
                    made.put(at, of_object(schema));
                }
                took(&mut made, take);
                made
            }
        }
    }

    /// The part of a reply, with the definitions in it that a provider loads from there.
    pub fn part(&self, wired: &Wired, reply: &Reply) -> Node {
        let mut part = Node::of(&reply.part);
        if let Some(path) = reply.fill {
            let holes = part.path(path).unwrap().items();
            let filled = holes.iter().map(|hole| self.filled(wired, hole, false));
            let filled = Node::List(filled.collect());
            part.put(path, filled);
        }
        part
    }

    fn filled(&self, wired: &Wired, hole: &Node, is_inner: bool) -> Node {
        let Some(position) = hole.number() else {
            let mut namespace = hole.clone();
            let inner = hole.get("tools").unwrap().items().iter();
            let inner = inner.map(|hole| self.filled(wired, hole, true));
            namespace.put(&["tools"], Node::List(inner.collect()));
            return namespace;
        };
        let how = (wired.engine).definition_in_result(position as u32, is_inner);
        self.sent(Some(position as usize), &how)
    }

    /// The names of the deferred tools.
    pub fn deferred(&self) -> Node {
        let wired = self.standard();
        let report = wired.engine.report();
        let deferred = report.tools.iter().filter(|tool| tool.deferred);
        Node::texts(deferred.filter_map(|tool| tool.name.as_deref()))
    }

    pub fn search_tool(&self) -> Node {
        Node::of(self.standard().engine.search_tool())
    }

    pub fn identity(&self) -> Identity {
        identity(&self.values, &borrowed(&self.texts()))
    }

    /// The digest of each name, in the host's order; the last one where a name comes twice.
    fn digests(&self) -> Vec<(String, String)> {
        let mut named: Vec<(String, String)> = Vec::new();
        for (read, digest) in self.reads.iter().zip(self.identity().digests) {
            let Some(name) = read.name() else { continue };
            match named.iter_mut().find(|(known, _)| *known == name) {
                Some((_, earlier)) => *earlier = digest,
                None => named.push((name.to_owned(), digest)),
            }
        }
        named
    }

    /// The engine of other tools under the same options. Where this one has searched it has an index by way of its.
    pub fn updated(&self, next: &'n Node, wrap: Wrap<'_, 'n, V>) -> Result<Search<'n, V>, Error> {
        let options = Options {
            format: self.format.map(str::to_owned),
            ..self.options.clone()
        };
        let updated = self.reopen(next, options, wrap)?;
        let at: Vec<Option<u32>> = updated
            .reads
            .iter()
            .zip(&updated.schemas)
            .map(|(read, schema)| {
                let name = Some(read.name()?);
                let place = self.reads.iter().rposition(|known| known.name() == name)?;
                (self.schemas[place].text == schema.text).then_some(place as u32)
            })
            .collect();
        for older in self.wired.borrow().iter() {
            let newer = updated.of(older.format)?;
            let changes = newer.engine.changes(&older.engine, &at);
            let kept: Vec<Option<u32>> = at
                .iter()
                .zip(changes)
                .map(|(at, change)| at.filter(|_| change == Change::None))
                .collect();
            // Only of what is not kept, as the face has it.
            let texts = (newer.texts.iter().zip(&kept))
                .map(|(text, kept)| text.as_deref().filter(|_| kept.is_none()));
            let texts: Vec<Option<&str>> = texts.collect();
            if let Some(index) = older.index.get() {
                let (made, faults) = newer.engine.reindex(&texts, index, &kept);
                assert_eq!(faults, [], "a schema that was written here can be read");
                assert!(newer.index.set(made).is_ok(), "made once");
            }
        }
        Ok(updated)
    }

    /// Other tools under the same options, and what is different.
    pub fn update(&self, next: &'n Node, wrap: Wrap<'_, 'n, V>) -> Result<Node, Error> {
        let updated = self.updated(next, wrap)?;
        let (before, after) = (self.digests(), updated.digests());
        let digest = |digests: &[(String, String)], name: &str| {
            let found = digests.iter().find(|(known, _)| known == name);
            found.map(|(_, digest)| digest.clone())
        };
        let names = |from: &[(String, String)], keep: &dyn Fn(&str) -> bool| {
            let names = from.iter().map(|(name, _)| name.as_str());
            Node::texts(names.filter(|name| keep(name)))
        };
        let differs = |name: &str| {
            let earlier = digest(&before, name);
            earlier.is_some() && earlier != digest(&after, name)
        };
        Ok(object(vec![
            (
                "added",
                names(&after, &|name| digest(&before, name).is_none()),
            ),
            (
                "removed",
                names(&before, &|name| digest(&after, name).is_none()),
            ),
            ("changed", names(&after, &differs)),
            (
                "unchanged",
                Node::Number(
                    (after.iter())
                        .filter(|(name, now)| digest(&before, name).as_ref() == Some(now))
                        .count() as f64,
                ),
            ),
            ("warnings", updated.warnings()),
        ]))
    }

    /// In the middle of a run a new tool with the search tool's name, or another's, must not end it: it is left out.
    fn reopen(
        &self,
        tools: &'n Node,
        options: Options,
        wrap: Wrap<'_, 'n, V>,
    ) -> Result<Search<'n, V>, Error> {
        let mut search = Search::read(tools, options, wrap)?;
        loop {
            let error = match search.of(search.format.unwrap_or(STANDARD)) {
                Ok(_) => return Ok(search),
                Err(error) => error,
            };
            let all = search.reads.len();
            search = match error.code() {
                Code::DuplicateToolName => {
                    let (texts, own) = (search.texts(), self.texts());
                    let engine = &self.standard().engine;
                    let left = engine.newcomers(&search.reads, &borrowed(&texts), &borrowed(&own));
                    search.without_newcomers(&left)
                }
                Code::ReservedToolName => search.without_reserved(),
                _ => return Err(error),
            };
            if search.reads.len() == all {
                return Err(error);
            }
        }
    }

    fn only(&mut self, kept: &[bool]) {
        self.leaves = keep(std::mem::take(&mut self.leaves), kept);
        self.values = keep(std::mem::take(&mut self.values), kept);
        self.reads = keep(std::mem::take(&mut self.reads), kept);
        self.schemas = keep(std::mem::take(&mut self.schemas), kept);
        self.whole = None;
    }

    fn without_newcomers(mut self, left: &[u32]) -> Search<'n, V> {
        let names = left.iter().map(|at| self.reads[*at as usize].name());
        let why = "another tool has its name and stays, this one is left out; give each its own, for example with its server's before it";
        let warnings = names.map(|name| left_out("duplicate_tool_name", name.unwrap(), why));
        let warnings: Vec<Node> = warnings.collect();
        self.warnings.splice(0..0, warnings);
        let kept: Vec<bool> = (0..self.reads.len() as u32)
            .map(|at| !left.contains(&at))
            .collect();
        self.only(&kept);
        self
    }

    fn without_reserved(self) -> Search<'n, V> {
        let mut search = self;
        let Options {
            search_name,
            call_name,
            delivery,
            ..
        } = search.options.clone();
        let is_kept = |read: &Read| {
            let is_caller = delivery == Delivery::Proxy && read.name() == Some(&call_name);
            read.name() != Some(&search_name) && !is_caller
        };
        let ours: Vec<String> = search
            .reads
            .iter()
            .filter(|read| !is_kept(read))
            .filter_map(|read| read.name().map(str::to_owned))
            .collect();
        let kept: Vec<bool> = search.reads.iter().map(is_kept).collect();
        search.only(&kept);
        let of_ours = |warning: &Node| {
            let tool = warning.get("tool").and_then(Node::str);
            tool.is_some_and(|tool| ours.iter().any(|name| name == tool))
        };
        search.warnings.retain(|warning| !of_ours(warning));
        let why = "it has the name of a tool of ours and is left out; rename it, or ours by searchTool.name or callTool.name";
        let ours = ours
            .iter()
            .map(|name| left_out("reserved_tool_name", name, why));
        let ours: Vec<Node> = ours.collect();
        search.warnings.splice(0..0, ours);
        search
    }
}

fn left_out(code: &str, name: &str, why: &str) -> Node {
    object(vec![
        ("code", Node::text(code)),
        ("message", Node::text(&format!("tool \"{name}\": {why}"))),
        ("tool", Node::text(name)),
    ])
}

/// Mirrors `ofObject` of js/definitions.ts.
fn of_object(schema: &Node) -> Node {
    match schema {
        Node::Object(_) if schema.get("type").and_then(Node::str) == Some("object") => {
            schema.clone()
        }
        Node::Object(_) => {
            let mut made = schema.clone();
            made.put(&["type"], Node::text("object"));
            made
        }
        _ => Node::object([
            ("type", Node::text("object")),
            ("properties", Node::Object(Vec::new())),
        ]),
    }
}

impl Wired {
    /// An answer makes no index where nothing is searched for, and looks at no messages then.
    pub fn answer<V: Value>(
        &self,
        calls: &V,
        messages: &V,
        turn: &Turn,
    ) -> Result<Vec<Reply>, Error> {
        if self.engine.calls(calls).is_empty() {
            return Ok(Vec::new());
        }
        self.engine.check(messages)?;
        Ok(self
            .engine
            .answer_by(self.index(), calls, messages, turn, None))
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let (index, faults) = self.engine.index(&borrowed(&self.texts));
            assert_eq!(faults, [], "a schema that was written here can be read");
            index
        })
    }

    pub fn search<V: Value>(&self, query: &V, limit: &V, explain: bool) -> Vec<FoundTool> {
        self.engine.search_by(self.index(), query, limit, explain)
    }

    /// A reply's parts and those of others, as messages.
    pub fn messages<'n, V: Value>(
        &self,
        calls: &V,
        parts: Vec<Node>,
        others: &Node,
        wrap: Wrap<'_, 'n, V>,
    ) -> Node {
        let others = others.items().iter();
        let all = parts
            .into_iter()
            .chain(others.flat_map(|other| self.wire.within(other)));
        let all: Vec<&'n Node> = all.map(Node::leak).collect();
        let values: Vec<V> = all.iter().map(|part| wrap(Some(part))).collect();
        let order = self.engine.order(calls, &values).into_iter();
        self.wire
            .messages(order.map(|at| all[at].clone()).collect())
    }

    pub fn pending<V: Value>(&self, messages: &Node, values: &V) -> Node {
        let places = self.engine.pending(values);
        let calls = places.iter().map(|place| {
            let message = &messages.items()[place.message];
            self.wire.call(message, place.part)
        });
        Node::List(calls.collect())
    }
}

fn keep<T>(all: Vec<T>, kept: &[bool]) -> Vec<T> {
    let all = all.into_iter().zip(kept).filter(|(_, kept)| **kept);
    all.map(|(each, _)| each).collect()
}

/// How much of the tools a provider's cache keeps of the turn before.
fn cache(wired: &Wired, previous: &Node, sent: &[Sent], now: &Now) -> Node {
    let before = wired.wire.list(previous.get("tools").unwrap());
    let both = before.iter().zip(sent);
    let unchanged = both.take_while(|(one, other)| **one == other.definition);
    let texts = |key: &str| -> Vec<String> {
        let items = previous.get(key).unwrap().items().iter();
        items
            .map(|name| name.str().unwrap_or("").to_owned())
            .collect()
    };
    let deferral = previous.path(&["deferral", "applied"]).unwrap();
    let used = previous.path(&["delivery", "used"]).unwrap();
    let before = Before {
        names: texts("names"),
        loaded: texts("loaded"),
        applied: deferral.is_true(),
        used: used.str().unwrap().to_owned(),
        unchanged: unchanged.count(),
    };
    Node::of(&wired.engine.prefix(&before, now))
}

/// Mirrors js/schemas.ts: the schema of each tool, and what it says of odd ones.
fn schemas(leaves: &[&Node], reads: &[Read]) -> (Vec<Schema>, Vec<Node>) {
    let mut warnings = Vec::new();
    let schemas = leaves.iter().zip(reads).map(|(tool, read)| {
        let value = read.schema_at().and_then(|path| tool.path(path));
        if let Some(Node::Number(_) | Node::Text(_) | Node::List(_)) = value {
            let name = read.name().unwrap_or("?");
            let what = "its schema is no object, so its parameters are not searched";
            warnings.push(object(vec![
                ("code", Node::text("schema_not_object")),
                ("message", Node::text(&format!("tool \"{name}\": {what}"))),
                ("tool", Node::text(name)),
            ]));
        }
        let text = value.map(Node::stringify);
        let has_dialect = matches!(read, Read::Tool(tool) if tool.has_dialect);
        let plain = text
            .as_deref()
            .filter(|_| has_dialect)
            .and_then(tool::plain_schema);
        match plain {
            Some(plain) => Schema {
                value: Some(Node::parse(&plain)),
                text: Some(plain),
            },
            None => Schema {
                value: value.cloned(),
                text,
            },
        }
    });
    (schemas.collect(), warnings)
}

/// The names of the tools that fit a query, of definitions that each stand alone.
pub fn rank<'n, V: Value>(
    search: &Search<'n, V>,
    wrap: Wrap<'_, 'n, V>,
    query: &str,
    limit: Option<usize>,
    by_keywords: bool,
) -> Result<Node, Error> {
    let values: Vec<V> = search.leaves.iter().map(|leaf| wrap(Some(leaf))).collect();
    let reads: Vec<Read> = values.iter().map(tool::read).collect();
    let (schemas, _) = schemas(&search.leaves, &reads);
    let texts: Vec<Option<String>> = schemas.into_iter().map(|schema| schema.text).collect();
    let ranked =
        toolcrib::engine::rank_tools(query, &values, &borrowed(&texts), limit, by_keywords)?;
    Ok(Node::of(&ranked))
}

/// A value that the engine has parsed itself.
pub fn parsed(node: &Node) -> &'static Json {
    // Leaked, as the values have to outlive the call; a test ends soon.
    Box::leak(Box::new(Json::parse(&node.stringify()).unwrap()))
}
