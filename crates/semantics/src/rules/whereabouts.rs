//! Where something is, in more than a name: "the tunnel at Oberhof", "3 km south of Rotenburg",
//! "Hauptstraße 5, Celle", 秦岭隧道, 京沪高速廊坊段.
//!
//! Knows how places are described; refuses to know for which key. Names alone are in
//! [`super::scene`].

use super::brief::regex;
use super::scene::{Mention, Scene, Sort, overlaps};
use crate::lexicon;
use crate::quantity::Dimension;
use crate::text::{Class, Gap};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Nouns that go on a name ("Lübeck harbor") or stand before it ("the tunnel at Oberhof").
const NOUNS: &str = " airport avenue bay bridge building campus canal castle center central church corner country county \
 crossing depot district exhibition exit factory fair farm field forest hall harbor harbour hill hospital house industrial \
 intersection island junction lake library main mall market motorway mountain museum office palace park pass peninsula pier plant \
 plaza port quarter railway region river road roundabout school shopping square stadium station street subway suburb terminal \
 theatre theater tower tunnel university valley village warehouse yard zoo ";

/// How Chinese descriptions of places end, the longer first.
const ENDS: &[&str] = &[
    "加油站门口",
    "工业园区",
    "高新区",
    "开发区",
    "商务区",
    "会展中心",
    "体育中心",
    "市中心",
    "服务区",
    "收费站",
    "加油站",
    "体育场",
    "体育馆",
    "火车站",
    "高铁站",
    "汽车站",
    "地铁站",
    "分公司",
    "办事处",
    "景区",
    "隧道",
    "高速",
    "大厦",
    "广场",
    "中心",
    "机场",
    "车站",
    "北站",
    "南站",
    "东站",
    "西站",
    "医院",
    "大学",
    "学院",
    "小区",
    "公园",
    "码头",
    "校区",
    "园区",
    "商场",
    "商圈",
    "大桥",
    "小镇",
    "老城",
    "新区",
    "城区",
    "大道",
    "公路",
    "水库",
    "矿区",
    "港口",
    "区",
    "市",
    "县",
    "省",
    "镇",
    "乡",
    "村",
    "路",
    "街",
    "站",
    "岛",
    "山",
    "港",
    "湾",
    "州",
];

/// What only sounds like the end of a place.
const NOT_ENDS: &[&str] = &[
    "区域",
    "站点",
    "供电区",
    "基站",
    "邻站",
    "邻区",
    "路由",
    "省电",
    "市电",
    "港澳",
    "街上",
    "山寨",
    "城区域",
    "链路",
    "电路",
    "断站",
    "掉站",
    "网站",
];

/// The places that an utterance describes.
pub(crate) fn described(scene: &Scene) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for mention in scene
        .mentions
        .iter()
        .filter(|m| matches!(m.sort, Sort::Name | Sort::Code))
    {
        found.extend(extended(scene, mention));
        found.extend(between(scene, mention));
        found.extend(measured(scene, mention));
    }
    found.extend(streets(scene));
    found.extend(kilometres(scene));
    found.extend(chinese(scene));
    found.extend(nouns(scene));
    found.retain(|run| !run.is_empty());
    found
}

fn is_noun(word: &str) -> bool {
    lexicon::listed(NOUNS, word)
}

/// "Erfurt main station", "tunnel at Oberhof".
fn extended(scene: &Scene, mention: &Mention) -> Option<Range<usize>> {
    if mention.sort == Sort::Code {
        return None;
    }
    let goes_on = |at: usize| {
        scene
            .token(at)
            .is_some_and(|t| t.gap <= Gap::Joint && is_noun(&t.text))
    };
    let mut end = mention.run.end;
    while goes_on(end) {
        end += 1;
    }
    let mut start = mention.run.start;
    let preposition = start
        .checked_sub(1)
        .filter(|at| matches!(scene.word(*at), "at" | "in" | "of" | "near" | "by"));
    let noun = preposition
        .and_then(|at| at.checked_sub(1))
        .filter(|at| is_noun(scene.word(*at)) && scene.clause(*at).contains(&mention.run.start));
    if let Some(noun) = noun {
        start = noun;
        while start > 0
            && scene.token(start).is_some_and(|t| t.gap <= Gap::Space)
            && compound(scene.word(start - 1))
        {
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
            " petrol gas fire police bus train power main central old new north south east west upper lower ",
            word,
        )
}

/// "the ICE between Göttingen and Hannover", 从南京到徐州.
fn between(scene: &Scene, mention: &Mention) -> Option<Range<usize>> {
    let start = mention.run.start.checked_sub(1)?;
    let other = scene
        .mentions
        .iter()
        .find(|m| m.run.start == mention.run.end + 1 && m.sort == Sort::Name)?;
    let joined = match scene.word(start) {
        "between" => scene.word(mention.run.end) == "and",
        "从" => matches!(scene.word(mention.run.end), "到" | "至"),
        _ => false,
    };
    let start = if scene.word(start) == "从" {
        start + 1
    } else {
        start
    };
    joined.then_some(start..other.run.end)
}

/// "3 km south of Rotenburg", "12.4 km from Berlin", Rotenburg以南3公里.
fn measured(scene: &Scene, mention: &Mention) -> Option<Range<usize>> {
    let lengths = || {
        scene
            .quantities
            .iter()
            .filter(|q| q.unit.is_some_and(|u| u.dimension == Dimension::Length))
    };
    let english = lengths().find(|q| {
        let words: Vec<&str> = (q.run.end..mention.run.start)
            .map(|i| scene.word(i))
            .collect();
        let way = |w: &&str| {
            matches!(
                *w,
                "from"
                    | "of"
                    | "off"
                    | "before"
                    | "behind"
                    | "after"
                    | "north"
                    | "south"
                    | "east"
                    | "west"
                    | "outside"
                    | "away"
            )
        };
        q.run.end <= mention.run.start
            && !words.is_empty()
            && words.len() <= 3
            && words.iter().all(way)
    });
    if let Some(q) = english {
        return Some(q.run.start..mention.run.end);
    }
    let behind = lengths().find(|q| {
        let words: String = (mention.run.end..q.run.start)
            .map(|i| scene.word(i))
            .collect();
        q.run.start > mention.run.end
            && matches!(
                words.as_str(),
                "以南"
                    | "以北"
                    | "以东"
                    | "以西"
                    | "往南"
                    | "往北"
                    | "往东"
                    | "往西"
                    | "外"
                    | "附近"
                    | "南"
                    | "北"
                    | "东"
                    | "西"
            )
    });
    if let Some(q) = behind {
        let end = q.run.end + usize::from(scene.word(q.run.end) == "处");
        return Some(mention.run.start..end);
    }
    // 距柏林12.4公里.
    let away = scene.word_before(mention.run.start) == "距";
    let q = lengths()
        .find(|q| away && q.run.start >= mention.run.end && q.run.start <= mention.run.end + 1)?;
    Some(mention.run.start - 1..q.run.end)
}

static STREET: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?:\p{Lu}[\p{L}-]*(?:straße|strasse|str\.|weg|platz|allee|gasse|ring|damm|ufer)|\p{Lu}[\p{L}-]* (?:Straße|Strasse|Weg|Platz|Allee|Ring)) \d+[a-z]?(?:(?:,| in) \p{Lu}[\p{L}-]+)?",
    )
});

/// "Hauptstraße 5, Celle".
fn streets(scene: &Scene) -> Vec<Range<usize>> {
    let found = STREET.find_iter(&scene.text.raw);
    found
        .filter_map(|m| tokens_of(scene, m.start(), m.end()))
        .collect()
}

fn tokens_of(scene: &Scene, start: usize, end: usize) -> Option<Range<usize>> {
    let tokens = &scene.text.tokens;
    let first = tokens.iter().position(|t| t.start >= start)?;
    let last = tokens.iter().rposition(|t| t.end <= end)?;
    (first <= last).then(|| first..last + 1)
}

/// "kilometre 7.9", 7.9公里处.
fn kilometres(scene: &Scene) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for q in &scene.quantities {
        if matches!(
            scene.word_before(q.run.start),
            "kilometre" | "kilometer" | "km" | "mile"
        ) {
            found.push(q.run.start - 1..q.run.end);
        }
        if scene.word(q.run.end) == "处" && q.unit.is_some_and(|u| u.dimension == Dimension::Length)
        {
            found.push(q.run.start..q.run.end + 1);
        }
    }
    found
}

/// "in the harbour district": a noun of place with what stands before it, behind a preposition.
fn nouns(scene: &Scene) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for at in 2..scene.text.tokens.len() {
        let lead = at
            .checked_sub(1)
            .filter(|i| scene.word(*i) == "the")
            .and_then(|i| i.checked_sub(1));
        let leads = lead
            .is_some_and(|i| matches!(scene.word(i), "in" | "at" | "around" | "near" | "across"));
        let mut end = at;
        while scene
            .token(end)
            .is_some_and(|t| t.class == Class::Word && (end == at || t.gap <= Gap::Space))
            && end < at + 4
        {
            end += 1;
            if is_noun(scene.word(end - 1)) && !is_noun(scene.word(end)) {
                break;
            }
        }
        let last = end
            .checked_sub(1)
            .filter(|i| *i >= at && is_noun(scene.word(*i)));
        let plain = (at..end).all(|i| !lexicon::is_function(scene.word(i)));
        if let Some(last) = last.filter(|last| leads && plain && *last > at) {
            found.push(at..last + 1);
        }
    }
    found
}

/// 海淀区, 秦岭隧道, 幸福里小区3栋: characters that end as places do, behind whatever ends a word.
fn chinese(scene: &Scene) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in 0..scene.text.tokens.len() {
        let Some(end) = ENDS.iter().find_map(|e| ends_with(scene, at, e)) else {
            continue;
        };
        let Some(start) = begins(scene, at, end) else {
            continue;
        };
        found.push(start..tail(scene, end));
    }
    // The longest that begin together stand.
    let all = found.clone();
    found.retain(|run| !all.iter().any(|o| o.start == run.start && o.end > run.end));
    found
}

/// Where an ending that begins at `at` stops.
fn ends_with(scene: &Scene, at: usize, ending: &str) -> Option<usize> {
    let n = ending.chars().count();
    let tokens = scene.text.tokens.get(at..at + n)?;
    let said: String = tokens.iter().map(|t| t.text.as_str()).collect();
    let tight = tokens[1..].iter().all(|t| t.gap == Gap::Tight);
    let around = |from: usize, to: usize| {
        (from..to.min(scene.text.tokens.len()))
            .map(|i| scene.word(i))
            .collect::<String>()
    };
    let spoiled = NOT_ENDS.iter().any(|not| {
        let m = not.chars().count();
        (at.saturating_sub(m)..=at)
            .any(|from| from + m > at && from < at + n && around(from, from + m) == **not)
    });
    (said == ending && tight && !spoiled).then_some(at + n)
}

/// Where the name before an ending begins: at the clause, or behind what is no part of a name.
fn begins(scene: &Scene, ending: usize, end: usize) -> Option<usize> {
    let tokens = &scene.text.tokens;
    let busy = scene.moments.runs();
    let mut start = ending;
    let mut good = None;
    while start > 0 && ending - start < 8 {
        let before = start - 1;
        let inside = tokens[start].gap == Gap::Tight
            && tokens[before].class == Class::Cjk
            && !overlaps(&(before..start), &busy);
        if !inside || filler_ends(scene, start) || parts(scene.word(before)) {
            break;
        }
        start = before;
        good = Some(start);
    }
    // 和平区: the boundary is part of the name where too little is left without it.
    let mut start = good.unwrap_or(ending);
    if end - start < 3
        && start > 0
        && matches!(scene.word(start - 1), "和" | "让" | "对")
        && tokens[start].gap == Gap::Tight
    {
        start -= 1;
    }
    let start = past_fillers(scene, start, ending);
    (end - start >= 3 && end - start <= 12).then_some(start)
}

/// True for a character behind which a name may begin.
fn parts(word: &str) -> bool {
    matches!(
        word,
        "在" | "从"
            | "到"
            | "去"
            | "对"
            | "于"
            | "给"
            | "把"
            | "将"
            | "由"
            | "至"
            | "为"
            | "和"
            | "与"
            | "让"
            | "往"
            | "入"
            | "的"
            | "是"
            | "了"
            | "请"
            | "自"
            | "起"
            | "经"
            | "过"
    )
}

/// True if a filler or a word of time ends before a place.
fn filler_ends(scene: &Scene, at: usize) -> bool {
    let said: String = (at.saturating_sub(4)..at).map(|i| scene.word(i)).collect();
    [
        "开始",
        "一下",
        "我们",
        "你们",
        "他们",
        "客户",
        "反映",
        "能不能",
        "地址",
        "现场",
        "麻烦",
        "希望",
        "投诉",
        "出现",
        "加个",
        "多久",
        "怎么",
    ]
    .iter()
    .any(|f| said.ends_with(f))
}

fn past_fillers(scene: &Scene, start: usize, end: usize) -> usize {
    let said: String = (start..end).map(|i| scene.word(i)).collect();
    let filler = lexicon::chinese_fillers().iter().find(|f| {
        said.starts_with(**f)
            && said.chars().count() > f.chars().count()
            && !matches!(**f, "和" | "有" | "着" | "过")
    });
    filler.map_or(start, |f| start + f.chars().count())
}

/// 3栋, 12号, 廊坊段, 门口, 里: what belongs to the place behind its name.
fn tail(scene: &Scene, end: usize) -> usize {
    let number = scene
        .token(end)
        .is_some_and(|t| t.class == Class::Number && t.gap <= Gap::Space);
    let counted = matches!(
        scene.word(end + 1),
        "号" | "栋" | "楼" | "弄" | "幢" | "座" | "单"
    );
    if number && counted {
        return end + 2;
    }
    let section = (end + 1..end + 6).find(|i| {
        scene.word(*i) == "段"
            && (end..*i).all(|j| {
                scene
                    .token(j)
                    .is_some_and(|t| t.class == Class::Cjk && t.gap == Gap::Tight)
            })
    });
    let road = end >= 2
        && matches!(
            (scene.word(end - 2), scene.word(end - 1)),
            ("高", "速") | ("公", "路") | ("大", "道")
        );
    match section.filter(|_| road) {
        Some(at) => at + 1,
        None if (scene.word(end), scene.word(end + 1)) == ("门", "口") => end + 2,
        None => end,
    }
}
