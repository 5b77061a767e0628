//! The degree to which the words around a value speak of a key.
//!
//! Knows nearness and negation; refuses to know values. Read next: [`super::propose`].

use super::slot::{ExampleRule, Slot};
use super::utterance::{AnnotatedUtterance, MentionKind};
use crate::lexicon;
use language::text::{Class, Gap, Token, join};
use std::ops::Range;

/// Words that may stand between a key's name and its value.
const GLUE: &str = " not exceed exceeds above below under over than least most more less stay stays keep within of to is at as by the a an for with be are set equals equal in on about around approximately roughly just \
 only should would will must up was were has have having his her its my your their under named called like say and \
 为 是 到 至 在 设 成 的 约 大 概 个 名 位 号 叫 ";

/// True for words that may stand between a key's name and its value.
pub(crate) fn is_glue(word: &str) -> bool {
    lexicon::listed(GLUE, word)
}

/// The most words that are looked at before a value.
const BEFORE_MOST: usize = 32;

/// The degree to which the words before a run name the key: 1 for its whole name, less for a part
/// of it or for words of its description.
pub(crate) fn before(utterance: &AnnotatedUtterance, slot: &Slot, run: &Range<usize>) -> f64 {
    let sentence = utterance.sentence(run.start);
    let mut content: Vec<&Token> = Vec::new();
    let mut glue = 0;
    for at in (sentence.start..run.start).rev().take(BEFORE_MOST) {
        utterance.text.steps.take(1);
        let token = &utterance.text.tokens[at];
        let right = utterance.token(at + 1);
        if right.is_some_and(|t| t.gap == Gap::Comma) {
            break;
        }
        let numbers = at + 1 == run.start && past_numbering(utterance, run.start) == at;
        match (numbers || is_glue(&token.text)) && token.class != Class::Number {
            true if content.is_empty() => glue += 1,
            true => {}
            false => content.push(token),
        }
        if content.len() == 4 || glue > 4 || token.class == Class::Number {
            break;
        }
        // "one room in a two-star hotel": the room is counted already.
        if counted(utterance, at) {
            return named(slot, &content) * 0.5;
        }
    }
    named(slot, &content)
}

/// True if a number stands right before a token.
fn counted(utterance: &AnnotatedUtterance, at: usize) -> bool {
    // Its unit is the token itself, if it has one.
    let ends = [at, at + 1].map(|end| utterance.quantity_until(end));
    let stands = ends.into_iter().flatten().any(|q| q.number.end == at);
    stands && utterance.token(at).is_some_and(|t| t.gap < Gap::Quote)
}

/// The degree to which the words behind a run name the key: "200 customers", "a vintage filter".
pub(crate) fn behind(utterance: &AnnotatedUtterance, slot: &Slot, run: &Range<usize>) -> f64 {
    let clause = utterance.clause(run.end - 1);
    let content: Vec<&Token> = (run.end..clause.end.min(run.end + 6))
        .map(|at| &utterance.text.tokens[at])
        .take_while(|t| {
            t.class != Class::Number
                && !lexicon::listed(" and or from in to with by at until between ", &t.text)
        })
        .filter(|t| !is_glue(&t.text))
        .take(3)
        .collect();
    named(slot, &content)
}

/// The degree to which some words name a key, the nearest first.
fn named(slot: &Slot, words: &[&Token]) -> f64 {
    if words.is_empty() {
        return 0.0;
    }
    let held = slot
        .name
        .iter()
        .filter(|n| words.iter().any(|t| same(t, n)))
        .count();
    let whole = held as f64 / slot.name.len().max(1) as f64;
    // A word of the name that no other key has tells nearly as much as the whole name.
    let english = slot.name.len() > 1
        && slot
            .own_name
            .iter()
            .any(|n| words.iter().take(2).any(|t| same(t, n)));
    let chinese_own = words.windows(2).any(|w| {
        let (a, b) = (&w[0].text, &w[1].text);
        slot.own_pairs.contains(&format!("{b}{a}")) || slot.own_pairs.contains(&format!("{a}{b}"))
    });
    let own = english || chinese_own;
    let whole = if own { whole.max(0.7) } else { whole };
    let nearest = slot.gist.contains(&words[0].stem) || chinese(slot, words);
    let second = words.get(1).is_some_and(|t| slot.gist.contains(&t.stem));
    match (nearest, second) {
        _ if whole >= 1.0 => 1.0,
        (true, true) => 0.75_f64.max(whole),
        (true, false) => 0.6_f64.max(whole),
        _ if own => whole,
        (false, true) => 0.4_f64.max(whole * 0.8),
        _ => whole * 0.7,
    }
}

/// True if a token is a word of a name, or means the same.
pub(crate) fn same(token: &Token, name: &str) -> bool {
    token.stem == name
        || lexicon::same_concept(&token.text, name)
        || compound(&token.text, name)
        || language::word::mistyped(&token.stem, name)
}

/// "bedrooms" are beds.
fn compound(word: &str, name: &str) -> bool {
    let rest = word.strip_prefix(name).filter(|_| name.len() >= 3);
    rest.is_some_and(|rest| {
        matches!(
            rest,
            "room" | "rooms" | "time" | "date" | "id" | "name" | "code" | "number"
        )
    })
}

/// True if neighbouring characters, read from the nearest on, stand in the key's description.
fn chinese(slot: &Slot, words: &[&Token]) -> bool {
    words.windows(2).any(|w| {
        let (a, b) = (&w[0].text, &w[1].text);
        w[0].class == Class::Cjk
            && (slot.gist.contains(&format!("{b}{a}")) || slot.gist.contains(&format!("{a}{b}")))
    })
}

/// The stems of a key's name, and how many of them a run of tokens holds.
pub(crate) fn coverage(
    utterance: &AnnotatedUtterance,
    stems: &[String],
    run: &Range<usize>,
) -> usize {
    let tokens = &utterance.text.tokens[run.clone()];
    utterance.text.steps.take(stems.len() * tokens.len());
    stems
        .iter()
        .filter(|n| tokens.iter().any(|t| same(t, n)))
        .count()
}

/// True if a run denies, or is denied by what stands before it; not if both.
pub(super) fn denied_with(utterance: &AnnotatedUtterance, run: &Range<usize>) -> bool {
    denies(&utterance.text.tokens[run.clone()]) != denied(utterance, run)
}

/// True if a phrase denies: "no KPI impact".
pub(super) fn denies(said: &[Token]) -> bool {
    let words: Vec<String> = said.iter().map(|t| t.text.clone()).collect();
    lexicon::denials(&words, &join(said)) % 2 == 1
}

/// True if what stands at a run is denied: "no KPI impact", "don't touch", 不要.
pub(crate) fn denied(utterance: &AnnotatedUtterance, run: &Range<usize>) -> bool {
    let clause = utterance.clause(run.start);
    let from = clause.start.max(run.start.saturating_sub(5));
    utterance.text.steps.take(1);
    let mut denials = 0;
    for at in from..run.start {
        let word = utterance.word(at);
        let named = utterance.names.holds(at);
        let chinese = !named
            && matches!(word, "不" | "别" | "勿" | "无" | "没" | "免" | "禁")
            && !politeness(utterance, at);
        let numbers = word == "no" && numbered(utterance, at);
        denials += usize::from(
            chinese || !numbers && lexicon::listed(DENYING, word) && !agrees(utterance, at),
        );
    }
    let behind = (run.end..clause.end.min(run.end + 4)).any(|at| {
        lexicon::listed(TURNED_OFF, utterance.word(at))
            || utterance.word(at) == "关" && matches!(utterance.word(at + 1), "闭" | "掉")
    });
    (denials % 2 == 1) != behind
}

/// True for the "no." of "ticket no. A-17".
fn numbered(utterance: &AnnotatedUtterance, at: usize) -> bool {
    let code = utterance
        .mention_from(at + 1)
        .is_some_and(|m| m.sort == MentionKind::Code)
        || utterance
            .token(at + 1)
            .is_some_and(|t| t.class == Class::Number);
    let stop = |t: &Token| utterance.text.raw[t.end..].starts_with('.');
    code && utterance.token(at).is_some_and(stop)
}

/// True if a thing is named only to be left alone: "don't touch cell W-004/1", "except BE-017".
pub(crate) fn excluded(utterance: &AnnotatedUtterance, run: &Range<usize>) -> bool {
    let clause = utterance.clause(run.start);
    let mut at = run.start;
    while at > clause.start && run.start - at < 4 {
        at -= 1;
        let word = utterance.word(at);
        if lexicon::listed(
            " not don't never except without excluding 不 别 勿 除 非 ",
            word,
        ) {
            return !politeness(utterance, at);
        }
        if !lexicon::listed(
            " touch use include for of the any to 要 动 碰 用 含 了 ",
            word,
        ) {
            return false;
        }
    }
    false
}

/// "no problem with a shared ride", "I don't mind sharing" deny nothing.
fn agrees(utterance: &AnnotatedUtterance, at: usize) -> bool {
    let next = |n: usize| utterance.word(at + n);
    let mild = |word: &str| {
        lexicon::listed(
            " problem problems issue issues worries trouble objection objections mind matter ",
            word,
        )
    };
    mild(next(1)) || next(1) == "a" && mild(next(2)) || next(1) == "have" && mild(next(2))
}

/// "能不能", "可不可以", "不错" deny nothing.
fn politeness(utterance: &AnnotatedUtterance, at: usize) -> bool {
    let before = utterance.word_before(at);
    let after = utterance.word(at + 1);
    (before == after && !before.is_empty())
        || compares(utterance, at)
        || matches!(after, "错" | "过" | "仅" | "但" | "断" | "线" | "常" | "来")
        || matches!(
            (before, utterance.word(at)),
            ("特" | "级" | "个" | "区" | "类" | "性" | "分", "别")
        )
}

/// 不到两成, 不低于5 Mbit/s: what is less or more is compared, not denied.
fn compares(utterance: &AnnotatedUtterance, at: usize) -> bool {
    let counted = || utterance.quantity_from(at + 2).is_some();
    match utterance.word(at + 1) {
        "到" | "足" => counted(),
        "低" | "少" | "高" | "多" | "大" | "小" | "早" | "晚" | "超" => {
            matches!(utterance.word(at + 2), "于" | "过")
        }
        _ => false,
    }
}

const DENYING: &str = " no not never without don't doesn't didn't won't can't cannot avoid skip disable disabled remove stop \
 forbid exclude excluding minus shouldn't mustn't wouldn't isn't aren't restriction restrictions neither nor turn-off refuse ";
const TURNED_OFF: &str = " off disabled forbidden prohibited ";

/// Runs of an example's slot in an utterance: its words before and behind stand around `run`.
/// 1 if both do whole; less if only the nearest words do; 0 if the rule says nothing here.
pub(crate) fn taught(utterance: &AnnotatedUtterance, slot: &Slot, run: &Range<usize>) -> f64 {
    let named = past_numbering(utterance, run.start)..run.end;
    utterance.text.steps.take(1 + slot.example_rules.len());
    let scores = slot.example_rules.iter().map(|rule| match rule {
        ExampleRule::Slot { before, after } if named.start < run.start => {
            framed(utterance, before, after, run).max(framed(utterance, before, after, &named))
        }
        ExampleRule::Slot { before, after } => framed(utterance, before, after, run),
        _ => 0.0,
    });
    scores.fold(0.0, f64::max)
}

/// The place where a thing begins with the word that only says that it is a number: "no. A-17",
/// 号A-17.
pub(crate) fn past_numbering(utterance: &AnnotatedUtterance, start: usize) -> usize {
    let near = utterance
        .token(start)
        .is_some_and(|t| t.gap < Gap::Comma && t.gap != Gap::Quote);
    let numbers = lexicon::listed(
        " no nr number num id is 号 为 是 ",
        utterance.word_before(start),
    );
    start - usize::from(near && numbers)
}

fn framed(
    utterance: &AnnotatedUtterance,
    before: &[Token],
    after: &[Token],
    run: &Range<usize>,
) -> f64 {
    let mut held = Vec::new();
    for (n, token) in before.iter().rev().enumerate() {
        let at = run
            .start
            .checked_sub(n + 1)
            .and_then(|i| utterance.token(i));
        let near = utterance
            .token(run.start - n.min(run.start))
            .is_some_and(|t| t.gap < Gap::Comma);
        held.push(near && at.is_some_and(|t| t.stem == token.stem));
    }
    let ahead = after.iter().enumerate().map(|(n, token)| {
        utterance.token(run.end + n).is_some_and(|t| {
            t.gap < Gap::Comma
                && (t.stem == token.stem
                    || lexicon::same_concept(&t.text, &token.text)
                    || people(&t.text, &token.text))
        })
    });
    held.extend(ahead);
    if held.is_empty() {
        return 0.0;
    }
    // "影响200个用户" teaches that what stands before 个用户 is counted, whatever stands before it.
    let behind = &held[before.len()..];
    if after.len() > 1 && behind.iter().all(|h| *h) {
        return 1.0;
    }
    let all = held.iter().filter(|h| **h).count() as f64 / held.len() as f64;
    // The word beside the value counts most: behind "from", not behind "flight". Of "ticket number"
    // either may stand there, of 工单号 the first two.
    let beside = before
        .last()
        .map(|_| held[0] || any_beside(utterance, before, run))
        .or_else(|| held.first().copied())
        .unwrap_or(false);
    let telling = before.last().or(after.first()).is_some_and(|t| {
        !matches!(
            t.text.as_str(),
            "the" | "a" | "of" | "is" | "的" | "是" | "为"
        )
    });
    if beside && telling {
        all.max(0.8)
    } else if beside {
        all
    } else {
        0.0
    }
}

/// The place where the words begin that an example shows before a run, if they are two that tell
/// something; else the run itself.
pub(crate) fn shown_before(
    utterance: &AnnotatedUtterance,
    slot: &Slot,
    run: &Range<usize>,
) -> usize {
    let shown = slot.example_rules.iter().filter_map(|rule| match rule {
        ExampleRule::Slot { before, .. } => Some(before.as_slice()),
        _ => None,
    });
    let stands = |before: &[Token]| {
        let held = before.iter().rev().enumerate().take_while(|(n, token)| {
            let at = run
                .start
                .checked_sub(n + 1)
                .and_then(|i| utterance.token(i));
            at.is_some_and(|t| t.stem == token.stem && t.class == Class::Word)
        });
        held.filter(|(_, t)| !lexicon::is_function(&t.text))
            .map(|(n, _)| n + 1)
            .collect::<Vec<_>>()
    };
    let telling = shown
        .map(stands)
        .filter(|held| held.len() >= 2)
        .filter_map(|held| held.last().copied())
        .max();
    telling.map_or(run.start, |n| run.start - n)
}

fn any_beside(utterance: &AnnotatedUtterance, before: &[Token], run: &Range<usize>) -> bool {
    let near = utterance
        .token(run.start)
        .is_some_and(|t| t.gap < Gap::Mark);
    let tells = |t: &&Token| !lexicon::is_function(&t.text) && t.class != Class::Number;
    let stands = |at: Option<usize>| {
        at.and_then(|i| utterance.token(i)).is_some_and(|t| {
            before.iter().filter(tells).any(|b| {
                b.stem == t.stem
                    || t.class == Class::Word && lexicon::same_concept(&t.text, &b.text)
            })
        })
    };
    let chinese = before.last().is_some_and(|t| t.class == Class::Cjk);
    match chinese {
        true => stands(run.start.checked_sub(1)) && stands(run.start.checked_sub(2)) && near,
        false => before.len() > 1 && stands(run.start.checked_sub(1)) && near,
    }
}

fn people(one: &str, other: &str) -> bool {
    lexicon::counts_people(one) && lexicon::counts_people(other)
}
