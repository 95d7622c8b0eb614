//! Catalogues that change: an index that takes another over answers as one that is built anew.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index as Draw;
use toolcrib::engine::{Change, Engine};
use toolcrib::index::Index;
use toolcrib::options::Options;
use toolcrib::tool::Read;
use toolcrib::value::Json;

use crate::world::*;

fn borrowed(texts: &[Option<String>]) -> Vec<Option<&str>> {
    texts.iter().map(Option::as_deref).collect()
}

/// Where each tool stands in an older list, if its schema is the same.
fn places(older: &Host, newer: &Host) -> Vec<Option<u32>> {
    let name = |tool: &Json| toolcrib::tool::read(&Some(tool)).name().map(str::to_owned);
    let known: Vec<Option<String>> = older.tools.iter().map(name).collect();
    let find = |(tool, schema): (&Json, &Option<String>)| {
        let at = known.iter().position(|known| *known == name(tool))?;
        (older.schemas[at] == *schema).then_some(at as u32)
    };
    newer.tools.iter().zip(&newer.schemas).map(find).collect()
}

fn same_answers(engine: &Engine, index: &Index, queries: &[String]) -> Result<(), TestCaseError> {
    for query in queries {
        let (text, limit) = (Json::Text(query.clone()), Json::Number(20.0));
        let found = engine.search_by(index, &Some(&text), &Some(&limit), true);
        prop_assert_eq!(
            seen(&found),
            seen(&search(engine, query, 20)),
            "of {:?}",
            query
        );
        prop_assert_eq!(found, search(engine, query, 20));
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(200))]

    /// Tools come, go, move and change, several times in a row: hits, scores and explanations are to the last bit those of
    /// an index that is built anew, by both rules, and what is not kept is all that is read again.
    #[test]
    fn an_index_by_way_of_another_is_the_same(
        pool in catalogue(mixed(), 13),
        rounds in vec(vec((any::<Draw>(), 0_u8..6, sentence(0, 6)), 0..14), 1..6),
        queries in vec(query(), 1..6),
        keywords in any::<bool>(),
    ) {
        let options = || Options { deferred_names: vec!["*".to_owned()], rank: by_keywords(keywords), ..always() };
        let mut pool = pool;
        let mut before: Option<(Host, Engine, Index)> = None;
        for round in rounds {
            let mut tools: Vec<Tool> = Vec::new();
            for (draw, how, text) in round {
                let at = draw.index(pool.len());
                match how {
                    0 => pool[at].rest.clone_from(&text),
                    1 => pool[at].parameters.clear(),
                    2 => pool[at].title = Some(text),
                    _ => {}
                }
                if !tools.iter().any(|tool| tool.name == pool[at].name) {
                    tools.push(pool[at].clone());
                }
            }
            let host = Host::of(&tools);
            let fresh = host.engine(options()).unwrap();
            let index = match &before {
                None => fresh.index(&borrowed(&host.schemas)).0,
                Some((older, engine, index)) => {
                    let at = places(older, &host);
                    let changes = fresh.changes(engine, &at);
                    let kept: Vec<Option<u32>> = at.iter().zip(&changes)
                        .map(|(at, change)| at.filter(|_| *change == Change::None)).collect();
                    // Schemas of what is kept are not looked at.
                    let texts: Vec<Option<&str>> = host.schemas.iter().zip(&kept)
                        .map(|(text, kept)| if kept.is_some() { Some("no JSON") } else { text.as_deref() }).collect();
                    let (index, faults) = fresh.reindex(&texts, index, &kept);
                    prop_assert!(faults.is_empty(), "{:?}", faults);
                    index
                }
            };
            same_answers(&fresh, &index, &queries)?;
            before = Some((host, fresh, index));
        }
    }

    /// Whatever is said to be kept, right or wrong, makes no panic.
    #[test]
    fn no_claim_of_what_is_kept_reaches_a_panic(
        older in catalogue(mixed(), 6),
        newer in catalogue(mixed(), 6),
        claims in vec(proptest::option::of(0_u32..9), 0..9),
        text in query(),
    ) {
        let (older, newer) = (Host::of(&older), Host::of(&newer));
        let (Ok(before), Ok(after)) = (older.engine(always()), newer.engine(always())) else { return Ok(()) };
        let (index, _) = before.index(&borrowed(&older.schemas));
        let _ = after.changes(&before, &claims);
        let (index, _) = after.reindex(&borrowed(&newer.schemas), &index, &claims);
        let _ = after.search_by(&index, &Some(&Json::Text(text)), &None, true);
        let reads: Vec<Read> = newer.tools.iter().chain(&older.tools).map(|tool| toolcrib::tool::read(&Some(tool))).collect();
        let left = before.newcomers(&reads, &borrowed(&newer.schemas), &borrowed(&older.schemas));
        prop_assert!(left.iter().all(|at| (*at as usize) < reads.len()));
    }
}

/// Words that no tool has any more are carried along, but not for ever.
#[test]
fn an_index_wears_out() {
    let engine_of = |text: &str| {
        let tool = Tool::plain("only", text);
        Host::of(&[tool]).engine(always()).unwrap()
    };
    let first = engine_of("alpha beta gamma delta");
    let (mut index, _) = first.index(&[None]);
    assert!(!index.is_worn());
    let mut rounds = 0;
    while !index.is_worn() {
        rounds += 1;
        let words = format!("one{rounds}x two{rounds}x three{rounds}x");
        index = engine_of(&words).reindex(&[None], &index, &[None]).0;
        assert!(rounds < 9, "it grows without end");
    }
}
