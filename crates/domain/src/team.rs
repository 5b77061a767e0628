//! The team that does a task together: its places, the agents asked, the members, and the gaps left
//! (draft §4.1).
//!
//! For each place the matching agents are asked one after the other, best first, until one accepts.
//! The asking is done by `engine`. Read next: [`crate::task`].

use crate::content::Content;
use crate::discovery::{Criteria, Match};
use crate::profile::usable_name;
use crate::reply::Reason;
use crate::task::TaskId;
use crate::time::Timestamp;
use language::excerpt::excerpt;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// One place in a team.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Need {
    /// Its name, unique in the team; the part of the task is `{task}/{name}`.
    pub name: String,
    /// The criteria that a member must meet.
    pub criteria: Criteria,
    /// The work of the member, which candidates are asked about.
    pub content: Content,
    /// True if the team is complete without it.
    pub optional: bool,
}

/// The answer of an agent that was asked.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemberStanding {
    /// Asked, and has not answered.
    Invited,
    /// Accepted.
    Accepted,
    /// Declined, for the reasons given.
    Declined,
}

crate::named! {
    /// The name in module convoke-registry.
    MemberStanding
}

/// An agent that was asked to fill a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The place.
    pub need: String,
    /// The agent.
    pub agent: String,
    /// The score of its match, 0 to 1000.
    pub score: u32,
    /// Its answer.
    pub standing: MemberStanding,
    /// The reasons, if it declined.
    pub reasons: Vec<Reason>,
}

/// A team.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Team {
    /// The task that it is for.
    pub task: TaskId,
    /// The principal that asked for it.
    pub publisher: String,
    /// The places.
    pub needs: Vec<Need>,
    /// The agents asked, in the order in which they were.
    pub candidates: Vec<Candidate>,
    /// The time at which it was asked for.
    pub formed_at: Timestamp,
    /// The time of its last change.
    pub changed_at: Timestamp,
    /// The number of its changes, from 1.
    pub version: u64,
}

/// The error for needs that no team can be formed of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unformed {
    /// There is no place, or there are too many.
    #[error("a team has 1 to {most} places, not {places}", most = Team::PLACES_MOST)]
    Places {
        /// The number of places.
        places: usize,
    },
    /// A place without a usable name, or one whose part would have too long an identifier.
    #[error(
        "'{}' cannot name a place: letters, digits, '-', '_' and '.', not beginning with '.' or \
         '-', and with the task's identifier and a '/' in front at most {most} bytes",
        excerpt(.0),
        most = TaskId::LONGEST
    )]
    Name(String),
    /// Two places of one name.
    #[error("two places are called '{0}'")]
    Twice(String),
}

impl Team {
    /// The approximate size of its places and of the answers in bytes.
    pub fn bytes(&self) -> usize {
        let needs = self.needs.iter().map(|need| need.content.bytes());
        let candidates = self.candidates.iter().map(|candidate| {
            let reasons = candidate.reasons.iter().map(Reason::bytes);
            candidate.agent.len() + reasons.sum::<usize>()
        });
        needs.chain(candidates).sum()
    }

    /// The most places in a team.
    pub const PLACES_MOST: usize = 64;
    /// The most agents that are asked for one place.
    pub const CANDIDATES_MOST: usize = 5;

    /// A team before anybody has been asked.
    ///
    /// # Errors
    /// [`Unformed`] if the needs cannot make a team.
    pub fn of(
        task: TaskId,
        publisher: &str,
        needs: Vec<Need>,
        at: Timestamp,
    ) -> Result<Self, Unformed> {
        if !(1..=Self::PLACES_MOST).contains(&needs.len()) {
            return Err(Unformed::Places {
                places: needs.len(),
            });
        }
        let mut names = BTreeSet::new();
        for Need { name, .. } in &needs {
            let long = part(&task, name).as_str().len() > TaskId::LONGEST;
            if long || !usable_name(name) {
                return Err(Unformed::Name(name.clone()));
            }
            if !names.insert(name) {
                return Err(Unformed::Twice(name.clone()));
            }
        }
        Ok(Self {
            task,
            publisher: publisher.to_owned(),
            needs,
            candidates: Vec::new(),
            formed_at: at,
            changed_at: at,
            version: 1,
        })
    }

    /// The best of the matching agents that has not been asked for the place; none while the place
    /// is filled or an answer is outstanding, and when [`Team::CANDIDATES_MOST`] were asked.
    pub fn next<'a>(&self, need: &str, found: &'a [Match]) -> Option<&'a Match> {
        let asked = || self.candidates.iter().filter(|c| c.need == need);
        let hopeful = asked().any(|c| c.standing != MemberStanding::Declined);
        if hopeful || asked().count() >= Self::CANDIDATES_MOST {
            return None;
        }
        let new = |m: &&Match| m.name != self.publisher && !asked().any(|c| c.agent == m.name);
        found.iter().find(new)
    }

    /// Notes that an agent is asked for a place.
    pub fn invite(&mut self, need: &str, found: &Match, at: Timestamp) {
        self.candidates.push(Candidate {
            need: need.to_owned(),
            agent: found.name.clone(),
            score: found.score,
            standing: MemberStanding::Invited,
            reasons: Vec::new(),
        });
        self.touch(at);
    }

    /// Takes an agent's answer: an acceptance, or a refusal with reasons. False if no answer of it
    /// was expected: nothing has changed.
    pub fn answer(
        &mut self,
        need: &str,
        agent: &str,
        answer: Result<(), Vec<Reason>>,
        at: Timestamp,
    ) -> bool {
        let expected = |c: &&mut Candidate| {
            c.need == need && c.agent == agent && c.standing == MemberStanding::Invited
        };
        let Some(candidate) = self.candidates.iter_mut().find(expected) else {
            return false;
        };
        match answer {
            Ok(()) => candidate.standing = MemberStanding::Accepted,
            Err(reasons) => {
                candidate.standing = MemberStanding::Declined;
                candidate.reasons = reasons;
            }
        }
        self.touch(at);
        true
    }

    fn touch(&mut self, at: Timestamp) {
        self.changed_at = self.changed_at.max(at);
        self.version += 1;
    }

    /// The agent that fills a place.
    pub fn member(&self, need: &str) -> Option<&Candidate> {
        let fills = |c: &&Candidate| c.need == need && c.standing == MemberStanding::Accepted;
        self.candidates.iter().find(fills)
    }

    /// The required places that are not filled and have no outstanding answer.
    pub fn gaps(&self) -> impl Iterator<Item = &Need> {
        self.needs.iter().filter(|need| {
            let candidates = self.candidates.iter();
            let hopeful =
                |c: &Candidate| c.need == need.name && c.standing != MemberStanding::Declined;
            !need.optional && !candidates.into_iter().any(hopeful)
        })
    }

    /// True if every required place is filled.
    pub fn is_complete(&self) -> bool {
        let filled = |need: &Need| need.optional || self.member(&need.name).is_some();
        self.needs.iter().all(filled)
    }
}

/// The identifier of the sub-task that fills a place of a task's team.
pub fn part(task: &TaskId, need: &str) -> TaskId {
    TaskId::new(format!("{task}/{need}"))
}

/// The task and the place that a sub-task's identifier names; none if it cannot be one of a team.
pub fn place_of(part: &TaskId) -> Option<(TaskId, &str)> {
    let (task, need) = part.as_str().rsplit_once('/')?;
    Some((TaskId::new(task), need))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn need(name: &str, optional: bool) -> Need {
        Need {
            name: name.into(),
            criteria: Criteria::default(),
            content: Content::new("link", "diagnose"),
            optional,
        }
    }

    fn team(needs: Vec<Need>) -> Result<Team, Unformed> {
        Team::of(TaskId::new("t"), "oss", needs, Timestamp::from_ms(5))
    }

    fn found(names: &[&str]) -> Vec<Match> {
        let fits = |name: &&str| Match {
            name: (*name).to_owned(),
            score: 500,
            reasons: vec![],
        };
        names.iter().map(fits).collect()
    }

    #[test]
    fn needs_make_a_team_or_not() {
        assert!(team(vec![need("ran", false), need("ip", true)]).is_ok());
        assert_eq!(team(vec![]), Err(Unformed::Places { places: 0 }));
        let many = (0..65).map(|n| need(&format!("n{n}"), false)).collect();
        assert_eq!(team(many), Err(Unformed::Places { places: 65 }));
        let twice = vec![need("ip", false), need("ip", true)];
        assert_eq!(team(twice), Err(Unformed::Twice("ip".into())));
        for bad in ["", "a/b", "a b", &"x".repeat(65)] {
            assert_eq!(
                team(vec![need(bad, false)]),
                Err(Unformed::Name(bad.into()))
            );
        }
        assert!(Unformed::Name("x".repeat(1 << 20)).to_string().len() < 300);
        let long = TaskId::new("t".repeat(TaskId::LONGEST - 2));
        let named = |name| {
            Team::of(
                long.clone(),
                "oss",
                vec![need(name, false)],
                Timestamp::default(),
            )
        };
        assert!(named("a").is_ok() && named("ab").is_err());
        assert_eq!(
            place_of(&part(&TaskId::new("a/b"), "c")),
            Some((TaskId::new("a/b"), "c"))
        );
        assert_eq!(place_of(&TaskId::new("a")), None);
    }

    #[test]
    fn the_next_is_asked_when_one_declines() {
        let mut team = team(vec![need("ip", false)]).unwrap();
        let all = found(&["oss", "a", "b"]);
        let now = Timestamp::from_ms(9);
        // The publisher is no member of its own team.
        let first = team.next("ip", &all).unwrap();
        assert_eq!(first.name, "a");
        team.invite("ip", first, now);
        assert_eq!(team.next("ip", &all), None);
        assert!(team.gaps().next().is_none() && !team.is_complete());
        let busy = Reason {
            reason: "no-capacity".into(),
            path: String::new(),
            message: "busy".into(),
        };
        assert!(!team.answer("ip", "b", Ok(()), now));
        assert!(team.answer("ip", "a", Err(vec![busy.clone()]), now));
        assert!(!team.answer("ip", "a", Ok(()), now));
        assert_eq!(team.candidates[0].reasons, [busy]);
        assert_eq!(team.gaps().count(), 1);
        let second = team.next("ip", &all).unwrap();
        team.invite("ip", second, now);
        assert!(team.answer("ip", "b", Ok(()), now) && team.is_complete());
        assert_eq!(team.member("ip").map(|c| c.agent.as_str()), Some("b"));
        assert_eq!((team.version, team.changed_at), (5, now));
    }

    proptest! {
        #[test]
        fn nobody_is_asked_twice_or_without_end(
            answers in prop::collection::vec((0..2usize, any::<bool>()), 0..40),
        ) {
            let mut team = team(vec![need("a", false), need("b", true)]).unwrap();
            let all = found(&["1", "2", "3", "4", "5", "6", "7", "8"]);
            for (place, accepts) in answers {
                let name = ["a", "b"][place];
                let Some(next) = team.next(name, &all) else { continue };
                team.invite(name, next, Timestamp::default());
                let answer = if accepts { Ok(()) } else { Err(vec![]) };
                prop_assert!(team.answer(name, &next.name, answer, Timestamp::default()));
            }
            for name in ["a", "b"] {
                let asked: Vec<_> = team.candidates.iter().filter(|c| c.need == name).collect();
                let distinct: BTreeSet<_> = asked.iter().map(|c| &c.agent).collect();
                prop_assert_eq!(distinct.len(), asked.len());
                prop_assert!(asked.len() <= Team::CANDIDATES_MOST);
                let members = asked.iter().filter(|c| c.standing == MemberStanding::Accepted).count();
                prop_assert!(members <= 1);
                prop_assert_eq!(team.member(name).is_some(), members == 1);
            }
            prop_assert_eq!(team.is_complete(), team.gaps().next().is_none());
        }
    }
}
