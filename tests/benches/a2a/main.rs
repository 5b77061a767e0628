//! A2A under load: from a typed message to a completed task, compared with the official Python SDK.
//!
//! ```text
//! cargo bench -p convoke-tests --bench a2a -- [--json] [--smoke]
//! ```
//! At 1, 8 and 64 connections a client sends `SendMessage` over JSON-RPC with a typed part and
//! waits for the task with its typed result: our server validates the part against its schema and
//! has the task on disk before it answers, the sample server (`sample.py`) keeps its tasks in
//! memory and validates nothing, and a bare hyper server answers everything with the same few bytes:
//! the most that HTTP allows here. All are processes of their own on this machine, in turn, under
//! the same client. None calls a language model.
//!
//! `--json` prints one object per line. Without `--bench`, which `cargo bench` passes, or with
//! `--smoke`, it only checks that everything runs. A tour: `servers` (the processes), `client`
//! (the load).

#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod client;
#[path = "../machine/mod.rs"]
mod machine;
mod servers;

/// The allocator of the command `convoke`: what is measured is what is shipped.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use client::Load;
use serde_json::{Value, json};
use servers::Server;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// The numbers of concurrent connections.
const CONNECTIONS: [usize; 3] = [1, 8, 64];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role] = arguments.as_slice()
        && role == servers::BARE_ROLE
    {
        servers::bare().expect("loopback has a port");
        return ExitCode::SUCCESS;
    }
    if let [role, folder] = arguments.as_slice()
        && role == servers::ROLE
    {
        servers::platform(Path::new(folder));
        return ExitCode::SUCCESS;
    }
    let given = |flag: &str| arguments.iter().any(|it| it == flag);
    let smoke = given("--smoke") || !given("--bench");
    match run(given("--json"), smoke) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the bench failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(json: bool, smoke: bool) -> Result<(), Box<dyn Error>> {
    let lasts = Duration::from_millis(if smoke { 100 } else { 5_000 });
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    // One thread: the load takes one core and leaves the others to the server.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    tell(json, &machine::machine());
    let ours = Server::platform(folder.path())?;
    let bare = Server::bare()?;
    let sample = Server::sample()?;
    if sample.is_none() {
        eprintln!("a2a-sdk is not installed (`make setup`): no sample server beside ours");
    }
    let servers: Vec<&Server> = [&ours, &bare].into_iter().chain(&sample).collect();
    for connections in CONNECTIONS {
        let mut rates = Vec::new();
        for server in &servers {
            let before_s = machine::cpu_s(&server.process());
            let load = runtime.block_on(client::load(&server.door, connections, lasts))?;
            let spent_s = machine::cpu_s(&server.process()) - before_s;
            rates.push(load.per_s());
            tell(json, &row(server, connections, &load, spent_s));
        }
        for (beside, rate) in servers.iter().zip(&rates).skip(1) {
            let ratio = json!({
                "event": "ratio", "connections": connections, "beside": beside.name,
                "value": rates[0] / rate,
            });
            tell(json, &ratio);
        }
    }
    Ok(())
}

fn row(server: &Server, connections: usize, load: &Load, spent_s: f64) -> Value {
    let requests = load.latencies.len();
    json!({
        "event": "bench", "server": server.name, "connections": connections,
        "requests": requests, "requests_per_s": load.per_s(),
        "server_cpu_ms": spent_s * 1e3 / requests as f64,
        "server_mb": machine::memory_bytes(&server.process(), "VmRSS") as f64 / 1e6,
        "p50_ms": load.percentile_ms(0.5), "p99_ms": load.percentile_ms(0.99),
        "load_average": machine::load_average(),
    })
}

/// Prints a row: as a JSON object per line, or its members for people.
fn tell(json: bool, object: &Value) {
    if json {
        return println!("{object}");
    }
    let members = object.as_object().into_iter().flatten();
    let members = members.map(|(name, value)| match value.as_f64() {
        Some(number) => format!("{name} {number:.2}"),
        None => format!("{name} {}", value.as_str().unwrap_or_default()),
    });
    println!("{}", members.collect::<Vec<_>>().join("  "));
}
