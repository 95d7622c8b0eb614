//! Terms: documents and queries are split alike, and no text is too strange.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use toolcrib::terms::{Kind, is_stop_word, words};

use crate::world::*;

fn parts(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    words(text, &mut |word, kind| {
        if kind == Kind::Part {
            parts.push(word.to_owned());
        }
    });
    parts
}

proptest! {
    #![proptest_config(config(4000))]

    #[test]
    fn the_words_of_words_are_the_same(text in prop_oneof![any_text(), sentence(1, 8), name(), "\\PC{0,24}"]) {
        let once = parts(&text);
        prop_assert_eq!(parts(&once.join(" ")), once);
    }

    #[test]
    fn the_words_of_any_text_are_bounded(text in prop_oneof!["[a-z]{50,90}", "[a-zé]{50,90}", any_text(), any::<String>(), "[A-Za-z0-9'_]{0,300}"]) {
        let (mut bytes, mut count) = (0, 0);
        words(&text, &mut |word, _| {
            assert!(!word.is_empty() && word.chars().count() <= 64);
            bytes += word.len();
            count += 1;
        });
        prop_assert!(bytes <= 12 * text.len() && count <= 4 * text.chars().count());
    }

    #[test]
    fn a_name_has_the_same_parts_in_every_convention(words in vec(select(&NAME_WORDS[..]), 1..5)) {
        let snake = parts(&spell(&words, 0));
        for convention in 1..5 {
            prop_assert_eq!(&parts(&spell(&words, convention)), &snake, "{}", spell(&words, convention));
        }
        prop_assert_eq!(&parts(&words.join(".")), &snake);
        prop_assert_eq!(&parts(&words.join(" ")), &snake);
    }

    #[test]
    fn the_words_of_a_text_are_those_of_its_pieces(one in any_text(), other in any_text()) {
        // A document and a query are split alike: what stands around a text does not change its words.
        let mut both = parts(&one);
        both.extend(parts(&other));
        prop_assert_eq!(parts(&format!("{one} {other}")), both);
    }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn a_tool_is_found_by_each_word_of_its_text(text in prop_oneof![sentence(1, 8), any_text()]) {
        let made = engine(&[Tool::plain("q7", &text), Tool::plain("q8", "")], always());
        let mut all = Vec::new();
        words(&text, &mut |word, _| all.push(word.to_owned()));
        for word in all.iter().filter(|word| !is_stop_word(word)) {
            prop_assert!(search(&made, word, 5).iter().any(|hit| hit.name == "q7"), "{word:?} of {text:?}");
        }
    }
}
