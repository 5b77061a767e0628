//! One English word: its stem and its singular, and whether two are the same but for a slip of the
//! fingers.
//!
//! Knows spelling; refuses to know what a word means. Read next: [`crate::text`].

use std::borrow::Cow;

/// True if one long word is another with a letter left out: "signl".
pub fn mistyped(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    if long.len() < 6 || long.len() != short.len() + 1 || !long.is_ascii() || long.ends_with('s') {
        return false;
    }
    (1..long.len()).any(|at| [&long[..at], &long[at + 1..]].concat() == *short)
}

/// True if `typed` is `word`, or a slip of the fingers away from it: one letter more or less, one
/// other, or two swapped. Short words have to be right.
pub fn alike(typed: &str, word: &str) -> bool {
    typed == word || (word.len() >= 5 && typed.len() >= 4 && one_slip(typed, word))
}

fn one_slip(typed: &str, word: &str) -> bool {
    let alike = typed.chars().zip(word.chars()).take_while(|(x, y)| x == y);
    let same: usize = alike.map(|(c, _)| c.len_utf8()).sum();
    let (mut a, mut b) = (typed[same..].chars(), word[same..].chars());
    let (first, wanted) = (a.next(), b.next());
    let (typed_on, word_on) = (a.as_str(), b.as_str());
    match (first, wanted) {
        (Some(_), None) => typed_on.is_empty(),
        (None, Some(_)) => word_on.is_empty(),
        (Some(_), Some(_)) => {
            let swapped = a.next() == wanted && b.next() == first && a.as_str() == b.as_str();
            let more = typed_on == &word[same..];
            let less = typed[same..] == *word_on;
            // Other letters make other words ("calls", "calms"): the first must be right.
            more || less || swapped || (same > 0 && typed_on == word_on)
        }
        (None, None) => false,
    }
}

/// A word without its endings: equal for words that mean the same thing most of the time.
pub fn stem(word: &str) -> String {
    if let Some(base) = irregular(word) {
        return base.to_owned();
    }
    let word = word
        .strip_suffix("'s")
        .unwrap_or(word)
        .trim_end_matches('\'');
    if !word.is_ascii() {
        return word.to_owned();
    }
    let mut base = singular(word).into_owned();
    for ending in [
        "ization", "isation", "ational", "ating", "ated", "ators", "ator", "ates", "ate", "ations",
        "ation", "ments", "ment", "ness", "ings", "ing", "edly", "ied", "ed", "est", "er", "ors",
        "or", "ion", "ly", "en", "al", "y", "e",
    ] {
        if let Some(cut) = base.strip_suffix(ending)
            && cut.len() >= shortest(ending)
            && cut.contains(['a', 'e', 'i', 'o', 'u', 'y'])
        {
            base = cut.to_owned();
            break;
        }
    }
    // "whitening" is of "whiten", and that of "white".
    if let Some(cut) = base.strip_suffix("en").filter(|cut| cut.len() >= 4) {
        base = cut.to_owned();
    }
    undouble(base)
}

/// The length that must be left when an ending is cut.
fn shortest(ending: &str) -> usize {
    match ending {
        "e" | "ing" | "ings" | "ed" => 3,
        "y" | "ly" | "ied" => 4,
        _ => 4,
    }
}

/// An English word without the ending of a plural: `links` and `link` are one, `loss` is itself.
pub fn singular(word: &str) -> Cow<'_, str> {
    let ends = |ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    match word {
        _ if word.len() < 4 || ends(&["ss", "us", "is"]) => word.into(),
        _ if word.ends_with("ies") => format!("{}y", &word[..word.len() - 3]).into(),
        _ if ends(&["shes", "ches", "xes", "sses", "zes"]) => word[..word.len() - 2].into(),
        _ => word.strip_suffix('s').unwrap_or(word).into(),
    }
}

/// `blurr` and `blur` are one; so are `whit` and `whitt`.
fn undouble(mut base: String) -> String {
    let bytes = base.as_bytes();
    let n = bytes.len();
    if n > 3 && bytes[n - 1] == bytes[n - 2] && !matches!(bytes[n - 1], b'l' | b's' | b'e' | b'o') {
        base.pop();
    }
    if base.len() > 4 && base.ends_with('e') {
        base.pop();
    }
    base
}

/// The base of a word whose forms no ending tells.
fn irregular(word: &str) -> Option<&'static str> {
    Some(match word {
        "teeth" => "tooth",
        "feet" => "foot",
        "people" | "persons" => "person",
        "children" | "kids" => "child",
        "men" => "man",
        "women" => "woman",
        "better" | "best" => "good",
        "worse" | "worst" => "bad",
        "was" | "were" | "is" | "are" | "been" | "am" => "be",
        "has" | "had" | "having" => "have",
        "does" | "did" | "doing" | "done" => "do",
        "goes" | "went" | "gone" | "going" => "go",
        "lost" | "losing" => "lose",
        "loss" | "losses" => "loss",
        "sent" => "send",
        "kept" => "keep",
        "paid" => "pay",
        "left" => "left",
        "leaving" | "leaves" => "leave",
        "said" => "say",
        "sold" => "sell",
        "bought" => "buy",
        "gave" | "given" => "give",
        "took" | "taken" => "take",
        "fell" | "fallen" => "fall",
        "broke" | "broken" => "break",
        "froze" | "frozen" => "freeze",
        "written" | "wrote" => "write",
        "spoke" | "spoken" => "speak",
        "driven" | "drove" => "drive",
        "flew" | "flown" | "flight" | "flights" => "flight",
        "movie" | "movies" => "movie",
        "tore" | "torn" | "tears" => "tear",
        "cut" | "cuts" => "cut",
        "dies" | "died" | "dying" => "dead",
        "snapped" => "snap",
        "hit" | "hits" => "hit",
        "rang" | "rung" => "ring",
        "shut" => "shut",
        "can't" | "cannot" => "cannot",
        "fibre" | "fibres" | "fibers" => "fiber",
        "colour" | "colours" => "color",
        "centre" => "center",
        "neighbour" | "neighbours" | "neighboring" | "neighbouring" => "neighbor",
        "other" | "others" => "other",
        "power" | "powers" => "power",
        "number" | "numbers" => "number",
        "user" | "users" => "user",
        "order" | "orders" => "order",
        "river" => "river",
        "water" => "water",
        "paper" => "paper",
        "router" | "routers" => "router",
        "business" => "business",
        "news" => "news",
        "series" => "series",
        "status" => "status",
        "lens" => "lens",
        "during" => "during",
        "evening" => "evening",
        "morning" => "morning",
        "thing" | "things" => "thing",
        "increase" | "increased" | "increasing" => "increase",
        "decrease" | "decreased" | "decreasing" => "decrease",
        _ => return None,
    })
}

/// True if a list of words, parted and enclosed by spaces, holds a word.
pub fn listed(list: &str, word: &str) -> bool {
    !word.is_empty()
        && list
            .match_indices(word)
            .any(|(at, _)| list[..at].ends_with(' ') && list[at + word.len()..].starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_forgiven_and_other_words_are_not() {
        for (typed, word, same) in [
            ("siignal", "signal", true),
            ("singal", "signal", true),
            ("sgnal", "signal", true),
            ("call", "cell", false),
            ("latenyc", "latency", true),
            ("bill", "bell", false),
        ] {
            assert_eq!(alike(typed, word), same, "{typed}");
        }
    }

    #[test]
    fn one_word_in_many_forms_has_one_stem() {
        for (one, other) in [
            ("smoothing", "smooth"),
            ("whitening", "whiter"),
            ("blurry", "blur"),
            ("blurred", "blur"),
            ("carriers", "carrier"),
            ("teeth", "tooth"),
            ("degradation", "degrade"),
            ("compensate", "compensation"),
            ("outages", "outage"),
        ] {
            assert_eq!(stem(one), stem(other), "{one} {other}");
        }
        assert_ne!(stem("increase"), stem("decrease"));
    }
}
