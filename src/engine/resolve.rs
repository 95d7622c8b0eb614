//! Where a call leads.

use std::borrow::Cow;

use super::{Engine, answering};
use crate::delivery::Way;
use crate::error::Warning;
use crate::json::{Fault, Reader};
use crate::loaded;
use crate::names::{any_glob, is_spelling};
use crate::options::UnloadedCall;
use crate::plan::Turn;
use crate::report::{Refusal, Resolved, Target};
use crate::result::{self, Answering, Said};
use crate::texts::Text;
use crate::transcript::{By, Call};
use crate::value::{Json, Kind, Value};

impl Engine {
    /// Where a call leads: to the tool and its arguments, or to a result that says what is wrong.
    pub fn resolve<V: Value>(&self, call: &V, messages: &V, turn: &Turn) -> Resolved {
        let Some(call) = self.format.calls(call).into_iter().next() else {
            if self.format.is_hosted(call) {
                return self.left_to_provider(None);
            }
            // A slip of the host's, as the next one.
            let message = [
                "This is no call of a tool as ",
                self.wire.format,
                " has it.",
            ]
            .concat();
            return self.refuse::<V>(None, None, "unreadable_call", &message);
        };
        if call.by == By::Hosted {
            return self.left_to_provider(Some(call.name));
        }
        if self.is_search(&call) {
            let message = [&call.name, " is answered by answer(), not resolve()."].concat();
            return self.refuse(
                Some(&call),
                Some(call.name.clone()),
                "search_call",
                &message,
            );
        }
        if self.is_proxied(&call.name) {
            return match self.proxied(&call) {
                Ok((name, arguments)) => {
                    self.resolve_by(&call, &name, None, Ok(arguments), messages, turn)
                }
                Err(error) => {
                    self.refuse(Some(&call), None, "invalid_arguments", &self.told(error))
                }
            };
        }
        let namespace = call.namespace.as_deref();
        let arguments = arguments(&call.arguments);
        self.resolve_by(&call, &call.name, namespace, arguments, messages, turn)
    }

    /// A call that its provider runs and answers: the host must do neither.
    fn left_to_provider(&self, name: Option<String>) -> Resolved {
        Resolved::Refused(Refusal {
            name,
            code: "provider_executed",
            error: "The provider runs this call and answers it itself.".to_owned(),
            part: Json::Null,
        })
    }

    /// True for the name of the tool through which all others are called. It is read in every delivery, as a
    /// conversation may have begun in another.
    pub(super) fn is_proxied(&self, name: &str) -> bool {
        name == self.options.call_name && !self.catalogue.is_taken(name)
    }

    /// The name of the tool that such a call means, and the arguments for it.
    fn proxied<V: Value>(&self, call: &Call<V>) -> Result<(String, String), Wrong> {
        let usage = || (Text::CallUsage, None);
        let text = arguments(&call.arguments)?;
        let (name, inner) = fields(&text).map_err(|_| usage())?;
        let name = name.ok_or_else(usage)?;
        // An object as it stands, or within a text as models write it too.
        let inner = match inner.map(Json::parse) {
            Some(Ok(Json::Text(text))) => Some(text),
            _ => inner.map(str::to_owned),
        };
        Ok((name, written(inner)?))
    }

    fn told(&self, (text, fault): Wrong) -> String {
        let fault = fault.unwrap_or_default();
        self.options.say(text, &[("error", &fault)])
    }

    fn resolve_by<V: Value>(
        &self,
        call: &Call<V>,
        called: &str,
        namespace: Option<&str>,
        args: Result<String, Wrong>,
        messages: &V,
        turn: &Turn,
    ) -> Resolved {
        let known = self.catalogue.known(called, namespace);
        let recovered = match known {
            // What the provider has under this very name is meant.
            None if !self.catalogue.is_taken(called) => {
                self.catalogue.recovered(called, namespace, &self.options)
            }
            _ => None,
        };
        let name = match known.or(recovered) {
            Some(position) => self.catalogue.name(position),
            None => called,
        };
        let refuse =
            |code, error: &str| self.refuse(Some(call), Some(name.to_owned()), code, error);
        let is_excluded = any_glob(&turn.exclude, name);
        let position = self.catalogue.position(name).filter(|_| !is_excluded);
        let opaque = self.catalogue.opaque(name).filter(|_| !is_excluded);
        if let (None, Some(position)) = (position, opaque) {
            // A tool without a schema takes any text.
            let args = args.unwrap_or_else(|_| {
                let text = call.arguments.text().unwrap_or_default();
                result::text(&Json::object([("input", Json::string(text))]))
            });
            return Resolved::Tool(Target {
                index: position,
                name: name.to_owned(),
                recovered: None,
                deferred: false,
                loaded: true,
                args,
                warnings: Vec::new(),
            });
        }
        let Some(position) = position else {
            return self.unknown(call, called, namespace, messages, turn);
        };
        let deferred = self.catalogue.is_deferred(position);
        // What is found in the same turn was not before the model's eyes when it made the call.
        let until =
            loaded::position_of(self.context(), messages, call).unwrap_or((usize::MAX, usize::MAX));
        let history = self.history_until(until, messages, turn);
        let is_forced = turn
            .forced()
            .any(|forced| self.catalogue.known(forced, None) == Some(position));
        let is_loaded = !deferred
            || history.loaded.contains(&position)
            || is_forced
            || !self.applies(turn, history.began);
        if !is_loaded && self.options.unloaded_call == UnloadedCall::Refuse {
            let name = self.catalogue.wire_name(position);
            let fill = [("name", name)];
            return refuse("not_loaded", &self.options.say(Text::NotLoaded, &fill));
        }
        match args {
            Ok(args) => Resolved::Tool(Target {
                index: position,
                name: name.to_owned(),
                recovered: recovered.map(|_| called.to_owned()),
                deferred,
                loaded: is_loaded,
                args,
                warnings: match recovered {
                    None => Vec::new(),
                    Some(_) => {
                        let called = result::error_message(called);
                        let message = format!("tool \"{name}\" was called as \"{called}\"");
                        vec![Warning::new("recovered_name", Some(name), message)]
                    }
                },
            }),
            Err(error) => refuse("invalid_arguments", &self.told(error)),
        }
    }

    /// The result for a call of a name that no tool has, or several might.
    fn unknown<V: Value>(
        &self,
        call: &Call<V>,
        called: &str,
        namespace: Option<&str>,
        messages: &V,
        turn: &Turn,
    ) -> Resolved {
        /// The catalogue is not for an error to list.
        const NAMED: usize = 3;
        let options = &self.options;
        let refuse = |text, then: &str| {
            let code = match text {
                Text::AmbiguousTool => "ambiguous_tool",
                _ => "unknown_tool",
            };
            let mut error = options.say(text, &[]);
            if !then.is_empty() {
                error = [&error, " ", then].concat();
            }
            self.refuse(Some(call), Some(called.to_owned()), code, &error)
        };
        let history = self.history(messages, turn);
        let applied = self.applies(turn, history.began);
        let more = if applied {
            options.say(Text::SearchForIt, &[])
        } else {
            String::new()
        };
        if self.choice.way == Way::Proxy && is_spelling(called, &options.call_name) {
            return refuse(Text::UnknownTool, &options.say(Text::CallUsage, &[]));
        }
        if is_spelling(called, &options.search_name) || any_glob(&turn.exclude, called) {
            return refuse(Text::UnknownTool, &more);
        }
        // Where it is no one can say, and a search would not find it.
        let unlisted = result::unlisted(options, called, &turn.unavailable);
        if !unlisted.is_empty() {
            return refuse(Text::UnknownTool, &unlisted);
        }
        let (found, is_other) = match self.catalogue.known(called, namespace) {
            // It is excluded.
            Some(_) => (Vec::new(), false),
            None => self.catalogue.near(called, namespace),
        };
        // What the model has before its eyes may be told.
        let is_sent = |position: &u32| {
            let is_loaded = !self.catalogue.is_deferred(*position)
                || !applied
                || history.loaded.contains(position);
            is_loaded && !any_glob(&turn.exclude, self.catalogue.name(*position))
        };
        let names: Vec<&str> = found
            .iter()
            .filter(|position| is_sent(position))
            .take(NAMED)
            .map(|position| self.catalogue.wire_name(*position))
            .collect();
        let exact = if names.is_empty() {
            more
        } else {
            let told = names.join(&options.say(Text::Separator, &[]));
            let mut exact = options.say(Text::ExactName, &[("names", &told)]);
            // The one that is meant may be none of those that may be told.
            if found.len() > names.len() && !more.is_empty() {
                exact = [&exact, " ", &more].concat();
            }
            exact
        };
        if found.len() + usize::from(is_other) > 1 {
            return refuse(Text::AmbiguousTool, &exact);
        }
        refuse(Text::UnknownTool, &exact)
    }

    /// The result for a call whose arguments the face has found wrong.
    /// `faults` are objects: `kind`, and what that has.
    pub fn refused<V: Value>(&self, call: &V, name: &str, faults: &V) -> Resolved {
        let call = self.format.calls(call).into_iter().next();
        let position = self.catalogue.position(name);
        let known = position.map_or(name, |position| self.catalogue.wire_name(position));
        let told: Vec<String> = (0..faults.len())
            .map(|at| self.fault(&faults.at(at)))
            .collect();
        let fill = [("name", known), ("faults", &told.join(" "))];
        let error = self.options.say(Text::InvalidArguments, &fill);
        self.refuse(
            call.as_ref(),
            Some(name.to_owned()),
            "invalid_arguments",
            &result::error_message(&error),
        )
    }

    fn fault<V: Value>(&self, fault: &V) -> String {
        let of = |key| fault.text_at(key).unwrap_or_default();
        let text = match &*of("kind") {
            "required" => Text::FaultRequired,
            "refused" => Text::FaultRefused,
            "expected" => Text::FaultExpected,
            "one_of" => Text::FaultOneOf,
            _ => Text::FaultOther,
        };
        let mut name = of("name");
        if name.is_empty() {
            name = self.options.say(Text::FaultAll, &[]);
        }
        let (expected, got, error) = (of("expected"), of("got"), of("error"));
        let fill = [
            ("name", &*name),
            ("expected", &expected),
            ("got", &got),
            ("error", &error),
        ];
        self.options.say(text, &fill)
    }

    fn refuse<V: Value>(
        &self,
        call: Option<&Call<V>>,
        name: Option<String>,
        code: &'static str,
        error: &str,
    ) -> Resolved {
        let to = call.map_or(
            Answering {
                id: None,
                name: "",
                by: By::Function,
            },
            answering,
        );
        Resolved::Refused(Refusal {
            name,
            code,
            part: result::part(self.format, to, Said::Failure(error)),
            error: error.to_owned(),
        })
    }
}

/// The name and the arguments' text in the arguments of a call through the proxy: numbers stay the digits that they are.
fn fields(text: &str) -> Result<(Option<String>, Option<&str>), Fault> {
    let mut reader = Reader::new(text);
    let (mut name, mut inner) = (None, None);
    reader.item()?;
    let mut first = true;
    while let Some(key) = reader.key(first)? {
        first = false;
        let raw = reader.raw()?;
        match &*key {
            "name" => {
                name = Json::parse(raw)
                    .ok()
                    .and_then(|name| Some(&name).text().map(Cow::into_owned))
            }
            "arguments" => inner = Some(raw),
            _ => {}
        }
    }
    Ok((name, inner))
}

/// What is wrong with arguments, and what the reader says of it.
type Wrong = (Text, Option<String>);

/// The arguments of a call as JSON text of an object. Models write an empty text, or `null`, where
/// a tool takes none.
fn arguments<V: Value>(arguments: &V) -> Result<String, Wrong> {
    match arguments.kind() {
        Kind::Absent | Kind::Null => written(None),
        Kind::Object => match arguments.json_text() {
            Some(text) => Ok(text),
            None => Err((Text::ArgumentsUnreadable, None)),
        },
        Kind::Text => written(arguments.text().map(Cow::into_owned)),
        _ => Err((Text::ArgumentsNoObject, None)),
    }
}

fn written(text: Option<String>) -> Result<String, Wrong> {
    const NONE: &str = "{}";
    let text = text.unwrap_or_default();
    if text.trim().is_empty() {
        return Ok(NONE.to_owned());
    }
    match Json::parse(&text) {
        Ok(Json::Object(_)) => Ok(text),
        Ok(Json::Null) => Ok(NONE.to_owned()),
        // Some models write the text of the text. Nobody means a third.
        Ok(Json::Text(inner)) if inner.trim().is_empty() => Ok(NONE.to_owned()),
        Ok(Json::Text(inner)) if matches!(Json::parse(&inner), Ok(Json::Object(_))) => Ok(inner),
        Ok(_) => Err((Text::ArgumentsNoObject, None)),
        Err(fault) => Err((Text::ArgumentsFault, Some(fault))),
    }
}
