//! Formats and deliveries: what a run does to the tools of a request.

use proptest::collection::vec;
use proptest::prelude::*;
use toolcrib::options::{Delivery, Options, WhenAllLoaded};

use crate::wires::Wire;
use crate::world::*;

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn in_every_format_tools_only_grow_at_their_end(
        tools in catalogue(mixed(), 10),
        queries in vec(query(), 1..5),
    ) {
        for wire in Wire::all().into_iter().filter(|wire| wire.delivery == Delivery::Append) {
            let made = engine(&tools, wire.options());
            let (plans, replies) = wire.run(&made, &queries);
            for (before, after) in plans.iter().zip(&plans[1..]) {
                let withdrawn = before.note.is_some() && after.note.is_none();
                prop_assert!(withdrawn || after.tools.starts_with(&before.tools), "{:?}: {:?} {:?}", wire, before.tools, after.tools);
                prop_assert!(after.loaded.starts_with(&before.loaded));
            }
            for (plan, reply) in plans[1..].iter().zip(&replies) {
                prop_assert!(plan.loaded.ends_with(&reply.loaded), "{:?}: {:?} {:?}", wire, plan.loaded, reply);
            }
        }
    }

    #[test]
    fn where_the_provider_or_one_tool_loads_the_tools_are_the_same_on_every_turn(
        tools in catalogue(mixed(), 10),
        queries in vec(query(), 1..5),
    ) {
        for wire in Wire::all().into_iter().filter(|wire| wire.delivery != Delivery::Append) {
            let made = engine(&tools, wire.options());
            // Nobody searches where there is nothing to find.
            if !made.deferral().applied {
                continue;
            }
            let (plans, replies) = wire.run(&made, &queries);
            for (plan, before) in plans[1..].iter().zip(&plans) {
                prop_assert_eq!(&plan.tools, &before.tools, "{:?}", wire);
                prop_assert_eq!(&plan.forms, &before.forms, "{:?}", wire);
                prop_assert_eq!(&plan.note, &before.note, "{:?}", wire);
                prop_assert!(plan.stubs.is_empty() && plan.warnings.is_empty());
            }
            for (plan, reply) in plans[1..].iter().zip(&replies) {
                prop_assert!(plan.loaded.ends_with(&reply.loaded), "{:?}: {:?} {:?}", wire, plan.loaded, reply);
            }
        }
    }

    #[test]
    fn a_run_loads_the_same_in_every_format(
        tools in catalogue(mixed(), 10),
        queries in vec(query(), 1..5),
    ) {
        // Only the names stand in an answer that the provider resolves, and schemas in one for a proxy: more or fewer fit.
        let mut first: Option<Vec<Vec<String>>> = None;
        for wire in Wire::all().into_iter().filter(|wire| wire.delivery == Delivery::Append) {
            let options = Options { when_all_loaded: Some(WhenAllLoaded::Keep), ..wire.options() };
            let made = engine(&tools, options);
            let (plans, replies) = wire.run(&made, &queries);
            let mut loaded: Vec<Vec<String>> = plans.into_iter().map(|plan| plan.loaded).collect();
            loaded.extend(replies.into_iter().map(|reply| reply.already_loaded));
            prop_assert_eq!(first.get_or_insert_with(|| loaded.clone()), &loaded, "{:?}", wire);
        }
    }
}
