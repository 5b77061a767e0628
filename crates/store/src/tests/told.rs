//! What a store tells of itself: where it is, how large, how long commits took, how far it was verified.
//!
//! Read next: [`crate::statistics`], `crate::verify::progress`.

use super::*;

fn beside(options: Options) -> Options {
    Options {
        verify: Some(Arc::new(|work| Ok(std::thread::spawn(work)))),
        now: at(1_000),
        ..options
    }
}

/// The verification beside a store, once it has ended.
fn ended(store: &Store) -> Verification {
    loop {
        let told = store.verification();
        match told.state {
            VerificationState::Running => {
                assert_eq!((told.began, told.ended), (Some(at(1_000)), None));
                std::thread::yield_now();
            }
            _ => return told,
        }
    }
}

#[test]
fn a_store_in_a_file_tells_its_size_and_a_commit_is_in_its_bucket() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    let before = store.statistics();
    assert_eq!(
        (before.backend, before.condition),
        (StoreBackend::Sqlite, Condition::Working)
    );
    let small = store.size().unwrap();
    assert!(small > 0);
    for n in 0..50 {
        store.commit(everything(&format!("t{n}"))).wait().unwrap();
    }
    let after = store.statistics();
    assert_eq!(after.last, before.last + 150);
    assert_eq!(after.transactions, before.transactions + 50);
    let buckets: Vec<CommitBucket> = after.commit_buckets.iter().collect();
    let counts: Vec<u64> = buckets.iter().map(|it| it.commits).collect();
    assert!(counts.is_sorted(), "{counts:?}");
    let all = buckets.last().unwrap();
    assert_eq!((all.up_to_us, all.commits), (u32::MAX, after.transactions));
    // None of them took longer than all together.
    let longest = after.committing.as_micros();
    let holds_all = buckets.iter().find(|it| u128::from(it.up_to_us) >= longest);
    assert_eq!(holds_all.unwrap().commits, after.transactions);
    assert!(store.size().unwrap() > small, "the write-ahead log counts");
}

/// Stores something, then so many barriers, then something; what was told after each.
fn beside_barriers(options: Options, barriers: u64) -> [StoreStatistics; 3] {
    let (store, _) = open(options);
    store.commit(everything("t")).wait().unwrap();
    let before = store.statistics();
    assert_eq!(before.transactions, 1);
    for _ in 0..barriers {
        store.commit(Batch::default()).wait().unwrap();
    }
    let after = store.statistics();
    assert_eq!(
        after.batches,
        before.batches + barriers,
        "each was answered"
    );
    store.commit(everything("t2")).wait().unwrap();
    [before, after, store.statistics()]
}

#[test]
fn barriers_alone_are_no_commits_and_in_no_bucket() {
    let law = |options: &Options| {
        let [before, after, end] = beside_barriers(options.clone(), 20);
        assert_eq!(after.transactions, before.transactions);
        assert_eq!(after.commit_buckets, before.commit_buckets);
        let times = |it: &StoreStatistics| (it.writing, it.committing);
        assert_eq!(times(&after), times(&before));
        assert_eq!(end.transactions, 2);
    };
    in_files(law);
    law(&Options::memory());
}

/// The row of the owner says that the state is still its own, and that is waited for as all else is.
#[test]
fn barriers_at_a_database_are_commits() {
    in_databases(|options| {
        let [before, after, end] = beside_barriers(options.clone(), 20);
        assert_eq!(after.transactions, before.transactions + 20);
        assert!(after.committing > before.committing);
        assert_eq!(end.transactions, after.transactions + 1);
    });
}

#[test]
fn a_store_in_memory_has_no_size_and_is_not_verified() {
    let (store, _) = open(beside(Options::memory()));
    store.commit(everything("t")).wait().unwrap();
    assert_eq!(store.statistics().backend, StoreBackend::Memory);
    assert_eq!(store.size(), None);
    assert_eq!(store.verification(), Verification::default());
    assert_eq!(store.verification().state, VerificationState::Off);
}

#[test]
fn what_was_verified_beside_a_store_is_told_whether_it_is_sound_or_not() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    assert_eq!(store.verification().state, VerificationState::Off);
    let ended_task = after(&task("t1"), Command::Cancel);
    store.commit(everything("t1")).wait().unwrap();
    store.commit(tasks(&[&ended_task])).wait().unwrap();
    let last = store.statistics().last;
    drop(store);
    let (store, _) = open(beside(Options::file(&path)));
    let sound = ended(&store);
    assert_eq!(sound.state, VerificationState::Sound);
    assert!(sound.ended >= sound.began && sound.began == Some(at(1_000)));
    assert_eq!(sound.entries, last);
    assert!(
        sound.rows > last,
        "tasks and exchanges are rows as well: {sound:?}"
    );
    drop(store);
    behind(&path, |connection| {
        let text = "UPDATE exchange SET send_from = 'mallory'";
        assert!(connection.execute(text, []).unwrap() > 0);
    });
    let (store, _) = open(beside(Options::file(&path)));
    assert_eq!(ended(&store).state, VerificationState::Damaged);
    assert_eq!(
        store.statistics().condition,
        Condition::Working,
        "it is no forgery"
    );
}

#[test]
fn a_verification_whose_thread_is_gone_has_failed() {
    let (_folder, path) = file();
    let (store, _) = open(Options {
        verify: Some(Arc::new(|work| Ok(std::thread::spawn(move || drop(work))))),
        now: at(1_000),
        ..Options::file(&path)
    });
    let failed = ended(&store);
    assert_eq!(
        (failed.state, failed.ended),
        (VerificationState::Failed, None)
    );
}
