//! What no key covers and somebody asks for: the values of `other` (§4.3), cleaned.
//!
//! A clause is cut where keys were found in it; what is left counts if it says something that is
//! neither courtesy nor the scenario itself. Read next: [`super::settle`].

use super::brief::{Brief, bigrams};
use super::propose::likeness;
use super::scene::{Scene, overlaps};
use crate::lexicon;
use crate::text::{Class, Text, Token, tokens};
use schema::template::Template;
use std::collections::BTreeSet;
use std::ops::Range;

/// What a mapping example of `other` covers, and what it stands for.
#[derive(Clone, Debug)]
pub(crate) struct Reserved {
    /// The tokens.
    pub(crate) run: Range<usize>,
    /// The fragment.
    pub(crate) fragment: String,
}

/// What the mapping examples of `other` say of an utterance.
pub(crate) fn reserved(scene: &Scene, template: &Template) -> Vec<Reserved> {
    let Some(key) = template.key(schema::template::OTHER) else {
        return Vec::new();
    };
    let examples = key.annotation.0.values().flat_map(|d| &d.examples);
    let mut found: Vec<Reserved> = Vec::new();
    for example in examples {
        let Some(fragment) = example.value.as_str() else {
            continue;
        };
        let Some(like) = likeness(scene, &tokens(&example.said)) else {
            continue;
        };
        let run = like.run;
        if like.confidence >= 0.8
            && !found
                .iter()
                .any(|r| overlaps(&run, std::slice::from_ref(&r.run)))
        {
            found.push(Reserved {
                run,
                fragment: fragment.to_owned(),
            });
        }
    }
    found
}

/// The words that a template is about.
pub(crate) struct Vocabulary {
    stems: BTreeSet<String>,
    pairs: BTreeSet<String>,
}

impl Vocabulary {
    /// Of a template: its scenario, its keys and what is told of them.
    pub(crate) fn of(template: &Template, briefs: &[Brief]) -> Self {
        let mut told = vec![template.scenario.replace('_', " ")];
        told.extend(
            template
                .title
                .iter()
                .flat_map(|t| t.0.values())
                .map(|d| d.meaning.clone()),
        );
        for key in template.own_keys() {
            let descriptions = key.annotation.0.values();
            told.extend(
                descriptions
                    .flat_map(|d| d.examples.iter())
                    .map(|e| e.said.clone()),
            );
            told.push(key.key_name.replace('_', " "));
        }
        let mut stems: BTreeSet<String> = told
            .iter()
            .flat_map(|t| tokens(t))
            .map(|t| t.stem)
            .collect();
        let mut pairs: BTreeSet<String> = told.iter().flat_map(|t| bigrams(t)).collect();
        for brief in briefs {
            stems.extend(brief.name.iter().cloned());
            stems.extend(brief.gist.iter().filter(|g| g.is_ascii()).cloned());
            pairs.extend(brief.gist.iter().filter(|g| !g.is_ascii()).cloned());
        }
        Self { stems, pairs }
    }

    fn knows(&self, token: &Token) -> bool {
        self.stems.contains(&token.stem)
            || self
                .stems
                .iter()
                .any(|s| s.len() > 3 && lexicon::same_concept(&token.text, s))
    }
}

/// What is left of an utterance where `covered` runs belong to keys. `fallen` runs belong to
/// candidates below the threshold: their fragments are left whatever they say (D62).
pub(crate) fn remainder(
    scene: &Scene,
    vocabulary: &Vocabulary,
    covered: &[Range<usize>],
    fallen: &[Range<usize>],
) -> Vec<(Range<usize>, String)> {
    let mut fragments: Vec<(Range<usize>, String)> = Vec::new();
    for clause in scene.text.clauses() {
        let touched = overlaps(&clause, covered);
        for segment in segments(scene, &clause, covered) {
            let Some(run) = trimmed(scene, &segment) else {
                continue;
            };
            let wanted = overlaps(&run, fallen);
            if (wanted || tells(scene, vocabulary, &run, touched)) && !scene.asks(run.start) {
                fragments.push((run.clone(), cleaned(&scene.text, &run)));
            }
        }
    }
    let mut seen = BTreeSet::new();
    fragments.retain(|(_, f)| {
        f.chars().filter(|c| c.is_alphabetic()).count() >= 2 && seen.insert(f.clone())
    });
    fragments
}

/// The parts of a clause that no key has, cut at words that join requests.
fn segments(scene: &Scene, clause: &Range<usize>, covered: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut start = clause.start;
    for at in clause.clone() {
        let taken = overlaps(&(at..at + 1), covered);
        let joins = lexicon::listed(
            " and but also plus with while whereas then 并 且 但 ",
            scene.word(at),
        );
        if taken || joins {
            parts.push(start..at);
            start = at + 1;
        }
    }
    parts.push(start..clause.end);
    parts.retain(|p| !p.is_empty());
    parts
}

/// Words that open a fragment and are part of what is asked.
const KEPT: &str =
    " no not without never only don't except before after until unless avoid keep do every ";

/// A segment without courtesy and connecting words at both ends; none if nothing is left.
fn trimmed(scene: &Scene, segment: &Range<usize>) -> Option<Range<usize>> {
    let empty = |at: usize| {
        let token = &scene.text.tokens[at];
        (lexicon::is_function(&token.text) || lexicon::is_asking(&token.text))
            && !lexicon::listed(KEPT, &token.text)
    };
    let (mut start, mut end) = (segment.start, segment.end);
    loop {
        let before = (start, end);
        start = skip_chinese(scene, start, end);
        while start < end && scene.text.tokens[start].class == Class::Word && empty(start) {
            start += 1;
        }
        end = drop_chinese(scene, start, end);
        while end > start
            && scene.text.tokens[end - 1].class == Class::Word
            && ends_empty(scene, end - 1)
        {
            end -= 1;
        }
        if (start, end) == before {
            break;
        }
    }
    (start < end).then_some(start..end)
}

fn ends_empty(scene: &Scene, at: usize) -> bool {
    let word = scene.word(at);
    lexicon::is_function(word)
        || lexicon::listed(" please thanks thank possible ok okay soon ", word)
}

/// Past the Chinese courtesy that a segment begins with.
fn skip_chinese(scene: &Scene, start: usize, end: usize) -> usize {
    let said: String = scene.text.tokens[start..end]
        .iter()
        .take_while(|t| t.class == Class::Cjk)
        .map(|t| t.text.as_str())
        .collect();
    // The 要 of 要求 belongs to it.
    let whole = |f: &str| !(f.ends_with('要') && said[f.len()..].starts_with('求'));
    let filler = lexicon::chinese_fillers()
        .iter()
        .find(|f| said.starts_with(**f) && whole(f) && **f != "是");
    filler.map_or(start, |f| start + f.chars().count())
}

/// Before the Chinese courtesy that a segment ends with.
fn drop_chinese(scene: &Scene, start: usize, end: usize) -> usize {
    let said = scene.text.words(&(start..end));
    let filler = lexicon::chinese_fillers()
        .iter()
        .find(|f| said.ends_with(**f));
    filler.map_or(end, |f| end.saturating_sub(f.chars().count()).max(start))
}

/// True if a run says something that the template is not about: one word of its own in a clause
/// without keys, more in one with.
fn tells(scene: &Scene, vocabulary: &Vocabulary, run: &Range<usize>, touched: bool) -> bool {
    let novel = novel(scene, vocabulary, run);
    let chinese = scene.text.tokens[run.clone()]
        .iter()
        .any(|t| t.class == Class::Cjk);
    match (chinese, touched) {
        (true, false) => novel >= 2,
        (true, true) => novel >= 3,
        (false, false) => novel >= 1,
        (false, true) => novel >= 1 && (opened(scene, run) || novel >= 2),
    }
}

/// True if a run begins a request of its own: behind "and", "with", or at a clause's start.
fn opened(scene: &Scene, run: &Range<usize>) -> bool {
    let clause = scene.clause(run.start);
    let lead = (clause.start..run.start).rev().map(|i| scene.word(i));
    let joined = lead
        .take(4)
        .any(|w| matches!(w, "and" | "with" | "but" | "also" | "plus" | "without"));
    joined || lexicon::listed(KEPT, scene.word(run.start))
}

/// How many words of a run are neither empty nor of the template; of Chinese, characters.
fn novel(scene: &Scene, vocabulary: &Vocabulary, run: &Range<usize>) -> usize {
    let tokens = &scene.text.tokens;
    run.clone()
        .filter(|at| {
            let token = &tokens[*at];
            match token.class {
                Class::Word => {
                    token.text.len() > 1
                        && !lexicon::is_function(&token.text)
                        && !lexicon::is_asking(&token.text)
                        && !lexicon::listed(CARRYING, &token.text)
                        && lexicon::degree(&token.text).is_none()
                        && !vocabulary.knows(token)
                }
                Class::Cjk => !chinese_known(scene, vocabulary, *at),
                _ => false,
            }
        })
        .count()
}

/// Words that carry a request along: they say that something is done, not what.
const CARRYING: &str = " add remove fly flying travel traveling travelling leaving leave going departing depart arriving arrive return \
 returning trip journey ticket tickets people person affected hit touch style change apply adjust enable disable turn \
 switch set level target looks seems shows happening occurs occurred report reported reporting reports problem issue issues \
 approximately roughly total overall each per day today time times date night morning ";

fn chinese_known(scene: &Scene, vocabulary: &Vocabulary, at: usize) -> bool {
    let near = |from: usize| {
        let pair = format!("{}{}", scene.word(from), scene.word(from + 1));
        vocabulary.pairs.contains(&pair) || lexicon::chinese_fillers().contains(&pair.as_str())
    };
    let single = lexicon::chinese_fillers().contains(&scene.word(at));
    single || near(at) || at.checked_sub(1).is_some_and(near)
}

/// A fragment as it is told: its words as they were written, on one line.
fn cleaned(text: &Text, run: &Range<usize>) -> String {
    text.span(run)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
