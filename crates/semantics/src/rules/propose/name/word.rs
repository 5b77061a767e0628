//! Words that are values by what they are or where an example shows them: sorts of things, taught
//! words, adjectives before what a key is called.

use super::super::super::candidate::Candidate;
use super::super::super::slot::{ExampleRule, Kind};
use super::super::super::utterance::MentionKind;
use super::{Keys, PRAISE, STOPS, breaks};
use crate::lexicon;
use language::text::{Class, Gap};
use std::ops::Range;

impl Keys<'_> {
    /// Sorts of everyday things, where the key asks for such.
    pub(super) fn sorts(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        if slot.kind != Kind::Sort
            && !["type", "kind", "mode", "transport"].iter().any(|w| {
                language::word::stem(w) == *slot.name.last().map_or("", String::as_str)
                    || slot.path.last().is_some_and(|p| p.contains(w))
            })
        {
            return Vec::new();
        }
        let about = |word: &str| {
            let stem = language::word::stem(word);
            slot.gist.contains(&stem) || slot.name.contains(&stem)
        };
        let names = lexicon::sorts(about).map(language::text::tokens);
        let mut found: Vec<Range<usize>> = names
            .flat_map(|name| self.utterance.text.find_exactly(&name))
            .collect();
        found.sort_by_key(|r| std::cmp::Reverse(r.len()));
        found
            .into_iter()
            .filter(|run| !self.utterance.asks(run.start))
            .map(|run| {
                let text = self.utterance.text.span(&run).to_owned();
                let long = 0.01 * run.len() as f64;
                Candidate::new(at, text.into(), run, 0.82 + long)
            })
            .collect()
    }

    /// Words where an example shows that the value stands, though nothing is named there.
    pub(super) fn taught_words(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let slots = slot.example_rules.iter().filter_map(|l| match l {
            ExampleRule::Slot { before, after } if !before.is_empty() => Some((before, after)),
            _ => None,
        });
        let mut found = Vec::new();
        for (before, after) in slots.filter(|_| {
            !matches!(
                slot.kind,
                Kind::Phone | Kind::Email | Kind::Url | Kind::Address
            )
        }) {
            for cue in self.utterance.text.find(before) {
                let Some(run) = self.phrase(cue.end) else {
                    continue;
                };
                let described = match slot.kind {
                    Kind::Place => self.described.from(run.start).cloned(),
                    _ => None,
                };
                let run = described.unwrap_or_else(|| self.up_to(run, after));
                let text = self.utterance.text.span(&run).to_owned();
                let chinese = text.chars().all(language::script::is_cjk);
                let sure = if chinese { 0.86 } else { 0.6 };
                found.push(Candidate::new(at, self.spelled(slot, &text), run, sure));
            }
        }
        found
    }

    /// A run without the words that an example shows behind the value.
    pub(super) fn up_to(&self, run: Range<usize>, after: &[language::text::Token]) -> Range<usize> {
        let found = self
            .utterance
            .text
            .find_within(after, run.start + 1..run.end);
        found.map_or(run.clone(), |a| run.start..a.start)
    }

    /// The words from a place on, up to the next word that begins something else.
    pub(super) fn phrase(&self, from: usize) -> Option<Range<usize>> {
        let tokens = &self.utterance.text.tokens;
        let mut start = from;
        while matches!(
            self.utterance.word(start),
            "the" | "a" | "an" | "my" | "our"
        ) {
            self.utterance.text.steps.take(1);
            start += 1;
        }
        let mut end = start;
        while let Some(token) = tokens.get(end) {
            self.utterance.text.steps.take(1);
            let fresh = end == start || token.gap < Gap::Quote;
            let next = format!("{}{}", token.text, self.utterance.word(end + 1));
            let said_of = end > start && STOPS.contains(&next.as_str());
            if !fresh
                || said_of
                || breaks(&token.text)
                || self.busy(&(end..end + 1))
                || end - start >= 8
            {
                break;
            }
            end += 1;
        }
        let single = end == start + 1 && tokens[start].class == Class::Cjk;
        let vague = matches!(
            self.utterance.text.span(&(start..end)),
            "高铁上" | "车上" | "路上" | "家里" | "公司" | "单位" | "这里" | "那里"
        );
        (end > start && !single && !vague && tokens[start].gap < Gap::Comma).then_some(start..end)
    }

    /// True if a token of a run is of a day, a time or a number with its unit.
    pub(super) fn busy(&self, run: &Range<usize>) -> bool {
        let counted = |at: usize| {
            let quantity = self.utterance.at_quantities.over(at);
            quantity.is_some_and(|q| self.utterance.quantities[q].run.len() > 1)
        };
        let busy = |at: usize| self.utterance.measured.holds(at) || counted(at);
        run.clone().any(busy)
    }

    /// "drama movie", "Thai food": what stands before the thing that the key sorts.
    pub(super) fn modifiers(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        if slot.kind != Kind::Sort || !slot.choices.is_empty() && slot.closed {
            return Vec::new();
        }
        let tokens = &self.utterance.text.tokens;
        let mut found = Vec::new();
        for (i, token) in tokens.iter().enumerate().skip(1) {
            let thing = (slot.gist.contains(&token.stem) || slot.name.contains(&token.stem))
                && token.class == Class::Word;
            let before = &tokens[i - 1];
            let telling = before.class == Class::Word
                && token.gap <= Gap::Space
                && !lexicon::is_function(&before.text)
                && !lexicon::is_asking(&before.text)
                && !lexicon::listed(PRAISE, &before.text)
                && !slot.gist.contains(&before.stem)
                && !slot.name.contains(&before.stem);
            self.utterance.text.steps.take(1);
            let mut mentions = self.utterance.mentions_of(i - 1..i);
            let person = mentions.any(|m| m.sort == MentionKind::Name && m.run.len() > 1);
            if thing && telling && !person {
                let start = if i > 1
                    && tokens[i - 2].capital
                    && before.capital
                    && before.gap <= Gap::Space
                    && !lexicon::is_opener(&tokens[i - 2].text)
                {
                    i - 2
                } else {
                    i - 1
                };
                let run = start..i;
                let mut mentions = self.utterance.mentions_of(run.clone());
                let sure = if mentions.any(|m| m.sort == MentionKind::Code) {
                    0.4
                } else {
                    0.78
                };
                found.push(Candidate::new(
                    at,
                    self.utterance.text.span(&run).into(),
                    run,
                    sure,
                ));
            }
        }
        found
    }
}
