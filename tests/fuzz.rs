//! The fuzz targets on what proptest draws: texts of the shapes that matter, damaged at random.

// A test that fails may panic; the lint lets only functions marked as tests do so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../fuzz/targets.rs"]
mod targets;
mod world;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

/// One damage to some bytes.
#[derive(Clone, Debug)]
enum Damage {
    Cut(f64),
    Remove(f64, f64),
    Repeat(f64, f64),
    Put(f64, Vec<u8>),
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = || 0.0..1.0_f64;
    prop_oneof![
        place().prop_map(Damage::Cut),
        (place(), place()).prop_map(|(at, share)| Damage::Remove(at, share)),
        (place(), place()).prop_map(|(at, share)| Damage::Repeat(at, share)),
        (place(), vec(any::<u8>(), 1..4)).prop_map(|(at, bytes)| Damage::Put(at, bytes)),
        (
            place(),
            proptest::sample::select(
                &["\\ud83d", "1e400", "[", "}", "\"", "\\", "\u{301}", "__"][..]
            )
        )
            .prop_map(|(at, text)| Damage::Put(at, text.as_bytes().to_vec())),
    ]
}

fn apply(mut bytes: Vec<u8>, damage: Damage) -> Vec<u8> {
    let at = |share: f64| (bytes.len() as f64 * share) as usize;
    match damage {
        Damage::Cut(end) => bytes.truncate(at(end)),
        Damage::Remove(start, share) => {
            let (start, end) = (at(start), at(start + share / 10.0).min(bytes.len()));
            bytes.drain(start..end);
        }
        Damage::Repeat(start, share) => {
            let (start, end) = (at(start), at(start + share / 10.0).min(bytes.len()));
            let piece = bytes[start..end].to_vec();
            bytes.splice(end..end, piece);
        }
        Damage::Put(place, more) => {
            let place = at(place);
            bytes.splice(place..place, more);
        }
    }
    bytes
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let whole = prop_oneof![
        2 => world::any_json().prop_map(|value| value.to_string()),
        2 => world::transcript(3).prop_map(|blocks| json!(blocks.concat()).to_string()),
        1 => world::any_content().prop_map(|content| content.as_str().map_or_else(|| content.to_string(), str::to_owned)),
        1 => world::any_text(),
        1 => world::query(),
    ]
    .prop_map(String::into_bytes);
    let flags = any::<u8>();
    (
        prop_oneof![9 => whole, 1 => vec(any::<u8>(), 0..60)],
        vec(damage(), 0..3),
        flags,
    )
        .prop_map(|(whole, damages, flags)| {
            let mut bytes = damages.into_iter().fold(whole, apply);
            // The first byte chooses how a transcript is read, and is white space to JSON one time in two.
            bytes.insert(
                0,
                if flags & 4 == 0 {
                    b' ' + (flags & 3)
                } else {
                    b' '
                },
            );
            bytes
        })
}

proptest! {
    #![proptest_config(world::config(2000))]

    #[test]
    fn json(data in bytes()) {
        targets::json(&data);
    }

    #[test]
    fn terms(data in bytes()) {
        targets::terms(&data);
    }

    #[test]
    fn transcript(data in bytes()) {
        targets::transcript(&data);
    }

    #[test]
    fn answer(data in bytes()) {
        targets::answer(&data[1..]);
    }
}
