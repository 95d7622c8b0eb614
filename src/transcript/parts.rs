//! What a part of a message is, by the rules of its format.

use super::{
    Answered, By, Call, Holder, Named, Place, Rule, SEARCH, SEARCH_ITEM, Shape, What, names,
};
use crate::value::{Kind, Value};

/// A part that says something of tools.
pub(super) enum Piece<V> {
    Call(Call<V>),
    Result(Answered<V>),
    /// The call of this id waits for an approval.
    Approval(String),
    /// Tools that come, or go where the flag is false.
    Change(bool, Vec<Named>),
    /// A list of changes.
    Changes(V),
}

/// Until the reader has filled it in.
const NOWHERE: Place = Place {
    message: 0,
    part: None,
};

/// What the part is, if it says anything of tools.
pub(super) fn read<V: Value>(shape: &Shape, part: &V) -> Option<Piece<V>> {
    let tag = at(part, shape.tag);
    shape.rules.iter().find_map(|rule| {
        let holder = match rule.holder {
            Holder::Tagged if tag.as_deref() == Some(rule.tag) => part.clone(),
            Holder::Bare if tag.is_none() && part.get(rule.tag).exists() => part.clone(),
            Holder::Key | Holder::KeyOnly if tag.is_none() => {
                let holder = part.get(rule.tag);
                if holder.kind() != Kind::Object {
                    return None;
                }
                holder
            }
            _ => return None,
        };
        piece(rule, part, &holder)
    })
}

/// The text at a key, none of which is asked for where there is no key.
fn at<V: Value>(value: &V, key: &'static str) -> Option<String> {
    if key.is_empty() {
        return None;
    }
    value.text_at(key)
}

fn piece<V: Value>(rule: &Rule, part: &V, holder: &V) -> Option<Piece<V>> {
    let [id, name, body] = rule.keys;
    let outer = if rule.holder == Holder::KeyOnly {
        part
    } else {
        holder
    };
    let id = at(outer, id);
    let name = at(holder, name);
    let body = if body.is_empty() {
        holder.clone()
    } else {
        holder.get(body)
    };
    let is_so = |key| holder.get(key).flag() == Some(true);
    let says = |key, word| holder.get(key).is(word);
    Some(match rule.what {
        What::Call => {
            let is_item = rule.tag == SEARCH_ITEM;
            let is_hosted = if is_item {
                id.is_none() || says("execution", "server")
            } else {
                says("type", "server_tool_use") || is_so("providerExecuted")
            };
            Piece::Call(Call {
                place: NOWHERE,
                id,
                name: if is_item { SEARCH.to_owned() } else { name? },
                namespace: holder.text_at("namespace"),
                arguments: body,
                by: match is_hosted {
                    true => By::Hosted,
                    false if is_item => By::Search,
                    false => By::Function,
                },
                waits: false,
            })
        }
        What::Result => Piece::Result(Answered {
            place: NOWHERE,
            // Where there are no ids the name stands in one of two fields.
            name: name.or_else(|| id.is_none().then(|| at(holder, "tool_name")).flatten()),
            id,
            failed: is_so("is_error") || is_so("isError") || says("status", "error"),
            content: body,
        }),
        What::Approval => Piece::Approval(id?),
        What::Adds | What::Removes => {
            let defined = body.get("definition");
            let is_defined = defined.kind() == Kind::Object;
            let named = Named {
                name: at(if is_defined { &defined } else { &body }, "name")?,
                native: true,
                schema: is_defined,
            };
            Piece::Change(rule.what == What::Adds, vec![named])
        }
        What::Changes => Piece::Changes(body),
        What::Tools => {
            if !says("role", "developer") && !says("role", "system") {
                return None;
            }
            Piece::Change(true, names(&body)?)
        }
    })
}
