//! The part that may be published of a fragment: no numbers, addresses, names or secrets, and no
//! mark that a description, a prompt or markup is structured with (§6.2.2 with §7).
//!
//! Knows characters only. Who publishes, and with whose consent, is [`crate::evolution`]'s.

use ::language::script::is_unspaced;
use unicode_normalization::char::is_combining_mark;

/// A run of so many characters without a space is no word of a language that has spaces.
const WORD_MAX: usize = 24;
/// A number of so many digits could reach someone.
const PHONE_DIGITS: usize = 7;
/// So many Chinese numerals in a row are no amount.
const CHINESE_DIGITS: usize = 4;

/// The reason why a stretch is not shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Redaction {
    Name,
    Email,
    Link,
    Word,
    Phone,
    Number,
}

impl Redaction {
    fn as_str(self) -> &'static str {
        match self {
            Self::Name => "[name]",
            Self::Email => "[e-mail]",
            Self::Link => "[link]",
            Self::Word => "[word]",
            Self::Phone => "[phone]",
            Self::Number => "[number]",
        }
    }
}

/// A text with what must not be published veiled, at most `chars_max` characters; none if fewer
/// than two letters remain.
pub(super) fn screened(text: &str, chars_max: usize, names: &[&str]) -> Option<String> {
    let mut screen = Screen::over(text);
    for name in names {
        screen.veil_name(name);
    }
    screen.veil_runs();
    screen.veil_numbers();
    screen.veil_chinese_numbers();
    screen.shown(chars_max)
}

struct Screen {
    chars: Vec<char>,
    veils: Vec<Option<Redaction>>,
}

impl Screen {
    fn over(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let veils = vec![None; chars.len()];
        Self { chars, veils }
    }

    /// The first redaction over a character stays.
    fn redaction(&mut self, range: std::ops::Range<usize>, redaction: Redaction) {
        for at in &mut self.veils[range] {
            at.get_or_insert(redaction);
        }
    }

    /// Veils the name wherever it stands as a word of its own, in whatever case.
    fn veil_name(&mut self, name: &str) {
        let name: Vec<char> = name.trim().chars().collect();
        if name.is_empty() || name.len() > self.chars.len() {
            return;
        }
        for start in 0..=self.chars.len() - name.len() {
            let end = start + name.len();
            let same = (self.chars[start..end].iter().zip(&name))
                .all(|(a, b)| a.to_lowercase().eq(b.to_lowercase()));
            if same && !self.joined(start) && !self.joined(end) {
                self.redaction(start..end, Redaction::Name);
            }
        }
    }

    /// True if the characters before and at `place` belong to one word.
    fn joined(&self, place: usize) -> bool {
        let part = |c: &char| c.is_alphanumeric() && !is_unspaced(*c);
        place > 0
            && self.chars.get(place - 1).is_some_and(part)
            && self.chars.get(place).is_some_and(part)
    }

    /// Runs without a space: mail addresses, links, and what is too long for a word.
    fn veil_runs(&mut self) {
        let ends = |c: &char| c.is_whitespace() || is_unspaced(*c);
        let mut start = 0;
        while start < self.chars.len() {
            let run = self.chars[start..].iter().take_while(|c| !ends(c)).count();
            if let Some(redaction) = veil_of(&self.chars[start..start + run]) {
                self.redaction(start..start + run, redaction);
            }
            start += run.max(1);
        }
    }

    /// Digits of any script, with what stands between the groups of a number.
    fn veil_numbers(&mut self) {
        let mut at = 0;
        while at < self.chars.len() {
            if !self.chars[at].is_numeric() {
                at += 1;
                continue;
            }
            let (end, digits) = self.number_from(at);
            let redaction = match digits >= PHONE_DIGITS {
                true => Redaction::Phone,
                false => Redaction::Number,
            };
            self.redaction(at..end, redaction);
            at = end;
        }
    }

    /// The end of the number that begins here, and how many digits it has.
    fn number_from(&self, start: usize) -> (usize, usize) {
        let (mut end, mut digits) = (start, 0);
        for (at, c) in self.chars.iter().enumerate().skip(start) {
            match c {
                c if c.is_numeric() => (end, digits) = (at + 1, digits + 1),
                ' ' | '-' | '.' | ',' | ':' | '/' | '(' | ')' | '+' if at < end + 2 => (),
                _ => break,
            }
        }
        (end, digits)
    }

    fn veil_chinese_numbers(&mut self) {
        let mut start = 0;
        while start < self.chars.len() {
            let rest = self.chars[start..].iter();
            let run = rest
                .take_while(|c| "〇零一二三四五六七八九幺两".contains(**c))
                .count();
            if run >= CHINESE_DIGITS {
                self.redaction(start..start + run, Redaction::Number);
            }
            start += run.max(1);
        }
    }

    fn shown(&self, chars_max: usize) -> Option<String> {
        let mut out = Shortened::to(chars_max);
        let (mut letters, mut before) = (0, None);
        for (&c, &redaction) in self.chars.iter().zip(&self.veils) {
            let fits = match redaction {
                Some(redaction) if before == Some(redaction) => true,
                Some(redaction) => out.push(redaction.as_str()),
                None => out.push(publishable(c).encode_utf8(&mut [0; 4])),
            };
            if !fits {
                break;
            }
            letters += usize::from(redaction.is_none() && c.is_alphabetic());
            before = redaction;
        }
        (letters >= 2).then(|| out.text.trim_end().to_owned())
    }
}

/// Text that ends where there is no more room; pieces are taken whole.
struct Shortened {
    text: String,
    chars: usize,
    chars_max: usize,
    /// The place at which the text can end with a mark of omission behind it.
    end: usize,
}

impl Shortened {
    fn to(chars_max: usize) -> Self {
        Self {
            text: String::new(),
            chars: 0,
            chars_max,
            end: 0,
        }
    }

    /// False, and the text is complete, if the piece does not fit.
    fn push(&mut self, piece: &str) -> bool {
        if piece == " " && (self.text.is_empty() || self.text.ends_with(' ')) {
            return true;
        }
        self.chars += piece.chars().count();
        if self.chars > self.chars_max {
            self.text.truncate(self.end);
            self.text.truncate(self.text.trim_end().len());
            self.text.push('…');
            return false;
        }
        self.text.push_str(piece);
        if self.chars < self.chars_max {
            self.end = self.text.len();
        }
        true
    }
}

fn veil_of(run: &[char]) -> Option<Redaction> {
    let text: String = run.iter().flat_map(|c| c.to_lowercase()).collect();
    if text.contains(['@', '＠']) {
        Some(Redaction::Email)
    } else if text.contains("://") || text.starts_with("www.") {
        Some(Redaction::Link)
    } else {
        (run.len() > WORD_MAX).then_some(Redaction::Word)
    }
}

/// The character itself if it structures nothing; a space, or a letter like it, otherwise.
fn publishable(c: char) -> char {
    match c {
        // The apostrophe that is a letter: the quote would end the example.
        '\'' | '’' => 'ʼ',
        '.' | ',' | ':' | '!' | '?' | '(' | ')' | '-' | '/' | '%' | '+' => c,
        '，' | '。' | '、' | '：' | '！' | '？' | '（' | '）' => c,
        c if c.is_alphanumeric() || is_combining_mark(c) => c,
        _ => ' ',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// D82, Q15: what identifies someone or structures a prompt is not published.
    #[test]
    fn what_is_left_of_fragments() {
        for (text, expected) in [
            ("window seat", "window seat"),
            ("I don't like aisles", "I donʼt like aisles"),
            ("call +86 138-0013-8000 now", "call +[phone] now"),
            ("seat 12A for Ms Jane Doe", "seat [number]A for Ms [name]"),
            ("mail jane.doe@example.org please", "mail [e-mail] please"),
            ("see https://evil.example/x?y=1 first", "see [link] first"),
            ("key ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef ok", "key [word] ok"),
            ("请打电话一三八零零一三八零零零给我", "请打电话[number]给我"),
            ("张伟要靠窗的座位", "[name]要靠窗的座位"),
            ("janedoes are not jane doe", "janedoes are not [name]"),
            ("x' -> 'admin', {\"a\": <b>}", "xʼ - ʼadminʼ, a : b"),
            ("٣٤ rows back", "[number] rows back"),
        ] {
            let shown = screened(text, 80, &["Jane Doe", "张伟", ""]);
            assert_eq!(shown.as_deref(), Some(expected), "{text}");
        }
        assert_eq!(screened("13800138000", 80, &[]), None);
        assert_eq!(screened("a", 80, &[]), None);
    }

    #[test]
    fn a_veil_is_never_cut_in_two() {
        let shown = screened("please call 13800138000", 16, &[]);
        assert_eq!(shown.as_deref(), Some("please call…"));
    }

    proptest! {
        /// D82: whatever the text, nothing of what is kept back gets through.
        #[test]
        fn nothing_that_is_kept_back_gets_through(text in any::<String>(), max in 1..60usize) {
            if let Some(shown) = screened(&text, max, &["ab"]) {
                prop_assert!(shown.chars().count() <= max);
                prop_assert!(!shown.chars().any(|c| c.is_numeric()));
                let structures = shown.contains(['\'', '"', '<', '>', '{', '`', '@', '\\', '\n']);
                prop_assert!(!structures, "{}", shown);
            }
        }
    }
}
