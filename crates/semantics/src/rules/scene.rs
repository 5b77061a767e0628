//! An utterance, read once: its tokens, days, times, quantities and the things it names.
//!
//! Knows no template. Read next: [`super::propose`].

use super::brief::regex;
use crate::lexicon;
use crate::moment::{Calendar, Moments, moments};
use crate::quantity::{Quantity, quantities, unit_named};
use crate::text::{Class, Gap, Text, Token};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// What sort of thing is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// In quotation marks.
    Quoted,
    /// An identifier.
    Code,
    /// A name, by its capitals or because it is a known place.
    Name,
    /// An e-mail address.
    Email,
    /// A URL.
    Url,
    /// An IP address.
    Address,
}

/// A thing that is named.
#[derive(Clone, Debug)]
pub(crate) struct Mention {
    /// Of what sort.
    pub(crate) sort: Sort,
    /// Its tokens.
    pub(crate) run: Range<usize>,
    /// As it is written, without quotation marks.
    pub(crate) text: String,
}

/// An utterance, read.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    /// Its tokens.
    pub(crate) text: Text,
    /// What days and times are counted from.
    pub(crate) calendar: Calendar,
    /// Days and times.
    pub(crate) moments: Moments,
    /// Numbers with units.
    pub(crate) quantities: Vec<Quantity>,
    /// Things named.
    pub(crate) mentions: Vec<Mention>,
    /// Sentences, and whether each only asks for information.
    pub(crate) sentences: Vec<(Range<usize>, bool)>,
}

impl Scene {
    /// Reads an utterance.
    pub(crate) fn new(utterance: &str, calendar: Calendar) -> Self {
        let text = Text::new(utterance);
        let moments = moments(&text, &calendar);
        let mentions = mentions(&text, &moments.runs());
        let mut taken = moments.pure_runs();
        taken.extend(
            mentions
                .iter()
                .filter(|m| !matches!(m.sort, Sort::Name | Sort::Quoted))
                .map(|m| m.run.clone()),
        );
        let quantities = quantities(&text, &taken);
        let sentences = sentences(&text);
        Self {
            text,
            calendar,
            moments,
            quantities,
            mentions,
            sentences,
        }
    }

    /// The token at a place.
    pub(crate) fn token(&self, at: usize) -> Option<&Token> {
        self.text.tokens.get(at)
    }

    /// The word at a place; empty outside.
    pub(crate) fn word(&self, at: usize) -> &str {
        self.token(at).map_or("", |t| t.text.as_str())
    }

    /// The word before a place; empty at the start.
    pub(crate) fn word_before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |i| self.word(i))
    }

    /// True if the sentence around a token only asks for information.
    pub(crate) fn asks(&self, at: usize) -> bool {
        self.sentences
            .iter()
            .any(|(run, asks)| *asks && run.contains(&at))
    }

    /// The clause around a token.
    pub(crate) fn clause(&self, at: usize) -> Range<usize> {
        self.text.clause_of(at)
    }

    /// The sentence around a token.
    pub(crate) fn sentence(&self, at: usize) -> Range<usize> {
        self.text.sentence_of(at)
    }
}

/// The sentences; all but the first ask if they are questions that begin as such.
fn sentences(text: &Text) -> Vec<(Range<usize>, bool)> {
    let all = text.sentences();
    let mut requested = false;
    all.into_iter()
        .filter(|run| !run.is_empty())
        .map(|run| {
            let lead = text.tokens[run.clone()]
                .iter()
                .take_while(|t| {
                    matches!(
                        t.text.as_str(),
                        "and" | "ok" | "okay" | "also" | "so" | "but"
                    )
                })
                .count();
            let asks =
                requested && inquires(&text.tokens[run.start + lead..run.end], text.asks(&run));
            requested |= run.len() > 2;
            (run, asks)
        })
        .collect()
}

/// "Does it…?", "How much…?", but not "Can you book…?". Without the mark, only what begins with verb
/// and subject.
fn inquires(sentence: &[Token], marked: bool) -> bool {
    let word = |i: usize| sentence.get(i).map_or("", |t| t.text.as_str());
    let verb = matches!(
        word(0),
        "does"
            | "do"
            | "did"
            | "is"
            | "are"
            | "has"
            | "what"
            | "what's"
            | "how"
            | "who"
            | "when"
            | "which"
    );
    let subject = matches!(
        word(1),
        "it" | "they"
            | "the"
            | "he"
            | "she"
            | "this"
            | "that"
            | "much"
            | "many"
            | "is"
            | "are"
            | "pets"
    );
    let plain = verb && subject;
    if !marked && !plain {
        return false;
    }
    match (word(0), word(1)) {
        ("can" | "could" | "will" | "would", "you") => {
            matches!(word(2), "tell") || word(2) == "please" && word(3) == "tell"
        }
        ("is" | "are", "there") => !matches!(word(2), "any" | "a" | "an"),
        (
            "does" | "do" | "did" | "is" | "are" | "will" | "has" | "have" | "what" | "what's"
            | "how" | "when" | "which" | "where" | "who" | "may" | "can",
            _,
        ) => true,
        _ => {
            sentence.last().is_some_and(|t| t.text == "吗")
                && sentence.iter().any(|t| t.text == "是" || t.text == "有")
        }
    }
}

static WRITTEN: LazyLock<[(Sort, Regex); 6]> = LazyLock::new(|| {
    [
        (Sort::Email, regex(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
        (Sort::Url, regex(r#"https?://[^\s'"<>，。]+"#)),
        (Sort::Address, regex(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")),
        (
            Sort::Quoted,
            regex(
                r#"(?:^|[\s(\[:=,])'([^'\n]+(?:'[a-z][^'\n]*)*)'(?:$|[\s.,;:!?)\]])|"([^"\n]+)"|“([^”]+)”|「([^」]+)」|‘([^’]+)’|《([^》]+)》"#,
            ),
        ),
        (
            Sort::Name,
            regex(
                r"\b\d{1,5} (?:(?:[A-Z0-9][\w']*|main|first|second) ){0,4}(?i:street|st|avenue|ave|road|rd|drive|dr|lane|ln|boulevard|blvd|way|court|square|place|parkway|real)\b(?: (?:East|West|North|South)\b)?(?: (?:Lane|Street|Avenue))?(?: #\d+)?",
            ),
        ),
        (
            Sort::Code,
            regex(r"[\p{Latin}0-9]+(?:[-_:/.#][\p{Latin}0-9]+)*"),
        ),
    ]
});

fn mentions(text: &Text, taken: &[Range<usize>]) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    for (sort, pattern) in WRITTEN.iter() {
        for captured in pattern.captures_iter(&text.raw) {
            let inner = captured.iter().skip(1).flatten().next();
            let span = inner.or(captured.get(0)).expect("a match has its whole");
            let written = match sort {
                Sort::Quoted => span.as_str(),
                Sort::Url => span
                    .as_str()
                    .trim_end_matches(['.', ',', ';', '?', '!', ')']),
                _ => span.as_str().trim_end_matches(['.', ',', ';']),
            };
            let end = span.start() + written.len();
            let Some(run) = run_of(text, span.start(), end) else {
                continue;
            };
            let free = !overlaps(&run, taken) || *sort == Sort::Quoted;
            let mention = Mention {
                sort: *sort,
                text: text.raw[span.start()..end].to_owned(),
                run,
            };
            if free && !found.iter().any(|m| overlap(&m.run, &mention.run)) && fits(text, &mention)
            {
                found.push(mention);
            }
        }
    }
    names(text, taken, &mut found);
    regions(text, &mut found);
    found.sort_by_key(|m| m.run.start);
    found
}

/// "Portland, OR" is one place.
fn regions(text: &Text, found: &mut Vec<Mention>) {
    let behind = |run: &Range<usize>| {
        let token = text
            .tokens
            .get(run.end)
            .filter(|t| t.gap == Gap::Comma && t.capital)?;
        if text
            .tokens
            .get(run.end + 1)
            .is_some_and(|t| t.gap <= Gap::Joint && t.gap != Gap::Space)
        {
            return None;
        }
        lexicon::is_region(&text.raw[token.start..token.end]).then_some(run.end)
    };
    for mention in found.iter_mut().filter(|m| m.sort == Sort::Name) {
        let Some(region) = behind(&mention.run) else {
            continue;
        };
        mention.run.end = region + 1;
        mention.text = text.span(&mention.run).to_owned();
    }
    let longer: Vec<Range<usize>> = found
        .iter()
        .filter(|m| m.run.len() > 1)
        .map(|m| m.run.clone())
        .collect();
    found.retain(|m| {
        !longer
            .iter()
            .any(|l| *l != m.run && l.start < m.run.start && m.run.end <= l.end)
    });
}

/// The tokens between two bytes.
fn run_of(text: &Text, start: usize, end: usize) -> Option<Range<usize>> {
    let first = text.tokens.iter().position(|t| t.start >= start)?;
    let last = text.tokens.iter().rposition(|t| t.end <= end)?;
    (first <= last).then(|| first..last + 1)
}

/// True if two runs share a token.
pub(crate) fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// True if a run shares a token with any of others.
pub(crate) fn overlaps(run: &Range<usize>, others: &[Range<usize>]) -> bool {
    others.iter().any(|o| overlap(run, o))
}

fn fits(text: &Text, mention: &Mention) -> bool {
    mention.sort != Sort::Code || is_code(text, mention)
}

/// An identifier has letters and digits, or parts joined by `:` or `_`; it is no number with unit.
fn is_code(text: &Text, mention: &Mention) -> bool {
    let written = &mention.text;
    let digit = written.contains(|c: char| c.is_ascii_digit());
    let letter = written.contains(|c: char| c.is_ascii_alphabetic());
    let joined = (written.contains(':') || written.contains('_')) && letter && written.len() > 3;
    if !(digit && letter || joined) {
        return false;
    }
    let lower = written.to_lowercase();
    let generation = matches!(
        lower.as_str(),
        "2g" | "3g" | "4g" | "5g" | "6g" | "e2e" | "x2" | "ipv4" | "ipv6" | "b2b" | "s1"
    ) && !travelled(text, mention.run.start);
    let alone = Text::new(written);
    let counted = written.starts_with(|c: char| c.is_ascii_digit())
        && quantities(&alone, &[]).iter().any(|q| {
            q.run == (0..alone.tokens.len())
                && (q.unit.is_some() || q.ordinal || q.number.len() > 1)
        });
    let adjective = written.starts_with(|c: char| c.is_ascii_digit())
        && written
            .split('-')
            .skip(1)
            .all(|p| p.len() > 1 && p.chars().all(|c| c.is_ascii_lowercase()))
        && written.contains('-');
    let in_word = text
        .tokens
        .get(mention.run.end)
        .is_some_and(|t| t.gap == Gap::Tight && t.class == Class::Sign);
    !generation && !counted && !adjective && !in_word
}

/// True behind "on the": a road or a line, not an interface.
fn travelled(text: &Text, start: usize) -> bool {
    let word = |n: usize| {
        start
            .checked_sub(n)
            .map_or("", |i| text.tokens[i].text.as_str())
    };
    matches!((word(2), word(1)), ("on" | "along", "the"))
}

/// Names: runs of capitalised words, and known places.
fn names(text: &Text, taken: &[Range<usize>], found: &mut Vec<Mention>) {
    let mut at = 0;
    while at < text.tokens.len() {
        let run = chinese_place(text, at).or_else(|| name_at(text, at));
        match run.filter(|r| !overlaps(r, taken)) {
            Some(run) if !found.iter().any(|m| overlap(&m.run, &run)) => {
                at = run.end;
                let text = text.span(&run).to_owned();
                found.push(Mention {
                    sort: Sort::Name,
                    run,
                    text,
                });
            }
            _ => at += 1,
        }
    }
}

/// 北京, and 海淀区 after a word that leads to a place.
fn chinese_place(text: &Text, at: usize) -> Option<Range<usize>> {
    let tokens = text.tokens.get(at..)?;
    if tokens.first()?.class != Class::Cjk {
        return None;
    }
    let tight = tokens
        .iter()
        .enumerate()
        .take_while(|(i, t)| t.class == Class::Cjk && (*i == 0 || t.gap == Gap::Tight))
        .count();
    (2..=tight.min(6)).rev().map(|n| at..at + n).find(|run| {
        let name = text.span(run);
        lexicon::place(name).is_some() || lexicon::is_chinese_place(name)
    })
}

/// Words in lower case that may stand within a name.
const WITHIN: &str = " of the de la le el du da di van von der and & on at ";

fn name_at(text: &Text, at: usize) -> Option<Range<usize>> {
    let first = &text.tokens[at];
    let known = lexicon::place(&first.text).is_some();
    if first.class != Class::Word
        || !(first.capital || known)
        || lexicon::month(&first.text).is_some() && first.text.len() > 3
        || lexicon::weekday(&first.text).is_some()
    {
        return None;
    }
    // The Mbps of "5 Mbps".
    let counts = at > 0 && text.tokens[at - 1].class == Class::Number;
    if counts && unit_named(text.span(&(at..at + 1))).is_some() {
        return None;
    }
    // The G of "5G".
    if first.gap == Gap::Tight && first.text.len() == 1 {
        return None;
    }
    let start = text.tokens[at].gap == Gap::Stop || text.tokens[at].gap == Gap::Quote;
    let ordinary = lexicon::is_opener(&first.text);
    let mut end = at + 1;
    while let Some(next) = next_of_name(text, end) {
        end = next;
    }
    let single = end == at + 1;
    if ordinary && (single || start) || single && start && !known && !stands_alone(text, end) {
        return None;
    }
    if start_of_clause(first)
        || matches!(first.text.as_str(), "i" | "i'm" | "i'd" | "i'll" | "i've")
        || (single && is_shout(text, at))
    {
        return None;
    }
    Some(at..end)
}

/// True if what follows a word makes it a subject or a clause of its own: "Phoenix would be great",
/// "Chicago." but not "Ping the router".
fn stands_alone(text: &Text, end: usize) -> bool {
    let Some(next) = text.tokens.get(end) else {
        return true;
    };
    next.gap >= Gap::Mark
        || next.class == Class::Cjk
        || matches!(
            next.text.as_str(),
            "is" | "are"
                | "would"
                | "will"
                | "should"
                | "sounds"
                | "works"
                | "to"
                | "and"
                | "or"
                | "has"
                | "had"
                | "was"
        )
}

/// A name begins with "The" at most, never with another word of grammar.
fn start_of_clause(first: &Token) -> bool {
    first.text != "the" && lexicon::is_function(&first.text)
}

/// A word in capitals that is an ordinary word, a unit or a term of trade: "PLEASE", "KPI".
fn is_shout(text: &Text, at: usize) -> bool {
    let written = text.span(&(at..at + 1));
    let capitals = written.len() > 1 && written.chars().all(char::is_uppercase);
    capitals
        && (lexicon::is_opener(&text.tokens[at].text)
            || lexicon::listed(
                " kpi kpis mimo ran ip ai api id sla rsrp sinr volte gps sms vip pm am tv ok nr lte ",
                &text.tokens[at].text,
            ))
}

/// Where a name goes on behind `at`: with a capital, or with "of" and a capital.
fn next_of_name(text: &Text, at: usize) -> Option<usize> {
    let token = text.tokens.get(at)?;
    let ampersand = at > 0 && text.raw[text.tokens[at - 1].end..token.start].trim() == "&";
    let near = token.gap <= Gap::Space || token.gap == Gap::Joint || ampersand || initial(text, at);
    let proper = |t: &Token| {
        t.class == Class::Word
            && t.capital
            && lexicon::weekday(&t.text).is_none()
            && (lexicon::month(&t.text).is_none() || t.text.len() == 3)
    };
    let ordinary = lexicon::is_function(&token.text)
        || lexicon::is_asking(&token.text) && token.text.len() > 3
        || matches!(token.text.as_str(), "ok" | "okay" | "hi" | "yes" | "no");
    if near && proper(token) && !ordinary {
        return Some(at + 1);
    }
    // "Chi-town", "Clermont-tonnerre".
    if token.gap == Gap::Joint
        && token.class == Class::Word
        && text.raw[..token.start].ends_with('-')
    {
        return Some(at + 1);
    }
    let within = near
        && lexicon::listed(WITHIN, &token.text)
        && token.text != "on"
        && token.text != "at"
        && token.text != "and";
    let next = text.tokens.get(at + 1)?;
    if within && next.gap <= Gap::Space && proper(next) {
        return Some(at + 2);
    }
    let article = text.tokens.get(at + 2)?;
    let of_the = within
        && matches!(next.text.as_str(), "the" | "la" | "der")
        && article.gap <= Gap::Space
        && proper(article);
    of_the.then_some(at + 3)
}

/// "Sterling K. Brown": a stop behind a single letter.
fn initial(text: &Text, at: usize) -> bool {
    let before = &text.tokens[at - 1];
    before.text.len() == 1
        && before.capital
        && text.raw[before.end..text.tokens[at].start].trim() == "."
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use schema::semantics::Circumstances;
    use schema::time::Timestamp;

    fn read(raw: &str) -> String {
        let now = Timestamp::parse("2026-04-30T02:30:00Z").unwrap();
        let scene = Scene::new(
            raw,
            Calendar::of(&Circumstances {
                now,
                zone_minutes: 480,
                language: None,
            }),
        );
        scene
            .mentions
            .iter()
            .map(|m| format!("{:?} {}", m.sort, m.text))
            .collect::<Vec<_>>()
            .join("; ")
    }

    #[test]
    fn things_named_in_english() {
        assert_snapshot!(read("OLT-12 and router R7 at site:B-12 near router:Berlin, flight 6E123, 5G for 50km at 3pm"), @"Code OLT-12; Code R7; Code site:B-12; Code router:Berlin; Code 6E123");
        assert_snapshot!(read("Find movies directed by Sterling K. Brown in New York with 'LeBron James' and the Bank of China"), @"Name Sterling K. Brown; Name New York; Quoted LeBron James; Name Bank of China");
        assert_snapshot!(read("Mail a.b@c.org or see https://x.org/y. Ping 192.168.11.33."), @"Email a.b@c.org; Url https://x.org/y; Address 192.168.11.33");
    }

    #[test]
    fn things_named_in_chinese() {
        assert_snapshot!(read("从北京飞往上海,站点B-12的“深度休眠”"), @"Name 北京; Name 上海; Code B-12; Quoted 深度休眠");
    }
}
