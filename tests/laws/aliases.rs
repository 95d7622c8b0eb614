//! Aliases: every name that goes out is one that the provider takes, and leads back to its tool.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use toolcrib::catalogue::Catalogue;
use toolcrib::names::alias;
use toolcrib::options::Options;
use toolcrib::tool::{self, Read, WIRES};
use toolcrib::value::Json;

use crate::world::*;

/// Of these the first forty bits of the hash agree, and so does all else of the alias.
const ALIKE: [&str; 2] = ["a!</}~", "a+$!#$"];

/// Names of strangers who want two tools to be one: refused by some provider, alike but for what is refused, too long, or
/// what another's alias would be.
fn hostile() -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        4 => "[ab._/ é:-]{1,4}",
        2 => any_text(),
        1 => ("[a.]{1,2}", 60..140_usize).prop_map(|(name, length)| name.repeat(length)),
        1 => select(&["tool_search", "call_tool", "1", "a__b", "a.b", "__proto__", "constructor"][..]).prop_map(str::to_owned),
    ];
    let taken = select(&[8, 8, 8, 16, 32, 51][..]);
    (
        vec(name, 1..7),
        vec((any::<proptest::sample::Index>(), taken), 0..6),
        proptest::option::weighted(0.2, any::<proptest::sample::Index>()),
        proptest::bool::weighted(0.2),
    )
        .prop_map(|(mut names, taken, wholly, alike)| {
            if let Some(at) = wholly {
                let name = names[at.index(names.len())].clone();
                names.extend([8, 16, 32, 51].map(|digits| alias(&name, 64, digits)));
            }
            if alike {
                names.extend(ALIKE.map(str::to_owned));
            }
            for (at, digits) in taken {
                names.push(alias(&names[at.index(names.len())], 64, digits));
            }
            let mut seen = BTreeSet::new();
            names.retain(|name| !name.is_empty() && seen.insert(name.clone()));
            names
        })
}

fn made(names: &[String], format: &str, options: &Options) -> Catalogue {
    let tools: Vec<Tool> = names
        .iter()
        .map(|name| Tool::plain(name, "does it"))
        .collect();
    let host = Host::of(&tools);
    let reads: Vec<Read> = host
        .tools
        .iter()
        .map(|tool: &Json| tool::read(&Some(tool)))
        .collect();
    Catalogue::new(reads, &[], options, tool::wire(format).unwrap()).expect("the names differ")
}

proptest! {
    #![proptest_config(config(800))]

    #[test]
    fn every_name_that_goes_out_is_taken_and_leads_back(
        (names, shuffled) in hostile().prop_flat_map(|names| (Just(names.clone()), Just(names).prop_shuffle())),
        limit in prop_oneof![4 => Just(None), 1 => (0..80_u8).prop_map(|limit| Some(f64::from(limit)))],
        refuse_names in proptest::bool::weighted(0.1),
    ) {
        let options = Options { name_limit: limit, refuse_names, ..always() };
        let mut alias_of: BTreeMap<String, String> = BTreeMap::new();
        for wire in WIRES {
            let catalogue = made(&names, wire.format, &options);
            let longest = limit.map_or(wire.names.longest, |limit| limit as usize);
            let mut out = BTreeSet::new();
            for (position, tool) in catalogue.tools() {
                let name = tool.wire_name();
                prop_assert_eq!(wire.names.fault(name, longest), None, "{:?} goes out in {}", name, wire.format);
                prop_assert!(out.insert(name.to_owned()), "{:?} goes out twice in {}", name, wire.format);
                prop_assert!(tool.alias.is_none() || !names.contains(&name.to_owned()), "{:?} is another's own name", name);
                prop_assert!(tool.alias.is_none() || ![&options.search_name, &options.call_name].contains(&&name.to_owned()));
                prop_assert_eq!(catalogue.known(&tool.name, None), Some(position));
                prop_assert_eq!(catalogue.known(name, None), Some(position));
            }
            // Whatever is not sent is said to be left out.
            let left_out: BTreeSet<&String> = names.iter().filter(|name| catalogue.position(name).is_none()).collect();
            let said: BTreeSet<&String> = catalogue.warnings.iter().filter_map(|warning| warning.tool.as_ref()).collect();
            prop_assert!(left_out.is_subset(&said), "{:?} without a word", left_out);
            // A name has one alias, whatever the format, and whatever stands beside it in whichever order.
            for (name, other) in catalogue.aliases() {
                let known = alias_of.entry(name.to_owned()).or_insert_with(|| other.to_owned());
                prop_assert_eq!(&*known, other);
            }
            let again = made(&shuffled, wire.format, &options);
            let sorted = |catalogue: &Catalogue| -> BTreeMap<String, String> {
                catalogue.tools().map(|(_, tool)| (tool.name.clone(), tool.wire_name().to_owned())).collect()
            };
            prop_assert_eq!(sorted(&catalogue), sorted(&again));
        }
    }
}
