//! The places of things: streets, districts, "the tunnel near Gera".
//!
//! What belongs to a place is read in [`super::super::super::whereabouts`].

use super::super::super::candidate::Candidate;
use super::super::super::cue;
use super::super::super::slot::{Kind, Role, Slot, contains_word};
use super::{Keys, STOPS};
use crate::lexicon;
use language::text::{Class, Gap};
use std::ops::Range;

/// The words that only sound like a name before what is said of it.
const ADVERBS: &[&str] = &[
    "根本", "基本", "几乎", "始终", "从来", "有时", "偶尔", "最近", "总是", "家里", "公司",
];

impl Keys<'_> {
    /// Places that are described in more than a name, for keys that take where something is.
    pub(super) fn whereabouts(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        if slot.kind != Kind::Place {
            return Vec::new();
        }
        // A city is its name; and "the hotel in Rome" is not where the hotel is.
        let told = |words: &str| words.split(' ').any(|w| contains_word(&slot.prose, w));
        let city =
            told("city town 城市") && !told("road building district site address 道路 楼宇 行政区");
        let sought = |run: &Range<usize>| {
            self.utterance.token(run.start).is_some_and(|t| {
                t.class == Class::Word
                    && self.slots.iter().any(|b| {
                        b.path != slot.path && b.gist.contains(&t.stem)
                            || b.path == slot.path
                                && b.gist.contains(&t.stem)
                                && !city
                                && b.prose.contains("of the")
                    })
            })
        };
        if city {
            return Vec::new();
        }
        let place = |run: Range<usize>| {
            let text = self.utterance.text.span(&run).to_owned();
            // Surer than the bare name in it, which the key may take as well.
            let inner = self.utterance.mentions_of(run.clone());
            let inner = inner.map(|m| self.by_words(at, m));
            let sure = inner.fold(0.84, f64::max) + 0.01;
            let side = self.side_of_place(slot, run.start);
            Candidate::new(at, self.spelled(slot, &text), run, sure.min(side))
        };
        let described = self.described.all().iter().cloned();
        described.filter(|run| !sought(run)).map(place).collect()
    }

    /// 西溪湿地附近信号弱: what a clause begins with, up to what is said of it, for a key that must have a
    /// place and is given none.
    pub(super) fn leading_place(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        if slot.kind != Kind::Place || !slot.required || slot.role != Role::None {
            return Vec::new();
        }
        let clauses = self.utterance.text.clauses().iter();
        // 投诉单C-12：溧水信号弱: what a label stands before begins a clause as well.
        let labelled = clauses.flat_map(|clause| {
            let mark = |i: &usize| self.utterance.token(*i).is_some_and(|t| t.gap == Gap::Mark);
            let behind = clause.clone().skip(1).filter(mark).map(|i| i..clause.end);
            behind.chain([clause.clone()]).collect::<Vec<_>>()
        });
        labelled
            .filter_map(|clause| {
                let start = self.past_openers(&clause);
                // A longer one is no place.
                let near = (start + 2)..clause.end.min(start + 10);
                self.utterance.text.steps.take(near.len());
                let stop = near.clone().find(|i| {
                    let pair = format!("{}{}", self.utterance.word(*i), self.utterance.word(i + 1));
                    STOPS.contains(&pair.as_str()) || self.utterance.word(*i) == "的"
                });
                // 如皋: a clause that is a name and nothing else.
                let alone = start == clause.start
                    && stop.is_none()
                    && (2..=4).contains(&(clause.end - start.min(clause.end)));
                let stop = stop.or(alone.then_some(clause.end))?;
                let run = start..stop;
                let name = self.utterance.text.span(&run);
                let plain = name.chars().all(language::script::is_cjk)
                    && !self.busy(&run)
                    && (2..=8).contains(&run.len());
                let speaks = [
                    "我", "你", "他", "她", "它", "请", "要", "把", "的", "是", "在", "就", "都",
                    "不", "了", "没", "能", "有", "说", "打", "让",
                ]
                .iter()
                .any(|w| name.contains(w));
                let empty = ADVERBS.contains(&name) || lexicon::is_term(name);
                let told = alone && self.told(&run);
                (plain && !speaks && !empty && !told)
                    .then(|| Candidate::new(at, self.spelled(slot, name), run, 0.73))
            })
            .collect()
    }

    /// True if a run holds characters that some key is described with.
    fn told(&self, run: &Range<usize>) -> bool {
        let pair = |i: usize| format!("{}{}", self.utterance.word(i), self.utterance.word(i + 1));
        let known = |pair: &String| {
            lexicon::is_chinese_filler(pair)
                || lexicon::is_term(pair)
                || self
                    .slots
                    .iter()
                    .any(|b| b.gist.contains(pair) || b.taught_pairs().any(|p| p == *pair))
        };
        (run.start..run.end.saturating_sub(1)).any(|i| known(&pair(i)))
    }

    /// The ends of a way that is written as one: "PEK-SHA", "Berlin-Rome".
    pub(super) fn routes(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let of = |role: Role| {
            self.slots
                .iter()
                .any(|b| b.kind == Kind::Place && b.role == role)
        };
        if slot.kind != Kind::Place || !of(Role::From) || !of(Role::To) || slot.role == Role::None {
            return Vec::new();
        }
        let tokens = &self.utterance.text.tokens;
        let stops = |i: usize| {
            let written = self.utterance.text.span(&(i..i + 1));
            let code = written.len() == 3 && written.chars().all(|c| c.is_ascii_uppercase());
            code || lexicon::place(written).is_some()
        };
        let joined = |i: usize| tokens[i].gap == Gap::Joint && stops(i - 1) && stops(i);
        self.utterance.text.steps.take(tokens.len());
        (1..tokens.len())
            .filter(|i| joined(*i))
            .map(|i| {
                let end = if slot.role == Role::From { i - 1 } else { i };
                let text = self.utterance.text.span(&(end..end + 1)).to_owned();
                Candidate::new(at, self.spelled(slot, &text), end..end + 1, 0.91)
            })
            .collect()
    }

    /// Past days, times and courtesy at the start of a clause.
    pub(super) fn past_openers(&self, clause: &Range<usize>) -> usize {
        let mut start = clause.start;
        loop {
            let before = start;
            self.utterance.text.steps.take(1);
            if let Some(moment) = self.utterance.at_moments.over(start) {
                start = self.utterance.moment_runs[moment].end;
            }
            let said: String = (start..clause.end.min(start + 6))
                .map(|i| self.utterance.word(i))
                .collect();
            if let Some(filler) = lexicon::chinese_fillers().find(|f| said.starts_with(f)) {
                start += filler.chars().count();
            } else if let Some(word) = ["开始", "起", "从", "自"]
                .iter()
                .find(|w| said.starts_with(**w))
            {
                start += word.chars().count();
            }
            if start == before || start >= clause.end {
                return start.min(clause.end);
            }
        }
    }

    /// The most that a key can have of a place, by the word before it: an end of a way takes only
    /// what its own words lead to, where another key takes places of no end.
    pub(super) fn side_of_place(&self, slot: &Slot, start: usize) -> f64 {
        let whole = self
            .slots
            .iter()
            .any(|b| b.kind == Kind::Place && b.role == Role::None);
        if slot.role == Role::None || !whole {
            return 1.0;
        }
        let run = start..start + 1;
        let said: String = (start.saturating_sub(2)..start)
            .map(|i| self.utterance.word(i))
            .collect();
        let enters = lexicon::listed(
            " into entering entered crossing crossed ",
            self.utterance.word_before(start),
        ) || matches!(said.as_str(), "驶入" | "进入" | "开到" | "开进");
        if enters && slot.role == Role::To || cue::taught(self.utterance, slot, &run) >= 0.8 {
            1.0
        } else {
            0.5
        }
    }
}
