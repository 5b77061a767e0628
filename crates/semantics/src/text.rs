//! An utterance as tokens: words, numbers, signs and Chinese characters, each with its place.
//!
//! Knows how text falls into tokens, sentences and clauses, and which tokens are the same word.
//! Refuses to know what a token means; read next: [`crate::rules`], [`crate::lexicon`].

use crate::lexicon;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// What a token is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Letters, with apostrophes inside.
    Word,
    /// Digits, with decimal point and thousands separators.
    Number,
    /// One Chinese character.
    Cjk,
    /// `%`, a currency, a degree.
    Sign,
}

/// What stands between a token and the one before it; the strongest of several marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    /// Nothing.
    Tight,
    /// A space.
    Space,
    /// `-`, `_`, `/`: one word in two parts.
    Joint,
    /// `'` or `"`, or a bracket.
    Quote,
    /// `=`, `:` and other marks.
    Mark,
    /// A comma or dash: a new clause.
    Comma,
    /// The end of a sentence, or the start of the text.
    Stop,
}

/// A token.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// In lower case, in compatibility form.
    pub(crate) text: String,
    /// What is left when endings are cut: equal for `smoothing` and `smooth`.
    pub(crate) stem: String,
    /// Where it begins in the text, in bytes.
    pub(crate) start: usize,
    /// Where it ends.
    pub(crate) end: usize,
    /// What stands before it.
    pub(crate) gap: Gap,
    /// What it is made of.
    pub(crate) class: Class,
    /// Begins with a capital letter.
    pub(crate) capital: bool,
}

/// The tokens of a text.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// As it was given.
    pub(crate) raw: String,
    /// Its tokens.
    pub(crate) tokens: Vec<Token>,
}

impl Text {
    /// Cuts a text into tokens.
    pub(crate) fn new(raw: &str) -> Self {
        let raw: String = raw.nfc().collect();
        let tokens = tokens(&raw);
        Self { raw, tokens }
    }

    /// The text of a run of tokens, as it was written.
    pub(crate) fn span(&self, run: &Range<usize>) -> &str {
        match self.tokens.get(run.clone()) {
            Some([first, .., last]) => &self.raw[first.start..last.end],
            Some([only]) => &self.raw[only.start..only.end],
            _ => "",
        }
    }

    /// The words of a run, in lower case, parted by one space, Chinese without spaces.
    pub(crate) fn words(&self, run: &Range<usize>) -> String {
        join(&self.tokens[run.clone()])
    }

    /// Where a phrase stands: its tokens in order, with no clause boundary between.
    pub(crate) fn find(&self, phrase: &[Token]) -> Vec<Range<usize>> {
        self.runs(phrase, |a, b| {
            a.text == b.text || a.stem == b.stem || mistyped(&a.text, &b.text)
        })
    }

    /// As [`Text::find`], letter for letter.
    pub(crate) fn find_exactly(&self, phrase: &[Token]) -> Vec<Range<usize>> {
        self.runs(phrase, |a, b| a.text == b.text)
    }

    fn runs(&self, phrase: &[Token], same: impl Fn(&Token, &Token) -> bool) -> Vec<Range<usize>> {
        if phrase.is_empty() || phrase.len() > self.tokens.len() {
            return Vec::new();
        }
        (0..=self.tokens.len() - phrase.len())
            .filter(|at| {
                let here = &self.tokens[*at..at + phrase.len()];
                here.iter().zip(phrase).all(|(a, b)| same(a, b))
                    && here[1..].iter().all(|t| t.gap < Gap::Comma)
            })
            .map(|at| at..at + phrase.len())
            .collect()
    }

    /// The sentences, as runs of tokens.
    pub(crate) fn sentences(&self) -> Vec<Range<usize>> {
        self.cut(|t| t.gap == Gap::Stop)
    }

    /// The clauses: parts between commas, stops and the words that join clauses.
    pub(crate) fn clauses(&self) -> Vec<Range<usize>> {
        self.cut(|t| t.gap >= Gap::Comma)
    }

    fn cut(&self, begins: impl Fn(&Token) -> bool) -> Vec<Range<usize>> {
        let mut starts: Vec<usize> = (0..self.tokens.len())
            .filter(|i| *i == 0 || begins(&self.tokens[*i]))
            .collect();
        starts.push(self.tokens.len());
        starts.windows(2).map(|w| w[0]..w[1]).collect()
    }

    /// The sentence around a token.
    pub(crate) fn sentence_of(&self, at: usize) -> Range<usize> {
        around(&self.sentences(), at)
    }

    /// The clause around a token.
    pub(crate) fn clause_of(&self, at: usize) -> Range<usize> {
        around(&self.clauses(), at)
    }

    /// What stands between the end of a run's sentence and the next: true for a question mark.
    pub(crate) fn asks(&self, sentence: &Range<usize>) -> bool {
        let from = self.tokens[sentence.end - 1].end;
        let to = self
            .tokens
            .get(sentence.end)
            .map_or(self.raw.len(), |t| t.start);
        self.raw[from..to].contains(['?', '？'])
    }
}

fn around(runs: &[Range<usize>], at: usize) -> Range<usize> {
    runs.iter()
        .find(|r| r.contains(&at))
        .cloned()
        .unwrap_or(at..at + 1)
}

/// Tokens as text: words parted by a space, Chinese characters and signs by nothing.
pub(crate) fn join(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (at, token) in tokens.iter().enumerate() {
        if at > 0 && token.gap != Gap::Tight && token.class != Class::Cjk {
            text.push(' ');
        }
        text.push_str(&token.text);
    }
    text
}

/// True for Chinese characters.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// The tokens of a text.
pub(crate) fn tokens(raw: &str) -> Vec<Token> {
    let chars: Vec<(usize, char)> = raw.char_indices().collect();
    let mut tokens: Vec<Token> = Vec::new();
    let mut gap = Gap::Stop;
    let mut at = 0;
    while at < chars.len() {
        let Some((class, until)) = token_at(&chars, at) else {
            gap = gap.max(mark(&chars, at));
            at += 1;
            continue;
        };
        let end = chars.get(until).map_or(raw.len(), |c| c.0);
        let token = token(&raw[chars[at].0..end], chars[at].0, end, gap, class);
        tokens.push(Token {
            gap: if runs_on(&token) { Gap::Stop } else { gap },
            ..token
        });
        gap = Gap::Tight;
        at = until;
    }
    tokens
}

fn token(written: &str, start: usize, end: usize, gap: Gap, class: Class) -> Token {
    let folded: String = written.nfkc().flat_map(char::to_lowercase).collect();
    let text = match class {
        Class::Number => folded.replace(',', ""),
        _ => folded.replace('’', "'"),
    };
    Token {
        stem: if class == Class::Word {
            stem(&text)
        } else {
            text.clone()
        },
        capital: written.chars().next().is_some_and(char::is_uppercase),
        text,
        start,
        end,
        gap,
        class,
    }
}

/// True for a word that begins a sentence although the one before was not ended: "in Newark Is it…".
fn runs_on(token: &Token) -> bool {
    let begins =
        " is are does do did what what's how can could will would please who when where which ";
    token.capital && token.gap == Gap::Space && lexicon::listed(begins, &token.text)
}

/// The class of the token that begins at `at`, and where it ends; none if a mark stands there.
fn token_at(chars: &[(usize, char)], at: usize) -> Option<(Class, usize)> {
    let c = chars[at].1;
    if is_cjk(c) {
        return Some((Class::Cjk, at + 1));
    }
    if c.is_ascii_digit() || ('０'..='９').contains(&c) {
        return Some((Class::Number, number_end(chars, at)));
    }
    if matches!(
        c,
        '%' | '％' | '‰' | '$' | '€' | '£' | '¥' | '￥' | '°' | '℃' | '℉'
    ) {
        return Some((Class::Sign, at + 1));
    }
    c.is_alphabetic()
        .then(|| (Class::Word, word_end(chars, at)))
}

fn number_end(chars: &[(usize, char)], at: usize) -> usize {
    let digit = |i: usize| {
        chars
            .get(i)
            .is_some_and(|c| c.1.is_numeric() && !is_cjk(c.1))
    };
    let mut end = at;
    let mut point = false;
    loop {
        if digit(end) {
            end += 1;
        } else if !point && chars.get(end).is_some_and(|c| c.1 == '.') && digit(end + 1) {
            point = true;
            end += 1;
        } else if !point && thousands(chars, at, end, &digit) {
            end += 1;
        } else {
            return end;
        }
    }
}

/// True if the comma at `end` parts thousands: at most three digits before, exactly three behind.
fn thousands(
    chars: &[(usize, char)],
    at: usize,
    end: usize,
    digit: &impl Fn(usize) -> bool,
) -> bool {
    let since = (at..end).rev().take_while(|i| chars[*i].1 != ',').count();
    let listed = || {
        chars[..at]
            .iter()
            .rev()
            .map(|c| c.1)
            .find(|c| matches!(c, '[' | ']'))
            == Some('[')
    };
    chars.get(end).is_some_and(|c| c.1 == ',')
        && since <= 3
        && (end + 1..end + 4).all(digit)
        && !digit(end + 4)
        && !listed()
}

fn word_end(chars: &[(usize, char)], at: usize) -> usize {
    let letter = |i: usize| {
        chars
            .get(i)
            .is_some_and(|c| c.1.is_alphabetic() && !is_cjk(c.1))
    };
    let mut end = at;
    loop {
        let apostrophe = chars.get(end).is_some_and(|c| matches!(c.1, '\'' | '’'));
        if letter(end) || (apostrophe && end > at && letter(end + 1)) {
            end += 1;
        } else {
            return end;
        }
    }
}

/// How strongly the mark at `at` parts what stands around it.
fn mark(chars: &[(usize, char)], at: usize) -> Gap {
    match chars[at].1 {
        '-' | '_' | '/' | '‑' | '·' | '~' | '～' => joint(chars, at),
        '.' if abbreviates(chars, at) => Gap::Joint,
        '.' if shortens(chars, at) => Gap::Space,
        '.' | '!' | '?' | ';' | '。' | '！' | '？' | '；' | '\n' => Gap::Stop,
        ',' | '，' | '、' | '—' | '–' | '…' => Gap::Comma,
        '\'' | '"' | '“' | '”' | '‘' | '’' | '「' | '」' | '(' | ')' | '（' | '）' | '[' | ']' => {
            Gap::Quote
        }
        c if c.is_whitespace() => Gap::Space,
        _ => Gap::Mark,
    }
}

/// A hyphen within a word joins; one between spaces parts clauses.
fn joint(chars: &[(usize, char)], at: usize) -> Gap {
    let blank = |i: Option<usize>| {
        i.and_then(|i| chars.get(i))
            .is_none_or(|c| c.1.is_whitespace())
    };
    if blank(at.checked_sub(1)) && blank(Some(at + 1)) {
        Gap::Comma
    } else {
        Gap::Joint
    }
}

/// True for the stop within `p.m.`, `F.C.`, `v1.2` and before what goes on in lower case.
fn abbreviates(chars: &[(usize, char)], at: usize) -> bool {
    let letter = |i: Option<usize>| {
        i.and_then(|i| chars.get(i))
            .is_some_and(|c| c.1.is_alphabetic())
    };
    let single = letter(at.checked_sub(1)) && !letter(at.checked_sub(2));
    let tight = chars
        .get(at + 1)
        .is_some_and(|c| c.1.is_alphanumeric() && !is_cjk(c.1))
        && letter(at.checked_sub(1));
    let goes_on = chars
        .get(at + 1..)
        .into_iter()
        .flatten()
        .find(|c| !c.1.is_whitespace())
        .is_some_and(|c| c.1.is_lowercase() || c.1 == ',');
    tight || single && goes_on
}

/// True for the stop behind a word that is always shortened: "ticket no. A-17", "min. 3 Mbps".
fn shortens(chars: &[(usize, char)], at: usize) -> bool {
    const SHORT: &str = " nr min max approx ca tel incl vs mr mrs ms dr prof st etc ext temp avg ";
    let start = (0..at)
        .rev()
        .take_while(|i| chars[*i].1.is_alphabetic())
        .last()
        .unwrap_or(at);
    let word: String = chars[start..at]
        .iter()
        .flat_map(|c| c.1.to_lowercase())
        .collect();
    let next = chars[at + 1..]
        .iter()
        .map(|c| c.1)
        .find(|c| !c.is_whitespace());
    // "ticket no. 5" goes on, "I said no. Five" does not.
    let numbers = || {
        let next = chars[at + 1..]
            .iter()
            .map(|c| c.1)
            .skip_while(|c| c.is_whitespace());
        let code: String = next.take_while(|c| !c.is_whitespace()).collect();
        code.contains(|c: char| c.is_ascii_digit())
    };
    next.is_some() && (lexicon::listed(SHORT, &word) || word == "no" && numbers())
}

/// True if one long word is another with a letter left out: "signl".
pub(crate) fn mistyped(one: &str, other: &str) -> bool {
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

/// A word without its endings: equal for words that mean the same thing most of the time.
pub(crate) fn stem(word: &str) -> String {
    if let Some(base) = lexicon::irregular(word) {
        return base.to_owned();
    }
    let word = word
        .strip_suffix("'s")
        .unwrap_or(word)
        .trim_end_matches('\'');
    if !word.is_ascii() {
        return word.to_owned();
    }
    let mut base = singular(word);
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

/// How much must be left when an ending is cut.
fn shortest(ending: &str) -> usize {
    match ending {
        "e" | "ing" | "ings" | "ed" => 3,
        "y" | "ly" | "ied" => 4,
        _ => 4,
    }
}

fn singular(word: &str) -> String {
    match word {
        _ if word.len() < 4
            || word.ends_with("ss")
            || word.ends_with("us")
            || word.ends_with("is") =>
        {
            word.to_owned()
        }
        _ if word.ends_with("ies") => format!("{}y", &word[..word.len() - 3]),
        _ if ["shes", "ches", "xes", "sses", "zes"]
            .iter()
            .any(|e| word.ends_with(e)) =>
        {
            word[..word.len() - 2].to_owned()
        }
        _ => word.strip_suffix('s').unwrap_or(word).to_owned(),
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn cut(raw: &str) -> Vec<String> {
        tokens(raw).into_iter().map(|t| t.text).collect()
    }

    #[test]
    fn numbers_words_signs_and_characters_are_tokens() {
        assert_eq!(
            cut("OLT-12 lost 1,500 users, 9.5% of R7."),
            [
                "olt", "12", "lost", "1500", "users", "9.5", "%", "of", "r", "7"
            ]
        );
        assert_eq!(
            cut("把B-12站点功率降低15%"),
            [
                "把", "b", "12", "站", "点", "功", "率", "降", "低", "15", "%"
            ]
        );
        assert_eq!(cut("don't [10, 15,12]"), ["don't", "10", "15", "12"]);
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

    #[test]
    fn stops_part_sentences_and_abbreviations_do_not() {
        let text = Text::new("Fly at 3 p.m. from Rome. Cheap, please? Liverpool F.C. won");
        let parts: Vec<&str> = text.sentences().iter().map(|s| text.span(s)).collect();
        assert_eq!(
            parts,
            [
                "Fly at 3 p.m. from Rome",
                "Cheap, please",
                "Liverpool F.C. won"
            ]
        );
        assert!(text.asks(&text.sentences()[1]));
        let text = Text::new("Ticket no. A-17, min. 3 Mbps. I said no. Go");
        let parts: Vec<&str> = text.sentences().iter().map(|s| text.span(s)).collect();
        assert_eq!(parts, ["Ticket no. A-17, min. 3 Mbps", "I said no", "Go"]);
    }
}
