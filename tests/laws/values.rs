//! Identity, patterns and JSON values, against plain readings of them.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value as Plain;
use toolcrib::identity::identity;
use toolcrib::plan::Turn;
use toolcrib::value::{Json, Value};

use crate::world::*;

/// The same value with the keys of its objects in another order.
fn other_key_order(value: &Json) -> Json {
    match value {
        Json::Array(items) => Json::Array(items.iter().map(other_key_order).collect()),
        Json::Object(entries) => Json::Object(
            entries
                .iter()
                .rev()
                .map(|(key, value)| (key.clone(), other_key_order(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

fn text(json: &Json) -> String {
    Some(json).json_text().unwrap()
}

/// Equal but for the last digit of a number, which serde_json does not read exactly.
fn alike(one: &Plain, other: &Plain) -> bool {
    match (one, other) {
        (Plain::Number(one), Plain::Number(other)) => {
            let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            one == other || (one - other).abs() <= one.abs() * 1e-15 + 1e-307
        }
        (Plain::Array(one), Plain::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(one, other))
        }
        (Plain::Object(one), Plain::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, one)| other.get(key).is_some_and(|other| alike(one, other)))
        }
        _ => one == other,
    }
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn a_catalogue_is_the_same_in_any_order(
        (tools, shuffled) in catalogue(mixed(), 8).prop_flat_map(|tools| (Just(tools.clone()), Just(tools).prop_shuffle())),
        pick in any::<Index>(),
    ) {
        let digest = |host: &Host| {
            let schemas: Vec<Option<&str>> = host.schemas.iter().map(Option::as_deref).collect();
            identity(&host.stood(), &schemas)
        };
        let (one, mut other) = (digest(&Host::of(&tools)), Host::of(&shuffled));
        for (tool, schema) in other.tools.iter_mut().zip(&mut other.schemas) {
            *tool = other_key_order(tool);
            *schema = schema.as_deref().map(|schema| text(&other_key_order(&Json::parse(schema).unwrap())));
        }
        let other = digest(&other);
        prop_assert_eq!(&one.fingerprint, &other.fingerprint);
        let sorted = |digests: &[String]| digests.iter().cloned().collect::<BTreeSet<_>>();
        prop_assert_eq!(sorted(&one.digests), sorted(&other.digests));

        // And another one when anything that a model sees is another.
        let at = pick.index(tools.len());
        let changes: [&dyn Fn(&mut Tool); 4] = [
            &|tool| tool.name.push('x'),
            &|tool| tool.first.push('x'),
            &|tool| tool.title = Some("another".to_owned()),
            &|tool| tool.parameters.push(Parameter {
                name: "zz".to_owned(), title: None, text: None, values: Vec::new(), inner: Vec::new(), nesting: Nesting::Items, aside: None,
            }),
        ];
        for change in changes {
            let mut changed = tools.clone();
            change(&mut changed[at]);
            if !changed[at].shows_title() {
                changed[at].title.clone_from(&tools[at].title);
            }
            let is_same = format!("{:?}", changed[at].definition()) == format!("{:?}", tools[at].definition());
            let changed = digest(&Host::of(&changed));
            prop_assert_eq!(changed.fingerprint == one.fingerprint, is_same);
            for (place, (before, after)) in one.digests.iter().zip(&changed.digests).enumerate() {
                prop_assert_eq!(before == after, is_same || place != at);
            }
        }
    }

    #[test]
    fn a_merged_definition_changes_nothing(tools in catalogue(mixed(), 6), pick in any::<Index>(), query in query()) {
        let mut doubled = tools.clone();
        doubled.push(pick.get(&tools).clone());
        let (one, two) = (engine(&tools, always()), engine(&doubled, always()));
        prop_assert_eq!(seen(&search(&one, &query, 20)), seen(&search(&two, &query, 20)));
        let (one, two) = (turn(&one, &[], &Turn::default()), turn(&two, &[], &Turn::default()));
        prop_assert_eq!(one.tools, two.tools);
        prop_assert_eq!(one.tokens, two.tokens);
    }
}

proptest! {
    #![proptest_config(config(4000))]

    #[test]
    fn a_pattern_takes_in_what_the_plain_reading_does(pattern in "[ab*?]{0,8}", name in "[abé]{0,8}") {
        // A character for a byte, as `?` stands for one of the former.
        let bytes = |text: &str| text.replace('é', "e").into_bytes();
        prop_assert_eq!(toolcrib::names::glob(&pattern, &name), fits(&bytes(&pattern), &bytes(&name)));
    }

    #[test]
    fn a_value_is_read_as_it_was_written(value in any_json(), deep in 0..100_usize) {
        let written = value.to_string();
        let parsed = Json::parse(&written).unwrap();
        prop_assert!(alike(&serde_json::from_str(&text(&parsed)).unwrap(), &value), "{} {}", text(&parsed), value);
        // Within brackets too, up to the depth that is read; whatever lies deeper harms nothing.
        let within = |deep: usize| format!("{}{}{}", "[".repeat(deep), written, "]".repeat(deep));
        let back = text(&Json::parse(&within(deep)).unwrap());
        if deep < 55 {
            prop_assert!(alike(&serde_json::from_str(&back[deep..back.len() - deep]).unwrap(), &value), "{}", back);
        }
        prop_assert!(Json::parse(&within(deep * 100)).is_ok());
    }

    #[test]
    fn broken_text_is_an_error_or_a_value(text in "[\\[\\]{}:,\"\\\\u0-9dD8e.a\\- ]{0,40}") {
        if let Ok(value) = Json::parse(&text) {
            prop_assert!(Some(&value).json_text().is_some());
        }
        prop_assert!(names(&text).is_none_or(|names| names.len() < 20));
        if serde_json::from_str::<Plain>(&text).is_ok() {
            prop_assert!(Json::parse(&text).is_ok(), "what is JSON is read");
        }
    }
}
