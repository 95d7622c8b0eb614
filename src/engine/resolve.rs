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
use crate::transcript::{By, Call};
use crate::value::{Json, Kind, Value};

impl Engine {
    /// Where a call leads: to the tool and its arguments, or to a result that says what is wrong.
    pub fn resolve<V: Value>(&self, call: &V, messages: &V, turn: &Turn) -> Resolved {
        let Some(call) = self.format.calls(call).into_iter().next() else {
            if self.format.is_hosted(call) {
                return self.left_to_provider(None);
            }
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
                Err(error) => self.refuse(Some(&call), None, "invalid_arguments", &error),
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
    fn proxied<V: Value>(&self, call: &Call<V>) -> Result<(String, String), String> {
        let usage = || self.usage();
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

    fn usage(&self) -> String {
        format!(
            "Call {} with {{\"name\": \"...\", \"arguments\": {{...}}}}.",
            self.options.call_name
        )
    }

    fn resolve_by<V: Value>(
        &self,
        call: &Call<V>,
        called: &str,
        namespace: Option<&str>,
        args: Result<String, String>,
        messages: &V,
        turn: &Turn,
    ) -> Resolved {
        let search = &self.options.search_name;
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
            return refuse(
                "not_loaded",
                &format!(
                    "This tool is not loaded yet. Call {search} with \"select:{name}\" first."
                ),
            );
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
            Err(error) => refuse("invalid_arguments", &error),
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
        let refuse = |code, error: &[&str]| {
            self.refuse(Some(call), Some(called.to_owned()), code, &error.concat())
        };
        let history = self.history(messages, turn);
        let applied = self.applies(turn, history.began);
        let search = &self.options.search_name;
        let more = if applied {
            [" Call ", search, " to find one."].concat()
        } else {
            String::new()
        };
        let none = "There is no tool of this name.";
        if self.choice.way == Way::Proxy && is_spelling(called, &self.options.call_name) {
            return refuse("unknown_tool", &[none, " ", &self.usage()]);
        }
        if is_spelling(called, search) || any_glob(&turn.exclude, called) {
            return refuse("unknown_tool", &[none, &more]);
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
        let names = names.join(", ");
        let exact = if names.is_empty() {
            more
        } else {
            [" Call it by its exact name: ", &names, "."].concat()
        };
        if found.len() + usize::from(is_other) > 1 {
            let several = "Several tools may be meant by this name.";
            return refuse("ambiguous_tool", &[several, &exact]);
        }
        refuse("unknown_tool", &[none, &exact])
    }

    /// The result for a call whose arguments the face has found wrong.
    pub fn refused<V: Value>(&self, call: &V, name: &str, faults: &str) -> Resolved {
        let call = self.format.calls(call).into_iter().next();
        let position = self.catalogue.position(name);
        let known = position.map_or(name, |position| self.catalogue.wire_name(position));
        let error = [
            "The arguments do not fit the parameters of ",
            known,
            ". ",
            faults,
        ];
        self.refuse(
            call.as_ref(),
            Some(name.to_owned()),
            "invalid_arguments",
            &result::error_message(&error.concat()),
        )
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

/// The arguments of a call as JSON text of an object. Models write an empty text, or `null`, where
/// a tool takes none.
fn arguments<V: Value>(arguments: &V) -> Result<String, String> {
    match arguments.kind() {
        Kind::Absent | Kind::Null => written(None),
        Kind::Object => match arguments.json_text() {
            Some(text) => Ok(text),
            None => Err("The arguments can't be read.".to_owned()),
        },
        Kind::Text => written(arguments.text().map(Cow::into_owned)),
        _ => Err("The arguments are neither an object nor JSON text.".to_owned()),
    }
}

fn written(text: Option<String>) -> Result<String, String> {
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
        Ok(_) => Err("The arguments are JSON, but no object.".to_owned()),
        Err(fault) => Err(["The arguments are not JSON: ", &fault, "."].concat()),
    }
}
