//! The part that no key covers and somebody asks for: the values of `other` (§4.3), cleaned.
//!
//! A clause is cut where keys were found in it; what is left counts if it says something that is
//! neither courtesy nor the scenario itself. Read next: [`super::assign`].

use super::phrase::likeness;
use super::slot::{Slot, bigrams};
use super::utterance::{AnnotatedUtterance, MentionKind, overlaps};
use crate::lexicon;
use language::text::{Class, Token, one_line, tokens};
use schema::template::Template;
use std::collections::BTreeSet;
use std::ops::Range;

/// The tokens that a mapping example of `other` covers, and what it stands for.
#[derive(Clone, Debug)]
pub(crate) struct Reserved {
    /// The tokens.
    pub(crate) run: Range<usize>,
    /// The fragment.
    pub(crate) fragment: String,
}

/// The fragments of an utterance that the mapping examples of `other` name.
pub(crate) fn reserved(utterance: &AnnotatedUtterance, template: &Template) -> Vec<Reserved> {
    let Some(key) = template.key(schema::template::OTHER) else {
        return Vec::new();
    };
    let examples = key.annotation.0.values().flat_map(|d| &d.examples);
    let mut found: Vec<Reserved> = Vec::new();
    for example in examples {
        let Some(fragment) = example.value.as_str() else {
            continue;
        };
        let Some(like) = likeness(utterance, &tokens(&example.said)) else {
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
    words: BTreeSet<String>,
    pairs: BTreeSet<String>,
}

impl Vocabulary {
    /// Of a template: its scenario, its keys and what is told of them.
    pub(crate) fn of(template: &Template, slots: &[Slot]) -> Self {
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
        for slot in slots {
            stems.extend(slot.name.iter().cloned());
            stems.extend(slot.gist.iter().filter(|g| g.is_ascii()).cloned());
            pairs.extend(slot.gist.iter().filter(|g| !g.is_ascii()).cloned());
        }
        let prose = slots.iter().map(|b| b.prose.as_str());
        let told = told
            .iter()
            .map(String::as_str)
            .chain(prose)
            .flat_map(tokens);
        let words = told.filter(|t| t.class == Class::Word && t.text.len() > 3);
        Self {
            words: words.map(|t| t.text).collect(),
            stems,
            pairs,
        }
    }

    fn knows(&self, token: &Token) -> bool {
        self.stems.contains(&token.stem)
            || self
                .words
                .iter()
                .chain(self.stems.iter().filter(|s| s.len() > 3))
                .any(|w| lexicon::same_concept(&token.text, w))
    }
}

/// The remainder of an utterance where `covered` runs belong to keys. `fallen` runs belong to
/// candidates below the threshold: their fragments are left whatever they say.
pub(crate) fn remainder(
    utterance: &AnnotatedUtterance,
    vocabulary: &Vocabulary,
    covered: &[Range<usize>],
    fallen: &[Range<usize>],
) -> Vec<(Range<usize>, String)> {
    let rest = Rest {
        utterance,
        vocabulary,
        covered,
        fallen,
    };
    let mut fragments: Vec<(Range<usize>, String)> = Vec::new();
    for clause in utterance.text.clauses() {
        fragments.extend(rest.of_clause(clause).into_iter().map(|run| {
            let text = one_line(utterance.text.span(&run));
            (run, text)
        }));
    }
    let mut seen = BTreeSet::new();
    fragments.retain(|(_, f)| {
        f.chars().filter(|c| c.is_alphabetic()).count() >= 2 && seen.insert(f.clone())
    });
    fragments
}

struct Rest<'a> {
    utterance: &'a AnnotatedUtterance,
    vocabulary: &'a Vocabulary,
    covered: &'a [Range<usize>],
    fallen: &'a [Range<usize>],
}

impl Rest<'_> {
    /// The parts of a clause that are left over; a clause that says much beside its keys, whole.
    fn of_clause(&self, clause: &Range<usize>) -> Vec<Range<usize>> {
        if self.utterance.asks(clause.start) {
            return Vec::new();
        }
        let touched = overlaps(clause, self.covered);
        self.utterance
            .text
            .steps
            .take(self.covered.len() * clause.len());
        let segments: Vec<Range<usize>> = self
            .segments(clause)
            .into_iter()
            .filter_map(|s| self.trimmed(&s, touched))
            .collect();
        let left: Vec<Range<usize>> = segments
            .iter()
            .filter(|run| self.tells(run, touched))
            .cloned()
            .collect();
        let apart: usize = segments.iter().map(|run| self.novel(run)).sum();
        let english = segments.iter().all(|s| {
            s.clone()
                .all(|i| self.utterance.text.tokens[i].class != Class::Cjk)
        });
        if left.is_empty() && touched && english && segments.len() > 1 && apart >= 2 {
            // "The door at site HB-002 is jammed": neither half says it alone.
            return vec![clause.clone()];
        }
        left
    }

    /// The parts of a clause that no key has, cut at words that join requests.
    fn segments(&self, clause: &Range<usize>) -> Vec<Range<usize>> {
        let mut parts: Vec<Range<usize>> = Vec::new();
        let mut start = clause.start;
        for at in clause.clone() {
            let taken = overlaps(&(at..at + 1), self.covered);
            let joins = lexicon::listed(
                " and but also plus with while whereas then 并 且 但 ",
                self.utterance.word(at),
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

    /// A segment without courtesy and connecting words at both ends; none if nothing is left. A
    /// clause with its own verb keeps its subject: "the match is over".
    fn trimmed(&self, segment: &Range<usize>, touched: bool) -> Option<Range<usize>> {
        let utterance = self.utterance;
        let stands = !touched && self.is_sentence(segment);
        let opens = |at: usize| {
            let token = &utterance.text.tokens[at];
            let empty = lexicon::is_function(&token.text) || lexicon::is_asking(&token.text);
            empty && !lexicon::listed(KEPT, &token.text)
        };
        let (mut start, mut end) = (segment.start, segment.end);
        loop {
            utterance.text.steps.take(1);
            let before = (start, end);
            start = skip_chinese(utterance, start, end);
            while start < end
                && utterance.text.tokens[start].class == Class::Word
                && opens(start)
                && !stands
            {
                start += 1;
            }
            end = drop_chinese(utterance, start, end);
            while end > start
                && utterance.text.tokens[end - 1].class == Class::Word
                && lexicon::listed(ENDING, utterance.word(end - 1))
            {
                end -= 1;
            }
            if (start, end) == before {
                break;
            }
        }
        (start < end).then_some(start..end)
    }

    /// True for a clause that tells of something by itself, and not of what the speaker wants.
    fn is_sentence(&self, segment: &Range<usize>) -> bool {
        let verbs = " is are was were has had will must may comes goes works starts ends ";
        let subject = lexicon::listed(
            " the a there it this that these my our his her their somebody someone nobody he she they ",
            self.utterance.word(segment.start),
        );
        subject
            && segment
                .clone()
                .any(|i| lexicon::listed(verbs, self.utterance.word(i)))
    }

    /// True if a run says something that the template is not about: one word of its own in a clause
    /// without keys, more in one with.
    fn tells(&self, run: &Range<usize>, touched: bool) -> bool {
        if overlaps(run, self.fallen) || self.spares(run) || self.dated(run) {
            return true;
        }
        let novel = self.novel(run);
        let chinese = self.utterance.text.tokens[run.clone()]
            .iter()
            .any(|t| t.class == Class::Cjk);
        match (chinese, touched) {
            (true, false) => novel >= 2,
            (true, true) => novel >= 3,
            (false, false) => novel >= 1,
            (false, true) => novel >= 1 && (self.opened(run) || novel >= 2),
        }
    }

    /// "don't touch cell W-004/1": a thing that is named to be left alone.
    fn spares(&self, run: &Range<usize>) -> bool {
        let named = run.clone().any(|at| {
            let mention = self.utterance.mention_from(at);
            mention.is_some_and(|m| matches!(m.sort, MentionKind::Code | MentionKind::Email))
        });
        let first = self.utterance.word(run.start);
        let denies = matches!(
            first,
            "don't" | "not" | "no" | "never" | "except" | "without" | "不" | "别" | "勿"
        );
        named && (denies || matches!(first, "e" | "email" | "mail" | "发"))
    }

    /// "after six", 六点以后: a moment that no key has taken, with a word that makes it a condition.
    fn dated(&self, run: &Range<usize>) -> bool {
        let utterance = self.utterance;
        utterance.text.steps.take(run.len());
        let moment = |at: usize| Some(&utterance.moment_runs[utterance.at_moments.from(at)?]);
        let plain = |at: usize| {
            let quantity = utterance.quantity_from(at).filter(|q| q.unit.is_none())?;
            Some(&quantity.run)
        };
        let moments = run
            .clone()
            .flat_map(|at| moment(at).into_iter().chain(plain(at)));
        let mut free = moments.filter(|m| m.end <= run.end);
        free.any(|m| {
            let behind = (self.utterance.word(m.end), self.utterance.word(m.end + 1));
            matches!(self.utterance.word_before(m.start), "after" | "before")
                || matches!(behind, ("以" | "之", "后" | "前"))
        })
    }

    /// True if a run begins a request of its own: behind "and", "with", or at a clause's start.
    fn opened(&self, run: &Range<usize>) -> bool {
        let clause = self.utterance.clause(run.start);
        let lead = (clause.start..run.start)
            .rev()
            .map(|i| self.utterance.word(i));
        let joined = lead.take(3).any(|w| {
            matches!(
                w,
                "and" | "with" | "but" | "also" | "plus" | "without" | "by" | "via" | "instead"
            )
        });
        joined || lexicon::listed(KEPT, self.utterance.word(run.start))
    }

    /// The number of words of a run that are neither empty nor of the template; of Chinese,
    /// characters.
    fn novel(&self, run: &Range<usize>) -> usize {
        let carried = self.carried(run);
        self.utterance.text.steps.take(run.len());
        run.clone()
            .filter(|at| !carried.contains(at) && self.is_novel(*at))
            .count()
    }

    fn is_novel(&self, at: usize) -> bool {
        let token = &self.utterance.text.tokens[at];
        let counted = self.utterance.at_quantities.over(at).is_some();
        match token.class {
            Class::Word => {
                token.text.len() > 1
                    && !counted
                    && !lexicon::is_function(&token.text)
                    && !lexicon::is_asking(&token.text)
                    && !lexicon::listed(CARRYING, &token.text)
                    && lexicon::degree(&token.text).is_none()
                    && !self.vocabulary.knows(token)
            }
            Class::Cjk => !counted && !self.is_known(at),
            _ => false,
        }
    }

    fn is_known(&self, at: usize) -> bool {
        let near = |from: usize| {
            let pair = format!(
                "{}{}",
                self.utterance.word(from),
                self.utterance.word(from + 1)
            );
            self.vocabulary.pairs.contains(&pair) || lexicon::is_chinese_filler(&pair)
        };
        let single = lexicon::is_chinese_filler(self.utterance.word(at));
        single || near(at) || at.checked_sub(1).is_some_and(near)
    }

    /// The characters of Chinese words that carry a request along.
    fn carried(&self, run: &Range<usize>) -> BTreeSet<usize> {
        let mut carried = BTreeSet::new();
        for at in run.clone() {
            for word in CHINESE_CARRYING.split_whitespace() {
                let n = word.chars().count();
                let said: String = (at..(at + n).min(run.end))
                    .map(|i| self.utterance.word(i))
                    .collect();
                if said == word {
                    carried.extend(at..at + n);
                }
            }
        }
        carried
    }
}

/// Words that open a fragment and are part of what is asked.
const KEPT: &str =
    " no not without never only don't except before after until unless avoid keep every ";

/// Words that end nothing.
const ENDING: &str = " please pls thanks thank possible if and or but with to of for in on at by from the a an as so also too ok okay soon ";

/// The most characters of Chinese courtesy at a time.
const COURTESY_MOST: usize = 4;

/// Past the Chinese courtesy that a segment begins with.
fn skip_chinese(utterance: &AnnotatedUtterance, start: usize, end: usize) -> usize {
    let said: String = utterance.text.tokens[start..end]
        .iter()
        .take(COURTESY_MOST + 1)
        .take_while(|t| t.class == Class::Cjk)
        .map(|t| t.text.as_str())
        .collect();
    // The 要 of 要求 belongs to it.
    let whole = |f: &str| !(f.ends_with('要') && said[f.len()..].starts_with('求'));
    let filler = lexicon::chinese_fillers()
        .find(|f| said.starts_with(f) && whole(f) && !matches!(*f, "是" | "你们"));
    filler.map_or(start, |f| start + f.chars().count())
}

/// Before the Chinese courtesy that a segment ends with.
fn drop_chinese(utterance: &AnnotatedUtterance, start: usize, end: usize) -> usize {
    let said = utterance
        .text
        .words(&(start.max(end.saturating_sub(COURTESY_MOST))..end));
    let courtesy = [
        "谢谢", "麻烦", "的话", "好吗", "吧", "吗", "呢", "啊", "的", "请", "把", "将", "并", "且",
    ];
    let filler = courtesy.iter().find(|f| said.ends_with(**f));
    filler.map_or(end, |f| end.saturating_sub(f.chars().count()).max(start))
}

/// Words that carry a request along: they say that something is done, not what.
const CARRYING: &str = " add remove fly flying travel traveling travelling leaving leave going departing depart arriving arrive return \
 returning trip journey ticket tickets people person affected hit touch style change apply adjust enable disable turn \
 switch set level target looks seems shows happening occurs occurred report reported reporting reports problem issue issues \
 approximately roughly total overall each per day today time times date night morning keep kept told posted gone raise raised open \
 dark down went calling rang rung share left seen last happens happened broken nobody anybody yet minimum maximum about almost nearly already still ";

/// As [`CARRYING`], in Chinese.
const CHINESE_CARRYING: &str = " 之前 之后 以前 以后 第二天 次日 当天 只要 每个 不低于 不超过 不少于 至少 最多 \
 大约 左右 上下 反映 修好 处理好 处理 解决 恢复 出现 最后 告诉 说一声 报上来 怎么回事 看一下 看看 随时 所有 \
 全部 想办法 下调 上调 提到 调到 降到 那边 这边 这里 那里 附近 周边 周围 期间 以内 之内 受影响 影响 居民 发生 \
 特别 非常 一直 老是 总是 要命 就这样 来电 打来 报障 原因 查下 先停 为什么 什么事 出了 停掉 地点 地址 时间 \
 目标 范围 开始 结束 高铁 退服 起 前 后 从 到 就 坏 内 户 个 站 降 用 做 让 那 这 人 台 辆 由 引 ";
