//! An utterance as tokens: words, numbers, signs and Chinese characters, each with its place.
//!
//! Knows how text falls into tokens, sentences and clauses, and which tokens are the same word.
//! Refuses to know what a token means; read next: [`crate::rules`], [`crate::lexicon`].

mod cut;

use crate::lexicon;
pub(crate) use cut::tokens;
use schema::steps::Steps;
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

/// The most tokens of a clause, and of a sentence: a longer one is read as several. What belongs
/// together stands nearer than that, and pairs are looked for within one alone.
const CLAUSE_MOST: usize = 128;
const SENTENCE_MOST: usize = 512;

/// The tokens of a text.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// As it was given.
    pub(crate) raw: String,
    /// Its tokens.
    pub(crate) tokens: Vec<Token>,
    /// How much was done to read it.
    pub(crate) steps: Steps,
    sentences: Parts,
    clauses: Parts,
}

/// A text in parts, and which part each token is of.
#[derive(Clone, Debug, Default)]
struct Parts {
    runs: Vec<Range<usize>>,
    of: Vec<usize>,
}

impl Parts {
    /// Parts that begin at such tokens, of at most so many.
    fn of(tokens: &[Token], most: usize, begins: impl Fn(&Token) -> bool) -> Self {
        let mut starts: Vec<usize> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            if starts.last().is_none_or(|start| at - start == most) || begins(token) {
                starts.push(at);
            }
        }
        let ends = starts.iter().skip(1).copied().chain([tokens.len()]);
        let runs: Vec<Range<usize>> = starts.iter().zip(ends).map(|(s, e)| *s..e).collect();
        let of = runs.iter().enumerate();
        let of = of.flat_map(|(part, run)| std::iter::repeat_n(part, run.len()));
        Self {
            of: of.collect(),
            runs,
        }
    }

    /// The part around a token; the token alone outside of the text.
    fn around(&self, at: usize) -> Range<usize> {
        let part = self.of.get(at).map(|part| self.runs[*part].clone());
        part.unwrap_or(at..at + 1)
    }
}

impl Text {
    /// Cuts a text into tokens.
    pub(crate) fn new(raw: &str) -> Self {
        let raw: String = raw.nfc().collect();
        let tokens = tokens(&raw);
        let steps = Steps::default();
        steps.take(raw.len());
        Self {
            sentences: Parts::of(&tokens, SENTENCE_MOST, |t| t.gap == Gap::Stop),
            clauses: Parts::of(&tokens, CLAUSE_MOST, |t| t.gap >= Gap::Comma),
            raw,
            tokens,
            steps,
        }
    }

    /// The tokens between two bytes.
    pub(crate) fn run_of(&self, start: usize, end: usize) -> Option<Range<usize>> {
        let first = self.tokens.partition_point(|t| t.start < start);
        let behind = self.tokens.partition_point(|t| t.end <= end);
        (first < behind).then_some(first..behind)
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
        self.runs(phrase, said_alike)
    }

    /// Where a phrase stands first among these places.
    pub(crate) fn find_within(
        &self,
        phrase: &[Token],
        mut places: Range<usize>,
    ) -> Option<Range<usize>> {
        self.steps.take(places.len());
        let found = places.find(|at| !phrase.is_empty() && self.stands(phrase, *at, said_alike));
        found.map(|at| at..at + phrase.len())
    }

    /// As [`Text::find`], letter for letter.
    pub(crate) fn find_exactly(&self, phrase: &[Token]) -> Vec<Range<usize>> {
        self.runs(phrase, |a, b| a.text == b.text)
    }

    fn runs(&self, phrase: &[Token], same: impl Fn(&Token, &Token) -> bool) -> Vec<Range<usize>> {
        if phrase.is_empty() || phrase.len() > self.tokens.len() {
            return Vec::new();
        }
        self.steps.take(self.tokens.len());
        (0..=self.tokens.len() - phrase.len())
            .filter(|at| self.stands(phrase, *at, &same))
            .map(|at| at..at + phrase.len())
            .collect()
    }

    fn stands(&self, phrase: &[Token], at: usize, same: impl Fn(&Token, &Token) -> bool) -> bool {
        let Some(here) = self.tokens.get(at..at + phrase.len()) else {
            return false;
        };
        here.iter().zip(phrase).all(|(a, b)| same(a, b))
            && here.iter().skip(1).all(|t| t.gap < Gap::Comma)
    }

    /// The sentences, as runs of tokens.
    pub(crate) fn sentences(&self) -> &[Range<usize>] {
        &self.sentences.runs
    }

    /// The clauses: parts between commas, stops and the words that join clauses.
    pub(crate) fn clauses(&self) -> &[Range<usize>] {
        self.steps.take(self.clauses.runs.len());
        &self.clauses.runs
    }

    /// The sentence around a token.
    pub(crate) fn sentence_of(&self, at: usize) -> Range<usize> {
        self.sentences.around(at)
    }

    /// Which sentence a token is of, by its place among them.
    pub(crate) fn place_of_sentence(&self, at: usize) -> Option<usize> {
        self.sentences.of.get(at).copied()
    }

    /// The clause around a token.
    pub(crate) fn clause_of(&self, at: usize) -> Range<usize> {
        self.clauses.around(at)
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

/// True if two tokens are the same word, in whatever form, or but for a letter.
fn said_alike(one: &Token, other: &Token) -> bool {
    one.text == other.text || one.stem == other.stem || mistyped(&one.text, &other.text)
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
