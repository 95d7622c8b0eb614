//! The keep-note: the system message that stands for results which a compaction dropped.

use super::{Form, clean, fill, form, text};
use crate::delivery::Way;
use crate::options::Options;
use crate::texts::Text;
use crate::transcript::{Format, HEAD};
use crate::value::{Json, quote};

/// A note holds at most so many names: twice what the widest-spread cap lets a provider take as tools.
const NAMES: usize = 256;
/// What the names take at most, in bytes. With the sentence a note stays under 16 kB.
const BYTES: usize = 15_000;
/// A name that no tool of the catalogue has and that is longer than this is left out.
const NAME_CHARS: usize = 256;

/// What the model reads beside the names.
fn sentence(options: &Options, way: Way, is_empty: bool) -> String {
    let text = match way {
        _ if is_empty => Text::KeepNoteEmpty,
        Way::Proxy => Text::KeepNoteProxy,
        _ => Text::KeepNote,
    };
    options.say(text, &[])
}

/// The message that says what is loaded, as the format has a system message among the others; `None` where it has none.
/// `names` are those on the wire of what is loaded, in order; `others` those of what is no deferred tool here and may
/// become one. Where there is no room for all, the oldest go first, and of the two lists the second.
pub fn keep_note(
    format: Format,
    options: &Options,
    way: Way,
    names: &[&str],
    others: &[String],
) -> Option<Json> {
    let Form { system, .. } = form(format);
    if system.is_empty() {
        return None;
    }
    let others: Vec<&str> = others
        .iter()
        .map(String::as_str)
        // Strangers wrote them: what would show as something else is none.
        .filter(|name| clean(name, NAME_CHARS) == *name)
        .collect();
    // In the order in which they go.
    let all: Vec<&str> = others.iter().chain(names).copied().collect();
    let cost = |name: &str| text(&Json::string(name)).len() + 1;
    let mut bytes: usize = all.iter().map(|name| cost(name)).sum();
    let mut gone = 0;
    while all.len() - gone > NAMES || bytes > BYTES {
        bytes -= cost(all[gone]);
        gone += 1;
    }
    let first = others.len();
    let kept = all
        .get(gone.max(first)..)
        .into_iter()
        .chain(all.get(gone..first));
    let kept: Vec<Json> = kept.flatten().map(|name| Json::string(*name)).collect();
    let mut note = HEAD.to_owned();
    note.push_str(r#","loaded":"#);
    let sentence = sentence(options, way, kept.is_empty());
    note.push_str(&text(&Json::Array(kept)));
    note.push_str(r#","note":"#);
    quote(&sentence, &mut note);
    note.push('}');
    let mut message = String::new();
    fill(system, &mut message, &mut |_, out| quote(&note, out));
    Json::parse(&message).ok()
}
