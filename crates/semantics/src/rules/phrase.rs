//! Where a phrase stands in an utterance: word for word, or by the words of it that tell something.
//!
//! Read next: [`super::propose`].

use super::utterance::AnnotatedUtterance;
use crate::lexicon;
use language::text::{Class, Token};
use std::ops::Range;

/// The place of a phrase in an utterance, and how surely it is that phrase.
#[derive(Clone, Debug)]
pub(super) struct PhraseMatch {
    /// From its first word to its last.
    pub(super) run: Range<usize>,
    /// Its words.
    pub(super) held: Vec<usize>,
    /// The confidence.
    pub(super) confidence: f64,
}

/// The place of a phrase in an utterance; the surest place.
pub(super) fn likeness(utterance: &AnnotatedUtterance, said: &[Token]) -> Option<PhraseMatch> {
    let exact = utterance.text.find(said);
    if let Some(run) = exact.into_iter().next_back() {
        let held = run.clone().collect();
        return Some(PhraseMatch {
            run,
            held,
            confidence: 0.97,
        });
    }
    let telling = telling(said);
    if telling.len() < 2 {
        return None;
    }
    let parts = utterance.text.clauses();
    let found = parts
        .iter()
        .filter_map(|clause| scattered(utterance, &telling, clause));
    let (held, share) = found.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.len().cmp(&a.0.len())))?;
    let run = run_of(&held);
    // Of two phrases whose words are all there, the one with more words, and those closer.
    let loose = run.len().saturating_sub(telling.len()) as f64;
    let long = held.len().min(6) as f64;
    let confidence = match share {
        s if s >= 0.999 => 0.88 + 0.01 * long - 0.015 * loose.min(6.0),
        s if s >= 0.66 => 0.74 + 0.01 * long,
        _ => return None,
    };
    Some(PhraseMatch {
        run,
        held,
        confidence,
    })
}

pub(super) fn run_of(held: &[usize]) -> Range<usize> {
    let first = held.iter().min().copied().unwrap_or(0);
    let last = held.iter().max().copied().unwrap_or(0);
    first..last + 1
}

/// The words of a phrase that tell something; for Chinese, its characters.
pub(super) fn telling(said: &[Token]) -> Vec<Token> {
    let empty = " please little bit make want look get go 的 了 请 把 我 要 让 ";
    let tells = |t: &&Token| {
        (!lexicon::is_function(&t.text) || matches!(t.text.as_str(), "off" | "down" | "up"))
            && !lexicon::listed(empty, &t.text)
    };
    said.iter().filter(tells).cloned().collect()
}

/// The words of a clause that are those of a phrase, and which share of the phrase they are: for
/// Chinese its characters, in their order, each beside a neighbour or soon behind one.
pub(super) fn scattered(
    utterance: &AnnotatedUtterance,
    telling: &[Token],
    clause: &Range<usize>,
) -> Option<(Vec<usize>, f64)> {
    let chinese = telling.iter().all(|t| t.class == Class::Cjk);
    let held = if chinese {
        characters(utterance, telling, clause)
    } else {
        words(utterance, telling, clause)
    };
    let particle = |t: &&Token| matches!(t.text.as_str(), "off" | "up" | "down");
    let whole = telling
        .iter()
        .filter(particle)
        .all(|t| held.iter().any(|i| utterance.word(*i) == t.text));
    let share = held.len() as f64 / telling.len() as f64;
    let loose = run_of(&held).len() > telling.len() * if chinese { 2 } else { 3 } + 3;
    let enough = held.len() >= if chinese { 3 } else { 2 };
    (enough && !loose && whole).then_some((held, share))
}

fn words(utterance: &AnnotatedUtterance, telling: &[Token], clause: &Range<usize>) -> Vec<usize> {
    let tokens = &utterance.text.tokens;
    let mut held: Vec<usize> = Vec::new();
    utterance.text.steps.take(telling.len() * clause.len());
    for word in telling {
        let near = |at: &usize| held.first().map_or(0, |h| at.abs_diff(*h));
        let mut places: Vec<usize> = clause
            .clone()
            .filter(|i| !held.contains(i) && alike(&tokens[*i], word))
            .collect();
        places.sort_by_key(near);
        held.extend(places.first());
    }
    held
}

fn characters(
    utterance: &AnnotatedUtterance,
    telling: &[Token],
    clause: &Range<usize>,
) -> Vec<usize> {
    let tokens = &utterance.text.tokens;
    let mut best: Vec<usize> = Vec::new();
    let starts: Vec<usize> = clause
        .clone()
        .filter(|i| tokens[*i].text == telling[0].text)
        .collect();
    let next = match starts.is_empty() {
        true => Vec::new(),
        false => telling
            .iter()
            .map(|word| places_from(utterance, word, clause))
            .collect::<Vec<_>>(),
    };
    for start in starts {
        utterance.text.steps.take(telling.len());
        let mut held = vec![start];
        for (n, places) in next.iter().enumerate().skip(1) {
            let last = held[held.len() - 1];
            let paired = |i: &usize| {
                let pair = |a: Option<&Token>, b: Option<&Token>| {
                    a.zip(b).is_some_and(|(a, b)| a.text == b.text)
                };
                *i <= last + 4 || pair(utterance.token(i + 1), telling.get(n + 1))
            };
            let place = places.get(last + 1 - clause.start).copied().flatten();
            held.extend(place.filter(paired));
        }
        if held.len() > best.len() {
            best = held;
        }
    }
    let turned = pairs(utterance, telling, clause);
    if turned.len() > best.len() {
        turned
    } else {
        best
    }
}

/// For each place of a clause, where a word stands from there on.
fn places_from(
    utterance: &AnnotatedUtterance,
    word: &Token,
    clause: &Range<usize>,
) -> Vec<Option<usize>> {
    utterance.text.steps.take(clause.len());
    let mut next = None;
    let mut places: Vec<Option<usize>> = clause
        .clone()
        .rev()
        .map(|at| {
            if utterance.word(at) == word.text {
                next = Some(at);
            }
            next
        })
        .collect();
    places.reverse();
    places
}

/// The characters of a phrase that stand in a clause in pairs of the phrase, whatever the order of
/// the pairs: 功率提高 for 提高功率.
fn pairs(utterance: &AnnotatedUtterance, telling: &[Token], clause: &Range<usize>) -> Vec<usize> {
    let mut held: Vec<usize> = Vec::new();
    utterance.text.steps.take(telling.len() * clause.len());
    for pair in telling.windows(2) {
        let stands = |i: &usize| {
            utterance.word(*i) == pair[0].text
                && utterance.word(i + 1) == pair[1].text
                && clause.contains(&(i + 1))
        };
        let place = clause.clone().find(stands);
        held.extend(place.into_iter().flat_map(|i| [i, i + 1]));
    }
    held.sort_unstable();
    held.dedup();
    held
}

fn alike(token: &Token, word: &Token) -> bool {
    token.stem == word.stem
        || language::word::mistyped(&token.text, &word.text)
        || (token.class == Class::Word && lexicon::same_concept(&token.text, &word.text))
}
