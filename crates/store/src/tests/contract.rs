//! The contract of every location.

use super::*;
use crate::Most;
use std::sync::Mutex;
use std::sync::mpsc;

#[test]
fn what_is_committed_is_read_back_exactly() {
    everywhere(|options| {
        let (store, recovered) = open(options);
        assert_eq!(
            recovered,
            Recovered {
                tasks: vec![],
                negotiations: vec![],
                registrations: vec![],
                counts: Counts::default(),
                last: 0,
                last_time: at(0),
                log_began: None,
                accepted: vec![]
            }
        );
        let batch = everything("t1");
        store.commit(batch.clone()).wait().unwrap();
        assert_eq!(
            store.exchange("x-t1").unwrap().as_ref(),
            batch.exchanges.first()
        );
        assert_eq!(
            store.data_param("d-t1").unwrap().as_ref(),
            batch.data.first()
        );
        assert_eq!(
            (store.exchange("?").unwrap(), store.data_param("?").unwrap()),
            (None, None)
        );
        let entries = store.entries(0, 10).unwrap();
        let stored: Vec<_> = entries
            .iter()
            .map(|e| (e.time, e.happening.clone()))
            .collect();
        assert_eq!(stored, batch.happenings);
        let numbers: Vec<_> = entries.iter().map(|e| e.sequence).collect();
        assert_eq!(numbers, [1, 2, 3]);
        let report = store.verify().unwrap();
        assert!(report.is_sound(), "{report:?}");
        assert_eq!(
            (report.entries, report.tasks, report.exchanges, report.data),
            (3, 1, 1, 1)
        );
        assert_eq!(
            (report.began, report.ended),
            (Some(at(1_000)), Some(at(1_002)))
        );
    });
}

#[test]
fn a_conflict_fails_alone_and_leaves_nothing() {
    everywhere(|options| {
        let (store, _) = open(options);
        let mut clash = everything("t1");
        clash.exchanges[0].id = "x-clash".into();
        let tickets = [
            store.commit(everything("t1")),
            store.commit(clash),
            store.commit(everything("t2")),
        ];
        let [first, second, third] = tickets.map(Ticket::wait);
        first.unwrap();
        third.unwrap();
        let Err(CommitError::Conflict {
            task,
            version,
            found,
        }) = second
        else {
            panic!("{second:?}")
        };
        assert_eq!((task.as_str(), version, found), ("t1", 1, Some(1)));
        assert_eq!(store.exchange("x-clash").unwrap(), None);
        assert_eq!(store.entries(0, 100).unwrap().len(), 6);
        let statistics = store.statistics();
        assert_eq!(
            (statistics.batches, statistics.failed, statistics.last),
            (2, 1, 6)
        );
        assert_eq!(statistics.condition, Condition::Working);
    });
}

#[test]
fn versions_follow_each_other_and_the_end_is_final() {
    everywhere(|options| {
        let (store, _) = open(options);
        let first = task("t1");
        let second = after(&first, Command::Ask(content("?")));
        let third = after(&second, Command::Cancel);
        let conflict = |result| {
            assert!(
                matches!(result, Err(CommitError::Conflict { .. })),
                "{result:?}"
            )
        };
        conflict(store.commit(tasks(&[&second])).wait());
        conflict(
            store
                .commit(tasks(&[&Task {
                    version: 0,
                    ..first.clone()
                }]))
                .wait(),
        );
        conflict(store.commit(tasks(&[&first, &first])).wait());
        store.commit(tasks(&[&first, &second])).wait().unwrap();
        conflict(store.commit(tasks(&[&second])).wait());
        store.commit(tasks(&[&third])).wait().unwrap();
        let revived = Task {
            version: 4,
            status: Status::Processing,
            ..third
        };
        let result = store.commit(tasks(&[&revived])).wait();
        assert!(
            matches!(
                &result,
                Err(CommitError::Ended {
                    status: Status::Cancelled,
                    ..
                })
            ),
            "{result:?}"
        );
        assert!(store.verify().unwrap().is_sound());
    });
}

#[test]
fn a_task_that_changes_twice_in_a_batch_is_kept_as_it_is_last() {
    let (_folder, path) = file();
    let (first, other) = (task("t1"), task("t2"));
    let asked = after(&first, Command::Ask(content("?")));
    let cancelled = after(&asked, Command::Cancel);
    let revived = Task {
        version: 4,
        status: Status::Processing,
        ..cancelled.clone()
    };
    {
        let (store, _) = open(Options::file(&path));
        let ended = store.commit(tasks(&[&first, &asked, &cancelled, &revived]));
        assert!(matches!(ended.wait(), Err(CommitError::Ended { .. })));
        let batch = tasks(&[&first, &other, &asked]);
        store.commit(batch).wait().unwrap();
    }
    {
        let (store, recovered) = open(Options::file(&path));
        let kept: Vec<&Task> = recovered.tasks.iter().map(|t| &**t).collect();
        // In the order of their last change.
        assert_eq!(kept, [&other, &asked]);
        store.commit(tasks(&[&cancelled])).wait().unwrap();
        let report = store.verify().unwrap();
        assert!(report.is_sound(), "{report:?}");
        assert_eq!((report.tasks, report.open), (2, 1));
    }
    let (store, recovered) = open(Options::file(&path));
    assert_eq!(recovered.tasks, [Arc::new(other)]);
    assert_eq!(store.task(&cancelled.id).unwrap(), Some(cancelled));
}

#[test]
fn a_batch_that_breaks_the_schema_fails_alone() {
    everywhere(|options| {
        let (store, _) = open(options);
        let absurd = Task {
            percent: 200,
            ..task("absurd")
        };
        let mut bad = everything("absurd");
        bad.tasks.push(Arc::new(task("beside")));
        bad.tasks[0] = Arc::new(absurd);
        let tickets = [
            store.commit(everything("t1")),
            store.commit(bad),
            store.commit(everything("t2")),
        ];
        let [first, second, third] = tickets.map(Ticket::wait);
        first.unwrap();
        third.unwrap();
        assert!(matches!(second, Err(CommitError::Refused(_))), "{second:?}");
        let report = store.verify().unwrap();
        assert!(report.is_sound(), "{report:?}");
        assert_eq!((report.tasks, report.entries), (2, 6));
    });
}

#[test]
fn on_commit_sees_commits_in_order_before_the_tickets_resolve() {
    everywhere(|options| {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let on_commit = move |committed: &[Committed]| {
            let mut seen = sink.lock().unwrap();
            seen.extend(committed.iter().flat_map(|c| c.entries.clone()));
        };
        let (store, _) = Store::open(options, Box::new(on_commit)).unwrap();
        let tickets: Vec<_> = (0..50)
            .map(|n| store.commit(everything(&format!("t{n}"))))
            .collect();
        for (n, ticket) in tickets.into_iter().enumerate() {
            ticket.wait().unwrap();
            assert!(seen.lock().unwrap().len() >= 3 * (n + 1));
        }
        assert_eq!(*seen.lock().unwrap(), store.entries(0, 1_000).unwrap());
    });
}

#[test]
fn what_queues_during_a_commit_becomes_one_transaction() {
    everywhere(|options| {
        let (go, gate) = mpsc::channel::<()>();
        let (entered, inside) = mpsc::channel();
        let on_commit = move |_: &[Committed]| {
            let _ = entered.send(());
            let _ = gate.recv();
        };
        let (store, _) = Store::open(options, Box::new(on_commit)).unwrap();
        let first = store.commit(everything("t0"));
        inside.recv().unwrap();
        let rest: Vec<_> = (1..=300)
            .map(|n| store.commit(everything(&format!("t{n}"))))
            .collect();
        assert_eq!(store.statistics().queued, 301);
        drop(go);
        first.wait().unwrap();
        for ticket in rest {
            ticket.wait().unwrap();
        }
        // One, then 256, then the 44 that are left.
        assert_eq!(store.statistics().transactions, 3);
    });
}

#[test]
fn times_never_decrease_along_the_log() {
    everywhere(|options| {
        let (store, _) = open(options);
        let batch = happenings(vec![
            (500, session(1)),
            (100, session(2)),
            (700, session(3)),
        ]);
        store.commit(batch).wait().unwrap();
        store
            .commit(happenings(vec![(600, session(4))]))
            .wait()
            .unwrap();
        let entries = store.entries(0, 10).unwrap();
        let times: Vec<_> = entries.iter().map(|e| e.time.as_ms()).collect();
        assert_eq!(times, [500, 500, 700, 700]);
    });
}

#[test]
fn pages_of_entries_join_without_gap_or_overlap() {
    everywhere(|options| {
        let (store, _) = open(options);
        let happened = (0..57)
            .map(|n| (1_000 + n / 3 * 10, session(n as u32)))
            .collect();
        store.commit(happenings(happened)).wait().unwrap();
        let all = store.entries(0, usize::MAX).unwrap();
        assert_eq!(all.len(), 57);
        for size in [1, 2, 7, 56, 57, 58] {
            let mut joined = Vec::new();
            loop {
                let after = joined
                    .last()
                    .map_or(0, |e: &Arc<domain::event::Entry>| e.sequence);
                let page = store.entries(after, size).unwrap();
                assert!(page.len() <= size);
                if page.is_empty() {
                    break;
                }
                joined.extend(page);
            }
            assert_eq!(joined, all);
        }
        // The same by their bytes: always one, and none only at the end.
        for bytes in [0, 1, 1_000, 1_000_000] {
            let mut joined = Vec::new();
            let mut longest = 0;
            loop {
                let after = joined
                    .last()
                    .map_or(0, |e: &Arc<domain::event::Entry>| e.sequence);
                let page = store.entries_within(after, Most { rows: 50, bytes });
                let page = page.unwrap();
                if page.is_empty() {
                    break;
                }
                longest = page.len().max(longest);
                joined.extend(page);
            }
            assert_eq!(joined, all);
            let as_expected = match bytes {
                0 | 1 => longest == 1,
                1_000 => (2..50).contains(&longest),
                _ => longest == 50,
            };
            assert!(as_expected, "{bytes} bytes: {longest} entries");
        }
        assert!(store.entries(57, 10).unwrap().is_empty());
        assert!(store.entries(u64::MAX, 10).unwrap().is_empty());
        for ms in 990..1_200 {
            let counted = all.iter().filter(|e| e.time < at(ms)).count() as u64;
            assert_eq!(store.sequence_at(at(ms)).unwrap(), counted);
        }
    });
}

#[test]
fn filters_find_what_a_scan_finds_and_pages_join() {
    everywhere(|options| {
        let (store, _) = open(options);
        let names = ["oss", "ran", "core"];
        let mut all = Vec::new();
        for n in 0..60_usize {
            let (from, to) = (names[n % 3], names[n / 3 % 3]);
            let task = ["t1", "t2"].get(n % 4).copied();
            // Times neither rise nor fall with the identifiers, and some are equal.
            let exchange = exchange(&format!("x{n}"), task, from, to, (n * 7 % 13) as i64);
            let data = data(&format!("d{n}"), task, from, to);
            let batch = Batch {
                exchanges: vec![exchange.clone()],
                data: vec![data.clone()],
                ..Batch::default()
            };
            store.commit(batch).wait().unwrap();
            all.push((exchange, data));
        }
        for task in [None, Some("t1"), Some("t2"), Some("t3")] {
            for party in [None, Some("oss"), Some("ran"), Some("nobody")] {
                let filter = Filter {
                    task: task.map(TaskId::new),
                    party: party.map(str::to_owned),
                    ..Filter::default()
                };
                let fits = |e: &Exchange| {
                    task.is_none_or(|t| e.task == Some(TaskId::new(t)))
                        && party.is_none_or(|p| e.from == p || e.to == p)
                };
                let fitting = all.iter().filter(|(e, _)| fits(e));
                let (exchanges, data): (Vec<_>, Vec<_>) = fitting.cloned().unzip();
                assert_eq!(
                    joined(&filter, |f| Ok(store.exchanges(f)?.rows), |e| e.id.clone()),
                    exchanges
                );
                assert_eq!(
                    joined(
                        &filter,
                        |f| Ok(store.data_params(f)?.rows),
                        |d| d.id.clone()
                    ),
                    data
                );
                let by_oss = Filter {
                    from: Some("oss".into()),
                    ..filter.clone()
                };
                let found = joined(&by_oss, |f| Ok(store.exchanges(f)?.rows), |e| e.id.clone());
                let own = exchanges.iter().filter(|e| e.from == "oss");
                assert_eq!(found, own.cloned().collect::<Vec<_>>());
                let newest = Filter {
                    newest_first: true,
                    ..filter
                };
                let mut exchanges = exchanges;
                exchanges.reverse();
                let found = joined(&newest, |f| Ok(store.exchanges(f)?.rows), |e| e.id.clone());
                assert_eq!(found, exchanges);
                let mut data = data;
                data.reverse();
                let found = joined(
                    &newest,
                    |f| Ok(store.data_params(f)?.rows),
                    |d| d.id.clone(),
                );
                assert_eq!(found, data);
            }
        }
        let unknown = Filter {
            after: Some("?".into()),
            ..Filter::default()
        };
        assert!(matches!(
            store.exchanges(&unknown),
            Err(ReadError::Unknown { .. })
        ));
        assert!(matches!(
            store.data_params(&unknown),
            Err(ReadError::Unknown { .. })
        ));
    });
}

/// All pages of seven, one behind the other.
fn joined<T>(
    filter: &Filter,
    read: impl Fn(&Filter) -> Result<Vec<T>, ReadError>,
    id: impl Fn(&T) -> String,
) -> Vec<T> {
    let mut filter = Filter {
        limit: 7,
        ..filter.clone()
    };
    let mut joined = Vec::new();
    loop {
        let page = read(&filter).unwrap();
        assert!(page.len() <= 7);
        let Some(last) = page.last() else {
            return joined;
        };
        filter.after = Some(id(last));
        joined.extend(page);
    }
}

#[test]
fn a_response_joins_its_request_in_place() {
    everywhere(|options| {
        let (store, _) = open(options);
        let exchanges = vec![
            exchange("x1", None, "a", "b", 5),
            exchange("x2", None, "a", "b", 5),
        ];
        let batch = Batch {
            exchanges: exchanges.clone(),
            ..Batch::default()
        };
        store.commit(batch).wait().unwrap();
        let answered = Exchange {
            response: Some("d1".into()),
            response_time: Some(at(9)),
            ..exchanges[0].clone()
        };
        let batch = Batch {
            exchanges: vec![answered.clone()],
            ..Batch::default()
        };
        store.commit(batch).wait().unwrap();
        let found = store.exchanges(&Filter::default()).unwrap().rows;
        assert_eq!(found, [answered, exchanges[1].clone()]);
    });
}

#[test]
fn a_panic_in_on_commit_stops_the_store_and_says_so() {
    everywhere(|options| {
        let on_commit = |_: &[Committed]| panic!("on purpose");
        let (store, _) = Store::open(options, Box::new(on_commit)).unwrap();
        let first = store.commit(everything("t1")).wait();
        assert!(matches!(first, Err(CommitError::Stopped)), "{first:?}");
        let second = store.commit(everything("t2")).wait();
        assert!(matches!(second, Err(CommitError::Stopped)), "{second:?}");
        assert_eq!(store.statistics().condition, Condition::Stopped);
        assert_eq!(store.entries(0, 10).unwrap().len(), 3);
    });
}
