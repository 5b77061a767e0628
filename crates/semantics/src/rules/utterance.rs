//! An utterance, read once: its tokens, days, times, quantities and the things it names.
//!
//! Knows no template. Read next: [`super::propose`].

mod mention;

use crate::lexicon;
use crate::moment::{Calendar, Moments, moments};
use language::quantity::{Quantity, quantities};
use language::span::{SpanIndex, TokenSet};
use language::text::{Text, Token};
use mention::mentions;
pub(crate) use mention::{Mention, MentionKind};
use std::ops::Range;

/// An utterance, read.
#[derive(Clone, Debug)]
pub(crate) struct AnnotatedUtterance {
    /// Its tokens.
    pub(crate) text: Text,
    /// The calendar that days and times are counted from.
    pub(crate) calendar: Calendar,
    /// Days and times.
    pub(crate) moments: Moments,
    /// Numbers with units.
    pub(crate) quantities: Vec<Quantity>,
    /// Things named.
    pub(crate) mentions: Vec<Mention>,
    /// The spans of the days and times.
    pub(crate) moment_runs: Vec<Range<usize>>,
    /// The same, by token.
    pub(crate) at_moments: SpanIndex,
    /// The places of the quantities, by token.
    pub(crate) at_quantities: SpanIndex,
    /// The places of the things named, by token.
    pub(crate) at_mentions: SpanIndex,
    /// The tokens of names alone.
    pub(crate) names: TokenSet,
    /// The tokens of days, times and what is measured in units.
    pub(crate) measured: TokenSet,
    /// The number of things of each sort that are named.
    counts: Vec<(MentionKind, usize)>,
    /// True for each sentence that only asks for information.
    asking: Vec<bool>,
}

impl AnnotatedUtterance {
    /// Reads an utterance.
    pub(crate) fn new(utterance: &str, calendar: Calendar) -> Self {
        let text = Text::new(utterance);
        let moments = moments(&text, &calendar);
        let mentions = mentions(&text, &moments.runs());
        let mut taken = moments.pure_runs();
        taken.extend(
            mentions
                .iter()
                .filter(|m| !matches!(m.sort, MentionKind::Name | MentionKind::Quoted))
                .map(|m| m.run.clone()),
        );
        let quantities = quantities(&text, &taken);
        let n = text.tokens.len();
        let moment_runs = moments.runs();
        let counted = quantities.iter().filter(|q| q.unit.is_some());
        let measured = moment_runs.iter().chain(counted.map(|q| &q.run));
        let names = mentions.iter().filter(|m| m.sort == MentionKind::Name);
        text.steps.take(6 * n);
        Self {
            at_moments: SpanIndex::of(n, &moment_runs),
            at_quantities: SpanIndex::of(n, quantities.iter().map(|q| &q.run)),
            at_mentions: SpanIndex::of(n, mentions.iter().map(|m| &m.run)),
            names: TokenSet::of(n, names.map(|m| &m.run)),
            measured: TokenSet::of(n, measured),
            counts: counts(&mentions),
            asking: asking(&text),
            text,
            calendar,
            moments,
            moment_runs,
            quantities,
            mentions,
        }
    }

    /// The quantity that begins with a token.
    pub(crate) fn quantity_from(&self, at: usize) -> Option<&Quantity> {
        Some(&self.quantities[self.at_quantities.from(at)?])
    }

    /// The quantity that ends before a token.
    pub(crate) fn quantity_until(&self, at: usize) -> Option<&Quantity> {
        Some(&self.quantities[self.at_quantities.until(at)?])
    }

    /// The thing named that begins with a token.
    pub(crate) fn mention_from(&self, at: usize) -> Option<&Mention> {
        Some(&self.mentions[self.at_mentions.from(at)?])
    }

    /// The thing named that ends before a token.
    pub(crate) fn mention_until(&self, at: usize) -> Option<&Mention> {
        Some(&self.mentions[self.at_mentions.until(at)?])
    }

    /// The things named that hold a token of a run, each once.
    pub(crate) fn mentions_of(&self, run: Range<usize>) -> impl Iterator<Item = &Mention> {
        self.text.steps.take(run.len());
        let mut places: Vec<usize> = run.filter_map(|at| self.at_mentions.over(at)).collect();
        places.dedup();
        places.into_iter().map(|place| &self.mentions[place])
    }

    /// The number of things of a sort that are named.
    pub(crate) fn count_of(&self, sort: MentionKind) -> usize {
        self.counts
            .iter()
            .filter(|(s, _)| *s == sort)
            .map(|(_, n)| n)
            .sum()
    }

    /// The token at a place.
    pub(crate) fn token(&self, at: usize) -> Option<&Token> {
        self.text.tokens.get(at)
    }

    /// The word at a place; empty outside.
    pub(crate) fn word(&self, at: usize) -> &str {
        self.token(at).map_or("", |t| t.text.as_str())
    }

    /// The word before a place; empty at the start.
    pub(crate) fn word_before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |i| self.word(i))
    }

    /// True if the sentence around a token only asks for information.
    pub(crate) fn asks(&self, at: usize) -> bool {
        let sentence = self.text.place_of_sentence(at);
        sentence.is_some_and(|place| self.asking[place])
    }

    /// The clause around a token.
    pub(crate) fn clause(&self, at: usize) -> Range<usize> {
        self.text.clause_of(at)
    }

    /// The sentence around a token.
    pub(crate) fn sentence(&self, at: usize) -> Range<usize> {
        self.text.sentence_of(at)
    }
}

fn counts(mentions: &[Mention]) -> Vec<(MentionKind, usize)> {
    let mut counts: Vec<(MentionKind, usize)> = Vec::new();
    for mention in mentions {
        match counts.iter_mut().find(|(sort, _)| *sort == mention.sort) {
            Some((_, count)) => *count += 1,
            None => counts.push((mention.sort, 1)),
        }
    }
    counts
}

/// True for each sentence that asks: all but the first do if they are questions that begin as such.
fn asking(text: &Text) -> Vec<bool> {
    let mut requested = false;
    let sentences = text.sentences().iter();
    sentences
        .map(|run| {
            text.steps.take(run.len());
            let lead = text.tokens[run.clone()]
                .iter()
                .take_while(|t| {
                    matches!(
                        t.text.as_str(),
                        "and" | "ok" | "okay" | "also" | "so" | "but"
                    )
                })
                .count();
            let asks =
                requested && inquires(&text.tokens[run.start + lead..run.end], text.asks(run));
            requested |= run.len() > 2;
            asks
        })
        .collect()
}

/// "Does it…?", "How much…?", but not "Can you book…?". Without the mark, only what begins with verb
/// and subject.
fn inquires(sentence: &[Token], marked: bool) -> bool {
    let word = |i: usize| sentence.get(i).map_or("", |t| t.text.as_str());
    let verb = lexicon::listed(
        " does do did is are has what what's how who when which ",
        word(0),
    );
    let subject = lexicon::listed(
        " it they the he she this that much many is are pets ",
        word(1),
    );
    let plain = verb && subject;
    if !marked && !plain {
        return false;
    }
    match (word(0), word(1)) {
        ("can" | "could" | "will" | "would", "you") => {
            matches!(word(2), "tell") || word(2) == "please" && word(3) == "tell"
        }
        ("is" | "are", "there") => !matches!(word(2), "any" | "a" | "an"),
        (
            "does" | "do" | "did" | "is" | "are" | "will" | "has" | "have" | "what" | "what's"
            | "how" | "when" | "which" | "where" | "who" | "may" | "can",
            _,
        ) => true,
        _ => {
            sentence.last().is_some_and(|t| t.text == "吗")
                && sentence.iter().any(|t| t.text == "是" || t.text == "有")
        }
    }
}

/// True if two runs share a token.
pub(crate) fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// True if a run shares a token with any of others.
pub(crate) fn overlaps(run: &Range<usize>, others: &[Range<usize>]) -> bool {
    others.iter().any(|o| overlap(run, o))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use schema::semantics::Circumstances;
    use schema::time::Timestamp;

    fn read(raw: &str) -> String {
        let now = Timestamp::parse("2026-04-30T02:30:00Z").unwrap();
        let utterance = AnnotatedUtterance::new(
            raw,
            Calendar::of(&Circumstances {
                now,
                zone_minutes: 480,
                language: None,
            }),
        );
        utterance
            .mentions
            .iter()
            .map(|m| format!("{:?} {}", m.sort, m.text))
            .collect::<Vec<_>>()
            .join("; ")
    }

    #[test]
    fn things_named_in_english() {
        assert_snapshot!(read("OLT-12 and router R7 at site:B-12 near router:Berlin, flight 6E123, 5G for 50km at 3pm"), @"Code OLT-12; Code R7; Code site:B-12; Code router:Berlin; Code 6E123");
        assert_snapshot!(read("Find movies directed by Sterling K. Brown in New York with 'LeBron James' and the Bank of China"), @"Name Sterling K. Brown; Name New York; Quoted LeBron James; Name Bank of China");
        assert_snapshot!(read("Mail a.b@c.org or see https://x.org/y. Ping 192.168.11.33."), @"Email a.b@c.org; Url https://x.org/y; Address 192.168.11.33");
    }

    #[test]
    fn things_named_in_chinese() {
        assert_snapshot!(read("从北京飞往上海,站点B-12的“深度休眠”"), @"Name 北京; Name 上海; Code B-12; Quoted 深度休眠");
    }
}
