//! The head outside the database: deleted, written by another, put back with it.

use super::*;

fn outside_told(stage: &Stage, reason: &str) -> String {
    format!("{}: {reason}", stage.outside.display())
}

#[test]
fn the_head_outside_deleted() {
    let stage = stage();
    std::fs::remove_file(&stage.outside).unwrap();
    let refused = encrypted::refused(&stage.options()).to_string();
    let path = stage.outside.display();
    let told = format!("{path} is missing, where the last head of the state was kept");
    assert_eq!(refused, told);
    let found =
        format!("{path} 'it is missing, where the last head of the state was kept' is forged");
    assert_eq!(stage.verified(), [found]);
    let accepted = Options {
        accept: true,
        ..stage.options()
    };
    drop(open(accepted));
    assert_eq!(stage.verified(), [""; 0], "it was accepted");
}

#[test]
fn the_head_outside_written_by_another() {
    let stage = stage();
    let seen = std::fs::read_to_string(&stage.outside).unwrap();
    let (sequence, _) = ends(&stage.path);
    let lower = seen.replace(&format!("\"sequence\":{sequence}"), "\"sequence\":1");
    assert_ne!(lower, seen);
    for (text, reason) in [
        (lower.as_str(), "not signed with the host key in use"),
        ("no head", "no head: expected ident at line 1 column 2"),
    ] {
        std::fs::write(&stage.outside, text).unwrap();
        let refused = encrypted::refused(&stage.options()).to_string();
        assert_eq!(refused, outside_told(&stage, reason));
    }
}

/// The witness detects a rollback of both the database and the file in the state folder.
#[test]
fn an_older_copy_of_database_and_head_beside_a_witness() {
    let stage = stage();
    let witness = stage.path.with_file_name("witness");
    let both = || Options {
        outside: vec![stage.outside.clone(), witness.clone()],
        ..stage.options()
    };
    drop(open(both()));
    let older = stage.path.with_file_name("older_head");
    std::fs::copy(&stage.path, &stage.older).unwrap();
    std::fs::copy(&stage.outside, &older).unwrap();
    put(&open(both()).0, life("later", None, 7_000, None));
    std::fs::copy(&stage.older, &stage.path).unwrap();
    std::fs::copy(&older, &stage.outside).unwrap();
    let refused = encrypted::refused(&both());
    assert!(
        matches!(&refused, OpenError::SetBack { path, .. } if *path == witness),
        "{refused:?}"
    );
    // Without it nobody knows: an attacker who can write both is not one of those we defend from.
    open(stage.options());
}

/// A copy that is not older than the head outside cannot be distinguished from a crash.
#[test]
fn what_was_put_back_within_the_lag_is_not_noticed() {
    let stage = stage();
    let behind_by_one = std::fs::read_to_string(&stage.outside).unwrap();
    put(&open(stage.options()).0, life("later", None, 7_000, None));
    std::fs::write(&stage.outside, behind_by_one).unwrap();
    let (_, recovered) = open(stage.options());
    assert!(
        recovered
            .tasks
            .iter()
            .any(|task| task.id.as_str() == "later")
    );
}
