//! Fields in a line: `Cell RAT: NR; Energy consumption goal: 30%`, and how a value is quoted.
//!
//! A label counts where a piece begins: at the beginning of a line, or behind `;`, `,`, `、`, `。` or
//! a full stop; and a colon, an equals sign, `is`, `为` or `是` is behind it. What stands in quotes or
//! brackets is no piece of its own. One pass, without looking back. Refuses to know what labels are
//! for. Read next: [`form`](super::form), which reads the values.

use schema::steps::ReadingBudget;
use std::ops::Range;

/// Labels, each with the place of the field that it is one of.
#[derive(Clone, Debug, Default)]
pub struct Labels(Vec<(usize, String)>);

/// The fields of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields<'a> {
    /// The text before the first label.
    pub before: &'a str,
    /// The places of the fields whose labels stand there, and what is said of each.
    pub said: Vec<(usize, &'a str)>,
}

/// The signs that end a piece of a line wherever they stand; a full stop does before a space alone.
const ENDS: [char; 7] = [';', '；', '。', ',', '，', '、', '\n'];

/// The words before a label that say nothing.
const ARTICLES: [&str; 2] = ["the ", "a "];

impl Labels {
    /// Labels by the places of their fields; the longest counts where several fit.
    pub fn new<'a>(labels: impl IntoIterator<Item = (usize, &'a str)>) -> Self {
        let mut labels: Vec<(usize, String)> = labels
            .into_iter()
            .map(|(place, label)| (place, label.to_lowercase()))
            .collect();
        labels.sort_by_key(|(_, label)| std::cmp::Reverse(label.len()));
        Self(labels)
    }

    /// Finds the fields in a text, its steps counted as part of some work: as many as the text is long,
    /// times the number of labels.
    pub fn find<'a>(&self, text: &'a str, work: &ReadingBudget<'_>) -> Fields<'a> {
        work.take(text.len());
        let mut fields = Fields::default();
        let mut open: Option<(usize, usize)> = None;
        let begins = pieces(text);
        let ends = begins.iter().skip(1).copied().chain([text.len()]);
        for (begin, end) in begins.iter().copied().zip(ends) {
            // What is within a label begins none.
            if open.is_some_and(|(_, from)| begin < from) {
                continue;
            }
            let Some((place, value)) = self.at(text, begin..end, work) else {
                continue;
            };
            match open {
                None => fields.before = trimmed(&text[..begin]),
                Some((place, from)) => fields.said.push((place, trimmed(&text[from..begin]))),
            }
            open = Some((place, value));
        }
        match open {
            None => fields.before = trimmed(text),
            Some((place, from)) => fields.said.push((place, trimmed(&text[from..]))),
        }
        fields
    }

    /// The field whose label a piece begins with, and where its value begins. Of a piece that is blank,
    /// none: what follows is the next one's.
    fn at(
        &self,
        text: &str,
        piece: Range<usize>,
        work: &ReadingBudget<'_>,
    ) -> Option<(usize, usize)> {
        let said = text[piece.clone()].trim_start();
        work.take(1 + piece.len() - said.len());
        if said.is_empty() {
            return None;
        }
        let mut rest = &text[piece.end - said.len()..];
        for article in ARTICLES {
            if let Some(length) = begins(rest, article) {
                rest = &rest[length..];
            }
        }
        let found = self.0.iter().find_map(|(place, label)| {
            work.take(1);
            let behind = &rest[begins(rest, label)?..];
            Some((*place, colon(behind, work)?))
        });
        let (place, value) = found?;
        Some((place, text.len() - value.len()))
    }
}

/// The text behind the sign between label and value.
fn colon<'a>(rest: &'a str, work: &ReadingBudget<'_>) -> Option<&'a str> {
    let behind = rest.trim_start_matches([' ', '\t']);
    work.take(1 + rest.len() - behind.len());
    let rest = behind;
    if let Some(value) = rest.strip_prefix([':', '：', '=']) {
        return Some(value);
    }
    if let Some(value) = rest.strip_prefix(['为', '是']) {
        return Some(value.strip_prefix([':', '：']).unwrap_or(value));
    }
    ["is the ", "are the ", "is ", "are "]
        .iter()
        .find_map(|verb| Some(&rest[begins(rest, verb)?..]))
}

/// The bytes of `text` that say `lower`, whatever their case.
fn begins(text: &str, lower: &str) -> Option<usize> {
    let mut wanted = lower.chars();
    let mut length = 0;
    let mut next = wanted.next();
    for c in text.chars() {
        let Some(_) = next else { break };
        for folded in c.to_lowercase() {
            if next != Some(folded) {
                return None;
            }
            next = wanted.next();
        }
        length += c.len_utf8();
    }
    next.is_none().then_some(length)
}

/// The beginnings of the pieces of a line.
fn pieces(line: &str) -> Vec<usize> {
    let mut begins = vec![0];
    let mut inside = Inside::default();
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let behind = at + c.len_utf8();
        let next = chars.peek().map(|(_, next)| *next);
        let stop = c == '.' && next.is_none_or(char::is_whitespace);
        if !inside.takes(c) && (stop || ENDS.contains(&c)) {
            begins.push(behind);
        }
    }
    begins
}

/// The quotes and brackets that are open.
#[derive(Clone, Copy, Debug, Default)]
struct Inside {
    brackets: u32,
    /// The sign that ends the quote.
    quote: Option<char>,
    escaped: bool,
}

impl Inside {
    /// Goes one character on; true if it is inside of something.
    fn takes(&mut self, c: char) -> bool {
        match (self.quote, c) {
            (Some(_), _) if self.escaped => self.escaped = false,
            (Some('"'), '\\') => self.escaped = true,
            (Some(end), _) if c == end => self.quote = None,
            (Some(_), _) => {}
            (None, '"') => self.quote = Some('"'),
            (None, '“') => self.quote = Some('”'),
            (None, '[' | '{') => self.brackets += 1,
            (None, ']' | '}') => self.brackets = self.brackets.saturating_sub(1),
            (None, _) => return self.brackets > 0,
        }
        true
    }
}

/// Without spaces around, and without what ends a piece behind.
fn trimmed(text: &str) -> &str {
    let text = text
        .trim()
        .trim_end_matches(|c| ENDS.contains(&c))
        .trim_end();
    let text = text.strip_suffix('.').unwrap_or(text);
    text.trim_end()
}

/// The parts of a list: between commas that are not in quotes or brackets.
pub fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut inside = Inside::default();
    let mut begin = 0;
    for (at, c) in text.char_indices() {
        if !inside.takes(c) && ENDS.contains(&c) {
            parts.push(text[begin..at].trim());
            begin = at + c.len_utf8();
        }
    }
    parts.push(text[begin..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The signs that end an item of a line, whatever its value is: a comma may stand within one.
const ITEM_ENDS: [char; 4] = [';', '；', '。', '\n'];

/// The end of each item of a text: before a semicolon, a Chinese full stop or a line end that is
/// not in quotes or brackets, and at the end of the text.
pub fn item_ends(text: &str) -> Vec<usize> {
    let mut inside = Inside::default();
    let ends = text.char_indices();
    let ends = ends.filter(|(_, c)| !inside.takes(*c) && ITEM_ENDS.contains(c));
    ends.map(|(at, _)| at).chain([text.len()]).collect()
}

/// The items of a text, without what is between them.
pub fn items(text: &str) -> impl Iterator<Item = &str> {
    let mut begin = 0;
    let items = item_ends(text).into_iter().map(move |end| {
        let item = &text[begin..end];
        begin = end;
        item.trim_start_matches(ITEM_ENDS).trim()
    });
    items.filter(|item| !item.is_empty())
}

/// A value without its quotes, if it is in quotes; `"…"` is read as JSON.
pub fn unquoted(value: &str) -> String {
    let value = value.trim();
    if value.len() > 1 && value.starts_with('"') && value.ends_with('"') {
        if let Ok(text) = serde_json::from_str(value) {
            return text;
        }
        return value.trim_matches('"').to_owned();
    }
    value.trim_matches(['“', '”']).to_owned()
}

/// A value as it is written behind a label: as it stands where that reads as the same, else as JSON.
pub fn quoted(value: &str) -> String {
    let edge = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let harmless = |c: char| c.is_alphanumeric() || " -_/+:#&".contains(c);
    let plain = edge(value.chars().next())
        && edge(value.chars().next_back())
        && value.chars().all(harmless);
    match plain {
        true => value.to_owned(),
        false => json(&value.into()),
    }
}

/// A value as JSON on one line, in which nothing is invisible.
pub fn json(value: &serde_json::Value) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    for c in value.to_string().chars() {
        // What JSON lets stand (RFC 8259 §7) and a prompt does not.
        let _ = match c.is_control() {
            true => write!(text, "\\u{:04x}", u32::from(c)),
            false => write!(text, "{c}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use schema::steps::Effort;

    fn any() -> ReadingBudget<'static> {
        ReadingBudget::within(Effort::any())
    }

    fn found(line: &str) -> String {
        let labels = [
            "goal",
            "rate goal",
            "time range",
            "area",
            "区域",
            "时间范围",
        ];
        let labels = Labels::new(labels.into_iter().enumerate());
        let fields = labels.find(line, &any());
        let said = fields
            .said
            .iter()
            .map(|(place, value)| format!(" [{place} {value}]"));
        format!("{}{}", fields.before, said.collect::<String>())
    }

    /// A2A-T: fields stand in sentences, lists and lines, in English and Chinese.
    #[test]
    fn fields_are_found_where_a_piece_begins() {
        for (line, expected) in [
            ("Area: Haidian", " [3 Haidian]"),
            ("The area is the old town.", " [3 old town]"),
            (
                "Rate goal: 5Mbps; goal = 30%. Area: x",
                " [1 5Mbps] [0 30%] [3 x]",
            ),
            (
                "time range: \"a; area: x\", area: y",
                " [2 \"a; area: x\"] [3 y]",
            ),
            (
                "goal: {00:00~06:00,goal: 2}, area: y",
                " [0 {00:00~06:00,goal: 2}] [3 y]",
            ),
            ("区域为松山湖管委会。", " [4 松山湖管委会]"),
            ("区域：海淀；时间范围为：早上", " [4 海淀] [5 早上]"),
            ("goals: 3", "goals: 3"),
            ("the goal area of it", "the goal area of it"),
            ("please, area: x", "please [3 x]"),
            ("", ""),
            // Lines of code.
            ("x;\n\n Area: x\ngoal: 3", "x [3 x] [0 3]"),
        ] {
            assert_eq!(found(line), expected, "{line}");
        }
    }

    #[test]
    fn lists_are_parted_outside_of_quotes() {
        assert_eq!(
            parts("a, \"b, c\"，d、[e, f];"),
            ["a", "\"b, c\"", "d", "[e, f]"]
        );
    }

    proptest! {
        /// A value, whatever it says, stays the value of its label.
        #[test]
        fn what_is_quoted_is_read_again(value in ".{0,40}|[a-z:;,. \"{}\\\\“]{0,20}") {
            let line = format!("area: {}", quoted(&value));
            let labels = Labels::new([(0, "goal"), (1, "area")]);
            let fields = labels.find(&line, &any());
            prop_assert_eq!(fields.said.len(), 1);
            prop_assert_eq!(unquoted(fields.said[0].1), value);
        }

        /// Any text is read, and nothing of it is lost but labels and signs.
        #[test]
        fn any_text_is_read(line in "(?s).{0,80}|[areagol:;,. \n{}\"是：]{0,40}|((the )?(area|goal)?[ \t\n;.]{0,3}[:是]?){0,8}") {
            let labels = Labels::new([(0, "goal"), (1, "area")]);
            labels.find(&line, &any());
            parts(&line);
        }
    }
}
