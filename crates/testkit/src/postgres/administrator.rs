//! Whoever makes and asks databases: one `psql` for a server.
//!
//! One, since a program that is started holds the files of this one open until it runs, the locks of
//! other tests among them. Read next: [`super`].

use super::USER;
use std::io::{BufRead, BufReader, Lines, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Where one is connected who makes databases: nobody may be in the one that is copied.
const ELSEWHERE: &str = "postgres";

/// What is answered to the last question of each.
const DONE: &str = "-- that was all --";

/// A session that speaks to one database after the other.
pub(super) struct Administrator {
    psql: Child,
    said: Option<ChildStdin>,
    heard: Lines<BufReader<ChildStdout>>,
}

impl Administrator {
    pub(super) fn start(psql: &Path, folder: &Path, port: u16) -> Self {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", r#"exec "$@" 2>&1"#, "sh"])
            .arg(psql)
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args(["--username", USER, "--dbname", ELSEWHERE, "--host"])
            .arg(folder)
            .args(["--port", &port.to_string()]);
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut psql = started.spawn().unwrap();
        let heard = BufReader::new(psql.stdout.take().unwrap()).lines();
        Self {
            said: psql.stdin.take(),
            psql,
            heard,
        }
    }

    /// What is answered where databases are made.
    #[track_caller]
    pub(super) fn say(&mut self, sql: &str) -> String {
        self.ask(&format!("{sql};\nSELECT '{DONE}';\n"), sql)
    }

    /// What is answered in this database.
    #[track_caller]
    pub(super) fn say_in(&mut self, database: &str, sql: &str) -> String {
        let said =
            format!("\\connect {database}\n{sql};\n\\connect {ELSEWHERE}\nSELECT '{DONE}';\n");
        self.ask(&said, sql)
    }

    #[track_caller]
    fn ask(&mut self, said: &str, sql: &str) -> String {
        let psql = self.said.as_mut().expect("it ends when it is dropped");
        psql.write_all(said.as_bytes()).unwrap();
        psql.flush().unwrap();
        let answer: Vec<String> = (self.heard.by_ref())
            .map(Result::unwrap)
            .take_while(|line| line != DONE)
            .collect();
        let answer = answer.join("\n");
        let failed = ["ERROR:  ", "FATAL:  ", "error: "];
        let failed = failed.iter().any(|word| answer.contains(word));
        assert!(!failed, "{sql}:\n{answer}");
        answer
    }
}

impl Drop for Administrator {
    fn drop(&mut self) {
        drop(self.said.take());
        let _ = self.psql.wait();
    }
}
