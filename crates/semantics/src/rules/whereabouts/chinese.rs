//! The place of something, as Chinese describes it: 海淀区, 秦岭隧道, 幸福里小区3栋, 京沪高速廊坊段.
//!
//! Knows how such descriptions end and what they cannot begin with. Read next: [`super`].

use crate::lexicon;
use crate::rules::utterance::AnnotatedUtterance;
use language::text::{Class, Gap};
use std::collections::BTreeMap;
use std::ops::Range;

/// The endings of Chinese descriptions of places, the longer first.
const ENDS: &str = " 工业园区 高新区 开发区 商务区 会展中心 体育中心 市中心 服务区 收费站 加油站 体育场 体育馆 \
 火车站 高铁站 汽车站 地铁站 分公司 办事处 景区 门口 旁边 对面 隧道 高速 大厦 广场 中心 机场 车站 北站 南站 \
 东站 西站 医院 大学 学院 小区 公园 码头 校区 园区 商场 商圈 大桥 小镇 老城 新区 城区 大道 公路 水库 矿区 港口 \
 区 市 县 省 镇 乡 村 路 街 站 岛 山 港 湾 庙 寺 湖 桥 厂 州 ";

/// Words that only sound like the end of a place.
const NOT_ENDS: &str = " 区域 站点 供电区 基站 邻站 邻区 路由 省电 市电 港澳 街上 山寨 城区域 链路 电路 断站 \
 掉站 网站 ";

/// 海淀区, 秦岭隧道, 幸福里小区3栋: characters that end as places do, behind whatever ends a word.
pub(super) fn described(utterance: &AnnotatedUtterance) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in 0..utterance.text.tokens.len() {
        utterance.text.steps.take(1);
        let Some(end) = ENDS
            .split_whitespace()
            .find_map(|e| ends_with(utterance, at, e))
        else {
            continue;
        };
        let Some(start) = begins(utterance, at, end) else {
            continue;
        };
        // 三个站 counts, 三元桥 names.
        let counted = utterance
            .quantity_from(start)
            .is_some_and(|q| matches!(utterance.word(q.run.end), "个" | "座" | "处" | "条"));
        if counted || spared(utterance, start) {
            continue;
        }
        found.push(start..tail(utterance, end));
    }
    // The longest that begin together stand.
    let mut ends: BTreeMap<usize, usize> = BTreeMap::new();
    for run in &found {
        let end = ends.entry(run.start).or_insert(run.end);
        *end = run.end.max(*end);
    }
    found.retain(|run| ends[&run.start] == run.end);
    found
}

/// The place at which an ending that begins at `at` stops.
fn ends_with(utterance: &AnnotatedUtterance, at: usize, ending: &str) -> Option<usize> {
    let n = ending.chars().count();
    let tokens = utterance.text.tokens.get(at..at + n)?;
    let said: String = tokens.iter().map(|t| t.text.as_str()).collect();
    let tight = tokens[1..].iter().all(|t| t.gap == Gap::Tight);
    if said != ending || !tight {
        return None;
    }
    let around = |from: usize, to: usize| {
        (from..to.min(utterance.text.tokens.len()))
            .map(|i| utterance.word(i))
            .collect::<String>()
    };
    let spoiled = NOT_ENDS.split_whitespace().any(|not| {
        let m = not.chars().count();
        (at.saturating_sub(m)..=at)
            .any(|from| from + m > at && from < at + n && around(from, from + m) == not)
    });
    (!spoiled).then_some(at + n)
}

/// The beginning of the name before an ending: at the clause, or behind what is no part of a name.
pub(super) fn begins(utterance: &AnnotatedUtterance, ending: usize, end: usize) -> Option<usize> {
    let tokens = &utterance.text.tokens;
    let mut start = ending;
    let mut good = None;
    while start > 0 && ending - start < 8 {
        let before = start - 1;
        let inside = tokens[start].gap == Gap::Tight
            && tokens[before].class == Class::Cjk
            && !utterance.measured.holds(before);
        if !inside || filler_ends(utterance, start) || parts(utterance.word(before)) {
            break;
        }
        start = before;
        good = Some(start);
    }
    // 和平区: the boundary is part of the name where too little is left without it.
    let mut start = good.unwrap_or(ending);
    if end - start < 3
        && start > 0
        && matches!(utterance.word(start - 1), "和" | "让" | "对")
        && tokens[start].gap == Gap::Tight
    {
        start -= 1;
    }
    let start = past_fillers(utterance, start, ending);
    (end - start >= 3 && end - start <= 12).then_some(start)
}

/// True behind a word that leaves a place out: 避开医院.
fn spared(utterance: &AnnotatedUtterance, start: usize) -> bool {
    let said: String = (start.saturating_sub(3)..start)
        .map(|i| utterance.word(i))
        .collect();
    SPARING.iter().any(|w| said.ends_with(w))
}

/// Words that leave out what stands behind them.
const SPARING: &[&str] = &["避开", "绕开", "除了", "除去", "不含", "不包括"];

/// True for a character behind which a name may begin.
fn parts(word: &str) -> bool {
    lexicon::listed(
        " 在 从 到 去 对 于 给 把 将 由 至 为 和 与 让 往 入 的 是 了 请 自 起 经 过 时 ",
        word,
    )
}

/// Words that end before a place.
const PRECEDING: &str = " 开始 一下 我们 你们 他们 客户 反映 能不能 地址 地点 位置 现场 麻烦 希望 代表 离开 \
 经过 来到 投诉 出现 加个 多久 怎么 ";

/// True if a filler or a word of time ends before a place.
fn filler_ends(utterance: &AnnotatedUtterance, at: usize) -> bool {
    let said: String = (at.saturating_sub(4)..at)
        .map(|i| utterance.word(i))
        .collect();
    let mut words = PRECEDING.split_whitespace().chain(SPARING.iter().copied());
    words.any(|f| said.ends_with(f))
}

fn past_fillers(utterance: &AnnotatedUtterance, start: usize, end: usize) -> usize {
    let said: String = (start..end).map(|i| utterance.word(i)).collect();
    let filler = lexicon::chinese_fillers().find(|f| {
        said.starts_with(f)
            && said.chars().count() > f.chars().count()
            && !matches!(*f, "和" | "有" | "着" | "过")
    });
    filler.map_or(start, |f| start + f.chars().count())
}

/// 3栋, 12号, 廊坊段, 门口, 里: what belongs to the place behind its name.
fn tail(utterance: &AnnotatedUtterance, end: usize) -> usize {
    let number = utterance
        .token(end)
        .is_some_and(|t| t.class == Class::Number && t.gap <= Gap::Space);
    let counted = matches!(
        utterance.word(end + 1),
        "号" | "栋" | "楼" | "弄" | "幢" | "座" | "单"
    );
    if number && counted {
        return end + 2;
    }
    let section = (end + 1..end + 6).find(|i| {
        utterance.word(*i) == "段"
            && (end..*i).all(|j| {
                utterance
                    .token(j)
                    .is_some_and(|t| t.class == Class::Cjk && t.gap == Gap::Tight)
            })
    });
    let road = end >= 2
        && matches!(
            (utterance.word(end - 2), utterance.word(end - 1)),
            ("高", "速") | ("公", "路") | ("大", "道")
        );
    match section.filter(|_| road) {
        Some(at) => at + 1,
        None if (utterance.word(end), utterance.word(end + 1)) == ("门", "口") => end + 2,
        None => end,
    }
}
