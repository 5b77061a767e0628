//! The place of something, in more than a name: "the tunnel at Oberhof", "3 km south of Rotenburg",
//! "Hauptstraße 5, Celle", 秦岭隧道, 京沪高速廊坊段.
//!
//! Knows how places are described; refuses to know for which key. Names alone are in
//! [`super::utterance`], what only Chinese does in [`chinese`].

mod chinese;

use super::pattern::regex;
use super::utterance::{AnnotatedUtterance, Mention, MentionKind};
use crate::lexicon;
use language::quantity::{Dimension, Quantity};
use language::span::SpanIndex;
use language::text::{Class, Gap};
use regex::Regex;
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::LazyLock;

/// Nouns that go on a name ("Lübeck harbor") or stand before it ("the tunnel at Oberhof").
const NOUNS: &str = " airport avenue bay bridge building campus canal castle center central church corner country county \
 crossing depot district exhibition exit factory fair farm field forest hall harbor harbour hill hospital house industrial \
 intersection island junction lake library main mall market motorway mountain museum office palace park pass peninsula pier plant \
 plaza port quarter railway region river road roundabout school shopping square stadium station street subway suburb terminal \
 theatre theater tower tunnel university valley village warehouse yard zoo ";

/// The places that an utterance describes in more than a name, found once they are asked for.
pub(crate) struct DescribedPlaces<'u> {
    utterance: &'u AnnotatedUtterance,
    found: OnceCell<FoundPlaces>,
}

/// Places that are described, and where they begin.
struct FoundPlaces {
    runs: Vec<Range<usize>>,
    places: SpanIndex,
}

impl<'u> DescribedPlaces<'u> {
    /// Those of an utterance.
    pub(crate) fn of(utterance: &'u AnnotatedUtterance) -> Self {
        Self {
            utterance,
            found: OnceCell::new(),
        }
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[Range<usize>] {
        &self.found().runs
    }

    /// The first of them that begins with a token.
    pub(crate) fn from(&self, at: usize) -> Option<&Range<usize>> {
        let found = self.found();
        Some(&found.runs[found.places.from(at)?])
    }

    fn found(&self) -> &FoundPlaces {
        self.found.get_or_init(|| {
            let runs = described(self.utterance);
            let text = &self.utterance.text;
            text.steps
                .take(runs.iter().map(ExactSizeIterator::len).sum());
            FoundPlaces {
                places: SpanIndex::of(text.tokens.len(), &runs),
                runs,
            }
        })
    }
}

/// The places that an utterance describes.
fn described(utterance: &AnnotatedUtterance) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for mention in utterance
        .mentions
        .iter()
        .filter(|m| matches!(m.sort, MentionKind::Name | MentionKind::Code))
    {
        utterance.text.steps.take(mention.run.len());
        found.extend(extended(utterance, mention));
        found.extend(between(utterance, mention));
        found.extend(measured(utterance, mention));
    }
    found.extend(streets(utterance));
    found.extend(kilometres(utterance));
    found.extend(chinese::described(utterance));
    found.extend(nouns(utterance));
    found.extend(beside(utterance));
    found.retain(|run| !run.is_empty());
    found
}

fn is_noun(word: &str) -> bool {
    lexicon::listed(NOUNS, word)
}

/// "Erfurt main station", "tunnel at Oberhof".
fn extended(utterance: &AnnotatedUtterance, mention: &Mention) -> Option<Range<usize>> {
    if mention.sort == MentionKind::Code {
        return None;
    }
    let goes_on = |at: usize| {
        utterance
            .token(at)
            .is_some_and(|t| t.gap <= Gap::Joint && is_noun(&t.text))
    };
    let mut end = mention.run.end;
    while goes_on(end) {
        utterance.text.steps.take(1);
        end += 1;
    }
    let mut start = mention.run.start;
    let preposition = start
        .checked_sub(1)
        .filter(|at| matches!(utterance.word(*at), "at" | "in" | "of" | "near" | "by"));
    let noun = preposition.and_then(|at| at.checked_sub(1)).filter(|at| {
        is_noun(utterance.word(*at)) && utterance.clause(*at).contains(&mention.run.start)
    });
    if let Some(noun) = noun {
        start = noun;
        while start > 0
            && utterance.token(start).is_some_and(|t| t.gap <= Gap::Space)
            && compound(utterance.word(start - 1))
        {
            utterance.text.steps.take(1);
            start -= 1;
        }
    }
    let run = start..end;
    (run != mention.run).then_some(run)
}

/// Words that stand before a noun as part of it: "petrol station".
fn compound(word: &str) -> bool {
    is_noun(word)
        || lexicon::listed(
            " petrol gas fire police bus train power town city main central old new north south east west upper lower ",
            word,
        )
}

/// "the ICE between Göttingen and Hannover", 从南京到徐州.
fn between(utterance: &AnnotatedUtterance, mention: &Mention) -> Option<Range<usize>> {
    let start = mention.run.start.checked_sub(1)?;
    let other = utterance
        .mention_from(mention.run.end + 1)
        .filter(|m| m.sort == MentionKind::Name)?;
    let joined = match utterance.word(start) {
        "between" => utterance.word(mention.run.end) == "and",
        "从" => matches!(utterance.word(mention.run.end), "到" | "至"),
        _ => false,
    };
    let thing = utterance
        .mention_until(start)
        .filter(|_| utterance.word(start) == "between");
    let start = match thing {
        Some(thing) => thing.run.start,
        None if utterance.word(start) == "从" => start + 1,
        None => start,
    };
    joined.then_some(start..other.run.end)
}

/// "3 km south of Rotenburg", "12.4 km from Berlin", Rotenburg以南3公里.
fn measured(utterance: &AnnotatedUtterance, mention: &Mention) -> Option<Range<usize>> {
    let is_length = |q: &&Quantity| q.unit.is_some_and(|u| u.dimension == Dimension::Length);
    let length_from = |at: usize| utterance.quantity_from(at).filter(is_length);
    let length_until = |at: usize| utterance.quantity_until(at).filter(is_length);
    let ends = mention.run.start.saturating_sub(3)..mention.run.start;
    let english = ends.filter_map(length_until).find(|q| {
        let mut words = (q.run.end..mention.run.start).map(|i| utterance.word(i));
        let way = |w: &&str| {
            lexicon::listed(
                " from of off before behind after north south east west outside away ",
                w,
            )
        };
        words.all(|w| way(&w))
    });
    if let Some(q) = english {
        return Some(q.run.start..mention.run.end);
    }
    let starts = mention.run.end + 1..=mention.run.end + 2;
    let behind = starts.filter_map(length_from).find(|q| {
        let words: String = (mention.run.end..q.run.start)
            .map(|i| utterance.word(i))
            .collect();
        lexicon::listed(
            " 以南 以北 以东 以西 往南 往北 往东 往西 外 附近 南 北 东 西 ",
            &words,
        )
    });
    if let Some(q) = behind {
        let end = q.run.end + usize::from(utterance.word(q.run.end) == "处");
        return Some(mention.run.start..end);
    }
    // 距柏林12.4公里.
    let start = mention.run.start;
    let lead = match (
        start.checked_sub(2).map_or("", |i| utterance.word(i)),
        utterance.word_before(start),
    ) {
        ("距", "离") => 2,
        (_, "距" | "离") => 1,
        _ => return None,
    };
    let mut starts = mention.run.end..=mention.run.end + 1;
    let q = starts.find_map(length_from)?;
    Some(start - lead..q.run.end)
}

static STREET: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?:\p{Lu}[\p{L}-]*(?:straße|strasse|str\.|weg|platz|allee|gasse|ring|damm|ufer)|\p{Lu}[\p{L}-]* (?:Straße|Strasse|Weg|Platz|Allee|Ring)) \d+[a-z]?(?:(?:,| in) \p{Lu}[\p{L}-]+)?",
    )
});

/// "Hauptstraße 5, Celle".
fn streets(utterance: &AnnotatedUtterance) -> Vec<Range<usize>> {
    utterance.text.steps.take(utterance.text.raw.len());
    let found = STREET.find_iter(&utterance.text.raw);
    found
        .filter_map(|m| utterance.text.run_of(m.start(), m.end()))
        .collect()
}

/// "kilometre 7.9", 7.9公里处.
fn kilometres(utterance: &AnnotatedUtterance) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for q in &utterance.quantities {
        utterance.text.steps.take(1);
        if matches!(
            utterance.word_before(q.run.start),
            "kilometre" | "kilometer" | "km" | "mile"
        ) {
            found.push(q.run.start - 1..q.run.end);
        }
        if utterance.word(q.run.end) == "处"
            && q.unit.is_some_and(|u| u.dimension == Dimension::Length)
        {
            found.push(q.run.start..q.run.end + 1);
        }
    }
    found
}

/// "in the harbour district": a noun of place with what stands before it, behind a preposition.
fn nouns(utterance: &AnnotatedUtterance) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for at in 2..utterance.text.tokens.len() {
        utterance.text.steps.take(1);
        let lead = at
            .checked_sub(1)
            .filter(|i| utterance.word(*i) == "the")
            .and_then(|i| i.checked_sub(1));
        let leads = lead.is_some_and(|i| {
            matches!(
                utterance.word(i),
                "in" | "at" | "around" | "near" | "across"
            )
        });
        let mut end = at;
        while utterance
            .token(end)
            .is_some_and(|t| t.class == Class::Word && (end == at || t.gap <= Gap::Space))
            && end < at + 4
        {
            end += 1;
            if is_noun(utterance.word(end - 1)) && !is_noun(utterance.word(end)) {
                break;
            }
        }
        let last = end
            .checked_sub(1)
            .filter(|i| *i >= at && is_noun(utterance.word(*i)));
        let plain = (at..end).all(|i| !lexicon::is_function(utterance.word(i)));
        if let Some(last) = last.filter(|last| leads && plain && *last > at) {
            found.push(at..last + 1);
        }
    }
    found
}

/// "in front of the town hall", "next to the bakery": up to the end of what is said there.
fn beside(utterance: &AnnotatedUtterance) -> Vec<Range<usize>> {
    const WAYS: [&[&str]; 7] = [
        &["in", "front", "of"],
        &["next", "to"],
        &["close", "to"],
        &["across", "from"],
        &["opposite"],
        &["beside"],
        &["underneath"],
    ];
    let mut found = Vec::new();
    for at in 0..utterance.text.tokens.len() {
        utterance.text.steps.take(1);
        let way = WAYS.iter().find(|way| {
            way.iter()
                .enumerate()
                .all(|(n, w)| utterance.word(at + n) == *w)
        });
        let Some(way) = way else { continue };
        let lead = at + way.len();
        let article = usize::from(matches!(
            utterance.word(lead),
            "the" | "a" | "an" | "our" | "my"
        ));
        let mut end = lead + article;
        while end < lead + article + 4
            && utterance
                .token(end)
                .is_some_and(|t| t.class == Class::Word && t.gap <= Gap::Joint)
            && !lexicon::is_function(utterance.word(end))
        {
            end += 1;
        }
        if end > lead + article && utterance.clause(at).contains(&(end - 1)) {
            found.push(at..end);
        }
    }
    found
}
