//! Reading stored rows: tasks by key and by page, negotiations, registrations, teams.

use super::removal::{life, put};
use super::*;
use crate::row::json::{from_json, to_json};
use domain::discovery::Criteria;
use domain::negotiation::{Kind, Move, Negotiation, Side, Speech};
use domain::profile::{AuthenticationMethod, Capability, Layer, Profile, Skill};
use domain::registry::{Health, Reach, Registration};
use domain::reply::Reason;
use domain::task::{Awaits, Conditions, Subscription};
use domain::team::{Candidate, MemberStanding, Need, Team};

pub(super) fn negotiation(task: &str, kind: Kind) -> Negotiation {
    let mut negotiation = Negotiation::between(TaskId::new(task), kind, "oss", "ran");
    negotiation.round_limit = 3;
    negotiation.answer_within_ms = Some(60_000);
    speak(
        &mut negotiation,
        Side::Publisher,
        Speech::offer(vec![content("do")]),
        10,
    );
    negotiation
}

fn speak(negotiation: &mut Negotiation, side: Side, speech: Speech, ms: i64) {
    let change = negotiation
        .decide(Move::Speak(side, speech), at(ms))
        .unwrap();
    negotiation.apply(&change);
}

fn reason() -> Reason {
    Reason {
        reason: "no-capacity".into(),
        path: "window".into(),
        message: "busy \"until\" noon".into(),
    }
}

pub(super) fn registration(name: &str, reach: Reach) -> Registration {
    Registration {
        profile: Arc::new(Profile {
            name: name.into(),
            alias: Some("ran".into()),
            description: "ü".into(),
            agent_type: None,
            version: "1.0.0".into(),
            provider: "p".into(),
            domain: Some("Wireless, IP".into()),
            management_object: None,
            layer: Layer::Resource,
            province: None,
            capability: Capability {
                streaming: true,
                push_notifications: false,
                negotiate: Some("n".into()),
            },
            skills: vec![Skill {
                name: "diagnose".into(),
                tags: vec!["a".into(), "b".into()],
                schemas: vec!["fault_diagnosis_v1".into()],
                ..Skill::default()
            }],
            authentication: vec![AuthenticationMethod {
                id: "ssh".into(),
                scheme: "SSH public key".into(),
                jwt_info: None,
                oauth: Some("o".into()),
            }],
        }),
        reach,
        registered_at: at(1),
        renewed_at: at(2),
        lease_ms: Some(10_000),
        health: Health::Degraded,
        health_note: "one card".into(),
        expired: false,
    }
}

pub(super) fn team(task: &str) -> Team {
    Team {
        task: TaskId::new(task),
        publisher: "oss".into(),
        needs: vec![Need {
            name: "radio".into(),
            criteria: Criteria {
                skill: Some("diagnose".into()),
                tags: vec!["a".into()],
                ..Criteria::default()
            },
            content: content("radio part"),
            optional: true,
        }],
        candidates: vec![Candidate {
            need: "radio".into(),
            agent: "ran".into(),
            score: 750,
            standing: MemberStanding::Declined,
            reasons: vec![reason()],
        }],
        formed_at: at(1),
        changed_at: at(2),
        version: 2,
    }
}

#[test]
fn every_field_of_a_task_comes_back() {
    durably(a_task_comes_back);
}

fn a_task_comes_back(options: &Options) {
    let conditions = Conditions {
        parent: Some(TaskId::new("root")),
        deadline: Some(at(9_000)),
        answer_within_ms: Some(500),
        fulfillment_demanded: true,
        round_limit: 4,
        subscription: Some(Subscription {
            protocol: "https".into(),
            method: "POST".into(),
            url: "https://oss.example/hook".into(),
        }),
        data: Some("d9".into()),
        context: Some("x9".into()),
        conversation: Some("talk".into()),
    };
    let full = Task {
        awaits: Some(Awaits::Decision),
        answer_by: Some(at(8_000)),
        status: Status::InputRequired,
        percent: 40,
        plan: Some(content("plan")),
        result: Some(content("result")),
        said: Some(content("said")),
        ..task("full").under(conditions)
    };
    let only_a_parent = task("part").under(Conditions {
        parent: Some(TaskId::new("root")),
        ..Conditions::default()
    });
    {
        let (store, _) = open(options.clone());
        store
            .commit(tasks(&[&full, &only_a_parent]))
            .wait()
            .unwrap();
    }
    let (store, recovered) = open(options.clone());
    assert_eq!(recovered.tasks.len(), 2);
    assert_eq!(store.task(&full.id).unwrap(), Some(full));
    assert_eq!(store.task(&only_a_parent.id).unwrap(), Some(only_a_parent));
    assert_eq!(store.task(&TaskId::new("?")).unwrap(), None);
}

#[test]
fn pages_of_tasks_are_what_a_scan_finds() {
    everywhere(|options| {
        let (store, _) = open(options);
        let names = ["oss", "ran", "core"];
        let mut all: Vec<Task> = Vec::new();
        for n in 0..60_usize {
            let mut task = task(&format!("t{n}"));
            task.from = names[n % 3].into();
            task.to = names[n / 3 % 3].into();
            task.changed_at = at((n * 7 % 13) as i64);
            task.conditions.parent = (n % 5 == 0).then(|| TaskId::new("root"));
            task.conditions.conversation = (n % 3 != 1).then(|| format!("t{}", n % 2));
            if n % 4 != 0 {
                task.status = TaskFilter::ENDED[n % 5];
            }
            store.commit(tasks(&[&task])).wait().unwrap();
            all.push(task);
        }
        let states = [
            Status::ALL.to_vec(),
            TaskFilter::OPEN.to_vec(),
            TaskFilter::ENDED.to_vec(),
            vec![Status::Failed, Status::Created],
            vec![],
        ];
        let mut seen = 0;
        for status in states {
            for party in [None, Some("oss"), Some("nobody")] {
                for executor in [None, Some("ran")] {
                    for parent in [None, Some("root")] {
                        for times in [None, Some((3, 8))] {
                            let filter = TaskFilter {
                                party: party.map(str::to_owned),
                                executor: executor.map(str::to_owned),
                                status: status.clone(),
                                parent: parent.map(TaskId::new),
                                since: times.map(|(since, _)| at(since)),
                                until: times.map(|(_, until)| at(until)),
                                ..TaskFilter::default()
                            };
                            let mut fitting: Vec<&Task> =
                                all.iter().filter(|t| fits(&filter, t)).collect();
                            fitting.sort_by_key(|t| t.changed_at);
                            let found = joined(&store, &filter);
                            assert_eq!(found.iter().collect::<Vec<_>>(), fitting, "{filter:?}");
                            seen += found.len();
                        }
                    }
                }
            }
        }
        assert!(seen > 500, "{seen}");
        for executor in names {
            let ended = all
                .iter()
                .filter(|t| t.status.is_terminal() && t.to == executor);
            let last = ended.max_by_key(|t| t.changed_at);
            assert_eq!(store.last_ended(executor).unwrap().as_ref(), last);
        }
        newest_come_first(&store, &all);
        let unknown = TaskFilter {
            after: Some(TaskId::new("?")),
            ..TaskFilter::default()
        };
        assert!(matches!(
            store.tasks(&unknown),
            Err(ReadError::Unknown { .. })
        ));
        let open = all.iter().filter(|t| !t.status.is_terminal()).count() as u64;
        let counts = store.counts();
        assert_eq!((counts.tasks, counts.open), (60, open));
    });
}

/// In reverse order of changes, by conversation, page by page and counted.
fn newest_come_first(store: &Store, all: &[Task]) {
    for conversation in [None, Some("t1"), Some("t4"), Some("?")] {
        for executor in [None, Some("ran")] {
            for times in [None, Some((3, 8))] {
                let filter = TaskFilter {
                    executor: executor.map(str::to_owned),
                    conversation: conversation.map(str::to_owned),
                    since: times.map(|(since, _)| at(since)),
                    until: times.map(|(_, until)| at(until)),
                    newest_first: true,
                    ..TaskFilter::default()
                };
                let mut fitting: Vec<&Task> = all.iter().filter(|t| fits(&filter, t)).collect();
                fitting.sort_by_key(|t| t.changed_at);
                fitting.reverse();
                let found = joined(store, &filter);
                let ids = |tasks: &[&Task]| tasks.iter().map(|t| t.id.clone()).collect::<Vec<_>>();
                let (mut one, mut other) = (ids(&found.iter().collect::<Vec<_>>()), ids(&fitting));
                let times =
                    |tasks: &[&Task]| tasks.iter().map(|t| t.changed_at).collect::<Vec<_>>();
                assert_eq!(times(&found.iter().collect::<Vec<_>>()), times(&fitting));
                one.sort();
                other.sort();
                assert_eq!(one, other, "{filter:?}");
                assert_eq!(store.count_tasks(&filter).unwrap(), found.len() as u64);
            }
        }
    }
    let gone = TaskFilter {
        newest_first: true,
        until: Some(at(5)),
        after: Some(TaskId::new("?")),
        ..TaskFilter::default()
    };
    let rest = store.tasks(&gone).unwrap().rows;
    assert_eq!(
        rest.len(),
        all.iter().filter(|t| t.changed_at <= at(5)).count()
    );
}

fn fits(filter: &TaskFilter, task: &Task) -> bool {
    filter.status.contains(&task.status)
        && filter
            .party
            .as_ref()
            .is_none_or(|p| *p == task.from || *p == task.to)
        && filter.executor.as_ref().is_none_or(|e| *e == task.to)
        && filter.since.is_none_or(|s| task.changed_at >= s)
        && filter.until.is_none_or(|u| task.changed_at <= u)
        && (filter.parent.is_none() || task.conditions.parent == filter.parent)
        && filter
            .conversation
            .as_deref()
            .is_none_or(|c| c == task.conversation())
}

/// All pages of seven, one behind the other.
fn joined(store: &Store, filter: &TaskFilter) -> Vec<Task> {
    let mut filter = TaskFilter {
        limit: 7,
        ..filter.clone()
    };
    let mut joined: Vec<Task> = Vec::new();
    loop {
        let page = store.tasks(&filter).unwrap().rows;
        assert!(page.len() <= 7);
        let Some(last) = page.last() else {
            return joined;
        };
        filter.after = Some(last.id.clone());
        if filter.newest_first {
            filter.until = Some(last.changed_at);
        }
        joined.extend(page);
    }
}

#[test]
fn a_registration_of_before_says_of_no_card_that_it_was_signed() {
    let peer = |signed| {
        let card_url = "https://agent.example".into();
        registration("d", Reach::A2a { card_url, signed })
    };
    let before = to_json(&peer(true)).replace(r#","signed":true"#, "");
    assert!(before.contains(r#""reach":{"a2a":{"card_url":"https://agent.example"}}"#));
    assert_eq!(from_json(&before), Some(peer(false)));
}

#[test]
fn negotiations_registrations_and_teams_come_back() {
    durably(what_surrounds_tasks_comes_back);
}

fn what_surrounds_tasks_comes_back(options: &Options) {
    let open_one = negotiation("t1", Kind::Fulfillment);
    let mut agreed = negotiation("t1", Kind::Feasibility);
    speak(&mut agreed, Side::Executor, Speech::accept(), 20);
    let mut refused = negotiation("t2", Kind::Feasibility);
    let no = Speech::refuse(vec![reason()]);
    speak(&mut refused, Side::Executor, no, 30);
    let server = Reach::Server {
        address: "[::1]:830".into(),
        host_key: "ssh-ed25519 AAAA".into(),
    };
    let peer = |signed| Reach::A2a {
        card_url: "https://agent.example".into(),
        signed,
    };
    let places = [
        registration("a", Reach::Hosted),
        registration("b", server),
        registration("c", Reach::Client),
        registration("d", peer(false)),
        registration("e", peer(true)),
    ];
    let batch = Batch {
        negotiations: [&open_one, &agreed, &refused]
            .map(|n| Arc::new(n.clone()))
            .to_vec(),
        registrations: places.iter().cloned().map(Arc::new).collect(),
        teams: vec![Arc::new(team("t1"))],
        ..Batch::default()
    };
    {
        let (store, _) = open(options.clone());
        store.commit(batch).wait().unwrap();
    }
    let (store, recovered) = open(options.clone());
    assert_eq!(recovered.negotiations, [Arc::new(open_one.clone())]);
    let found: Vec<&Registration> = recovered.registrations.iter().map(|r| &**r).collect();
    assert_eq!(found, places.iter().collect::<Vec<_>>());
    let id = TaskId::new("t1");
    let all = store.negotiations(&id).unwrap();
    assert_eq!(all.len(), 2);
    assert!(all.contains(&open_one) && all.contains(&agreed));
    assert_eq!(
        store.negotiation(&id, Kind::Feasibility).unwrap(),
        Some(agreed)
    );
    assert_eq!(store.negotiation(&id, Kind::Result).unwrap(), None);
    let negotiated = |id| store.below(&TaskId::new(id)).unwrap().negotiations;
    assert_eq!(["t1", "t2", "t3"].map(negotiated), [true, true, false]);
    assert_eq!(store.team(&id).unwrap(), Some(team("t1")));
    assert_eq!(store.team(&TaskId::new("t2")).unwrap(), None);

    let mut over = open_one;
    speak(&mut over, Side::Executor, Speech::accept(), 40);
    let mut renewed = places[0].clone();
    renewed.renewed_at = at(99);
    let batch = Batch {
        negotiations: vec![Arc::new(over.clone())],
        registrations: vec![Arc::new(renewed.clone())],
        left: vec!["b".into(), "nobody".into()],
        teams: vec![Arc::new(Team {
            version: 3,
            ..team("t1")
        })],
        ..Batch::default()
    };
    store.commit(batch).wait().unwrap();
    assert_eq!(store.team(&id).unwrap().unwrap().version, 3);
    let report = store.verify().unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(
        (report.negotiations, report.registrations, report.teams),
        (3, 4, 1)
    );
    drop(store);
    let (_store, recovered) = open(options.clone());
    assert!(recovered.negotiations.is_empty());
    assert_eq!(*recovered.registrations[0], renewed);
    assert_eq!(recovered.registrations.len(), 4);
}

#[test]
fn what_happens_to_negotiations_and_agents_and_what_is_audited_is_in_the_log() {
    use domain::audit::{AuditEvent, AuditKind, AuditRecord};
    use domain::cluster::{LeadMoved, LeadReason};
    use domain::notification::{AgentUpdate, NegotiationUpdate};
    use domain::registry::AgentChange;
    let (store, _) = open(Options::memory());
    let turn = negotiation("t1", Kind::Fulfillment).turns[0].clone();
    let negotiated = |turn| {
        LogEvent::Negotiation(Arc::new(NegotiationUpdate {
            time: at(5),
            task: TaskId::new("t1"),
            kind: Kind::Fulfillment,
            publisher: "oss".into(),
            executor: "ran".into(),
            state: domain::negotiation::State::Expired,
            turn,
        }))
    };
    let mut told = vec![(5, negotiated(Some(turn))), (5, negotiated(None))];
    for change in AgentChange::ALL {
        let update = AgentUpdate {
            time: at(6),
            name: "ran".into(),
            change,
            health: Health::Failing,
        };
        told.push((6, LogEvent::Agent(Arc::new(update))));
    }
    for (reason, from) in LeadReason::ALL
        .into_iter()
        .zip([None, Some("n1")].iter().cycle())
    {
        let moved = LeadMoved {
            time: at(6),
            from: from.map(str::to_owned),
            to: "n2".into(),
            epoch: 9,
            reason,
        };
        told.push((6, LogEvent::Lead(Arc::new(moved))));
    }
    for (kind, why) in AuditKind::ALL
        .into_iter()
        .zip(["", "because"].iter().cycle())
    {
        let event = AuditEvent::new(kind, "ann").from("ssh a").to("it");
        let record = AuditRecord {
            event: event.because(why),
            count: 3,
            since: at(4),
        };
        told.push((7, LogEvent::Audit(Arc::new(record))));
    }
    store.commit(happenings(told.clone())).wait().unwrap();
    let entries = store.entries(0, 100).unwrap();
    let found: Vec<_> = entries
        .iter()
        .map(|e| (e.time.as_ms(), e.happening.clone()))
        .collect();
    assert_eq!(found, told);
}

fn first(rows: usize) -> Most {
    Most {
        rows,
        bytes: u64::MAX,
    }
}

/// Rows of others are not read, however many they are.
#[test]
fn negotiations_and_teams_are_found_by_their_parties() {
    let (_folder, path) = file();
    let (store, _) = self::open(Options::file(&path));
    let others = Negotiation {
        publisher: "ran".into(),
        executor: "core".into(),
        ..negotiation("a", Kind::Feasibility)
    };
    let place = negotiation("t/radio", Kind::Feasibility);
    let negotiations = vec![others, place, negotiation("b", Kind::Fulfillment)];
    put(
        &store,
        Batch {
            negotiations: negotiations.into_iter().map(Arc::new).collect(),
            teams: vec![Arc::new(team("t"))],
            ..Batch::default()
        },
    );
    let found = |party: &str, most| -> Vec<String> {
        let found = store.negotiations_of(party, first(most)).unwrap().rows;
        found.iter().map(|n| n.task.to_string()).collect()
    };
    assert_eq!(found("ran", 9), ["a", "t/radio", "b"]);
    assert_eq!(found("ran", 2), ["a", "t/radio"]);
    assert_eq!(found("oss", 9), ["t/radio", "b"]);
    assert_eq!(found("core", 9), ["a"]);
    assert!(found("nobody", 9).is_empty());
    let with = |agent: &str| store.teams_with(agent, first(9)).unwrap().rows;
    assert_eq!((with("ran"), with("oss")), (vec![team("t")], vec![]));
    let teams = |publisher: &str| store.teams_by(publisher, first(9)).unwrap().rows.len();
    assert_eq!((teams("oss"), teams("ran")), (1, 0));
    // As a release before left it.
    behind(&path, |connection| {
        connection
            .execute("UPDATE team SET publisher = NULL", [])
            .unwrap();
        connection
            .execute("DELETE FROM team_candidate", [])
            .unwrap();
    });
    assert_eq!((teams("oss"), teams("ran"), teams("core")), (1, 1, 0));
}

/// An answer beyond the limit is cut to the first rows, at least one, and says that there are more,
/// before all are in memory.
#[test]
fn an_answer_has_so_many_bytes() {
    let (_folder, path) = file();
    let (store, _) = self::open(Options::file(&path));
    let negotiations = ["a", "b", "c"].map(|task| negotiation(task, Kind::Feasibility));
    put(
        &store,
        Batch {
            negotiations: negotiations.into_iter().map(Arc::new).collect(),
            ..Batch::default()
        },
    );
    let read = |rows, bytes| {
        let page = store.negotiations_of("ran", Most { rows, bytes });
        let page = page.unwrap();
        (page.rows.len(), page.more)
    };
    assert_eq!(read(9, 10_000), (3, false));
    assert_eq!(read(3, 10_000), (3, false));
    assert_eq!(read(2, 10_000), (2, true));
    let one = read(9, 500);
    assert!((1..3).contains(&one.0) && one.1, "{one:?}");
    assert_eq!(read(9, 1), (1, true));
    put(&store, life("one", None, 0, Some(1)));
    put(&store, life("other", None, 0, Some(1)));
    let page = |bytes| {
        let filter = TaskFilter {
            bytes,
            ..TaskFilter::default()
        };
        let page = store.tasks(&filter).unwrap();
        (page.rows.len(), page.more)
    };
    assert_eq!((page(10_000), page(10)), ((2, false), (1, true)));
}
