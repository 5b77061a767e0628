//! The three servers, each in a process of its own that ends with the bench.
//!
//! Ours is this program with another argument: a platform as by `convoke serve --network none`,
//! with its store in a file. The bare one is this program as well: hyper, which ours stands on,
//! with nothing behind it. The third is `sample.py` in the virtual environment of `make setup`.
//! Read next: [`super::client`].

use super::client::Door;
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use server::clock::Clock;
use server::config::{HttpSettings, Listen, Settings};
use server::host::{Home, Host};
use server::runtime::Runtime;
use server::state::StateFolder;
use server::token::{Grant, TokenTerms, Tokens};
use std::error::Error;
use std::future::poll_fn;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::Ipv4Addr;
use std::path::Path;
use std::pin::Pin;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

/// The argument that makes this program the platform.
pub(crate) const ROLE: &str = "--platform-for-a2a";
/// The argument that makes this program the bare server.
pub(crate) const BARE_ROLE: &str = "--bare-for-a2a";
/// What the bare server answers to everything.
const COMPLETED: &str =
    r#"{"jsonrpc":"2.0","id":1,"result":{"task":{"status":{"state":"TASK_STATE_COMPLETED"}}}}"#;
/// The agent under load: it answers at once with the intents in force.
const AGENT: &str = "/agents/TMF-Convoke-Intent-1.0.0";

/// A server; killed when dropped.
pub(crate) struct Server {
    /// Its name in the report.
    pub(crate) name: &'static str,
    /// Its address.
    pub(crate) door: Door,
    child: Child,
}

impl Server {
    /// Starts a platform in a folder.
    pub(crate) fn platform(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(ROLE).arg(folder);
        let (child, line) = started(command)?;
        let Some((address, token)) = line.split_once(' ') else {
            return Err(format!("the platform did not start: {line}").into());
        };
        let door = Door {
            address: address.to_owned(),
            path: AGENT.to_owned(),
            token: token.to_owned(),
        };
        let name = "convoke";
        Ok(Self { name, door, child })
    }

    /// Starts the bare server.
    pub(crate) fn bare() -> Result<Self, Box<dyn Error>> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(BARE_ROLE);
        let (child, port) = started(command)?;
        Ok(Self::without_token("bare hyper", child, &port))
    }

    /// Starts the sample server; none if the SDK is not installed.
    pub(crate) fn sample() -> Result<Option<Self>, Box<dyn Error>> {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
        let python = tests.join("../.venv/bin/python3");
        if !python.exists() {
            return Ok(None);
        }
        let mut command = Command::new(python);
        command.arg(tests.join("benches/a2a/sample.py"));
        let (child, port) = started(command)?;
        Ok(Some(Self::without_token("a2a-sdk sample", child, &port)))
    }

    fn without_token(name: &'static str, child: Child, port: &str) -> Self {
        let door = Door {
            address: format!("127.0.0.1:{port}"),
            path: "/".to_owned(),
            token: String::new(),
        };
        Self { name, door, child }
    }

    /// Its process ID, as in `/proc`.
    pub(crate) fn process(&self) -> String {
        self.child.id().to_string()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a server, which prints its address in its first line.
fn started(mut command: Command) -> Result<(Child, String), Box<dyn Error>> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let mut line = String::new();
    let output = child.stdout.take().expect("it is piped");
    BufReader::new(output).read_line(&mut line)?;
    Ok((child, line.trim_end().to_owned()))
}

/// Runs a platform until standard input ends; prints its address and a token.
pub(crate) fn platform(folder: &Path) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime
        .block_on(serve(folder))
        .expect("the platform starts");
}

/// Runs the bare server until it is killed; prints its port. Reads each request whole, as any server must.
pub(crate) fn bare() -> Result<(), Box<dyn Error>> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        println!("{}", listener.local_addr()?.port());
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let connection =
                http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(completed));
            tokio::spawn(connection);
        }
    })
}

async fn completed(request: Request<Incoming>) -> hyper::Result<Response<String>> {
    let mut body = request.into_body();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        frame?;
    }
    Ok(Response::new(COMPLETED.to_owned()))
}

async fn serve(folder: &Path) -> Result<(), Box<dyn Error>> {
    let local = (Ipv4Addr::LOCALHOST, 0).into();
    let settings = Settings {
        netconf: Some(local),
        agents_from: Some(0),
        http: HttpSettings {
            listen: Some(Listen::At(local)),
            ..HttpSettings::default()
        },
        ..Settings::default()
    };
    let folder = StateFolder::new(folder);
    let (home, clock) = (Home::Folder(folder.clone()), Arc::new(Clock::wall()));
    let host = Host::start(
        home,
        &settings,
        arena::shipped(),
        Default::default(),
        Arc::clone(&clock),
    )
    .await?;
    let host = Arc::new(host);
    let mut world = Runtime::new(Arc::clone(&host), (), Box::new(|_| {}));
    world.begin().await;
    let door = host.http.ok_or("there is no door")?;
    let token = Tokens::open(&folder, TokenTerms::default())?.issue(
        &Grant {
            name: "operator".to_owned(),
            valid_s: 3_600,
            scope: Default::default(),
        },
        clock.now(),
    )?;
    println!("{} {}", door.address, token.token);
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    world.live(async { drop(ended.await) }).await;
    drop(host);
    world.end().await;
    Ok(())
}
