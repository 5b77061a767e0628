//! Keys that take names, places, identifiers and other words of the utterance.

mod word;

use super::super::brief::{Brief, Kind, Role, regex};
use super::super::cue;
use super::super::element::Elements;
use super::super::lesson::Lesson;
use super::super::scene::{Mention, Sort, overlap, overlaps};
use super::super::whereabouts;
use super::{Candidate, Keys};
use crate::lexicon;
use crate::text::{Class, Gap};
use schema::template::KeyType;
use serde_json::Value;
use std::ops::Range;

/// Words before a place whence, whither and where.
const WHENCE: &str = " from leaving departing starting 从 自 由 ";
const WHITHER: &str = " to towards toward into for visit visiting destination 到 去 往 至 飞 回 ";
const WHERE: &str =
    " in at near around within inside across for of on to over outside nearby 在 于 对 ";
/// Words between the name of an end and its place.
const ENDS: &str = " is be : 是 为 ";
/// Words before a person.
const WHO: &str = " by with starring featuring named called from of ";

impl Keys<'_> {
    /// What an utterance names for an open key: by the key's pattern, by the form of the thing, as
    /// an example shows, behind the key's name, or behind a preposition that fits.
    pub(super) fn names(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        let mut found = self.by_pattern(at);
        for mention in &self.scene.mentions {
            let sure = self.mention_sure(at, mention);
            if sure > 0.3 {
                let (run, text) = self.extended(brief, mention);
                found.push(Candidate::new(at, self.spelled(brief, &text), run, sure));
            }
        }
        found.extend(self.phones(at));
        found.extend(self.numbers_as_names(at));
        found.extend(self.sorts(at));
        found.extend(self.taught_words(at));
        found.extend(self.modifiers(at));
        found.extend(self.whereabouts(at));
        found.extend(self.named_words(at));
        found.extend(self.speech(at));
        found.extend(self.labelled(at));
        found.extend(self.advice(at));
        found.retain(|c| self.admits(at, c));
        found
    }

    fn admits(&self, at: usize, candidate: &Candidate) -> bool {
        let constraint = &self.briefs[at].shape.constraint;
        let Some(text) = candidate.value.as_str() else {
            return true;
        };
        let short = constraint
            .max_length
            .is_none_or(|max| text.chars().count() <= max);
        let fits = constraint
            .pattern
            .as_ref()
            .is_none_or(|p| whole(p).is_none_or(|p| p.is_match(text)));
        short && fits && !text.trim().is_empty()
    }

    /// What matches the key's pattern, and elements of the kinds that it takes.
    fn by_pattern(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        let mut found: Vec<Candidate> = Vec::new();
        if let Some(elements) = Elements::of(brief) {
            found.extend(
                elements
                    .within(self.scene)
                    .into_iter()
                    .map(|e| Candidate::new(at, e.name.into(), e.run, e.sure).explaining(e.span)),
            );
        }
        let Some(whole) = brief.shape.constraint.pattern.as_deref().and_then(whole) else {
            return found;
        };
        for mention in self
            .scene
            .mentions
            .iter()
            .filter(|m| whole.is_match(&m.text))
        {
            let sure = if mention.sort == Sort::Code {
                0.92
            } else {
                0.8
            };
            found.push(Candidate::new(
                at,
                mention.text.clone().into(),
                mention.run.clone(),
                sure,
            ));
        }
        found.extend(self.words_matching(at, &whole));
        found
    }

    /// Single words and numbers that match, where the pattern is not just any words.
    fn words_matching(&self, at: usize, whole: &regex::Regex) -> Vec<Candidate> {
        if whole.is_match("the") || whole.is_match("Please") || whole.is_match("7") {
            return Vec::new();
        }
        let tokens = self.scene.text.tokens.iter().enumerate();
        tokens
            .filter_map(|(i, _)| {
                let text = self.scene.text.span(&(i..i + 1));
                whole
                    .is_match(text)
                    .then(|| Candidate::new(at, text.into(), i..i + 1, 0.8))
            })
            .collect()
    }

    fn mention_sure(&self, at: usize, mention: &Mention) -> f64 {
        let brief = &self.briefs[at];
        match (brief.kind, mention.sort) {
            (Kind::Email, Sort::Email)
            | (Kind::Url, Sort::Url)
            | (Kind::Address, Sort::Address) => 0.93,
            (Kind::Email | Kind::Url | Kind::Address | Kind::Phone, _) => 0.0,
            (_, Sort::Email | Sort::Url) => 0.0,
            _ => self.by_words(at, mention),
        }
    }

    fn by_words(&self, at: usize, mention: &Mention) -> f64 {
        let brief = &self.briefs[at];
        let run = &mention.run;
        // A word that names a key is not what stands for one.
        let label = |t: &crate::text::Token| self.briefs.iter().any(|b| b.name.contains(&t.stem));
        if mention.sort == Sort::Name && self.scene.text.tokens[run.clone()].iter().all(label) {
            return 0.0;
        }
        let taught = cue::taught(self.scene, brief, run);
        let before = cue::before(self.scene, brief, run);
        let behind = cue::behind(self.scene, brief, run);
        let mut sure: f64 = 0.0;
        sure = sure.max(if taught >= 0.8 { 0.92 } else { 0.0 });
        // "crimes in Los Angeles" tells where, not which.
        let where_told = brief.kind != Kind::Place
            && mention.sort == Sort::Name
            && matches!(
                self.preposition(run.start),
                "in" | "at" | "near" | "around" | "from" | "to"
            );
        let share = if where_told { 0.6 } else { 1.0 };
        sure = sure.max(share * if before >= 1.0 { 0.9 } else { before * 1.12 });
        sure = sure.max(share * if behind >= 1.0 { 0.83 } else { behind * 1.1 });
        sure = sure.max(self.by_preposition(brief, mention));
        sure = sure.max(self.by_sort(at, mention));
        if brief.kind == Kind::Place {
            sure = sure.min(self.side_of_place(brief, run.start).max(0.5));
        }
        if brief.kind == Kind::Code && mention.sort == Sort::Name && taught < 0.8 {
            sure - 0.2
        } else {
            sure
        }
    }

    /// How surely the preposition before a name makes it this key's.
    fn by_preposition(&self, brief: &Brief, mention: &Mention) -> f64 {
        let word = self.preposition(mention.run.start);
        if brief.kind == Kind::Place && self.side_of_place(brief, mention.run.start) < 1.0 {
            return 0.5;
        }
        let name = matches!(mention.sort, Sort::Name) || brief.kind != Kind::Place;
        match (brief.kind, brief.role) {
            (Kind::Place, Role::From) if lexicon::listed(WHENCE, word) => 0.9,
            (Kind::Place, Role::To) if lexicon::listed(WHITHER, word) => 0.9,
            (Kind::Place, Role::From | Role::To)
                if lexicon::listed(WHENCE, word) || lexicon::listed(WHITHER, word) =>
            {
                0.2
            }
            (Kind::Place, Role::From | Role::To) if lexicon::listed(ENDS, word) => {
                self.told_end(brief, mention.run.start)
            }
            (Kind::Place, Role::To) if name && self.arrives(mention.run.start) => 0.88,
            (Kind::Place, role) if name && lexicon::listed(WHERE, word) => self.wheres(role, word),
            (Kind::Place, _) if name && lexicon::place(&mention.text).is_some() => {
                self.free_place(mention)
            }
            (Kind::Place, Role::None) if name && self.sole_name() => 0.71,
            (Kind::Place, _) if name => 0.5,
            (Kind::Name, _)
                if mention.sort == Sort::Name
                    && matches!(word, "called" | "named" | "by" | "starring" | "featuring") =>
            {
                0.8
            }
            (Kind::Name, _) if mention.sort == Sort::Name && lexicon::listed(WHO, word) => 0.72,
            (Kind::Name, _) if mention.sort == Sort::Name && word == "at" && self.houses(brief) => {
                0.82
            }
            _ => 0.0,
        }
    }

    /// "arriving in Rome".
    fn arrives(&self, start: usize) -> bool {
        let before = start.checked_sub(2).map_or("", |i| self.scene.word(i));
        matches!(self.scene.word_before(start), "in" | "at")
            && matches!(
                before,
                "arrive" | "arriving" | "arrives" | "arrival" | "landing" | "land"
            )
    }

    /// How surely a place behind a preposition is where something is.
    fn wheres(&self, role: Role, word: &str) -> f64 {
        let rival = matches!(role, Role::From | Role::To)
            && self
                .briefs
                .iter()
                .any(|b| b.kind == Kind::Place && b.role != role && b.role != Role::None);
        match word {
            _ if rival => 0.6,
            "in" | "在" | "于" => 0.86,
            "near" | "around" | "within" | "inside" | "nearby" | "across" => 0.85,
            "at" if self.briefs.iter().any(|b| self.houses(b)) => 0.72,
            "at" | "from" => 0.8,
            _ => 0.74,
        }
    }

    /// True if a key names a house: what people are "at".
    fn houses(&self, brief: &Brief) -> bool {
        brief.kind == Kind::Name
            && [
                "restaur", "hotel", "museum", "venue", "cafe", "theat", "stor", "shop", "bank",
            ]
            .iter()
            .any(|h| brief.name.iter().any(|n| n.starts_with(h)))
    }

    fn sole_name(&self) -> bool {
        self.scene
            .mentions
            .iter()
            .filter(|m| m.sort == Sort::Name)
            .count()
            == 1
    }

    /// "the destination is Los Angeles".
    fn told_end(&self, brief: &Brief, start: usize) -> f64 {
        let words: Vec<&str> = (start.saturating_sub(4)..start)
            .map(|i| self.scene.word(i))
            .collect();
        let said = |list: &[&str]| words.iter().any(|w| list.contains(w));
        match brief.role {
            Role::From if said(&["departure", "origin", "start", "pickup"]) => 0.88,
            Role::To if said(&["destination", "arrival", "end", "dropoff"]) => 0.88,
            _ => 0.3,
        }
    }

    /// "Cairo to Nairobi": what stands before "to" is where it begins.
    fn free_place(&self, mention: &Mention) -> f64 {
        let leads_on = matches!(self.scene.word(mention.run.end), "to" | "到" | "飞" | "至");
        if leads_on { 0.72 } else { 0.7 }
    }

    /// The preposition before a place in the text, articles skipped.
    fn preposition(&self, at: usize) -> &str {
        let mut at = at;
        while matches!(
            self.scene.word_before(at),
            "the" | "a" | "city" | "of" | "downtown" | "my" | "our"
        ) && at > 1
        {
            if self.scene.word_before(at) == "of" && self.scene.word_before(at - 1) != "city" {
                break;
            }
            at -= 1;
        }
        if self.scene.token(at).is_some_and(|t| t.gap >= Gap::Comma) {
            ""
        } else {
            self.scene.word_before(at)
        }
    }

    /// How surely the sort of a thing makes it this key's, when nothing is said of which.
    fn by_sort(&self, at: usize, mention: &Mention) -> f64 {
        let brief = &self.briefs[at];
        let rivals = self
            .open_keys()
            .filter(|(i, b)| *i != at && (b.kind == brief.kind || mention.sort == Sort::Quoted))
            .count();
        let mentions = self
            .scene
            .mentions
            .iter()
            .filter(|m| m.sort == mention.sort)
            .count();
        match (mention.sort, brief.kind) {
            (Sort::Code, Kind::Code) => {
                match super::super::brief::resemblance(&brief.exemplars, &mention.text) {
                    Some(like) if like >= 1.0 => 0.9,
                    Some(like) if like > 0.0 && brief.required => 0.8,
                    Some(like) if like > 0.0 => 0.6,
                    Some(_) if rivals == 0 && brief.required => 0.8,
                    Some(_) => 0.4,
                    None if rivals == 0 => 0.86,
                    None if brief.required => 0.62,
                    None => 0.5,
                }
            }
            (Sort::Quoted, Kind::Speech | Kind::Words | Kind::Name | Kind::Code) if rivals == 0 => {
                0.8
            }
            (Sort::Quoted, Kind::Speech | Kind::Words | Kind::Name) => 0.6,
            (Sort::Name, Kind::Name) if rivals == 0 && mentions == 1 => 0.72,
            (Sort::Name, Kind::Words) if rivals == 0 && mentions == 1 && brief.required => 0.72,
            (Sort::Code, Kind::Words | Kind::Name) if rivals == 0 && brief.required => 0.71,
            (Sort::Name, Kind::Name) => 0.5,
            _ => 0.0,
        }
    }

    fn open_keys(&self) -> impl Iterator<Item = (usize, &Brief)> {
        self.briefs.iter().enumerate().filter(|(_, b)| {
            matches!(
                b.kind,
                Kind::Code | Kind::Place | Kind::Name | Kind::Words | Kind::Speech | Kind::Sort
            )
        })
    }

    /// "the A9 near Leipzig": a road with the town that it is near.
    fn extended(&self, brief: &Brief, mention: &Mention) -> (Range<usize>, String) {
        let near = brief.kind == Kind::Place
            && mention.sort == Sort::Code
            && matches!(self.scene.word(mention.run.end), "near" | "at" | "in");
        let town = self
            .scene
            .mentions
            .iter()
            .find(|m| near && m.sort == Sort::Name && m.run.start == mention.run.end + 1);
        match town {
            Some(town) => {
                let run = mention.run.start..town.run.end;
                (run.clone(), self.scene.text.span(&run).to_owned())
            }
            None => (mention.run.clone(), mention.text.clone()),
        }
    }

    /// A name as the key writes it: as its examples, or those of its neighbours, write the place;
    /// as a code where nothing else is taken.
    fn spelled(&self, brief: &Brief, text: &str) -> Value {
        if brief.kind != Kind::Place {
            return text.into();
        }
        let place = lexicon::place(text);
        let lower = text.to_lowercase();
        let own = brief.lessons.iter();
        let others = self
            .briefs
            .iter()
            .filter(|b| b.kind == Kind::Place)
            .flat_map(|b| &b.lessons);
        let alias = own.chain(others).find_map(|lesson| match lesson {
            Lesson::Alias {
                name,
                place: known,
                value,
            } if *name == lower || (known.is_some() && *known == place) => Some(value.clone()),
            _ => None,
        });
        let code = place.map(lexicon::Place::code).filter(|code| {
            let pattern = brief.shape.constraint.pattern.as_deref().and_then(whole);
            pattern.is_some_and(|p| p.is_match(code) && !p.is_match(text))
        });
        alias.unwrap_or_else(|| code.unwrap_or(text).into())
    }

    /// Digits behind a word for calling, or of a telephone number's length.
    fn phones(&self, at: usize) -> Vec<Candidate> {
        let brief = &self.briefs[at];
        if brief.kind != Kind::Phone {
            return Vec::new();
        }
        let number = regex(r"\+?\d[\d\s()-]{4,}\d");
        let calls = regex(
            r"(?i)call|phone|tel|reach|contact|ring|dial|mobile|电话|联系|致电|手机|拨打|回电",
        );
        let digits_only = brief.prose.contains("digits only") || brief.prose.contains("仅数字");
        number
            .find_iter(&self.scene.text.raw)
            .filter_map(|m| {
                let run = self.run_of(m.start(), m.end())?;
                let kept = |c: &char| c.is_ascii_digit() || (*c == '+' && !digits_only);
                let written: String = m.as_str().chars().filter(kept).collect();
                let head = &self.scene.text.raw[..m.start()];
                let near = head
                    .char_indices()
                    .rev()
                    .nth(30)
                    .map_or(head, |(i, _)| &head[i..]);
                let sure = if calls.is_match(near) {
                    0.93
                } else if written.len() >= 10 {
                    0.8
                } else {
                    0.45
                };
                Some(Candidate::new(at, written.into(), run, sure))
            })
            .collect()
    }
}

/// A pattern, held to the whole string (RFC 9485).
fn whole(pattern: &str) -> Option<regex::Regex> {
    regex::Regex::new(&format!("^(?:{pattern})$")).ok()
}

/// Words that praise and sort nothing.
const PRAISE: &str = " good great nice best top new popular interesting awesome fun favorite latest recent other similar local \
 cheap right certain specific particular first second next last whole main real find watch see funny old beautiful ";

/// Words with which something else begins.
fn breaks(word: &str) -> bool {
    lexicon::listed(
        " from to in on at by for with and or but until till please that which who is are was be of using via before after 的 了 到 去 从 在 把 将 由 和 与 并 且 请 要 想 是 有 用 以 内 时 进 开 关 启 需 ",
        word,
    )
}

/// Characters with which names of places end.
fn ends_place(word: &str) -> bool {
    matches!(
        word,
        "区" | "市" | "县" | "省" | "镇" | "路" | "街" | "站" | "村" | "州" | "城"
    )
}
