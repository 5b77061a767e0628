//! Keys that take what somebody said: questions, messages, advice, and what stands behind a label.

use super::super::super::candidate::Candidate;
use super::super::super::cue;
use super::super::super::slot::{Kind, Slot};
use super::Keys;
use crate::lexicon;
use language::text::{Class, Gap};
use schema::template::KeyType;
use std::ops::Range;

/// Words with which people advise.
const ADVISING: &str = " suggest propose recommend advise suggestion ";

/// Other words before what is advised.
const LEADING: &str = " please then and just i we to 请 建 议 需 要 应 ";

/// Words with which clauses begin that ask, and words that make Chinese ones ask.
const ASKING: &str = " what what's how why which where when who should can could is are do does ";
const CHINESE_ASKING: &str = "怎么 如何 什么 为何 哪 谁 吗 是否 多少 多久 能不能 要不要 几";

/// The most words or characters of a label.
const LABEL_MOST: usize = 6;

impl Keys<'_> {
    /// "artist: x", "the name is x": words behind the whole name of the key.
    pub(super) fn named_words(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        if !matches!(
            slot.kind,
            Kind::Words | Kind::Name | Kind::Sort | Kind::Code | Kind::Place
        ) {
            return Vec::new();
        }
        let tokens = &self.utterance.text.tokens;
        let mut found = Vec::new();
        self.utterance.text.steps.take(tokens.len());
        for i in 0..tokens.len() {
            let run = i..(i + slot.name.len()).min(tokens.len());
            if run.len() < slot.name.len()
                || cue::coverage(self.utterance, &slot.name, &run) < slot.name.len()
            {
                continue;
            }
            let joint = tokens.get(run.end).is_some_and(|t| t.gap == Gap::Mark);
            let glue = usize::from(matches!(
                self.utterance.word(run.end),
                "is" | "named" | "called" | "as" | "为" | "是" | "叫"
            ));
            let Some(phrase) = self.phrase(run.end + glue).filter(|_| joint || glue > 0) else {
                continue;
            };
            let text = self.utterance.text.span(&phrase).to_owned();
            found.push(Candidate::new(
                at,
                self.spelled(slot, &text),
                phrase,
                if joint { 0.86 } else { 0.74 },
            ));
        }
        found
    }

    /// The sentence that asks, mark and all. Only its first word is taken: what it asks about may
    /// be of other keys.
    pub(super) fn question(&self, at: usize) -> Vec<Candidate> {
        let text = &self.utterance.text;
        let asked = text.sentences().iter().filter(|s| text.asks(s));
        asked
            .map(|sentence| {
                let end = text.tokens[sentence.end - 1].end;
                let mark = text.raw[end..]
                    .chars()
                    .take_while(|c| matches!(c, '?' | '？'))
                    .map(char::len_utf8)
                    .sum::<usize>();
                let said = &text.raw[text.tokens[self.lead(sentence)].start..end + mark];
                let first = self.lead(sentence);
                Candidate::new(at, said.into(), first..first + 1, 0.84)
                    .explaining(first..sentence.end)
            })
            .collect()
    }

    /// The beginning of a question behind what is told before it: "I am at R7, what do I do?".
    pub(super) fn lead(&self, sentence: &Range<usize>) -> usize {
        let text = &self.utterance.text;
        let marks = sentence
            .clone()
            .filter(|i| text.tokens[*i].gap >= Gap::Mark);
        let mut parts = marks.map(|i| i..text.clause_of(i).end);
        let asks = |c: &Range<usize>| {
            let word = self.utterance.word(c.start);
            text.steps.take(c.len());
            let chinese: String = text.tokens[c.clone()]
                .iter()
                .map(|t| t.text.as_str())
                .collect();
            lexicon::listed(ASKING, word) || CHINESE_ASKING.split(' ').any(|w| chinese.contains(w))
        };
        parts.find(asks).map_or(sentence.start, |c| c.start)
    }

    /// "Proposal: bring a generator", 处理建议：带一台发电机.
    pub(in super::super) fn labelled(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        if matches!(
            slot.kind,
            Kind::Phone | Kind::Email | Kind::Url | Kind::Address
        ) {
            return Vec::new();
        }
        let tokens = &self.utterance.text.tokens;
        let colon = |i: &usize| {
            tokens[*i].gap == Gap::Mark
                && self.utterance.text.raw[tokens[i - 1].end..tokens[*i].start]
                    .contains([':', '：'])
        };
        self.utterance.text.steps.take(tokens.len());
        let labelled = (1..tokens.len())
            .filter(colon)
            .filter(|i| self.labels(slot, *i));
        labelled
            .map(|i| {
                let run = i..self.utterance.clause(i).end;
                self.utterance.text.steps.take(run.len());
                let text = self.utterance.text.span(&run).to_owned();
                let label = self.utterance.clause(i).start;
                let value = match slot.kind {
                    Kind::List => vec![text].into(),
                    _ => self.spelled(slot, &text),
                };
                Candidate::new(at, value, run.clone(), 0.9).explaining(label..run.end)
            })
            .collect()
    }

    /// True if a word is of this key's description and of no other's.
    fn only_told(&self, slot: &Slot, stem: &str) -> bool {
        let others = self.slots.iter().filter(|b| b.path != slot.path);
        slot.gist.contains(stem)
            && others
                .into_iter()
                .all(|b| !b.gist.contains(stem) && !b.name.iter().any(|n| n == stem))
    }

    /// True if the words before a colon name the key.
    pub(super) fn labels(&self, slot: &Slot, colon: usize) -> bool {
        let start = self.utterance.clause(colon).start;
        let label = &self.utterance.text.tokens[start..colon];
        if label.len() > LABEL_MOST {
            return false;
        }
        self.utterance.text.steps.take(label.len());
        let said = language::text::join(label);
        if let [only] = label {
            let place = slot.kind == Kind::Place
                && matches!(only.text.as_str(), "where" | "location" | "place");
            if place || only.class == Class::Word && self.only_told(slot, &only.stem) {
                return true;
            }
        }
        let english = label.len() <= 3
            && label.iter().any(|t| slot.name.contains(&t.stem))
            && label.iter().all(|t| t.class == Class::Word);
        let told = slot
            .prose
            .split(['。', '，', '；', '：', '、', '.', ' '])
            .any(|part| part == said || part.len() <= said.len() + 9 && part.ends_with(&said));
        let chinese =
            label.iter().all(|t| t.class == Class::Cjk) && (2..=6).contains(&label.len()) && told;
        english || chinese
    }

    /// A clause that begins with a verb of repair, for a key that takes what is to be done.
    pub(super) fn advice(&self, at: usize) -> Vec<Candidate> {
        if self.slots[at].kind != Kind::Advice {
            return Vec::new();
        }
        let verbs = " replace swap splice reset restart reboot clean tighten reseat install exchange patch upgrade rewire ";
        let chinese = [
            "更换", "替换", "熔接", "重启", "复位", "清洁", "重插", "加装", "安装", "升级", "抢通",
            "布放",
        ];
        let clauses = self.utterance.text.clauses().iter();
        clauses
            .filter_map(|clause| {
                self.utterance.text.steps.take(clause.len());
                let lead = clause.clone().find(|i| {
                    let word = self.utterance.word(*i);
                    !lexicon::listed(LEADING, word) && !lexicon::listed(ADVISING, word)
                })?;
                let said: String = (lead..lead + 2).map(|i| self.utterance.word(i)).collect();
                let before: String = (clause.start..lead)
                    .map(|i| self.utterance.word(i))
                    .collect();
                let advised = before.ends_with("建议")
                    || (clause.start..lead)
                        .any(|i| lexicon::listed(ADVISING, self.utterance.word(i)));
                let acts = advised
                    || lexicon::listed(verbs, self.utterance.word(lead))
                    || chinese.contains(&said.as_str());
                let stop = (lead + 1..clause.end)
                    .find(|i| {
                        matches!(
                            self.utterance.word(*i),
                            "on" | "at" | "in" | "for" | "near" | "from" | "before" | "and"
                        )
                    })
                    .unwrap_or(clause.end);
                let run = lead..stop;
                (acts && run.len() > 1)
                    .then(|| Candidate::new(at, self.utterance.text.span(&run).into(), run, 0.78))
            })
            .collect()
    }

    /// The text behind a colon, for a key that takes what is said.
    pub(super) fn speech(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let string = matches!(slot.shape.key_type, KeyType::String | KeyType::Any);
        if slot.kind != Kind::Speech || !string {
            return Vec::new();
        }
        if slot
            .path
            .last()
            .is_some_and(|p| p.contains("question") || p.contains("query"))
        {
            return self.question(at);
        }
        let tokens = &self.utterance.text.tokens;
        self.utterance.text.steps.take(tokens.len());
        let Some(start) = (1..tokens.len()).find(|i| {
            tokens[*i].gap == Gap::Mark
                && self.utterance.text.raw[tokens[i - 1].end..tokens[*i].start]
                    .contains([':', '：'])
        }) else {
            return Vec::new();
        };
        let end = self.utterance.sentence(tokens.len() - 1).end;
        let run = start..end;
        vec![Candidate::new(
            at,
            self.utterance.text.span(&run).into(),
            run,
            0.72,
        )]
    }
}
