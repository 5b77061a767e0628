//! The things that an utterance names: by the form in which they are written, by their capitals, or
//! because they are known places.
//!
//! Knows no template. Read next: [`super`], which holds them.

use super::super::pattern::regex;
use crate::lexicon;
use language::calendar;
use language::quantity::{quantities, unit_named};
use language::span::TokenSet;
use language::text::{Class, Gap, Text, Token};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The kind of thing that is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MentionKind {
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
    pub(crate) sort: MentionKind,
    /// Its tokens.
    pub(crate) run: Range<usize>,
    /// As it is written, without quotation marks.
    pub(crate) text: String,
}

static WRITTEN: LazyLock<[(MentionKind, Regex); 6]> = LazyLock::new(|| {
    [
        (MentionKind::Email, regex(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
        (MentionKind::Url, regex(r#"https?://[^\s'"<>，。]+"#)),
        (MentionKind::Address, regex(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")),
        (
            MentionKind::Quoted,
            regex(
                r#"(?:^|[\s(\[:=,])'([^'\n]+(?:'[a-z][^'\n]*)*)'(?:$|[\s.,;:!?)\]])|"([^"\n]+)"|“([^”]+)”|「([^」]+)」|‘([^’]+)’|《([^》]+)》"#,
            ),
        ),
        (
            MentionKind::Name,
            regex(
                r"\b\d{1,5} (?:(?:[A-Z0-9][\w']*|main|first|second) ){0,4}(?i:street|st|avenue|ave|road|rd|drive|dr|lane|ln|boulevard|blvd|way|court|square|place|parkway|real)\b(?: (?:East|West|North|South)\b)?(?: (?:Lane|Street|Avenue))?(?: #\d+)?",
            ),
        ),
        (
            MentionKind::Code,
            regex(r"[\p{Latin}0-9]+(?:[-_:/.#][\p{Latin}0-9]+)*"),
        ),
    ]
});

pub(super) fn mentions(text: &Text, taken: &[Range<usize>]) -> Vec<Mention> {
    let taken = &TokenSet::of(text.tokens.len(), taken);
    let mut held = TokenSet::of(text.tokens.len(), []);
    let mut found: Vec<Mention> = Vec::new();
    for (sort, pattern) in WRITTEN.iter() {
        text.steps.take(text.raw.len());
        for captured in pattern.captures_iter(&text.raw) {
            let inner = captured.iter().skip(1).flatten().next();
            let span = inner.or(captured.get(0)).expect("a match has its whole");
            let written = match sort {
                MentionKind::Quoted => span.as_str(),
                MentionKind::Url => span
                    .as_str()
                    .trim_end_matches(['.', ',', ';', '?', '!', ')']),
                _ => span.as_str().trim_end_matches(['.', ',', ';']),
            };
            let end = span.start() + written.len();
            let Some(run) = text.run_of(span.start(), end) else {
                continue;
            };
            text.steps.take(run.len());
            let free = !taken.touches(&run) || *sort == MentionKind::Quoted;
            let mention = Mention {
                sort: *sort,
                text: text.raw[span.start()..end].to_owned(),
                run,
            };
            if free && !held.touches(&mention.run) && fits(text, &mention) {
                held.add(&mention.run);
                found.push(mention);
            }
        }
    }
    names(text, taken, held, &mut found);
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
    for mention in found.iter_mut().filter(|m| m.sort == MentionKind::Name) {
        let Some(region) = behind(&mention.run) else {
            continue;
        };
        mention.run.end = region + 1;
        mention.text = text.span(&mention.run).to_owned();
    }
    // Where the longest ends that begins before a token.
    let mut reach = vec![0; text.tokens.len() + 1];
    for mention in found.iter().filter(|m| m.run.len() > 1) {
        let behind = &mut reach[mention.run.start + 1];
        *behind = mention.run.end.max(*behind);
    }
    for at in 1..reach.len() {
        reach[at] = reach[at - 1].max(reach[at]);
    }
    found.retain(|m| reach[m.run.start] < m.run.end);
}

fn fits(text: &Text, mention: &Mention) -> bool {
    mention.sort != MentionKind::Code || is_code(text, mention)
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
    text.steps.take(alone.raw.len());
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
fn names(text: &Text, taken: &TokenSet, mut held: TokenSet, found: &mut Vec<Mention>) {
    let mut at = 0;
    while at < text.tokens.len() {
        let run = chinese_place(text, at).or_else(|| name_at(text, at));
        text.steps
            .take(1 + run.as_ref().map_or(0, ExactSizeIterator::len));
        match run.filter(|r| !taken.touches(r)) {
            Some(run) if !held.touches(&run) => {
                at = run.end;
                held.add(&run);
                let text = text.span(&run).to_owned();
                found.push(Mention {
                    sort: MentionKind::Name,
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
        .take(6)
        .count();
    (2..=tight).rev().map(|n| at..at + n).find(|run| {
        let name = text.span(run);
        lexicon::place(name).is_some() || lexicon::is_chinese_place(name)
    })
}

/// The most words of a name: those behind are another's.
const NAME_MOST: usize = 24;

/// Words in lower case that may stand within a name.
const WITHIN: &str = " of the de la le el du da di van von der and & on at ";

fn name_at(text: &Text, at: usize) -> Option<Range<usize>> {
    let first = &text.tokens[at];
    let known = lexicon::place(&first.text).is_some();
    if first.class != Class::Word
        || !(first.capital || known)
        || calendar::month(&first.text).is_some() && first.text.len() > 3
        || calendar::weekday(&first.text).is_some()
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
    while let Some(next) = next_of_name(text, end).filter(|end| end - at <= NAME_MOST) {
        end = next;
    }
    text.steps.take(end - at);
    let single = end == at + 1;
    if ordinary && (single || start) || single && start && !known && !stands_alone(text, end) {
        return None;
    }
    if start_of_clause(first)
        || matches!(first.text.as_str(), "i" | "i'm" | "i'd" | "i'll" | "i've")
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
        || lexicon::listed(
            " is are would will should sounds works to and or has had was ",
            &next.text,
        )
}

/// A name begins with "The" at most, never with another word of grammar.
fn start_of_clause(first: &Token) -> bool {
    first.text != "the" && lexicon::is_function(&first.text)
}

/// The place at which a name goes on behind `at`: with a capital, or with "of" and a capital.
fn next_of_name(text: &Text, at: usize) -> Option<usize> {
    let token = text.tokens.get(at)?;
    let ampersand = at > 0 && text.raw[text.tokens[at - 1].end..token.start].trim() == "&";
    let near = token.gap <= Gap::Space || token.gap == Gap::Joint || ampersand || initial(text, at);
    let proper = |t: &Token| {
        t.class == Class::Word
            && t.capital
            && calendar::weekday(&t.text).is_none()
            && (calendar::month(&t.text).is_none() || t.text.len() == 3)
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
