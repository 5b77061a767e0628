//! The key that a thing is for that an utterance names: by the words around it, its preposition,
//! its sort.
//!
//! Read next: [`super::place`].

use super::super::super::cue;
use super::super::super::slot::{ExampleRule, Kind, Role, Slot};
use super::super::super::utterance::{Mention, MentionKind};
use super::Keys;
use crate::lexicon;
use language::text::{Class, Gap};
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
    pub(super) fn mention_sure(&self, at: usize, mention: &Mention) -> f64 {
        let slot = &self.slots[at];
        match (slot.kind, mention.sort) {
            (Kind::Email, MentionKind::Email)
            | (Kind::Url, MentionKind::Url)
            | (Kind::Address, MentionKind::Address) => 0.93,
            (Kind::Email | Kind::Url | Kind::Address | Kind::Phone, _) => 0.0,
            (_, MentionKind::Email | MentionKind::Url) => 0.0,
            _ => self.by_words(at, mention),
        }
    }

    pub(super) fn by_words(&self, at: usize, mention: &Mention) -> f64 {
        let slot = &self.slots[at];
        let run = &mention.run;
        // A word that names a key is not what stands for one.
        let label = |t: &language::text::Token| self.slots.iter().any(|b| b.name.contains(&t.stem));
        if mention.sort == MentionKind::Name
            && self.utterance.text.tokens[run.clone()].iter().all(label)
        {
            return 0.0;
        }
        let taught = cue::taught(self.utterance, slot, run);
        // Behind a colon stands what the label says, see `labelled`.
        let colon = self
            .utterance
            .token(run.start)
            .is_some_and(|t| t.gap == Gap::Mark);
        let before = if colon {
            0.0
        } else {
            cue::before(self.utterance, slot, run)
        };
        let behind = cue::behind(self.utterance, slot, run);
        let mut sure: f64 = 0.0;
        sure = sure.max(if taught >= 0.8 { 0.92 } else { 0.0 });
        // "crimes in Los Angeles" tells where, not which.
        let where_told = slot.kind != Kind::Place
            && mention.sort == MentionKind::Name
            && matches!(
                self.preposition(run.start),
                "in" | "at" | "near" | "around" | "from" | "to"
            );
        let share = if where_told { 0.6 } else { 1.0 };
        sure = sure.max(share * if before >= 1.0 { 0.9 } else { before * 1.12 });
        sure = sure.max(share * if behind >= 1.0 { 0.83 } else { behind * 1.1 });
        sure = sure.max(self.by_preposition(slot, mention));
        sure = sure.max(self.by_sort(at, mention));
        sure = sure.max(self.by_noun(slot, mention));
        if slot.kind == Kind::Place {
            sure = sure.min(self.side_of_place(slot, run.start).max(0.5));
        }
        sure
    }

    /// "the individual John Doe", "the Louvre Museum": a name beside the noun that the key is
    /// described by, or with it.
    fn by_noun(&self, slot: &Slot, mention: &Mention) -> f64 {
        if slot.kind != Kind::Name || mention.sort != MentionKind::Name {
            return 0.0;
        }
        let tells = |at: Option<usize>| {
            let token = at.and_then(|i| self.utterance.token(i));
            token.is_some_and(|t| {
                t.class == Class::Word
                    && t.text.len() > 3
                    && slot.gist.contains(&t.stem)
                    && !lexicon::is_asking(&t.text)
            })
        };
        let near = self
            .utterance
            .token(mention.run.start)
            .is_some_and(|t| t.gap <= Gap::Space);
        let before = near && tells(mention.run.start.checked_sub(1));
        let within = mention.run.len() > 1 && tells(mention.run.end.checked_sub(1));
        if before || within { 0.77 } else { 0.0 }
    }

    /// The confidence with which a word before a person makes it the one who performs, or the one
    /// who makes: "with Jeff Harding" is in it, "by Jenny Gage" made it.
    fn by_part(&self, slot: &Slot, word: &str) -> f64 {
        let of = |parts: &[&str]| {
            slot.name
                .iter()
                .any(|n| parts.iter().any(|p| n.starts_with(p)))
        };
        let performs = of(&["actor", "act", "star", "cast", "perform"]);
        let makes = of(&[
            "direct", "author", "artist", "writ", "compos", "creat", "sing", "paint",
        ]);
        match word {
            "starring" | "staring" | "stars" | "featuring" | "with" if performs => 0.86,
            "by" if makes => 0.86,
            "starring" | "staring" | "stars" | "with" if makes => 0.4,
            "by" if performs => 0.4,
            "called" | "named" | "by" | "starring" | "featuring" => 0.8,
            _ if lexicon::listed(WHO, word) => 0.72,
            _ => 0.0,
        }
    }

    /// The confidence with which the preposition before a name makes it this key's.
    pub(super) fn by_preposition(&self, slot: &Slot, mention: &Mention) -> f64 {
        let word = self.preposition(mention.run.start);
        if slot.kind == Kind::Place && self.side_of_place(slot, mention.run.start) < 1.0 {
            return 0.5;
        }
        let rival = self
            .slots
            .iter()
            .any(|b| b.kind == Kind::Place && b.role == Role::None && b.path != slot.path);
        if slot.kind == Kind::Place && slot.role == Role::To && rival {
            return 0.9;
        }
        let name = matches!(mention.sort, MentionKind::Name) || slot.kind != Kind::Place;
        match (slot.kind, slot.role) {
            (Kind::Place, Role::From) if lexicon::listed(WHENCE, word) => 0.9,
            (Kind::Place, Role::To) if lexicon::listed(WHITHER, word) => 0.9,
            (Kind::Place, Role::From | Role::To)
                if lexicon::listed(WHENCE, word) || lexicon::listed(WHITHER, word) =>
            {
                0.2
            }
            (Kind::Place, Role::From | Role::To) if lexicon::listed(ENDS, word) => {
                self.told_end(slot, mention.run.start)
            }
            (Kind::Place, Role::To) if name && self.arrives(mention.run.start) => 0.88,
            (Kind::Place, role) if name && lexicon::listed(WHERE, word) => self.wheres(role, word),
            (Kind::Place, _) if name && lexicon::place(&mention.text).is_some() => {
                self.free_place(mention)
            }
            (Kind::Place, Role::None) if name && self.sole_name() => 0.71,
            (Kind::Place, _) if name => 0.5,
            (Kind::Name, _)
                if mention.sort == MentionKind::Name && word == "at" && self.houses(slot) =>
            {
                0.82
            }
            (Kind::Name, _) if mention.sort == MentionKind::Name => self.by_part(slot, word),
            _ => 0.0,
        }
    }

    /// "arriving in Rome".
    pub(super) fn arrives(&self, start: usize) -> bool {
        let before = start.checked_sub(2).map_or("", |i| self.utterance.word(i));
        matches!(self.utterance.word_before(start), "in" | "at")
            && matches!(
                before,
                "arrive" | "arriving" | "arrives" | "arrival" | "landing" | "land"
            )
    }

    /// The confidence with which a place behind a preposition is where something is.
    pub(super) fn wheres(&self, role: Role, word: &str) -> f64 {
        let rival = matches!(role, Role::From | Role::To)
            && self
                .slots
                .iter()
                .any(|b| b.kind == Kind::Place && b.role != role && b.role != Role::None);
        match word {
            _ if rival => 0.6,
            "in" | "在" | "于" => 0.86,
            "near" | "around" | "within" | "inside" | "nearby" | "across" => 0.85,
            "at" if self.slots.iter().any(|b| self.houses(b)) => 0.72,
            "at" | "from" => 0.8,
            _ => 0.74,
        }
    }

    /// True if a key names a house: what people are "at".
    pub(super) fn houses(&self, slot: &Slot) -> bool {
        slot.kind == Kind::Name
            && [
                "restaur", "hotel", "museum", "venue", "cafe", "theat", "stor", "shop", "bank",
            ]
            .iter()
            .any(|h| slot.name.iter().any(|n| n.starts_with(h)))
    }

    pub(super) fn sole_name(&self) -> bool {
        self.utterance.count_of(MentionKind::Name) == 1
    }

    /// "the destination is Los Angeles".
    pub(super) fn told_end(&self, slot: &Slot, start: usize) -> f64 {
        let words: Vec<&str> = (start.saturating_sub(4)..start)
            .map(|i| self.utterance.word(i))
            .collect();
        let said = |list: &[&str]| words.iter().any(|w| list.contains(w));
        match slot.role {
            Role::From if said(&["departure", "origin", "start", "pickup", "pick"]) => 0.88,
            Role::To if said(&["destination", "arrival", "end", "dropoff", "drop"]) => 0.88,
            _ => 0.3,
        }
    }

    /// "Cairo to Nairobi": what stands before "to" is where it begins.
    pub(super) fn free_place(&self, mention: &Mention) -> f64 {
        let leads_on = matches!(
            self.utterance.word(mention.run.end),
            "to" | "到" | "飞" | "至"
        );
        if leads_on { 0.72 } else { 0.7 }
    }

    /// The preposition before a place in the text, articles skipped.
    pub(super) fn preposition(&self, at: usize) -> &str {
        let mut at = at;
        while matches!(
            self.utterance.word_before(at),
            "the" | "a" | "city" | "of" | "downtown" | "my" | "our"
        ) && at > 1
        {
            self.utterance.text.steps.take(1);
            if self.utterance.word_before(at) == "of"
                && self.utterance.word_before(at - 1) != "city"
            {
                break;
            }
            at -= 1;
        }
        if self
            .utterance
            .token(at)
            .is_some_and(|t| t.gap >= Gap::Comma)
        {
            ""
        } else {
            self.utterance.word_before(at)
        }
    }

    /// The confidence with which the sort of a thing makes it this key's, when nothing is said of
    /// which.
    pub(super) fn by_sort(&self, at: usize, mention: &Mention) -> f64 {
        let slot = &self.slots[at];
        let rivals = self
            .open_keys()
            .filter(|(i, b)| {
                *i != at && (b.kind == slot.kind || mention.sort == MentionKind::Quoted)
            })
            .count();
        let mentions = self.utterance.count_of(mention.sort);
        match (mention.sort, slot.kind) {
            (MentionKind::Code, Kind::Code)
                if self.takes_tickets(slot) && lexicon::is_ticket(&mention.text) =>
            {
                0.88
            }
            (MentionKind::Code, Kind::Code) => {
                match super::super::super::slot::resemblance(&slot.exemplars, &mention.text) {
                    Some(like) if like >= 1.0 => 0.9,
                    Some(like) if like > 0.0 && slot.required => 0.8,
                    Some(like) if like > 0.0 => 0.6,
                    Some(_) if rivals == 0 && slot.required => 0.8,
                    Some(_) => 0.4,
                    None if rivals == 0 => 0.86,
                    None if slot.required => 0.62,
                    None => 0.5,
                }
            }
            (MentionKind::Quoted, Kind::Speech | Kind::Words | Kind::Name | Kind::Code)
                if rivals == 0 =>
            {
                0.8
            }
            (MentionKind::Quoted, Kind::Speech | Kind::Words | Kind::Name) => 0.6,
            (MentionKind::Name, Kind::Name)
                if lexicon::place(&mention.text).is_some()
                    || lexicon::is_chinese_place(&mention.text) =>
            {
                0.4
            }
            (MentionKind::Name, Kind::Name) if rivals == 0 && mentions == 1 => 0.72,
            (MentionKind::Name, Kind::Words) if rivals == 0 && mentions == 1 && slot.required => {
                0.72
            }
            (MentionKind::Code, Kind::Words | Kind::Name) if rivals == 0 && slot.required => 0.71,
            (MentionKind::Name, Kind::Name) => 0.5,
            _ => 0.0,
        }
    }

    /// True for a key that names a ticket.
    fn takes_tickets(&self, slot: &Slot) -> bool {
        let names = ["ticket", "complaint", "case", "docket", "order"];
        slot.name
            .iter()
            .any(|n| names.iter().any(|t| n == t || lexicon::same_concept(n, t)))
    }

    pub(super) fn open_keys(&self) -> impl Iterator<Item = (usize, &Slot)> {
        self.slots.iter().enumerate().filter(|(_, b)| {
            matches!(
                b.kind,
                Kind::Code | Kind::Place | Kind::Name | Kind::Words | Kind::Speech | Kind::Sort
            )
        })
    }

    /// "the A9 near Leipzig": a road with the town that it is near.
    pub(super) fn extended(&self, slot: &Slot, mention: &Mention) -> (Range<usize>, String) {
        let near = slot.kind == Kind::Place
            && mention.sort == MentionKind::Code
            && matches!(self.utterance.word(mention.run.end), "near" | "at" | "in");
        let town = self.utterance.mention_from(mention.run.end + 1);
        let town = town.filter(|m| near && m.sort == MentionKind::Name);
        match town {
            Some(town) => {
                let run = mention.run.start..town.run.end;
                (run.clone(), self.utterance.text.span(&run).to_owned())
            }
            None => (mention.run.clone(), self.unowned(mention)),
        }
    }

    /// "Germany's soccer team" names Germany; "McDonald's" names itself.
    fn unowned(&self, mention: &Mention) -> String {
        let plain = mention
            .text
            .strip_suffix("'s")
            .or(mention.text.strip_suffix("’s"));
        let owns = self.utterance.token(mention.run.end).is_some_and(|t| {
            t.class == Class::Word
                && t.gap == Gap::Space
                && !t.capital
                && !lexicon::is_function(&t.text)
        });
        match plain {
            Some(plain) if owns && mention.sort == MentionKind::Name => plain.to_owned(),
            _ => mention.text.clone(),
        }
    }

    /// A name as the key writes it: as its examples, or those of its neighbours, write the place;
    /// as a code where nothing else is taken.
    pub(super) fn spelled(&self, slot: &Slot, text: &str) -> Value {
        if slot.kind != Kind::Place {
            return text.into();
        }
        let place = lexicon::place(text);
        let lower = text.to_lowercase();
        let own = slot.example_rules.iter();
        let others = self
            .slots
            .iter()
            .filter(|b| b.kind == Kind::Place)
            .flat_map(|b| &b.example_rules);
        let alias = own.chain(others).find_map(|rule| match rule {
            ExampleRule::Alias {
                name,
                place: known,
                value,
            } if *name == lower || (known.is_some() && *known == place) => Some(value.clone()),
            _ => None,
        });
        let code = place.map(lexicon::Place::code).filter(|code| {
            let pattern = slot.whole.as_ref();
            pattern.is_some_and(|p| p.is_match(code) && !p.is_match(text))
        });
        alias.unwrap_or_else(|| code.unwrap_or(text).into())
    }
}
