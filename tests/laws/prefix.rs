//! What a provider's cache keeps of the tools.

use proptest::prelude::*;
use toolcrib::engine::Engine;
use toolcrib::options::Options;
use toolcrib::plan::{Plan, SEARCH_TOOL, Turn};
use toolcrib::prefix::{Before, Now, Prefix};

use crate::wires::form;
use crate::world::*;

/// The report on two turns, with what is the same found as the face finds it.
fn compare(made: &Engine, tools: &[Tool], before: &Plan, now: &Plan, exclude: &[String]) -> Prefix {
    let name = |slot: &i32| match usize::try_from(*slot) {
        Ok(at) => tools[at].name.clone(),
        Err(_) => "tool_search".to_owned(),
    };
    let sent = |plan: &Plan| -> Vec<String> {
        let all = plan.tools.iter().enumerate();
        all.map(|(at, slot)| form(made, *slot, plan.forms.get(at).copied().unwrap_or(0)))
            .collect()
    };
    let (one, other) = (sent(before), sent(now));
    let unchanged = one
        .iter()
        .zip(&other)
        .zip(before.tools.iter().zip(&now.tools));
    let before = Before {
        names: before.tools.iter().map(name).collect(),
        loaded: before.loaded.clone(),
        applied: before.deferral.applied,
        used: "append".to_owned(),
        unchanged: unchanged
            .take_while(|((one, other), (at, to))| one == other && at == to)
            .count(),
    };
    let now = Now {
        tools: now.tools.clone(),
        forms: now.forms.clone(),
        loaded: now.loaded.clone(),
        applied: now.deferral.applied,
        exclude: exclude.to_vec(),
    };
    made.prefix(&before, &now)
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn what_is_said_of_the_prefix_is_so(
        blocks in transcript(4),
        options in readings(),
        cuts in (any::<proptest::sample::Index>(), any::<proptest::sample::Index>()),
        loaded in (names_or_globs(), names_or_globs()),
        exclude in (names_or_globs(), names_or_globs()),
        same in proptest::bool::weighted(0.3),
    ) {
        let tools = crib();
        let made = engine(&tools, options);
        let messages = blocks.concat();
        let plan = |cut: proptest::sample::Index, loaded: &[String], exclude: &[String]| {
            let end = cut.index(messages.len() + 1);
            turn(&made, &messages[..end], &Turn { loaded: loaded.to_vec(), exclude: exclude.to_vec(), ..Turn::default() })
        };
        let before = plan(cuts.0, &loaded.0, &exclude.0);
        let now = if same { before.clone() } else { plan(cuts.1, &loaded.1, &exclude.1) };
        let excluded = if same { &exclude.0 } else { &exclude.1 };
        let said = compare(&made, &tools, &before, &now, excluded);
        prop_assert_eq!((said.before, said.now), (before.tools.len(), now.tools.len()));
        prop_assert!(said.unchanged <= said.before.min(said.now));
        prop_assert_eq!(&before.tools[..said.unchanged], &now.tools[..said.unchanged]);
        prop_assert_eq!(said.reason == "same", before.tools == now.tools, "{:?}", said);
        let has_grown = before.tools.len() < now.tools.len() && now.tools.starts_with(&before.tools);
        prop_assert_eq!(said.reason == "appended", has_grown, "{:?}", said);
        prop_assert_eq!(said.tokens.unchanged + said.tokens.changed, sum(&made, &now));
        // The reason speaks of the first place that differs.
        let gone = before.tools.get(said.unchanged).copied();
        let still = gone.is_some_and(|gone| now.tools.contains(&gone));
        let name = gone.and_then(|gone| usize::try_from(gone).ok()).map(|at| tools[at].name.clone());
        match said.reason {
            "withdrawn" => prop_assert!(gone == Some(SEARCH_TOOL) && !still),
            "excluded" => prop_assert!(!still && excluded.iter().any(|pattern| fits(pattern.as_bytes(), name.as_ref().unwrap().as_bytes()))),
            "unloaded" => prop_assert!(!still && before.loaded.contains(name.as_ref().unwrap())),
            "removed" => prop_assert!(false, "the catalogue is the same: {:?}", said),
            "changed" | "delivery" | "deferral" => prop_assert!(false, "nothing of it changed: {:?}", said),
            "added" => prop_assert!(still && !before.tools.contains(&now.tools[said.unchanged])),
            "reordered" => prop_assert!(still),
            _ => prop_assert!(gone.is_none()),
        }
    }

    #[test]
    fn whatever_is_kept_of_the_turn_before_is_compared(
        names in names_or_globs(),
        (unchanged, used, applied) in (0..20_usize, any_text(), any::<bool>()),
        slots in proptest::collection::vec(-20..20_i32, 0..12),
    ) {
        let made = engine(&crib(), Options { ..always() });
        let before = Before { names: names.clone(), loaded: names.clone(), applied, used, unchanged };
        let said = made.prefix(&before, &Now { tools: slots.clone(), forms: Vec::new(), loaded: names.clone(), applied, exclude: names });
        prop_assert!(said.unchanged <= said.before.min(said.now));
        prop_assert_eq!(said.now, slots.len());
    }
}

/// What the tools of a turn cost; the note is none of them.
fn sum(made: &Engine, plan: &Plan) -> u32 {
    let report = made.report();
    let costs = plan.tools.iter().map(|slot| match usize::try_from(*slot) {
        Ok(at) => report.tools[at].tokens,
        Err(_) => toolcrib::cost::of_json(&report.search_tool),
    });
    costs.sum()
}
