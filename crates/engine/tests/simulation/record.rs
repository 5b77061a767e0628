//! The laws about records: every exchange is there with its response, a thread is in order, nobody
//! reads what is not his, and negotiations are as the log tells them.
//!
//! Asked for when the platform stops and at the end of a trial: they read everything.

use crate::everything::{read, tasks};
use crate::laws::{Laws, mark};
use crate::trial::Asked;
use crate::verdict::{Broken, Lie};
use domain::context::{DataParam, Exchange};
use domain::reply::Reply;
use domain::task::TaskId;
use domain::verb::Verb;
use engine::Engine;
use engine::query::{DataParamsOf, ExchangesOf, NegotiationsOf};
use std::collections::BTreeMap;

fn exchanges(engine: &Engine, who: &str) -> Vec<Exchange> {
    read(engine, who, ExchangesOf::default())
}

fn data(engine: &Engine, who: &str) -> Vec<DataParam> {
    read(engine, who, DataParamsOf::default())
}

impl Laws {
    pub fn audit(
        &mut self,
        engine: &Engine,
        asked: &[Asked],
        agents: [&str; 4],
    ) -> Result<(), Broken> {
        let (mut records, data) = (exchanges(engine, "operator"), data(engine, "operator"));
        if self.lie == Some(Lie::NoRecord) {
            records.pop();
        }
        self.check_records(asked, &records, &data)?;
        check_threads(asked, &records)?;
        self.check_negotiations(engine)?;
        for agent in agents {
            self.check_sight(engine, agent, &records, &data)?;
        }
        Ok(())
    }

    /// Each request that was answered left one record with its response; one that was refused left
    /// nothing.
    fn check_records(
        &self,
        all: &[Asked],
        records: &[Exchange],
        data: &[DataParam],
    ) -> Result<(), Broken> {
        let law = "every exchange left its record";
        let responses: BTreeMap<&str, &DataParam> =
            data.iter().map(|d| (d.id.as_str(), d)).collect();
        let mut by_request: BTreeMap<&str, Vec<&Exchange>> = BTreeMap::new();
        for record in records {
            by_request.entry(&record.request).or_default().push(record);
            if record.response.is_some()
                != record
                    .response_time
                    .is_some_and(|at| at >= record.request_time)
            {
                return Err(Broken::new(law, format!("{record:?}")));
            }
        }
        // A place of a team is negotiated with one after the other, and of a round that two had only
        // the record of the second is kept.
        let of_a_team = |a: &Asked| {
            let task = a.negotiate.task.as_ref();
            task.is_some_and(|id| id.as_str().contains("/n"))
        };
        let kept = |a: &&Asked| !a.forgotten && mark(a).is_some() && !of_a_team(a);
        for asked in all.iter().filter(kept) {
            let text = asked.negotiate.texts.join("\n");
            let found = by_request.get(text.as_str()).map_or(&[][..], Vec::as_slice);
            let mine = found.iter().all(|e| {
                e.from == asked.who
                    && e.verb == asked.negotiate.verb
                    && e.task == asked.negotiate.task
            });
            let Some(reply) = &asked.reply else {
                if asked.refused && !asked.is_unsure && !found.is_empty() {
                    return Err(Broken::new(
                        "a refusal changes nothing",
                        format!("{found:?}"),
                    ));
                }
                continue;
            };
            let once = match asked.negotiate.verb {
                Verb::TaskAssign => found.len() == 1,
                // A report is known again only as the last one.
                Verb::TaskResultNotify if !asked.is_unsure => found.len() == 1,
                Verb::TaskResultSubscribe => true,
                // Without a round, the same said again may be the next turn.
                _ if asked.is_turn && (asked.is_repeatable() || !asked.is_unsure) => {
                    found.len() == 1
                }
                _ => !found.is_empty(),
            };
            let response = |e: &&Exchange| {
                let data = responses.get(e.response.as_deref()?)?;
                Reply::from_json(data.text()?)
            };
            let told: Vec<Reply> = found.iter().filter_map(response).collect();
            // These tell the state of the task beside their own answer.
            let tells_state = matches!(
                asked.negotiate.verb,
                Verb::TaskResultNotify | Verb::TaskResultSubscribe
            );
            let same = (asked.is_unsure && tells_state) || found.is_empty() || told.contains(reply);
            if !once || !mine || !same {
                return Err(Broken::new(
                    law,
                    format!(
                        "{:?} was answered {reply:?}; records {found:?} say {told:?}",
                        asked.negotiate
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Negotiations are as the log tells them.
    fn check_negotiations(&self, engine: &Engine) -> Result<(), Broken> {
        for ((task, kind), talk) in &self.talks {
            let rows = read(engine, "operator", NegotiationsOf(Some(task.clone())));
            let row = rows.iter().find(|n| n.kind == *kind);
            let same = row.is_some_and(|n| {
                Some(n.state) == talk.state
                    && n.turns == talk.turns
                    && n.publisher == talk.publisher
                    && n.executor == talk.executor
            });
            if !same {
                let why = format!(
                    "{kind} of {task} is {row:?}, told {:?} {:?}",
                    talk.state, talk.turns
                );
                return Err(Broken::new("the log explains every state", why));
            }
        }
        Ok(())
    }

    /// An agent reads what it is party to: all of it, and nothing else.
    fn check_sight(
        &self,
        engine: &Engine,
        agent: &str,
        records: &[Exchange],
        data: &[DataParam],
    ) -> Result<(), Broken> {
        let law = "nobody reads what he is no party to";
        let mut seen = exchanges(engine, agent);
        if self.lie == Some(Lie::Leak) {
            let foreign = records.iter().find(|e| e.from != agent && e.to != agent);
            seen.extend(foreign.cloned());
        }
        if self.lie != Some(Lie::NoRecord) {
            let own = records.iter().filter(|e| e.from == agent || e.to == agent);
            if !own.eq(&seen) {
                return Err(Broken::new(law, format!("exchanges of {agent}: {seen:?}")));
            }
        }
        let own = data.iter().filter(|d| d.parties.iter().any(|p| p == agent));
        if !own.eq(&super::record::data(engine, agent)) {
            return Err(Broken::new(law, format!("data of {agent}")));
        }
        let own = self.tasks(|t| t.from == agent || t.to == agent);
        if own != tasks(engine, agent) {
            return Err(Broken::new(law, format!("tasks of {agent}")));
        }
        for ((task, kind), talk) in &self.talks {
            let party = talk.publisher == agent || talk.executor == agent;
            let rows = read(engine, agent, NegotiationsOf(Some(task.clone())));
            if rows.iter().any(|n| n.kind == *kind) != party {
                return Err(Broken::new(law, format!("{kind} of {task} by {agent}")));
            }
        }
        Ok(())
    }
}

/// The thread of a task is in the order in which it was spoken.
fn check_threads(all: &[Asked], records: &[Exchange]) -> Result<(), Broken> {
    let ordered = |a: &Asked| {
        !a.is_unsure
            && (a.is_turn || matches!(a.negotiate.verb, Verb::TaskAssign | Verb::TaskResultNotify))
    };
    let places: BTreeMap<String, usize> = all
        .iter()
        .enumerate()
        .filter(|(_, a)| ordered(a))
        .filter_map(|(place, a)| Some((a.negotiate.texts.join("\n"), mark(a).map(|_| place)?)))
        .collect();
    let mut last: BTreeMap<&TaskId, usize> = BTreeMap::new();
    for record in records {
        let (Some(task), Some(place)) = (&record.task, places.get(&record.request)) else {
            continue;
        };
        if last
            .insert(task, *place)
            .is_some_and(|before| before >= *place)
        {
            let why = format!("{task}: {record:?}");
            return Err(Broken::new("a thread is in order", why));
        }
    }
    Ok(())
}
