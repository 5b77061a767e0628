//! Hints of acceptable values: `Acceptable values: a, b, c.`, `Range: 1-9`, `取值：甲、乙`.

use regex::Regex;
use std::sync::LazyLock;

/// The values that a prose says a key accepts; nothing where it lists nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Acceptable {
    /// The values it lists, as written, in its order; empty if it lists none.
    pub values: Vec<String>,
    /// The least number of a range.
    pub minimum: Option<f64>,
    /// The greatest number of a range.
    pub maximum: Option<f64>,
}

/// Reads a hint from a prose.
///
/// A hint only: "city names or codes" lists nothing, and a list that ends in "etc." is open.
pub fn acceptable(prose: &str) -> Acceptable {
    let (minimum, maximum) = range(prose).unzip();
    Acceptable {
        values: listed(prose).unwrap_or_default(),
        minimum,
        maximum,
    }
}

static LIST: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)(?:(?:acceptable|accepted|allowed|possible|permitted|supported|valid)\s+(?:values?|options?|choices?)(?:\s+(?:are|is|include))?\s*:?|(?:one\s+of|options|choices|values|either)\s*:?|(?:可选值|可取值|允许值|合法值|取值范围|取值|可选|枚举值?)(?:为|是|有|包括)?\s*[：:]?)\s*",
    )
});
static RANGE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)(?:\brange[sd]?\b(?:\s+(?:of|is|from|between))?|\bbetween\b|\bacceptable values:|范围|取值|介于)\s*[：:是为从在]?\s*(?:from\s+)?([-−+]?\d+(?:\.\d+)?)\s*%?\s*(?:\.\.\.?|[-–—−~～]|\bto\b|\band\b|至|到|和)\s*([-−+]?\d+(?:\.\d+)?)([-/.]\d)?",
    )
});
static OPEN: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)e\.g\.|\bsuch as\b|\bfor example\b|\betc\b|\bany\b|\.\.\.|…|例如|比如|等$|[(（]")
});
static SEPARATOR: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)\s*(?:[,，、;；/|]\s*(?:(?:or|and)\b|或者?|和)?|\s(?:or|and)\s|或者?)\s*")
});

/// Words that describe values instead of being one.
const DESCRIBING: &str = " code codes name names number numbers date dates time times string strings text \
 value values id ids identifier identifiers format formats integer integers list above below following type \
 types language characters addresses units ";
/// The longest value that is believed to be one, in characters, and in words.
const VALUE_CHARACTERS_MAX: usize = 40;
const VALUE_WORDS_MAX: usize = 4;

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern that the tests compile")
}

fn range(prose: &str) -> Option<(f64, f64)> {
    let found = RANGE.captures(prose)?;
    let number = |i: usize| found.get(i)?.as_str().replace('−', "-").parse::<f64>().ok();
    let (least, most) = (number(1)?, number(2)?);
    // A third part: a date, or a version.
    let more = found.get(3).is_some();
    (least <= most && !more).then_some((least, most))
}

fn listed(prose: &str) -> Option<Vec<String>> {
    LIST.find_iter(prose).find_map(|marker| {
        let before = prose[..marker.start()].chars().next_back();
        let whole_word = before.is_none_or(|c| !c.is_alphanumeric() || !c.is_ascii());
        if whole_word {
            values(sentence(&prose[marker.end()..]))
        } else {
            None
        }
    })
}

/// Up to the end of the sentence; a stop inside a word or number does not end one.
fn sentence(text: &str) -> &str {
    let end = text.char_indices().find(|(at, c)| {
        let behind = &text[at + c.len_utf8()..];
        matches!(c, '。' | '\n')
            || (*c == '.' && (behind.is_empty() || behind.starts_with(char::is_whitespace)))
    });
    end.map_or(text, |(at, _)| &text[..at])
}

fn values(sentence: &str) -> Option<Vec<String>> {
    if OPEN.is_match(sentence) {
        return None;
    }
    let parts: Vec<&str> = SEPARATOR
        .split(sentence.trim())
        .filter(|p| !p.trim().is_empty())
        .collect();
    let commas = sentence.contains([',', '，', '、', ';', '；', '/', '|']);
    let values: Option<Vec<String>> = parts.iter().map(|part| one(part, commas)).collect();
    values.filter(|values| values.len() >= 2)
}

/// A value of a list: quoted, or so short that it can be one. Where "or" alone joins, one word.
fn one(part: &str, commas: bool) -> Option<String> {
    let part = part.trim();
    let bare = part.trim_matches(['\'', '"', '“', '”', '‘', '’', '`', '「', '」']);
    if bare.is_empty() || bare.chars().count() > VALUE_CHARACTERS_MAX {
        return None;
    }
    let quoted = bare.len() < part.len();
    let words: Vec<&str> = bare.split_whitespace().collect();
    let words_max = if commas { VALUE_WORDS_MAX } else { 1 };
    let describes = words
        .last()
        .is_some_and(|w| ::language::word::listed(DESCRIBING, &w.to_lowercase()));
    let believed = quoted || (words.len() <= words_max && !describes && !bare.contains(':'));
    believed.then(|| bare.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D35, D56, Q8: lists that are lists.
    #[test]
    fn enumerations_are_hints() {
        for (prose, values) in [
            (
                "Cabin class. Acceptable values: economy, premium_economy, business, first. Example: 'b' -> 'business'.",
                vec!["economy", "premium_economy", "business", "first"],
            ),
            (
                "Filter style. Acceptable values: none, vintage, cinematic, warm, cool.",
                vec!["none", "vintage", "cinematic", "warm", "cool"],
            ),
            (
                "Possible values are 'Bot', 'BotLocale', or 'CustomVocabulary'.",
                vec!["Bot", "BotLocale", "CustomVocabulary"],
            ),
            (
                "The possible values are male or female.",
                vec!["male", "female"],
            ),
            (
                "Acceptable values: Psychologist, Family Counselor, Psychiatrist.",
                vec!["Psychologist", "Family Counselor", "Psychiatrist"],
            ),
            ("Acceptable values: 1, 2, 3.", vec!["1", "2", "3"]),
            ("Acceptable values: en-US, zh-CN.", vec!["en-US", "zh-CN"]),
            ("One of: 0.5, 1.5", vec!["0.5", "1.5"]),
            ("等级。取值：高、中、低。", vec!["高", "中", "低"]),
            ("可选值为：“靠窗”或“过道”。", vec!["靠窗", "过道"]),
        ] {
            assert_eq!(acceptable(prose).values, values, "{prose}");
        }
    }

    /// D35, Q8: prose that describes values lists none.
    #[test]
    fn descriptions_of_values_are_no_enumeration() {
        for prose in [
            "Acceptable values: IATA airport codes (e.g., PEK, SHA, JFK) or city names in English or local language.",
            "Acceptable values: IATA airport codes or city names.",
            "Acceptable values: city names or codes.",
            "Acceptable values: names or codes.",
            "Acceptable values: any text.",
            "Acceptable values: red, green, etc.",
            "Acceptable values: colours such as red, green.",
            "取值：红、绿等",
            "Number of passengers. Range: 1-9.",
            "Acceptable values: economy.",
            "Whether the restaurant has vegetarian options.",
        ] {
            assert_eq!(acceptable(prose).values, Vec::<String>::new(), "{prose}");
        }
    }

    /// D35, D49, D56: ranges.
    #[test]
    fn ranges_are_hints() {
        for (prose, range) in [
            (
                "Number of passengers. Range: 1-9. Example: 'two' -> 2.",
                Some((1.0, 9.0)),
            ),
            ("Range: 0-10, where 0 means off.", Some((0.0, 10.0))),
            ("Range: 1.0–1.5", Some((1.0, 1.5))),
            ("Range: -10 to 5 dB.", Some((-10.0, 5.0))),
            ("Must be within the range of 3 to 100.", Some((3.0, 100.0))),
            (
                "Values range from 0 to 100 (inclusive).",
                Some((0.0, 100.0)),
            ),
            ("A number between 1 and 5.", Some((1.0, 5.0))),
            ("人数。范围：1-9。", Some((1.0, 9.0))),
            ("取值范围为0到100", Some((0.0, 100.0))),
            ("Acceptable values: 1-9.", Some((1.0, 9.0))),
            ("Range: 2024-01-31.", None),
            ("Range: 9-1.", None),
            ("Price range for the restaurant.", None),
        ] {
            let hint = acceptable(prose);
            assert_eq!(hint.minimum.zip(hint.maximum), range, "{prose}");
        }
    }
}
