//! The pieces of an utterance that free text may be: runs of whole words, of Chinese characters.
//!
//! What a grammar lets a model say of an utterance (§6.1); the values of examples and the typed
//! values are added by [`schema::render::gbnf`]. Read next: [`crate::gguf`].

use crate::lexicon;
use language::text::{Class, Gap, Text, Token};
use std::collections::BTreeSet;

/// The most words or signs of a piece, and the most Chinese characters.
const WORDS_MOST: usize = 8;
const CHARACTERS_MOST: usize = 14;
/// The most pieces: short ones first.
const PIECES_MOST: usize = 1_000;

/// The pieces of an utterance, each once, in the order of their length and place.
pub(crate) fn spans(utterance: &str) -> Vec<String> {
    let text = Text::new(utterance);
    let (mut seen, mut spans) = (BTreeSet::new(), Vec::new());
    for length in 1..=WORDS_MOST.max(CHARACTERS_MOST) {
        for run in text.tokens.windows(length) {
            if spans.len() < PIECES_MOST && is_piece(run) {
                let span = &text.raw[run[0].start..run[length - 1].end];
                if seen.insert(span.to_owned()) {
                    spans.push(span.to_owned());
                }
            }
        }
    }
    spans
}

/// True for tokens of one sentence that end in no word of grammar.
fn is_piece(run: &[Token]) -> bool {
    let characters = run.iter().filter(|t| t.class == Class::Cjk).count();
    let short = run.len() - characters <= WORDS_MOST && run.len() <= CHARACTERS_MOST;
    let whole = run.iter().skip(1).all(|t| t.gap != Gap::Stop);
    let ends = run.last().is_some_and(|t| !lexicon::is_function(&t.text));
    short && whole && ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_runs_of_whole_words() {
        let found = spans("Book a table at Chez Panisse, Berkeley. For two.");
        for piece in ["Chez Panisse", "Chez Panisse, Berkeley", "two", "a table"] {
            assert!(found.contains(&piece.to_owned()), "{piece}: {found:?}");
        }
        for none in ["Chez Pan", "table at", "Berkeley. For two", "at", "two."] {
            assert!(!found.contains(&none.to_owned()), "{none}: {found:?}");
        }
    }

    #[test]
    fn chinese_has_no_blanks_between_words() {
        let found = spans("预订明天去上海的机票");
        assert!(found.contains(&"上海".to_owned()) && found.contains(&"明天".to_owned()));
    }

    #[test]
    fn there_are_never_too_many() {
        let long: Vec<String> = (0..5_000).map(|n| format!("w{n}x")).collect();
        assert_eq!(spans(&long.join(" ")).len(), PIECES_MOST);
        assert!(spans("").is_empty() && spans("?!").is_empty());
    }
}
