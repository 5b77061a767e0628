//! A PostgreSQL of the tests' own: one server for a test program, one database for a test.
//!
//! Knows where distributions put the programs, under which user they run (`initdb` refuses root),
//! and how a server ends with the program that started it, even if that is killed. What is said to
//! a database is the test's. It listens on a socket in its folder, where nobody asks for a password,
//! and on a port of 127.0.0.1, which does. Read next: [`programs`], [`settings`]; `standby`, a second one.

mod administrator;
mod programs;
mod settings;
mod standby;

use crate::PATIENCE;
use administrator::Administrator;
use programs::{Owner, Programs};
pub use settings::Setting;
use settings::Written;
use std::io::{BufRead, BufReader, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// The superuser of each server.
const USER: &str = "convoke";

/// The ports that are tried: another program may take one between its choice and its use.
const PORTS: usize = 5;

/// What a server says of itself once it takes connections, and what a standby says.
const READY: [&str; 2] = [
    "database system is ready to accept connections",
    "database system is ready to accept read-only connections",
];

/// Runs the server and ends it, with its folder, when the input ends: when the test program has. If a
/// line comes first, the folder is kept.
const HELD: &str = r#"folder=$1; shift; "$@" & server=$!; exec 2>/dev/null; read kept && folder=
kill -QUIT $server; wait $server; [ -z "$folder" ] || rm -rf "$folder""#;

/// A running server, with all of its files in a folder below the system's for temporary ones.
/// Dropping it ends it and removes them.
pub struct Server {
    programs: Programs,
    holder: Mutex<Child>,
    folder: PathBuf,
    port: u16,
    written: Written,
    log: Arc<Mutex<Vec<String>>>,
    administrator: Mutex<Option<Administrator>>,
    databases: AtomicUsize,
}

/// The server that all tests of this program share: it does not wait for the disk, and speaks TLS to
/// whoever asks for it. None without PostgreSQL, which is said in the output.
///
/// # Panics
/// If PostgreSQL is there and does not start.
pub fn shared() -> Option<&'static Server> {
    static SHARED: OnceLock<Option<Server>> = OnceLock::new();
    let setting = Setting {
        fsync: false,
        tls: true,
    };
    SHARED.get_or_init(|| Server::start(&setting)).as_ref()
}

impl Server {
    /// Starts a server. None without PostgreSQL, which is said in the output.
    ///
    /// # Panics
    /// If PostgreSQL is there and does not start.
    pub fn start(setting: &Setting) -> Option<Self> {
        let programs = match Programs::find() {
            Ok(programs) => programs,
            Err(missing) => {
                println!("{missing}: skipped");
                return None;
            }
        };
        let owner = Owner::find();
        let (folder, written) = written(setting, owner);
        let server = Self::new(programs, folder, written);
        server.initialise(owner);
        Some(server.started(owner))
    }

    fn new(programs: Programs, folder: PathBuf, written: Written) -> Self {
        Self {
            holder: Mutex::new(idle()),
            folder,
            port: 0,
            written,
            log: Arc::default(),
            administrator: Mutex::default(),
            databases: AtomicUsize::new(0),
            programs,
        }
    }

    /// Another one with a folder of its own, in which there is nothing yet, and the same settings.
    fn beside(&self, owner: Owner) -> Self {
        let (folder, mut written) = written(&self.written.setting, owner);
        // It will have the users of this one.
        written.password.clone_from(&self.written.password);
        Self::new(self.programs.clone(), folder, written)
    }

    /// The same, running on a port that was free.
    fn started(mut self, owner: Owner) -> Self {
        let on_some_port = |server: &mut Self| {
            let probe = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            server.port = probe.local_addr().unwrap().port();
            drop(probe);
            server.runs(owner)
        };
        if !(0..PORTS).any(|_| on_some_port(&mut self)) {
            panic!("PostgreSQL does not start:\n{}", self.log().join("\n"));
        }
        self.administer();
        self
    }

    fn administer(&self) {
        let psql = self.programs.psql();
        let administrator = Administrator::start(&psql, &self.folder, self.port);
        *self.administrator.lock().unwrap() = Some(administrator);
    }

    /// Ends it at once, without a word to anybody (`pg_ctl stop -m immediate`), and starts it again on its
    /// port after a while.
    ///
    /// # Panics
    /// If it does not start again.
    pub fn restart(&self, after: Duration) {
        drop(self.administrator.lock().unwrap().take());
        let mut holder = self.holder.lock().unwrap();
        holder.stdin.take().unwrap().write_all(b"keep\n").unwrap();
        holder.wait().unwrap();
        drop(holder);
        thread::sleep(after);
        if !self.runs(Owner::find()) {
            panic!(
                "PostgreSQL does not start again:\n{}",
                self.log().join("\n")
            );
        }
        self.administer();
    }

    fn initialise(&self, owner: Owner) {
        let mut command = owner.command(self.programs.initdb());
        command
            .arg("--pgdata")
            .arg(self.data())
            .args(["--username", USER, "--encoding", "UTF8", "--locale", "C"])
            .args(["--auth-local", "trust", "--auth-host", "scram-sha-256"])
            .arg("--pwfile")
            .arg(&self.written.password_file)
            .args(["--no-sync", "--no-instructions"]);
        succeeds(&mut command);
    }

    /// Whether it runs on its port.
    fn runs(&self, owner: Owner) -> bool {
        let mut command = owner.command(Path::new("/bin/sh"));
        command.args(["-c", HELD, "sh"]).arg(&self.folder);
        command.arg(self.programs.postgres());
        command.arg("-D").arg(self.data());
        command.arg("-p").arg(self.port.to_string());
        for option in &self.written.options {
            command.args(["-c", option]);
        }
        let mut holder = command
            // What a terminal sends its foreground is not for the server.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = follow(holder.stderr.take().unwrap(), Arc::clone(&self.log));
        *self.holder.lock().unwrap() = holder;
        said.recv_timeout(PATIENCE).unwrap_or(false)
    }

    /// An empty database, of this test alone; it sorts texts by their bytes.
    pub fn database(&self) -> Database<'_> {
        self.copied("template0")
    }

    fn copied(&self, template: &str) -> Database<'_> {
        let name = format!("test_{}", self.databases.fetch_add(1, Relaxed));
        let create = format!("CREATE DATABASE {name} TEMPLATE {template}");
        self.say(&create);
        Database { server: self, name }
    }

    /// Has an administrator say this where databases are made, and returns what is answered: a row a
    /// line, columns with `|` between.
    ///
    /// # Panics
    /// If it refuses.
    pub fn say(&self, sql: &str) -> String {
        self.asked(|administrator| administrator.say(sql))
    }

    /// The same in a database that was made so.
    ///
    /// # Panics
    /// If it refuses.
    pub fn say_in(&self, database: &str, sql: &str) -> String {
        self.asked(|administrator| administrator.say_in(database, sql))
    }

    fn asked(&self, ask: impl FnOnce(&mut Administrator) -> String) -> String {
        // A question that failed has been answered, and the next is another's.
        let locked = self.administrator.lock();
        let mut administrator = locked.unwrap_or_else(PoisonError::into_inner);
        ask(administrator
            .as_mut()
            .expect("it is there while the server is"))
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The password on that port.
    pub fn password(&self) -> &str {
        &self.written.password
    }

    /// The authority (PEM) of its certificate, which is for `localhost`.
    ///
    /// # Panics
    /// If it speaks no TLS.
    pub fn authority(&self) -> &Path {
        let authority = self.written.authority.as_deref();
        authority.expect("the setting asks for TLS")
    }

    /// What it has said of itself.
    pub fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    /// The folder of its files, which is gone once it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let administrator = self.administrator.get_mut();
        drop(administrator.unwrap_or_else(PoisonError::into_inner).take());
        let holder = self.holder.get_mut();
        let holder = holder.unwrap_or_else(PoisonError::into_inner);
        drop(holder.stdin.take());
        let _ = holder.wait();
        // Where it never ran, nobody else does.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A database of one test. Dropping it removes it, whoever is connected.
pub struct Database<'s> {
    server: &'s Server,
    name: String,
}

impl Database<'_> {
    /// Its address by the server's socket, without a password.
    pub fn by_socket(&self) -> String {
        let folder = self.server.folder.to_str().unwrap().replace('/', "%2F");
        format!(
            "postgres://{USER}@{folder}:{}/{}",
            self.server.port, self.name
        )
    }

    /// Its address by `host`, which leads to 127.0.0.1, with the password.
    pub fn by_port(&self, host: &str) -> String {
        let (server, name) = (self.server, &self.name);
        let (password, port) = (server.password(), server.port);
        format!("postgres://{USER}:{password}@{host}:{port}/{name}")
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Has an administrator say this to it, and returns what is answered: a row a line, columns with
    /// `|` between.
    ///
    /// # Panics
    /// If it refuses.
    pub fn say(&self, sql: &str) -> String {
        self.server.say_in(&self.name, sql)
    }

    /// Another database with the same content. Nobody may be connected to this one.
    pub fn copy(&self) -> Self {
        self.server.copied(&self.name)
    }
}

impl Drop for Database<'_> {
    fn drop(&mut self) {
        // A test that fails should be heard, and not what follows from it.
        if !thread::panicking() {
            let drop = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
            self.server.say(&drop);
        }
    }
}

/// A folder for a server, and what is written into it before there is one.
fn written(setting: &Setting, owner: Owner) -> (PathBuf, Written) {
    let folder = tempfile::Builder::new().prefix("convoke-pg-").tempdir();
    let folder = folder.unwrap().keep();
    chown(&folder, owner.user, owner.group).unwrap();
    let written = setting.write(&folder, owner);
    (folder, written)
}

/// A process that has ended, until there is a server.
fn idle() -> Child {
    Command::new("true").spawn().unwrap()
}

/// Keeps what a server says, and tells once whether it runs: false if it ends before.
fn follow(said: ChildStderr, log: Arc<Mutex<Vec<String>>>) -> Receiver<bool> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || listen(said, &log, &tell));
    told
}

fn listen(said: ChildStderr, log: &Mutex<Vec<String>>, tell: &Sender<bool>) {
    for line in BufReader::new(said).lines().map_while(Result::ok) {
        if READY.iter().any(|ready| line.ends_with(ready)) {
            // Nobody listens for the second time.
            let _ = tell.send(true);
        }
        log.lock().unwrap().push(line);
    }
    let _ = tell.send(false);
}

/// What a command writes.
#[track_caller]
fn succeeds(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}:\n{out}\n{err}");
    out
}

#[cfg(test)]
mod tests;
