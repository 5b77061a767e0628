//! `convoke data`: transfers files to and from `/data-params`, in pieces (draft-wang-nmrg-magent-im
//! §5.2).
//!
//! Interrupted transfers resume: the platform reports how much of an entry it has, and a partial
//! download is kept in `FILE.part` until it is complete. Knows `data-write` and `data-read` of
//! module convoke-data; the platform decides on access.

use crate::cli::{Common, DataCommand, Get, Put};
use crate::output::{self, Failure, line};
use crate::remote::{DATA, call, connect, leaf, text};
use base16ct::lower::encode_string;
use base64ct::{Base64, Encoding};
use netconf::data::Node;
use serde_json::json;
use server::client::Client;
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The length of a piece, in bytes: the most that the module allows.
const PIECE: usize = 256 * 1_024;

pub(crate) async fn run(common: &Common, command: DataCommand) -> Result<(), Failure> {
    match command {
        DataCommand::Put(wanted) => put(common, wanted).await,
        DataCommand::Get(wanted) => get(common, wanted).await,
    }
}

async fn put(common: &Common, wanted: Put) -> Result<(), Failure> {
    let wrong = |cause| at(&wanted.file, cause);
    let mut file = File::open(&wanted.file).map_err(wrong)?;
    let (size, digest) = measured(&mut file).map_err(wrong)?;
    let mut client = connect(common, &wanted.remote).await?;
    let entry = || {
        Node::container(DATA, "data-write")
            .leaf("id", &wanted.id)
            .leaf_opt("task-id", wanted.task.as_ref())
            .leaf_opt("reader", wanted.reader.as_ref())
            .leaf("dataType", wanted.kind.as_str())
            .leaf_opt("description", wanted.description.as_ref())
            .leaf_opt("format", wanted.format.as_ref())
    };
    // What fits into one piece is said in one breath; of more, the platform tells what it has.
    let mut there = Written::default();
    if size > PIECE as u64 {
        let rpc = entry().leaf("size", size).leaf("sha256", &digest);
        there = written(&mut client, &rpc).await?;
    }
    let resumed = there.received;
    let shown = Shown::new(common, size);
    while !there.finished {
        let offset = there.received;
        let piece = piece(&mut file, offset).map_err(wrong)?;
        let end = offset + piece.len() as u64;
        let rpc = entry()
            .leaf("offset", offset)
            .leaf("data", Base64::encode_string(&piece))
            .leaf("size", size)
            .leaf("sha256", &digest)
            .leaf("finished", end == size);
        there = written(&mut client, &rpc).await?;
        shown.progress(end);
        if there.received < end {
            return Err(Failure::failed(format!(
                "the platform has {} bytes of {end} that were sent",
                there.received
            )));
        }
    }
    shown.end();
    if common.json {
        output::json(&json!({
            "event": "put", "id": wanted.id, "size": size, "sha256": digest, "resumed": resumed,
        }));
    } else {
        line(&format!(
            "{size} bytes under '{}', SHA-256 {digest}",
            wanted.id
        ));
    }
    Ok(())
}

/// The progress of a write.
#[derive(Default)]
struct Written {
    received: u64,
    finished: bool,
}

async fn written(client: &mut Client, rpc: &Node<'_>) -> Result<Written, Failure> {
    let reply = call(client, rpc).await?;
    let root = reply.document.root();
    Ok(Written {
        received: number(leaf(root, "received"))?,
        finished: text(root, "finished") == "true",
    })
}

async fn get(common: &Common, wanted: Get) -> Result<(), Failure> {
    let part = part_of(&wanted.output);
    let mut client = connect(common, &wanted.remote).await?;
    let wrong = |cause| at(&part, cause);
    let mut file = OpenOptions::new();
    let file = file.read(true).write(true).create(true).truncate(false);
    let mut file = file.open(&part).map_err(wrong)?;
    let mut offset = file.seek(SeekFrom::End(0)).map_err(wrong)?;
    let mut resumed = offset;
    let mut shown = Shown::new(common, 0);
    let (size, told) = loop {
        let piece = Piece::read(&mut client, &wanted.id, offset).await;
        if piece.is_err() && offset == 0 {
            let _ = std::fs::remove_file(&part);
        }
        let piece = piece?;
        if offset > piece.size {
            // The part is of other data.
            file.set_len(0).map_err(wrong)?;
            (offset, resumed) = (file.seek(SeekFrom::Start(0)).map_err(wrong)?, 0);
            continue;
        }
        file.write_all(&piece.bytes).map_err(wrong)?;
        offset += piece.bytes.len() as u64;
        shown.of(piece.size).progress(offset);
        if piece.last || piece.bytes.is_empty() {
            break (piece.size, piece.sha256);
        }
    };
    shown.end();
    let (length, digest) = measured(&mut file).map_err(wrong)?;
    let mut known = wanted.sha256.iter().chain(&told);
    let other = known.find(|known| !known.eq_ignore_ascii_case(&digest));
    if length != size || other.is_some() {
        // What was got before may be of other data: the next time begins anew.
        let _ = std::fs::remove_file(&part);
        let expected = other.map_or_else(String::new, |other| format!(", not {other}"));
        return Err(Failure::failed(format!(
            "what came of '{}' is not what it is to be: {length} bytes of {size}, SHA-256 \
             {digest}{expected}",
            wanted.id
        )));
    }
    file.sync_all().map_err(wrong)?;
    std::fs::rename(&part, &wanted.output).map_err(wrong)?;
    let output = wanted.output.display().to_string();
    if common.json {
        output::json(&json!({
            "event": "got", "id": wanted.id, "file": output, "size": size, "sha256": digest,
            "resumed": resumed,
        }));
    } else {
        line(&format!("{size} bytes in {output}, SHA-256 {digest}"));
    }
    Ok(())
}

/// A piece of an entry.
struct Piece {
    bytes: Vec<u8>,
    /// The size of the whole entry, in bytes.
    size: u64,
    /// The SHA-256 of the whole entry, if the platform gives it.
    sha256: Option<String>,
    last: bool,
}

impl Piece {
    async fn read(client: &mut Client, id: &str, offset: u64) -> Result<Self, Failure> {
        let rpc = Node::container(DATA, "data-read")
            .leaf("id", id)
            .leaf("offset", offset)
            .leaf("length", PIECE as u64);
        let reply = call(client, &rpc).await?;
        let root = reply.document.root();
        let data = text(root, "data");
        Ok(Self {
            bytes: Base64::decode_vec(data.trim())
                .map_err(|why| Failure::failed(format!("the piece at {offset}: {why}")))?,
            size: number(leaf(root, "size"))?,
            sha256: leaf(root, "sha256"),
            last: text(root, "last") == "true",
        })
    }
}

fn number(leaf: Option<String>) -> Result<u64, Failure> {
    let number = leaf.and_then(|l| l.trim().parse().ok());
    number.ok_or_else(|| Failure::failed("the platform did not say how many bytes there are"))
}

fn at(file: &Path, cause: std::io::Error) -> Failure {
    let message = format!("{}: {cause}", file.display());
    match cause.kind() {
        ErrorKind::NotFound => Failure::usage(message),
        _ => Failure::failed(message),
    }
}

fn part_of(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// The piece of a file that begins at `offset`.
fn piece(file: &mut File, offset: u64) -> std::io::Result<Vec<u8>> {
    let mut piece = Vec::with_capacity(PIECE);
    file.seek(SeekFrom::Start(offset))?;
    file.take(PIECE as u64).read_to_end(&mut piece)?;
    Ok(piece)
}

/// The length of a file in bytes, and its SHA-256 in hexadecimal digits.
fn measured(file: &mut File) -> std::io::Result<(u64, String)> {
    let (mut hash, mut offset) = (Sha256::new(), 0);
    loop {
        let piece = piece(file, offset)?;
        if piece.is_empty() {
            break;
        }
        hash.update(&piece);
        offset += piece.len() as u64;
    }
    Ok((offset, encode_string(&hash.finalize())))
}

/// The progress display of a transfer.
struct Shown {
    watched: bool,
    size: u64,
}

impl Shown {
    fn new(common: &Common, size: u64) -> Self {
        Self {
            watched: !common.json && std::io::stderr().is_terminal(),
            size,
        }
    }

    fn of(&mut self, size: u64) -> &Self {
        self.size = size;
        self
    }

    fn progress(&self, done: u64) {
        if self.watched && self.size > PIECE as u64 {
            let mib = |bytes: u64| bytes as f64 / 1_048_576.0;
            let (percent, done) = (100 * done / self.size.max(1), mib(done));
            let mut stderr = std::io::stderr().lock();
            let _ = write!(
                stderr,
                "\r{done:.1} of {:.1} MiB, {percent} %",
                mib(self.size)
            );
        }
    }

    fn end(&self) {
        if self.watched && self.size > PIECE as u64 {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}
