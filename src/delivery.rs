//! How loaded tools reach the model, and whether format and model can do it.

use serde::Serialize;

use crate::error::{Code, Error};
use crate::models::words;
use crate::options::{Delivery, Options};
use crate::tool::Wire;

/// Which way an engine goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Loaded definitions are appended.
    Append,
    /// Every definition is sent, the deferred ones with the provider's flag; results name what they load.
    Reference,
    /// Results hold the definitions that they load.
    Definition,
    /// Results hold schemas, and one tool calls all others.
    Proxy,
}

/// The way, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// The way.
    #[serde(skip)]
    pub way: Way,
    /// The way that the model's provider knows, where the model tells.
    #[serde(skip)]
    pub model: Option<Way>,
    /// What is done: never `auto`.
    pub used: Delivery,
    /// What the option says.
    pub asked: Delivery,
    /// Why, as a stable name: `asked`, `supported`, `unsupported_format`, `unsupported_model` or `unknown_model`.
    pub reason: &'static str,
    /// Why, for a person.
    pub message: String,
}

/// What is known of a model by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Model {
    /// It can, in this way.
    Can(Way),
    /// It can't.
    Cannot,
    /// Its name does not tell.
    Unknown,
}

/// The first that load by reference: Claude 4.5, of every size.
const CLAUDE: (u32, u32) = (4, 5);
/// The first that load by definition: gpt-5.4.
const GPT: (u32, u32) = (5, 4);

/// Chooses.
///
/// # Errors
/// `native` where the format has no such way, or where several have and the model is not known.
pub fn choose(options: &Options, wire: &Wire) -> Result<Choice, Error> {
    let asked = options.delivery;
    let model = match ability(options.model.as_deref().unwrap_or_default()) {
        Model::Can(way) => Some(way),
        Model::Cannot | Model::Unknown => None,
    };
    let made = |way, reason, message: String| Choice {
        way,
        model,
        used: match way {
            Way::Append => Delivery::Append,
            Way::Proxy => Delivery::Proxy,
            Way::Reference | Way::Definition => Delivery::Native,
        },
        asked,
        reason,
        message,
    };
    let way = match asked {
        Delivery::Append => Way::Append,
        Delivery::Proxy => Way::Proxy,
        Delivery::Native | Delivery::Auto => {
            return by_model(options, wire, &made);
        }
    };
    let message = match way {
        Way::Proxy => "one tool calls all that are found, as the option delivery says",
        _ => {
            "what is loaded is appended, as the option delivery says or as nothing else is asked for"
        }
    };
    Ok(made(way, "asked", message.to_owned()))
}

fn by_model(
    options: &Options,
    wire: &Wire,
    made: &dyn Fn(Way, &'static str, String) -> Choice,
) -> Result<Choice, Error> {
    let is_asked = options.delivery == Delivery::Native;
    let refused = |message: String| {
        Err(Error::new(
            Code::InvalidOption,
            ["option \"delivery\" can't be \"native\": ", &message].concat(),
        ))
    };
    let format = wire.format;
    let Some(native) = wire.native else {
        let message = format!("{format} has no way for a provider to load tools itself");
        if is_asked {
            return refused(message);
        }
        return Ok(made(Way::Append, "unsupported_format", message));
    };
    let model = options.model.as_deref().unwrap_or_default();
    let known = ability(model);
    let has = |way: Way| match way {
        Way::Reference => native.reference.is_some(),
        Way::Definition => native.definition.is_some(),
        Way::Append | Way::Proxy => false,
    };
    let only = match (native.reference.is_some(), native.definition.is_some()) {
        (true, false) => Some(Way::Reference),
        (false, true) => Some(Way::Definition),
        _ => None,
    };
    if let Model::Can(way) = known
        && has(way)
    {
        let reason = if is_asked { "asked" } else { "supported" };
        return Ok(made(way, reason, format!("{model} loads tools itself")));
    }
    if is_asked {
        return match only {
            Some(way) => Ok(made(way, "asked", "the option delivery says so".to_owned())),
            None => refused(format!(
                "with {format} it depends on the model: set model to one of Claude 4.5 or later, or gpt-5.4 or later"
            )),
        };
    }
    Ok(if model.is_empty() || known == Model::Unknown {
        let message = "whether the model loads tools itself is not known: set the option model";
        made(Way::Append, "unknown_model", message.to_owned())
    } else {
        let message = format!("{model} is not known to load tools itself by {format}");
        made(Way::Append, "unsupported_model", message)
    })
}

/// What a model can, by the name that providers and gateways give it: `claude-sonnet-4-5-20250929`,
/// `us.anthropic.claude-opus-4-5-v1:0`, `openai/gpt-5.4-mini`.
fn ability(model: &str) -> Model {
    let spelt = words(model);
    let mut words = spelt.split(' ').peekable();
    let mut family = None;
    for word in words.by_ref() {
        match word {
            "claude" => family = Some((CLAUDE, Way::Reference)),
            "gpt" => family = Some((GPT, Way::Definition)),
            _ => continue,
        }
        break;
    }
    let Some((least, way)) = family else {
        return if model.is_empty() {
            Model::Unknown
        } else {
            Model::Cannot
        };
    };
    // A date has eight digits, a version one or two.
    let number = |word: &str| -> Option<u32> {
        let end = word.bytes().take_while(u8::is_ascii_digit).count();
        (1..=2)
            .contains(&end)
            .then(|| word.get(..end)?.parse().ok())
            .flatten()
    };
    while let Some(word) = words.next() {
        // Azure's gpt-35 is 3.5, and gpt-oss-20b has its size there.
        let is_version = way == Way::Reference || number(word).is_some_and(|major| major < 30);
        if !is_version {
            return Model::Cannot;
        }
        if let Some(major) = number(word) {
            let minor = words.peek().and_then(|next| number(next)).unwrap_or(0);
            return if (major, minor) >= least {
                Model::Can(way)
            } else {
                Model::Cannot
            };
        }
    }
    Model::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_known_by_the_names_that_are_in_use() {
        let reference = [
            "claude-sonnet-4-5-20250929",
            "anthropic/claude-opus-4.5",
            "us.anthropic.claude-haiku-4-5-20251001-v1:0",
            "claude-opus-5",
            "claude-4.5-sonnet",
        ];
        for model in reference {
            assert_eq!(ability(model), Model::Can(Way::Reference), "{model}");
        }
        for model in [
            "gpt-5.4",
            "openai/gpt-5.4-mini",
            "gpt-6",
            "azure/gpt-5.10-2027-01-01",
        ] {
            assert_eq!(ability(model), Model::Can(Way::Definition), "{model}");
        }
        for model in [
            "claude-3-5-sonnet-20241022",
            "claude-sonnet-4-20250514",
            "gpt-5",
            "gpt-4o",
            "gpt-4.1",
            "o3",
            "gemini-3-pro",
        ] {
            assert_eq!(ability(model), Model::Cannot, "{model}");
        }
        for model in ["azure/gpt-35-turbo", "openai/gpt-oss-20b", "gpt-oss"] {
            assert_eq!(ability(model), Model::Cannot, "{model}");
        }
        for model in ["", "claude-latest"] {
            assert_eq!(ability(model), Model::Unknown, "{model}");
        }
    }
}
