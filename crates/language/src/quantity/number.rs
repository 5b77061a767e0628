//! Numbers as people write and say them: digits, words, Chinese numerals.
//!
//! Knows what a numeral is worth; refuses to know its unit. Read next: [`super::unit`].

use super::tidy;
use crate::text::{Class, Gap, Text, Token};

pub(super) struct Number {
    pub(super) value: f64,
    pub(super) end: usize,
    pub(super) ordinal: bool,
}

pub(super) fn number_at(text: &Text, at: usize) -> Option<Number> {
    let token = &text.tokens[at];
    match token.class {
        Class::Number => Some(digits(text, at)),
        Class::Word => words(&text.tokens, at),
        Class::Cjk => chinese(text, at),
        Class::Sign => None,
    }
}

pub(super) fn digits(text: &Text, at: usize) -> Number {
    let tokens = &text.tokens;
    let value: f64 = tokens[at].text.parse().unwrap_or(0.0);
    let next = tokens.get(at + 1).filter(|t| t.gap <= Gap::Space);
    let tight = next.is_some_and(|t| t.gap == Gap::Tight);
    match next.map(|t| t.text.as_str()) {
        Some("st" | "nd" | "rd" | "th") if tight => Number {
            value,
            end: at + 2,
            ordinal: true,
        },
        Some("k") if tight => Number {
            value: value * 1e3,
            end: at + 2,
            ordinal: false,
        },
        Some("dozen") => Number {
            value: value * 12.0,
            end: at + 2,
            ordinal: false,
        },
        Some(word) => match multiplier(word) {
            Some(times) => Number {
                value: tidy(value * times),
                end: at + 2,
                ordinal: false,
            },
            None => Number {
                value,
                end: at + 1,
                ordinal: false,
            },
        },
        None => Number {
            value,
            end: at + 1,
            ordinal: false,
        },
    }
}

pub(super) fn multiplier(word: &str) -> Option<f64> {
    Some(match word {
        "dozen" => 12.0,
        "hundred" | "百" => 1e2,
        "thousand" | "千" => 1e3,
        "万" => 1e4,
        "million" | "百万" => 1e6,
        "亿" => 1e8,
        "billion" | "bn" => 1e9,
        _ => return None,
    })
}

pub(super) const ONES: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
pub(super) const TENS: [&str; 8] = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];
pub(super) const ORDINALS: [&str; 13] = [
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
    "tenth", "eleventh", "twelfth",
];

/// The number that one English word is: zero to twenty, and the tens.
pub fn number_word(word: &str) -> Option<u32> {
    let one = ONES.iter().position(|w| *w == word);
    let ten = || TENS.iter().position(|w| *w == word).map(|n| (n + 2) * 10);
    one.or_else(ten).map(|n| n as u32)
}

fn small(word: &str) -> Option<f64> {
    number_word(word).map(f64::from)
}

pub(super) fn words(tokens: &[Token], at: usize) -> Option<Number> {
    let word = |i: usize| {
        tokens
            .get(i)
            .filter(|t| i == at || t.gap < Gap::Quote)
            .map_or("", |t| t.text.as_str())
    };
    let number = |value, end| {
        Some(Number {
            value,
            end,
            ordinal: false,
        })
    };
    match (word(at), word(at + 1), word(at + 2)) {
        ("half", "a", "dozen") => return number(6.0, at + 3),
        ("quarter", "of", "an") => return number(0.25, at + 3),
        ("half", "an", "hour") | ("half", "a", "day" | "minute" | "second") => {
            return number(0.5, at + 2);
        }
        ("a", "couple", "of") => return number(2.0, at + 3),
        ("a", "couple", _) => return number(2.0, at + 2),
        ("a", "dozen", _) => return number(12.0, at + 2),
        ("a", "day", "and") if word(at + 3) == "a" => return number(1.0, at + 1),
        ("a", "hundred", _) => return number(100.0, at + 2),
        ("a", "thousand", _) => return number(1000.0, at + 2),
        ("a", "million", _) => return number(1e6, at + 2),
        ("an", "hour", _) => return number(1.0, at + 1),
        ("single", _, _) => return number(1.0, at + 1),
        ("one", "of" | "that" | "who" | "way" | "with", _) => return None,
        _ => {}
    }
    if let Some(place) = ORDINALS.iter().position(|w| *w == word(at)) {
        return Some(Number {
            value: place as f64,
            end: at + 1,
            ordinal: true,
        });
    }
    let pronoun = word(at) == "one"
        && at > 0
        && matches!(
            tokens[at - 1].text.as_str(),
            "this" | "that" | "the" | "which" | "no" | "any" | "every" | "good" | "another"
        );
    if pronoun { None } else { composed(tokens, at) }
}

/// "two hundred and fifty", "twenty-five".
pub(super) fn composed(tokens: &[Token], at: usize) -> Option<Number> {
    let mut total = 0.0;
    let mut part = small(&tokens[at].text)?;
    let mut end = at + 1;
    while let Some(token) = tokens.get(end).filter(|t| t.gap < Gap::Quote) {
        if let Some(times) = multiplier(&token.text).filter(|_| token.class == Class::Word) {
            part *= times;
            if times >= 1000.0 {
                total += part;
                part = 0.0;
            }
        } else if let Some(more) = small(&token.text).filter(|m| joins(part, *m)) {
            part += more;
        } else if token.text == "and"
            && part >= 100.0
            && tokens
                .get(end + 1)
                .is_some_and(|t| small(&t.text).is_some())
        {
        } else {
            break;
        }
        end += 1;
    }
    Some(Number {
        value: total + part,
        end,
        ordinal: false,
    })
}

/// "twenty" takes "five", "hundred" takes "twenty"; "two" takes nothing.
pub(super) fn joins(part: f64, more: f64) -> bool {
    ((20.0..100.0).contains(&part) && part % 10.0 == 0.0 && more < 10.0 && more > 0.0)
        || (part >= 100.0 && part % 100.0 == 0.0 && more < 100.0)
        || (part == 0.0 && more > 0.0)
}

/// The digit that a text begins with: 零 to 九, 〇 and 两.
pub(super) fn chinese_digit(c: &str) -> Option<f64> {
    c.chars().next().and_then(digit)
}

fn digit(c: char) -> Option<f64> {
    let at = "零一二三四五六七八九".chars().position(|d| d == c);
    at.map(|d| d as f64).or(match c {
        '〇' => Some(0.0),
        '两' | '俩' => Some(2.0),
        _ => None,
    })
}

/// True for the characters of the numbers below a hundred.
pub fn is_chinese_numeral(c: char) -> bool {
    c == '十' || digit(c).is_some()
}

/// The number below 10,000 that Chinese characters write: 七, 十二, 二十一.
pub fn chinese_number(numerals: &[char]) -> Option<u32> {
    let numerals: Vec<String> = numerals.iter().map(char::to_string).collect();
    let said: Vec<&str> = numerals.iter().map(String::as_str).collect();
    let value = chinese_value(&said).filter(|value| !said.is_empty() && *value < 1e4)?;
    Some(value as u32)
}

/// The most characters of a numeral: what stands behind them is another.
const NUMERAL_MOST: usize = 32;

pub(super) fn chinese(text: &Text, at: usize) -> Option<Number> {
    let tokens = &text.tokens[..];
    let mut end = at;
    while end - at < NUMERAL_MOST
        && tokens
            .get(end)
            .is_some_and(|t| (end == at || t.gap == Gap::Tight) && chinese_numeral(&t.text))
    {
        end += 1;
    }
    text.steps.take(end - at);
    let said: Vec<&str> = tokens[at..end].iter().map(|t| t.text.as_str()).collect();
    let next = tokens.get(end).map_or("", |t| t.text.as_str());
    let before = at.checked_sub(1).map_or("", |i| tokens[i].text.as_str());
    if said.is_empty() || idiom(&said, before, next) || names_place(tokens, at) {
        return None;
    }
    if said == ["半"] {
        let counted = matches!(next, "小" | "个" | "天" | "年" | "月" | "打");
        return counted.then_some(Number {
            value: 0.5,
            end,
            ordinal: false,
        });
    }
    let said = if said.last() == Some(&"半") {
        &said[..said.len() - 1]
    } else {
        &said[..]
    };
    let value = chinese_value(said)?;
    let dozen = next == "打";
    // 三百多人 are three hundred.
    let more = matches!(next, "多" | "余") && said.len() > 1;
    Some(Number {
        value: if dozen { value * 12.0 } else { value },
        end: at + said.len() + usize::from(dozen || more),
        ordinal: before == "第",
    })
}

pub(super) fn chinese_numeral(c: &str) -> bool {
    chinese_digit(c).is_some() || matches!(c, "十" | "百" | "千" | "万" | "亿" | "半")
}

/// True where a numeral begins the name of a place: 三亚, 九江, 六盘水.
fn names_place(tokens: &[Token], at: usize) -> bool {
    let name = |n: usize| {
        let run = tokens.get(at..at + n)?;
        let tight = run[1..].iter().all(|t| t.gap == Gap::Tight);
        tight.then(|| run.iter().map(|t| t.text.as_str()).collect::<String>())
    };
    let known = |name: String| crate::gazetteer::is_chinese_place(&name);
    (2..=4).filter_map(name).any(known)
}

/// Numerals that count nothing: 一下, 统一, 十分, 千万.
pub(super) fn idiom(said: &[&str], before: &str, next: &str) -> bool {
    match said {
        ["一"] => {
            matches!(
                next,
                "下" | "些"
                    | "般"
                    | "定"
                    | "直"
                    | "样"
                    | "起"
                    | "旦"
                    | "切"
                    | "点"
                    | "并"
                    | "同"
                    | "致"
                    | "线"
                    | "侧"
            ) || matches!(
                before,
                "统" | "唯" | "之" | "期" | "同" | "每" | "逐" | "单"
            )
        }
        ["十"] => next == "分",
        ["万", "一"] => true,
        // Alone they belong to a unit (千瓦) or to an idiom (千万).
        ["千" | "百" | "万" | "亿"] | ["千", "万"] => true,
        _ => false,
    }
}

pub(super) fn chinese_value(said: &[&str]) -> Option<f64> {
    if said.len() > 1 && said.iter().all(|c| chinese_digit(c).is_some()) {
        return said
            .iter()
            .try_fold(0.0, |n, c| Some(n * 10.0 + chinese_digit(c)?));
    }
    let (mut total, mut section, mut digit) = (0.0, 0.0, None);
    for c in said {
        match *c {
            "十" => section += digit.take().unwrap_or(1.0) * 10.0,
            "百" => section += digit.take().unwrap_or(1.0) * 100.0,
            "千" => section += digit.take().unwrap_or(1.0) * 1000.0,
            "万" => {
                (total, section) = ((total + section + digit.take().unwrap_or(0.0)) * 1e4, 0.0)
            }
            "亿" => {
                (total, section) = ((total + section + digit.take().unwrap_or(0.0)) * 1e8, 0.0)
            }
            other => digit = Some(chinese_digit(other)?),
        }
    }
    Some(total + section + digit.unwrap_or(0.0))
}
