//! Power cuts, failing syncs and full disks: acknowledged commits survive, and nothing else is
//! acknowledged.
//!
//! A child process, this very binary started again, commits as fast as it can on a disk simulated
//! by `powerloss/shim.c`: killing the writer leaves only the synced bytes. `FULL` loses nothing
//! that was acknowledged. The same with `NORMAL` must lose something, or the simulation would be
//! wrong. Fifty cuts each, or `CONVOKE_POWER_CUTS` of them; the seed is printed and taken from
//! `CONVOKE_POWER_SEED`. Knows the public interface of the store only.
#![allow(clippy::print_stdout, clippy::unwrap_used)]
#![cfg(target_os = "linux")]

mod life;

use domain::content::Content;
use domain::event::LogEvent;
use domain::task::TaskId;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, LazyLock};
use store::Store;
use store::{
    Batch, CommitError, Condition, Filter, HeldKeys, KeyKeeper, Options, RandomSource, Secret,
    Shard,
};

/// The number of cuts of one state, which is continued after each.
const CUTS_OF_ONE_STATE: u64 = 10;
/// The most acknowledgements before a cut.
const ACKNOWLEDGED_MAX: u64 = 300;
/// The number of batches under way.
const IN_FLIGHT: usize = 64;
/// More tasks than a writer ever stores, so that no two runs on one state use the same identifiers.
const TASKS_OF_A_RUN: usize = 1_000_000_000;
/// The exit code of a writer whose store stopped.
const STOPPED: i32 = 3;

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |value| value.parse().unwrap())
}

/// Marsaglia's xorshift: the same cuts at every run of a seed.
struct SeededRng(u64);

impl SeededRng {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// The shim, compiled once.
static SHIM: LazyLock<(tempfile::TempDir, PathBuf)> = LazyLock::new(|| {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/powerloss/shim.c");
    testkit::shim(&source)
});

/// A simulated disk: the view of the writer, and the remains after a power cut.
struct Disk {
    folder: tempfile::TempDir,
    seen: PathBuf,
    image: PathBuf,
}

impl Disk {
    /// A disk with these files, all of them synced.
    fn with(files: &BTreeMap<String, Vec<u8>>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (seen, image) = (root.join("disk"), root.join("image"));
        std::fs::create_dir(&seen).unwrap();
        std::fs::create_dir(&image).unwrap();
        for (name, bytes) in files {
            std::fs::write(seen.join(name), bytes).unwrap();
            std::fs::write(image.join(name), bytes).unwrap();
            std::fs::write(image.join(format!("{name}.named")), "").unwrap();
        }
        Self {
            folder,
            seen,
            image,
        }
    }

    /// Sets a mode of the disk: `fail` or `full`.
    fn put_up(&self, sign: &str) {
        std::fs::write(self.image.join(sign), "").unwrap();
    }

    fn take_down(&self, sign: &str) {
        std::fs::remove_file(self.image.join(sign)).unwrap();
    }

    /// The files after a power cut: the synced bytes, under synced names.
    fn cut(self) -> BTreeMap<String, Vec<u8>> {
        let mut left = BTreeMap::new();
        for file in std::fs::read_dir(&self.image).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if self.image.join(format!("{name}.named")).exists() {
                left.insert(name, std::fs::read(&path).unwrap());
            }
        }
        drop(self.folder);
        left
    }

    /// Starts a writer on it.
    fn writer(&self, synchronous: &str, run: u64, seed: u64) -> Writer {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "writer", "--ignored", "--nocapture"])
            .env("LD_PRELOAD", &SHIM.1)
            .env("CONVOKE_DISK", &self.seen)
            .env("CONVOKE_DISK_IMAGE", &self.image)
            .env("CONVOKE_DISK_EARLY", "30")
            .env("CONVOKE_DISK_SEED", seed.to_string())
            .env("CONVOKE_WRITER", synchronous)
            .env("CONVOKE_WRITER_RUN", run.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Writer { child, output }
    }
}

struct Writer {
    child: Child,
    output: BufReader<ChildStdout>,
}

/// A message of a writer.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Acknowledged(String),
    Full,
    Stopped,
    Ended,
}

impl Writer {
    fn next(&mut self) -> Said {
        let mut line = String::new();
        while self.output.read_line(&mut line).unwrap() > 0 {
            // A killed writer may leave half a line, which says nothing.
            let said = line.strip_suffix('\n').and_then(|l| l.split_once(' '));
            match said {
                Some(("acknowledged", id)) => return Said::Acknowledged(id.to_owned()),
                Some(("store", "full")) => return Said::Full,
                Some(("store", "stopped")) => return Said::Stopped,
                _ => line.clear(),
            }
        }
        Said::Ended
    }

    /// Waits for `count` acknowledgements.
    fn acknowledge(&mut self, count: u64, acknowledged: &mut BTreeSet<String>) {
        for _ in 0..count {
            match self.next() {
                Said::Acknowledged(id) => {
                    acknowledged.insert(id);
                }
                other => panic!("{other:?} instead of an acknowledgement"),
            }
        }
    }

    /// Kills it, and reads its messages up to then.
    fn kill(mut self, acknowledged: &mut BTreeSet<String>) {
        self.child.kill().unwrap();
        while let Said::Acknowledged(id) = self.next() {
            acknowledged.insert(id);
        }
        self.child.wait().unwrap();
    }
}

/// The role of a writer on the disk of the shim, in a process that the tests start.
#[test]
#[ignore = "a role that the other tests start"]
fn writer() {
    let synchronous = std::env::var("CONVOKE_WRITER").expect("the other tests start it");
    let run = std::env::var("CONVOKE_WRITER_RUN").unwrap();
    let disk = PathBuf::from(std::env::var("CONVOKE_DISK").unwrap());
    let options = Options {
        synchronous_full: synchronous == "FULL",
        keys: keeper(run.parse().unwrap()),
        ..Options::file(disk.join("convoke.db"))
    };
    let (store, _) = Store::open(options, Box::new(|_| {})).unwrap();
    let mut waiting = VecDeque::new();
    let mut last: Option<String> = None;
    let first = run.parse::<usize>().unwrap() * TASKS_OF_A_RUN;
    for n in first.. {
        let id = life::name(n);
        let content = Content::new("link:a--b", "diagnose it");
        let batch = Batch {
            shard: Shard::all().nth(n % Shard::COUNT).unwrap(),
            ..life::life(&id, ["oss", "ran"], content, Timestamp::from_ms(1_000))
        };
        waiting.push_back((id, store.commit(batch)));
        if waiting.len() < IN_FLIGHT {
            continue;
        }
        let (id, ticket) = waiting.pop_front().unwrap();
        match ticket.wait() {
            Ok(()) => {
                println!("acknowledged {id}");
                last = Some(id);
            }
            Err(CommitError::Full) => {
                println!("store full");
                // Reads go on.
                let known = last
                    .as_ref()
                    .map(|id| store.task(&TaskId::new(id)).unwrap());
                assert!(known.is_none_or(|task| task.is_some()));
            }
            Err(CommitError::Write(_)) => {
                assert_eq!(store.statistics().condition, Condition::Stopped);
                let refused = store.commit(Batch::default()).wait();
                assert!(matches!(refused, Err(CommitError::Stopped)));
                println!("store stopped");
                std::process::exit(STOPPED);
            }
            Err(other) => panic!("{other}"),
        }
    }
}

/// The keeper of a run; every second state is encrypted, as a cut must not separate payloads from
/// their keys either.
fn keeper(run: u64) -> Option<Arc<dyn KeyKeeper>> {
    if (run / CUTS_OF_ONE_STATE).is_multiple_of(2) {
        return None;
    }
    let chance: RandomSource = Box::new(|bytes| {
        let mut source = std::fs::File::open("/dev/urandom").unwrap();
        source.read_exact(bytes).unwrap();
        Ok(())
    });
    let keys = HeldKeys::new("m1", Secret::new([7; 32]), chance);
    Some(Arc::new(keys))
}

/// Opens the remains of a run and verifies them: nothing is damaged, nothing is partial. Returns
/// the tasks found.
fn look(run: u64, left: &BTreeMap<String, Vec<u8>>) -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in left {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let options = Options {
        thorough: true,
        keys: keeper(run),
        ..Options::file(folder.path().join("convoke.db"))
    };
    let (store, _) = Store::open(options, Box::new(|_| {})).unwrap();
    let tasks = testkit::sound(&store);
    let all = Filter {
        limit: usize::MAX,
        ..Filter::default()
    };
    let exchanges = store.exchanges(&all).unwrap().rows;
    let data: BTreeSet<String> = store
        .data_params(&all)
        .unwrap()
        .rows
        .into_iter()
        .map(|d| d.id)
        .collect();
    assert_eq!((exchanges.len(), data.len()), (tasks.len(), tasks.len()));
    for exchange in exchanges {
        assert!(tasks.contains_key(&exchange.task.unwrap()));
        assert!(data.contains(&exchange.response.unwrap()));
    }
    for entry in store.entries(0, usize::MAX).unwrap() {
        let of_task = matches!(&entry.happening, LogEvent::Task(_));
        assert!(of_task, "{:?}", entry.happening);
    }
    tasks.into_keys().map(|id| id.to_string()).collect()
}

/// Cuts the power `cuts` times; returns the numbers of acknowledged tasks and of lost ones.
fn cut_the_power(cuts: u64, synchronous: &str) -> (usize, usize) {
    let seed = setting("CONVOKE_POWER_SEED", 1);
    let mut rng = SeededRng(seed.max(1));
    let (mut all, mut lost) = (0, 0);
    let mut left = BTreeMap::new();
    let mut acknowledged = BTreeSet::new();
    for cut in 0..cuts {
        if cut % CUTS_OF_ONE_STATE == 0 {
            left.clear();
            acknowledged.clear();
        }
        let disk = Disk::with(&left);
        let mut writer = disk.writer(synchronous, cut, seed + cut);
        let before = acknowledged.len();
        writer.acknowledge(1 + rng.below(ACKNOWLEDGED_MAX), &mut acknowledged);
        writer.kill(&mut acknowledged);
        all += acknowledged.len() - before;
        left = disk.cut();
        let found = look(cut, &left);
        let missing = acknowledged.difference(&found).count();
        assert!(
            missing == 0 || synchronous != "FULL",
            "cut {cut} of seed {seed} lost {missing} acknowledged tasks"
        );
        lost += missing;
        acknowledged.retain(|id| found.contains(id));
    }
    println!("{cuts} power cuts of seed {seed}, {synchronous}: {lost} lost of {all} acknowledged");
    (all, lost)
}

#[test]
fn a_power_cut_loses_nothing_that_was_acknowledged() {
    let (all, _) = cut_the_power(setting("CONVOKE_POWER_CUTS", 50), "FULL");
    assert!(all > 0);
}

#[test]
fn without_waiting_for_the_disk_a_power_cut_loses_what_was_acknowledged() {
    let (_, lost) = cut_the_power(setting("CONVOKE_POWER_CUTS", 50), "NORMAL");
    assert!(lost > 0, "nothing was lost: this disk proves nothing");
}

#[test]
fn after_a_failed_sync_nothing_is_acknowledged_and_the_store_stops() {
    for round in 0..5 {
        let disk = Disk::with(&BTreeMap::new());
        let mut writer = disk.writer("FULL", round, round);
        let mut acknowledged = BTreeSet::new();
        writer.acknowledge(1 + round * 40, &mut acknowledged);
        disk.put_up("fail");
        loop {
            match writer.next() {
                // Synced before the sign was up, and heard only now.
                Said::Acknowledged(id) => {
                    acknowledged.insert(id);
                }
                Said::Stopped => break,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(writer.next(), Said::Ended);
        assert_eq!(writer.child.wait().unwrap().code(), Some(STOPPED));
        disk.take_down("fail");
        let found = look(0, &disk.cut());
        assert!(
            acknowledged.is_subset(&found),
            "acknowledged without a sync"
        );
    }
}

#[test]
fn a_full_disk_refuses_and_takes_more_once_there_is_space() {
    let disk = Disk::with(&BTreeMap::new());
    let mut writer = disk.writer("FULL", 0, 0);
    let mut acknowledged = BTreeSet::new();
    for round in 0..3 {
        writer.acknowledge(50, &mut acknowledged);
        disk.put_up("full");
        let mut refused = 0;
        while refused < 100 + round {
            match writer.next() {
                Said::Acknowledged(id) => {
                    acknowledged.insert(id);
                }
                Said::Full => refused += 1,
                other => panic!("{other:?}"),
            }
        }
        disk.take_down("full");
        // Refusals from before the mode was reset come first.
        loop {
            match writer.next() {
                Said::Acknowledged(id) => {
                    acknowledged.insert(id);
                    break;
                }
                Said::Full => {}
                other => panic!("{other:?}"),
            }
        }
    }
    writer.kill(&mut acknowledged);
    assert!(acknowledged.is_subset(&look(0, &disk.cut())));
}
