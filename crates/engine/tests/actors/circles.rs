//! Agents that ask each other in circles, with mailboxes of one.

use super::*;
use engine::refusal::OverLimit;

/// Each asks the next in the circle whenever it is asked for something, and reports once it hears.
fn in_a_circle(next: &'static str) -> Script {
    Arc::new(move |input| match input {
        Input::Asked(ask) if ask.verb == Verb::TaskAssign => {
            let id = ask.task.id.as_str();
            let hops = id.split('-').count();
            let told = Output::Report {
                task: ask.task.id.clone(),
                progress: Progress::Result(Content::new("link", "done").with_result("done")),
            };
            let mut outputs = vec![answer(Verdict::Accepted)];
            if hops < 12 {
                outputs.push(Output::Send {
                    token: hops as u64 * 1_000 + id.len() as u64,
                    message: Message {
                        to: next.to_owned(),
                        verb: Verb::TaskAssign,
                        task: TaskId::new(format!("{id}-{next}")),
                        content: Content::new("link", "diagnose it"),
                        alternatives: Vec::new(),
                        alternative: None,
                        asynchronous: true,
                        round: 1,
                        conditions: Conditions::default(),
                    },
                });
            }
            outputs.push(told);
            outputs
        }
        _ => Vec::new(),
    })
}

/// Carries what agents send to whom it is for; what was refused for want of room is sent again.
struct Carrier {
    under_way: Vec<(String, u64, Message, Pending)>,
    refused: usize,
}

impl Carrier {
    fn carry(&mut self, stage: &Stage) {
        for outgoing in stage.engine.outgoing() {
            let Output::Send { token, message } = outgoing.output else {
                panic!("{outgoing:?}")
            };
            let pending = send(stage, &outgoing.agent, &message);
            self.under_way
                .push((outgoing.agent, token, message, pending));
        }
        for (agent, token, message, mut pending) in std::mem::take(&mut self.under_way) {
            match answered(&mut pending) {
                None => self.under_way.push((agent, token, message, pending)),
                Some(Err(Refusal::OverLimit(OverLimit::MailboxFull { .. }))) => {
                    self.refused += 1;
                    let again = send(stage, &agent, &message);
                    self.under_way.push((agent, token, message, again));
                }
                Some(Ok(reply)) => {
                    let reply = Ok(reply);
                    let replied = Input::Replied { token, reply };
                    stage.engine.deliver(&agent, replied, stage.now);
                }
                Some(other) => panic!("{other:?}"),
            }
        }
    }
}

fn send(stage: &Stage, from: &str, message: &Message) -> Pending {
    let negotiate = Negotiate {
        asynchronous: Some(message.asynchronous),
        ..self::message(
            message.verb,
            &message.to,
            message.task.as_str(),
            &message.content.render(),
        )
    };
    stage.begin(from, negotiate)
}

/// Whom each of them asks next, who is asked first and how many steps are taken between two looks, by lot.
#[test]
fn agents_that_ask_each_other_in_circles_neither_deadlock_nor_lose() {
    for seed in 0..32 {
        let refused = asks_in_circles(seed);
        assert!(
            refused > 0,
            "seed {seed}: with mailboxes of one some are full"
        );
    }
}

fn asks_in_circles(seed: u64) -> usize {
    const NAMES: [&str; 3] = ["worker", "b", "c"];
    let mut rng = seed;
    let mut below = move |sides: usize| {
        rng = rng
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (rng >> 33) as usize % sides
    };
    let limits = Limits {
        mailbox: 1,
        ..Limits::default()
    };
    // The first seed is the plain circle; others have an agent that nobody asks, or two who ask one.
    let mut nexts = [1, 2, 0];
    if seed > 0 {
        nexts = [0, 1, 2].map(|own| (own + 1 + below(2)) % 3);
    }
    let mut own = NAMES.into_iter().zip(nexts);
    let agents: [(&str, Script); 3] = std::array::from_fn(|_| {
        let (name, next) = own.next().unwrap();
        (name, in_a_circle(NAMES[next]))
    });
    let stage = stage(
        Plan {
            limits,
            ..Plan::default()
        },
        agents,
    );
    stage.settle();
    let mut carrier = Carrier {
        under_way: Vec::new(),
        refused: 0,
    };
    let mut first: Vec<(Negotiate, Option<Pending>)> = Vec::new();
    let starts: Vec<&str> = (0..6 + below(6))
        .map(|n| NAMES[if seed == 0 { n % 3 } else { below(3) }])
        .collect();
    for start in &starts {
        let id = format!("{}{start}", first.len());
        let begun = assignment(start, &id);
        first.push((begun.clone(), Some(stage.ask(begun))));
    }
    // Each round takes a step or two, so that mailboxes are full most of the time.
    let mut rounds = 0;
    loop {
        stage.flush();
        carrier.carry(&stage);
        for (begun, pending) in &mut first {
            match pending.as_mut().and_then(answered) {
                None => {}
                Some(Err(Refusal::OverLimit(OverLimit::MailboxFull { .. }))) => {
                    carrier.refused += 1;
                    *pending = Some(stage.ask(begun.clone()));
                }
                Some(outcome) => *pending = outcome.map(|_| None).unwrap(),
            }
        }
        stage.flush();
        let mut stepped = stage.step().is_some();
        if below(2) == 1 {
            stepped |= stage.step().is_some();
        }
        let open = stage.engine.counts().open;
        stage.flush();
        if !stepped && carrier.under_way.is_empty() && !stage.engine.has_outgoing() && open == 0 {
            break;
        }
        rounds += 1;
        assert!(rounds < 5_000, "somebody waits for ever");
    }
    // Each task but the last of its chain led to another.
    let (began, counts) = (starts.len(), stage.engine.counts());
    assert_eq!(
        (counts.tasks, counts.open),
        (began as u64 * 12, 0),
        "seed {seed}"
    );
    let replies: usize = NAMES
        .map(|agent| {
            let heard = stage.heard(agent);
            heard.iter().filter(|w| w.starts_with("reply")).count()
        })
        .iter()
        .sum();
    assert_eq!(
        replies,
        began * 11,
        "seed {seed}: every message has its reply"
    );
    carrier.refused
}
