//! Large data: written and read again in pieces, in bounded memory, encrypted as they are at rest.
//!
//! 100 MB and more take `CONVOKE_LARGE_MB`, as `make soak` gives it; without, it is 4. A child
//! process, this very binary started again, does it, so that its memory can be measured. Knows the
//! public interface of the store only.
#![allow(clippy::print_stdout, clippy::unwrap_used)]
#![cfg(target_os = "linux")]

use domain::context::{Body, Chunked, DataParam};
use domain::time::Timestamp;
use std::collections::VecDeque;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;
use store::{Batch, Chunk, HeldKeys, Options, RandomSource, Secret, Store, Ticket};

/// The size of a piece, the largest allowed.
const PIECE: usize = Body::CHUNK_MOST;
/// The number of pieces under way.
const IN_FLIGHT: usize = 8;
/// The most memory for reading and writing, for any size of the data.
const MEMORY_MOST_KB: u64 = 192 * 1_024;

fn megabytes() -> u64 {
    std::env::var("CONVOKE_LARGE_MB").map_or(4, |mb| mb.parse().unwrap())
}

fn options(folder: &Path) -> Options {
    let chance: RandomSource = Box::new(|bytes| {
        let mut source = std::fs::File::open("/dev/urandom").unwrap();
        source.read_exact(bytes).unwrap();
        Ok(())
    });
    Options {
        keys: Some(Arc::new(HeldKeys::new("m1", Secret::new([7; 32]), chance))),
        ..Options::file(folder.join("convoke.db"))
    }
}

/// The bytes of a piece: no two pieces are equal, and all can be computed.
fn piece(n: usize) -> Vec<u8> {
    let mut state = (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let words = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    words.flatten().take(PIECE).collect()
}

fn announced(size: u64, finished: bool) -> Batch {
    let parties = ["oss".to_owned(), "ran".to_owned()];
    let format = "application/octet-stream";
    let at = Timestamp::from_ms(1_000);
    let data = DataParam::inline("d1".into(), parties, "a trace", format, String::new(), at);
    let body = Body::Chunked(Chunked {
        size,
        sha256: None,
        finished,
    });
    Batch {
        data: vec![DataParam { body, ..data }],
        ..Batch::default()
    }
}

fn write(store: &Store, pieces: usize, size: u64) {
    store.commit(announced(size, false)).wait().unwrap();
    let mut waiting: VecDeque<Ticket> = VecDeque::new();
    for n in 0..pieces {
        let chunk = Chunk {
            data: "d1".into(),
            offset: (n * PIECE) as u64,
            bytes: piece(n).into(),
        };
        waiting.push_back(store.commit(Batch {
            chunks: vec![chunk],
            ..Batch::default()
        }));
        if waiting.len() == IN_FLIGHT {
            waiting.pop_front().unwrap().wait().unwrap();
        }
    }
    waiting.into_iter().for_each(|t| t.wait().unwrap());
    store.commit(announced(size, true)).wait().unwrap();
}

fn read(store: &Store, pieces: usize) {
    for n in 0..pieces {
        let found = store.read_data("d1", (n * PIECE) as u64, PIECE).unwrap();
        assert!(found == piece(n), "piece {n} is another one");
    }
}

/// The peak resident memory of this process, in KiB.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let words = peak.unwrap().split_whitespace().next();
    words.unwrap().parse().unwrap()
}

/// The role of the child process.
#[test]
#[ignore = "a role that the other test starts"]
fn reader_and_writer() {
    let size = megabytes() * 1_000_000;
    let pieces = (size as usize).div_ceil(PIECE);
    let size = (pieces * PIECE) as u64;
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(options(folder.path()), Box::new(|_| {})).unwrap();
    let began = Instant::now();
    write(&store, pieces, size);
    let wrote = began.elapsed();
    drop(store);
    let (store, _) = Store::open(options(folder.path()), Box::new(|_| {})).unwrap();
    let began = Instant::now();
    read(&store, pieces);
    let took = began.elapsed();
    let needed = peak_kb();
    println!("{size} bytes: written in {wrote:.1?}, read in {took:.1?}, {needed} KiB at most");
    assert!(needed < MEMORY_MOST_KB, "{needed} KiB");
    let report = store.verify().unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
    assert_eq!(report.chunks, pieces as u64);
}

#[test]
fn large_data_are_written_and_read_in_bounded_memory() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "reader_and_writer", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{errors}");
}
