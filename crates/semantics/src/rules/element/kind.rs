//! The words for the kinds of network elements, and where they stand beside a name.
//!
//! Read next: [`super`].

use super::super::cue;
use super::super::utterance::{AnnotatedUtterance, Mention};
use crate::lexicon;
use language::text::join;
use language::word::stem;
use std::ops::Range;

/// True if the word before a name tells a kind of element that is none of these.
pub(super) fn other_kind(utterance: &AnnotatedUtterance, mention: &Mention) -> bool {
    let start = cue::past_numbering(utterance, mention.run.start);
    let word = utterance.word_before(start);
    let two: String = (start.saturating_sub(2)..start)
        .map(|i| utterance.word(i))
        .collect();
    lexicon::listed(
        " ticket incident router link card duct zon cell sit vin number ",
        &stem(word),
    ) || lexicon::listed(
        " 工单 单号 单子 事件 链路 板卡 管道 小区 站点 架号 编号 ",
        &two,
    )
}

/// The run with the word for a kind that stands before it.
pub(super) fn kind_before(
    utterance: &AnnotatedUtterance,
    run: &Range<usize>,
    kind: &str,
) -> Option<Range<usize>> {
    let near = utterance
        .token(run.start)
        .is_some_and(|t| t.gap < language::text::Gap::Mark);
    let one = run
        .start
        .checked_sub(1)
        .filter(|at| near && is_kind(utterance, *at, 1, kind));
    let one = one.or_else(|| {
        // "the link from Berlin to Leipzig", "the router in Berlin".
        let at = run.start.checked_sub(2)?;
        (near
            && matches!(
                utterance.word(at + 1),
                "in" | "at" | "of" | "is" | "called" | "named"
            )
            && is_kind(utterance, at, 1, kind))
        .then_some(at)
    });
    let several = || {
        [2, 3].into_iter().find_map(|n| {
            run.start
                .checked_sub(n)
                .filter(|at| near && is_kind(utterance, *at, n, kind))
        })
    };
    one.or_else(several).map(|at| at..run.end)
}

/// The run with the word for a kind that stands behind it.
pub(super) fn kind_behind(
    utterance: &AnnotatedUtterance,
    run: &Range<usize>,
    kind: &str,
) -> Option<Range<usize>> {
    let of = match (utterance.word(run.end), utterance.word(run.end + 1)) {
        // Hefei到Bengbu那条链路.
        ("那" | "这", "条" | "段" | "个" | "台" | "块") => 2,
        ("的" | "号", _) => 1,
        _ => 0,
    };
    let near = |n: usize| {
        utterance
            .token(run.end + n)
            .is_some_and(|t| t.gap < language::text::Gap::Mark)
    };
    // In "TT-55 zone Dresden-4" the kind is of the name behind it.
    let taken = |n: usize| {
        utterance.mention_from(run.end + of + n).is_some_and(|m| {
            utterance
                .token(m.run.start)
                .is_some_and(|t| t.gap <= language::text::Gap::Space)
        })
    };
    [1, 2, 3]
        .into_iter()
        .find(|n| near(of) && is_kind(utterance, run.end + of, *n, kind) && !taken(*n))
        .map(|n| run.start..run.end + of + n)
}

/// The word for a kind of element within a run, with the name of the element if one stands beside it.
pub(crate) fn kinds_within(
    utterance: &AnnotatedUtterance,
    within: &Range<usize>,
    kind: &str,
) -> Option<Range<usize>> {
    utterance.text.steps.take(within.len());
    let word = within.clone().find_map(|at| {
        let n = (1..=3).find(|n| at + n <= within.end && is_kind(utterance, at, *n, kind))?;
        Some(at..at + n)
    })?;
    let name = utterance.mention_from(word.end);
    Some(word.start..name.map_or(word.end, |m| m.run.end))
}

/// True if `n` tokens from a place on are a word for a kind of element.
fn is_kind(utterance: &AnnotatedUtterance, at: usize, n: usize, kind: &str) -> bool {
    let Some(tokens) = utterance.text.tokens.get(at..at + n) else {
        return false;
    };
    let said = join(tokens);
    let english = n == 1 && tokens[0].stem == stem(kind);
    english || kind != "zone" && lexicon::same_concept(&said, kind) || chinese(&said) == Some(kind)
}

/// The kinds of element that Chinese has a word for.
fn chinese(said: &str) -> Option<&'static str> {
    Some(match said {
        "路由器" => "router",
        "板卡" | "单板" | "线卡" | "line card" => "card",
        "链路" | "光路" | "中继" | "光纤" | "光缆" | "fibre" | "fiber" => "link",
        "管道" | "光缆管道" | "conduit" => "duct",
        "站点" | "基站" | "base station" => "site",
        "供电区" | "power zone" => "zone",
        "小区" => "cell",
        _ => return None,
    })
}
