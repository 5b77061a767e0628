//! The cut of a text into tokens, and how strongly what stands between two of them parts them.
//!
//! One pass: what is looked at beside a token is bounded, or of that token alone. Read next:
//! [`super`], which makes sentences and clauses of them.

use super::{Class, Gap, Token};
use crate::script::is_cjk;
use crate::word::{listed, stem};
use unicode_normalization::UnicodeNormalization;

/// The tokens of a text.
pub fn tokens(raw: &str) -> Vec<Token> {
    let chars: Vec<(usize, char)> = raw.char_indices().collect();
    let mut tokens: Vec<Token> = Vec::new();
    let mut gap = Gap::Stop;
    // Within brackets a comma parts numbers, and no thousands.
    let mut listed = false;
    let mut at = 0;
    while at < chars.len() {
        let Some((class, until)) = token_at(&chars, at, listed) else {
            gap = gap.max(mark(&chars, at));
            match chars[at].1 {
                '[' => listed = true,
                ']' => listed = false,
                _ => {}
            }
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
    token.capital && token.gap == Gap::Space && listed(begins, &token.text)
}

/// The class of the token that begins at `at`, and where it ends; none if a mark stands there.
fn token_at(chars: &[(usize, char)], at: usize, listed: bool) -> Option<(Class, usize)> {
    let c = chars[at].1;
    if is_cjk(c) {
        return Some((Class::Cjk, at + 1));
    }
    if c.is_ascii_digit() || ('０'..='９').contains(&c) {
        return Some((Class::Number, number_end(chars, at, listed)));
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

fn number_end(chars: &[(usize, char)], at: usize, listed: bool) -> usize {
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
        } else if !point && !listed && thousands(chars, at, end, &digit) {
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
    chars.get(end).is_some_and(|c| c.1 == ',')
        && since <= 3
        && (end + 1..end + 4).all(digit)
        && !digit(end + 4)
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

/// The strength with which the mark at `at` parts what stands around it.
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

/// The distance at which the digit of a number may stand behind its "no.".
const CODE_MOST: usize = 64;

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
        let mut code = next.take_while(|c| !c.is_whitespace()).take(CODE_MOST);
        code.any(|c| c.is_ascii_digit())
    };
    next.is_some() && (listed(SHORT, &word) || word == "no" && numbers())
}
