//! An utterance as tokens: words, numbers, signs and Chinese characters, each with its place.
//!
//! Knows how text falls into tokens, sentences and clauses, and which tokens are the same word.
//! Refuses to know what a token means. Read next: [`crate::word`], [`crate::quantity`].

mod cut;

use crate::steps::Steps;
use crate::word::mistyped;
pub use cut::tokens;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// The class of characters that a token is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Letters, with apostrophes inside.
    Word,
    /// Digits, with decimal point and thousands separators.
    Number,
    /// One Chinese character.
    Cjk,
    /// `%`, a currency, a degree.
    Sign,
}

/// The gap between a token and the one before it; the strongest of several marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
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
pub struct Token {
    /// In lower case, in compatibility form.
    pub text: String,
    /// The stem that is left when endings are cut: equal for `smoothing` and `smooth`.
    pub stem: String,
    /// The beginning in the text, in bytes.
    pub start: usize,
    /// The end.
    pub end: usize,
    /// The gap before it.
    pub gap: Gap,
    /// The class of its characters.
    pub class: Class,
    /// Begins with a capital letter.
    pub capital: bool,
}

/// The most tokens of a clause, and of a sentence: a longer one is read as several. What belongs
/// together stands nearer than that, and pairs are looked for within one alone.
const CLAUSE_MOST: usize = 128;
const SENTENCE_MOST: usize = 512;

/// The tokens of a text.
#[derive(Clone, Debug)]
pub struct Text {
    /// As it was given.
    pub raw: String,
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// The steps taken to read it.
    pub steps: Steps,
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
    pub fn new(raw: &str) -> Self {
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
    pub fn run_of(&self, start: usize, end: usize) -> Option<Range<usize>> {
        let first = self.tokens.partition_point(|t| t.start < start);
        let behind = self.tokens.partition_point(|t| t.end <= end);
        (first < behind).then_some(first..behind)
    }

    /// The text of a run of tokens, as it was written.
    pub fn span(&self, run: &Range<usize>) -> &str {
        match self.tokens.get(run.clone()) {
            Some([first, .., last]) => &self.raw[first.start..last.end],
            Some([only]) => &self.raw[only.start..only.end],
            _ => "",
        }
    }

    /// The words of a run, in lower case, parted by one space, Chinese without spaces.
    pub fn words(&self, run: &Range<usize>) -> String {
        join(&self.tokens[run.clone()])
    }

    /// The places of a phrase: its tokens in order, with no clause boundary between.
    pub fn find(&self, phrase: &[Token]) -> Vec<Range<usize>> {
        self.runs(phrase, said_alike)
    }

    /// The first place of a phrase among these places.
    pub fn find_within(&self, phrase: &[Token], mut places: Range<usize>) -> Option<Range<usize>> {
        self.steps.take(places.len());
        let found = places.find(|at| !phrase.is_empty() && self.stands(phrase, *at, said_alike));
        found.map(|at| at..at + phrase.len())
    }

    /// As [`Text::find`], letter for letter.
    pub fn find_exactly(&self, phrase: &[Token]) -> Vec<Range<usize>> {
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
    pub fn sentences(&self) -> &[Range<usize>] {
        &self.sentences.runs
    }

    /// The clauses: parts between commas, stops and the words that join clauses.
    pub fn clauses(&self) -> &[Range<usize>] {
        self.steps.take(self.clauses.runs.len());
        &self.clauses.runs
    }

    /// The sentence around a token.
    pub fn sentence_of(&self, at: usize) -> Range<usize> {
        self.sentences.around(at)
    }

    /// The sentence that a token is of, by its place among them.
    pub fn place_of_sentence(&self, at: usize) -> Option<usize> {
        self.sentences.of.get(at).copied()
    }

    /// The clause around a token.
    pub fn clause_of(&self, at: usize) -> Range<usize> {
        self.clauses.around(at)
    }

    /// Looks at what stands between the end of a run's sentence and the next: true for a question
    /// mark.
    pub fn asks(&self, sentence: &Range<usize>) -> bool {
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
pub fn join(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (at, token) in tokens.iter().enumerate() {
        if at > 0 && token.gap != Gap::Tight && token.class != Class::Cjk {
            text.push(' ');
        }
        text.push_str(&token.text);
    }
    text
}

/// A text on one line, with one space between its words.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
