//! Everything outside a stage, one thing at a time, and agents that give away what they are given.
//!
//! Read next: [`super::recovery`], which dies between any two of these things.

use super::*;
use domain::inventory::ElementId;
use domain::task::Awaits;
use domain::telemetry::Action;

/// Everything outside: carries what agents send, tells publishers of their tasks, and does what agents
/// want of the network, one thing at a time.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) leaving: Vec<engine::Outgoing>,
    under_way: Vec<(String, u64, Pending)>,
    /// How far the log was read for publishers.
    followed: u64,
    /// What became of the network, by cell; it outlives the platform.
    pub(crate) power: BTreeMap<String, f64>,
    pub(crate) flushed: bool,
}

impl World {
    /// One that follows what happens from now on.
    pub(crate) fn beside(stage: &Stage, power: BTreeMap<String, f64>) -> Self {
        Self {
            followed: stage.engine.last_sequence(),
            power,
            ..Self::default()
        }
    }

    /// Does the next thing there is to do; false if there is none.
    pub(crate) fn go_on(&mut self, stage: &Stage) -> bool {
        let moved = self.carry(stage) || self.answer(stage) || self.tell(stage);
        if moved || stage.step().is_some() {
            self.flushed = false;
            return true;
        }
        !std::mem::replace(&mut self.flushed, true) && {
            stage.flush();
            true
        }
    }

    fn carry(&mut self, stage: &Stage) -> bool {
        self.leaving.extend(stage.engine.outgoing());
        if self.leaving.is_empty() {
            return false;
        }
        let engine::Outgoing { agent, output } = self.leaving.remove(0);
        match output {
            Output::Send { token, message } => {
                let pending = sent(stage, &agent, &message);
                self.under_way.push((agent, token, pending));
            }
            Output::Act { token, action } => {
                let Action::SetPower { cell, offset_db } = action else {
                    panic!("{action:?}")
                };
                self.power.insert(cell.to_string(), offset_db);
                let outcome = domain::telemetry::Outcome::Done;
                let acted = Input::Acted { token, outcome };
                stage.engine.deliver(&agent, acted, stage.now);
            }
            other => panic!("{other:?}"),
        }
        true
    }

    fn answer(&mut self, stage: &Stage) -> bool {
        let mut answers = self.under_way.iter_mut().enumerate();
        let found = answers.find_map(|(at, (.., pending))| Some((at, answered(pending)?)));
        let Some((at, Ok(reply))) = found else {
            assert!(found.is_none(), "{found:?}");
            return false;
        };
        let (agent, token, _) = self.under_way.remove(at);
        let reply = Ok(reply);
        let replied = Input::Replied { token, reply };
        stage.engine.deliver(&agent, replied, stage.now);
        true
    }

    fn tell(&mut self, stage: &Stage) -> bool {
        let entries = stage.engine.feed().after(self.followed, 1).unwrap();
        let Some(entry) = entries.first() else {
            return false;
        };
        self.followed = entry.sequence;
        if let LogEvent::Task(news) = &entry.happening {
            let told = Input::Notified(Arc::clone(news));
            stage.engine.deliver(&news.to, told, stage.now);
        }
        true
    }
}

pub(crate) fn sent(stage: &Stage, from: &str, message: &Message) -> Pending {
    let negotiate = Negotiate {
        asynchronous: Some(message.asynchronous),
        parent: message.conditions.parent.clone(),
        ..self::message(
            message.verb,
            &message.to,
            message.task.as_str(),
            &message.content.render(),
        )
    };
    stage.begin(from, negotiate)
}

fn send(to: &str, verb: Verb, task: &str, content: Content, parent: Option<&str>) -> Output {
    let message = Message {
        to: to.to_owned(),
        verb,
        task: TaskId::new(task),
        content,
        alternatives: Vec::new(),
        alternative: None,
        asynchronous: true,
        round: 1,
        conditions: Conditions {
            parent: parent.map(TaskId::new),
            ..Conditions::default()
        },
    };
    Output::Send {
        token: task.len() as u64,
        message,
    }
}

fn raise(cell: &str) -> Output {
    Output::Act {
        token: 77,
        action: Action::SetPower {
            cell: ElementId::new(cell),
            offset_db: 3.0,
        },
    }
}

/// Does at once what it is given; what is judged, is judged.
pub(crate) fn prompt() -> Script {
    Arc::new(|input| match asked(input) {
        Some(ask) if ask.verb == Verb::TaskAssign => {
            let done = vec![Content::new("link", "done").with_result("done")];
            vec![Output::Answer(Reply::new(Verdict::Result, done))]
        }
        Some(_) => vec![answer(Verdict::Accepted)],
        None => Vec::new(),
    })
}

/// Refuses everything.
pub(crate) fn busy() -> Script {
    Arc::new(|input| match asked(input) {
        Some(_) => vec![answer(Verdict::Refused)],
        None => Vec::new(),
    })
}

/// Gives away what it is given as a part, raises a cell for it, judges what came of it, and reports.
pub(crate) fn delegating(expects: bool) -> Script {
    let begin = move |whole: &str| {
        let mut content = Content::new("link", "diagnose it");
        content.expected_response = expects.then(|| "what is broken".to_owned());
        let part = format!("{whole}/part");
        let give = send("prompt", Verb::TaskAssign, &part, content, Some(whole));
        vec![raise("cell-1"), give]
    };
    Arc::new(move |input| match input {
        Input::Started(briefing) => {
            let open = briefing.open.iter();
            open.flat_map(|task| begin(task.id.as_str())).collect()
        }
        Input::Asked(ask) if ask.verb == Verb::TaskAssign => {
            let mut outputs = begin(ask.task.id.as_str());
            outputs.push(answer(Verdict::Accepted));
            outputs
        }
        Input::Notified(news) if news.awaits == Some(Awaits::Judgement) => {
            let good = Content::new("link", "good").with_result("accept");
            let part = news.task.as_str();
            vec![send("prompt", Verb::FulfillmentNegotiate, part, good, None)]
        }
        Input::Notified(news) if news.status.is_terminal() => {
            let whole = news.task.as_str().strip_suffix("/part").unwrap();
            let done = Content::new("link", news.status.as_str()).with_result("done");
            vec![Output::Report {
                task: TaskId::new(whole),
                progress: Progress::Result(done),
            }]
        }
        _ => Vec::new(),
    })
}

/// Gives to somebody else what was refused, and makes good for what is cancelled; no task of its own
/// would remind it of that.
pub(crate) fn stubborn() -> Script {
    Arc::new(|input| match input {
        Input::Asked(ask) if ask.verb == Verb::TaskCancel => {
            let undo = Content::new("link", "undo it");
            let undo = send("prompt", Verb::TaskAssign, "undo", undo, None);
            vec![answer(Verdict::Accepted), undo]
        }
        Input::Asked(_) => vec![answer(Verdict::Accepted)],
        Input::Notified(news) if news.status == Status::Rejected => {
            let job = Content::new("link", "diagnose it");
            let again = send("prompt", Verb::TaskAssign, "again", job, None);
            vec![again, raise("cell-1")]
        }
        _ => Vec::new(),
    })
}

/// Gives away what a customer says, under the words for a name.
pub(crate) fn passing_on() -> Script {
    Arc::new(|input| match input {
        Input::Telemetry(Telemetry::CustomerAnswered { text, .. }) => {
            let job = Content::new("link", "look into it");
            vec![send("prompt", Verb::TaskAssign, text, job, None)]
        }
        _ => Vec::new(),
    })
}

/// Does at once what it is given, by raising a cell: no open task would remind it of that.
pub(crate) fn raising() -> Script {
    Arc::new(|input| match asked(input) {
        Some(ask) if ask.verb == Verb::TaskAssign => {
            let done = vec![Content::new("link", "done").with_result("done")];
            let done = Output::Answer(Reply::new(Verdict::Result, done));
            vec![done, raise("cell-1")]
        }
        _ => Vec::new(),
    })
}
