//! Servers start, keep tests apart, and end with whoever started them.

use super::*;
use std::io::Read as _;

/// Asks this program to start a server and wait, when it is run as a program of its own.
const KEEPS_ONE: &str = "CONVOKE_TEST_KEEPS_A_SERVER";

#[test]
fn each_test_has_a_database_of_its_own_that_sorts_by_bytes() {
    let Some(server) = shared() else { return };
    let (mine, yours) = (server.database(), server.database());
    mine.say("CREATE TABLE word (text text); INSERT INTO word VALUES ('a'), ('B'), ('-'), ('0')");
    assert_eq!(
        mine.say("SELECT text FROM word ORDER BY text"),
        "-\n0\nB\na"
    );
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(yours.say(tables), "0");
    let copy = mine.copy();
    mine.say("DELETE FROM word");
    assert_eq!(copy.say("SELECT count(*) FROM word"), "4");
    assert!(server.authority().is_file());
}

#[test]
fn what_is_gone_when_a_server_is_dropped_is_its_folder() {
    let setting = Setting {
        fsync: true,
        tls: false,
    };
    let Some(server) = Server::start(&setting) else {
        return;
    };
    assert_eq!(server.database().say("SHOW fsync; SHOW ssl"), "on\noff");
    let folder = server.folder().to_owned();
    assert!(folder.is_dir());
    drop(server);
    assert!(!folder.exists());
}

#[test]
fn a_server_that_is_started_again_has_what_it_had_and_is_where_it_was() {
    let setting = Setting {
        fsync: true,
        tls: false,
    };
    let Some(server) = Server::start(&setting) else {
        return;
    };
    let (database, port) = (server.database(), server.port());
    database.say("CREATE TABLE word (text text); INSERT INTO word VALUES ('a')");
    server.restart(Duration::ZERO);
    assert_eq!(
        database.say("SELECT text FROM word; SHOW port"),
        format!("a\n{port}")
    );
    drop(database);
    let folder = server.folder().to_owned();
    drop(server);
    assert!(!folder.exists());
}

/// Only what the test below runs as a program of its own.
#[test]
fn keeps_a_server_until_it_is_killed() {
    if std::env::var_os(KEEPS_ONE).is_none() {
        return;
    }
    let server = shared().expect("the one who asks has found PostgreSQL");
    println!("\nfolder {}", server.folder().display());
    let _ = std::io::stdin().read(&mut [0]);
    // Nothing is tidied up but by those who find that this program is gone.
    std::process::abort();
}

#[test]
fn a_server_ends_with_its_program_even_if_that_is_killed() {
    if Programs::find().is_err() {
        return;
    }
    let mut program = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("postgres::tests::keeps_a_server_until_it_is_killed")
        .env(KEEPS_ONE, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(program.stdout.take().unwrap()).lines();
    let folder = said.find_map(|line| Some(PathBuf::from(line.ok()?.strip_prefix("folder ")?)));
    let folder = folder.expect("it says where its server is");
    assert!(folder.is_dir());
    program.kill().unwrap();
    program.wait().unwrap();
    let until = std::time::Instant::now() + PATIENCE;
    while folder.exists() {
        assert!(std::time::Instant::now() < until, "{folder:?} is left");
        thread::yield_now();
    }
}
