//! Keys that take names, places, identifiers and other words of the utterance.
//!
//! Which of the things that were named is for which key is told in [`mention`]; by their words, in the
//! files beside it.

mod mention;
mod number;
mod place;
mod speech;
mod word;

use super::super::candidate::Candidate;
use super::super::cue;
use super::super::element::Elements;
use super::super::utterance::{Mention, MentionKind};
use super::Keys;
use crate::lexicon;
use language::span::TokenSet;

impl Keys<'_> {
    /// The things that an utterance names for an open key: by the key's pattern, by the form of the
    /// thing, as an example shows, behind the key's name, or behind a preposition that fits.
    pub(super) fn names(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let mut found = self.by_pattern(at);
        let elements = found.iter().filter(|c| c.confidence >= 0.75);
        let tokens = self.utterance.text.tokens.len();
        let elements = TokenSet::of(tokens, elements.map(|c| &c.run));
        self.utterance.text.steps.take(tokens);
        // An element is written with its kind.
        let plain = |m: &&Mention| m.sort != MentionKind::Code || !elements.touches(&m.run);
        for mention in self.utterance.mentions.iter().filter(plain) {
            self.utterance.text.steps.take(mention.run.len());
            let sure = self.mention_sure(at, mention);
            if sure > 0.3 {
                let (run, text) = self.extended(slot, mention);
                // A road with its town is surer than the town.
                let sure = if run.len() > mention.run.len() {
                    sure.max(0.88)
                } else {
                    sure
                };
                // The words that an example shows before it are its own: "the car maker Stoewer".
                let cue = cue::shown_before(self.utterance, slot, &run);
                let value = self.spelled(slot, &text);
                found.push(Candidate::new(at, value, cue..run.end, sure));
            }
        }
        found.extend(self.phones(at));
        found.extend(self.numbers_as_names(at));
        found.extend(self.sorts(at));
        found.extend(self.taught_words(at));
        found.extend(self.modifiers(at));
        found.extend(self.whereabouts(at));
        found.extend(self.leading_place(at));
        found.extend(self.routes(at));
        found.extend(self.named_words(at));
        found.extend(self.speech(at));
        found.extend(self.labelled(at));
        found.extend(self.advice(at));
        found.retain(|c| self.admits(at, c));
        found
    }

    fn admits(&self, at: usize, candidate: &Candidate) -> bool {
        let constraint = &self.slots[at].shape.constraint;
        let Some(text) = candidate.value.as_str() else {
            return true;
        };
        let short = constraint
            .max_length
            .is_none_or(|max| text.chars().count() <= max);
        let pattern = self.slots[at].whole.as_ref();
        let fits = pattern.is_none_or(|p| p.is_match(text));
        short && fits && !text.trim().is_empty()
    }

    /// The texts that match the key's pattern, and elements of the kinds that it takes.
    fn by_pattern(&self, at: usize) -> Vec<Candidate> {
        let slot = &self.slots[at];
        let mut found: Vec<Candidate> = Vec::new();
        if let Some(elements) = Elements::of(slot) {
            found.extend(
                elements
                    .within(self.utterance)
                    .into_iter()
                    .map(|e| Candidate::new(at, e.name.into(), e.run, e.sure).explaining(e.span)),
            );
        }
        let Some(whole) = &slot.whole else {
            return found;
        };
        for mention in self
            .utterance
            .mentions
            .iter()
            .filter(|m| whole.is_match(&m.text))
        {
            let sure = if mention.sort == MentionKind::Code {
                0.92
            } else {
                0.8
            };
            found.push(Candidate::new(
                at,
                mention.text.clone().into(),
                mention.run.clone(),
                sure,
            ));
        }
        found
    }
}

/// Words that praise and sort nothing.
const PRAISE: &str = " good great nice best top new popular interesting awesome fun favorite latest recent other similar local \
 cheap right certain specific particular first second next last whole main real find watch see funny old beautiful ";

/// Pairs of characters with which something is said of what stands before them.
const STOPS: &[&str] = &[
    "打电", "上网", "看视", "打游", "信号", "网速", "网络", "没有", "没网", "没信", "一直", "老是",
    "总是", "经常", "手机", "通话", "导航", "用户", "功率", "节能", "附近", "一带", "周边", "周围",
    "这边", "那边", "这里", "那里", "完全", "突然", "今天", "昨天", "已经", "出现", "无法", "不能",
    "上不", "打不", "连不", "断网", "掉线", "掉话", "停电", "断电", "退服", "业务", "视频", "语音",
    "速率", "时延", "延迟", "特别", "非常", "有人", "所有", "反映", "反馈", "来电", "投诉", "客户",
    "覆盖", "每天", "每晚", "每次", "每到", "晚上", "早上", "白天", "夜里", "最近", "转来", "转交",
    "转告", "打来", "很慢", "太慢", "很弱", "很差", "老断", "网页",
];

/// Words with which something else begins.
fn breaks(word: &str) -> bool {
    lexicon::listed(
        " from to in on at by for with and or but until till please that which who is are was be of using via before after 的 了 到 去 从 在 把 将 由 和 与 并 且 请 要 想 是 有 用 以 内 时 进 开 关 启 需 ",
        word,
    )
}
