//! Files go from one folder to another whole, in their modes, and nowhere else.

use super::*;
use std::path::PathBuf;

fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, StateFolder) {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    let state = StateFolder::new(folder.path());
    (folder, state)
}

fn mode(file: &Path) -> u32 {
    fs::metadata(file).unwrap().permissions().mode() & 0o777
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names = names(folder).unwrap();
    names.sort();
    names
}

#[test]
fn what_was_revoked_here_stays_so_until_it_has_expired() {
    let file = |expires: &str| {
        let issued = "1970-01-01T00:00:00Z";
        format!(r#"{{"name":"noc","issued":"{issued}","expires":"{expires}","key":"k"}}"#)
    };
    let (over, lasting) = (file("1970-01-01T00:01:00Z"), file("1970-01-02T00:00:00Z"));
    let (_here, here) = folder(&[
        ("tokens/over.revoked", &over),
        ("tokens/told.revoked", &over),
        ("tokens/lasting.revoked", &lasting),
    ]);
    let (_leader, leader) = folder(&[
        ("tokens/told.revoked", &over),
        ("tokens/lasting.json", &lasting),
    ]);
    let kept = |now_s: i64| {
        let mut files = SharedFiles::of(&leader).unwrap();
        let now = Timestamp::from_ms(1_000 * now_s);
        files.keep_revoked(&SharedFiles::of(&here).unwrap(), now);
        let kept: Vec<String> = files.files.into_keys().collect();
        kept
    };
    let [lasting, over, told] =
        ["lasting", "over", "told"].map(|it| format!("tokens/{it}.revoked"));
    // Clocks may differ by 30 s.
    assert_eq!(kept(89), [lasting.as_str(), &over, &told]);
    assert_eq!(kept(91), [lasting, told]);
}

#[test]
fn what_nodes_share_arrives_and_what_is_their_own_stays() {
    let (_from, from) = folder(&[
        ("access.toml", "rules"),
        ("host_ed25519", "host"),
        ("store_key", "key"),
        ("users/noc.pub", "noc"),
        ("users/.hidden.pub", "no"),
        ("users/readme", "no"),
        ("keys/ip_ed25519", "ip"),
        ("tokens/t1.json", "one"),
        ("tokens/t2.json", "two"),
        ("peers/far.token", "far"),
        ("cluster_key", "no"),
        ("convoke.toml", "no"),
        ("known_hosts", "no"),
        ("convoke.db", "no"),
        ("store_head", "no"),
    ]);
    let (_to, to) = folder(&[
        ("convoke.toml", "own"),
        ("access.toml", "old"),
        ("users/gone.pub", "gone"),
        ("tokens/t2.revoked", "two"),
    ]);
    let told = SharedFiles::of(&from).unwrap().told();
    let text = serde_json::to_string(&told).unwrap();
    let mut heard = SharedFiles::heard(serde_json::from_str(&text).unwrap()).unwrap();
    let here = SharedFiles::of(&to).unwrap();
    heard.keep_revoked(&here, Timestamp::from_ms(0));
    let differences = heard.differences(&here);
    let told: Vec<_> = differences
        .iter()
        .map(|(path, it)| (path.as_str(), *it))
        .collect();
    use Difference::{Extra, Missing, Other};
    let expected = [
        ("access.toml", Other),
        ("host_ed25519", Missing),
        ("keys/ip_ed25519", Missing),
        ("peers/far.token", Missing),
        ("store_key", Missing),
        ("tokens/t1.json", Missing),
        ("users/gone.pub", Extra),
        ("users/noc.pub", Missing),
    ];
    assert_eq!(told, expected);
    heard.put(&to).unwrap();
    assert_eq!(heard.differences(&SharedFiles::of(&to).unwrap()).len(), 0);
    let at = |path: &str| to.path().join(path);
    assert_eq!(fs::read_to_string(at("access.toml")).unwrap(), "rules");
    assert_eq!(fs::read_to_string(at("convoke.toml")).unwrap(), "own");
    assert_eq!(names_in(&at("users")), ["noc.pub"]);
    assert_eq!(names_in(&at("tokens")), ["t1.json", "t2.revoked"]);
    for secret in [
        "host_ed25519",
        "store_key",
        "keys/ip_ed25519",
        "tokens/t1.json",
        "peers/far.token",
    ] {
        assert_eq!(mode(&at(secret)), 0o600, "{secret}");
    }
    assert_eq!(mode(&at("keys")), 0o700);
    assert_eq!(mode(&at("users/noc.pub")), 0o644);
    for left in [READY, WRITING, CLUSTER_KEY, "known_hosts", "store_head"] {
        assert!(!at(left).exists(), "{left}");
    }
}

#[test]
fn nobody_is_given_files_beside_those_that_are_shared() {
    for path in [
        "",
        "cluster_key",
        "convoke.toml",
        "../access.toml",
        "/etc/passwd",
        "users/../access.toml",
        "users/a/b.pub",
        "users/.pub",
        "users/..pub",
        "users/a\0.pub",
        "users/noc.pub/",
        "users/noc",
        "keys/a.pub",
        "tokens/x.json.pub",
        "other/a.pub",
        "users//a.pub",
        ".joining/access.toml",
    ] {
        assert!(!is_shared(path), "{path:?}");
        let told = vec![ToldFile {
            path: path.to_owned(),
            content: String::new(),
        }];
        let refused = SharedFiles::heard(told).unwrap_err();
        assert!(matches!(refused, SharedFilesError::Name(_)), "{path:?}");
    }
    let told = |content: String| {
        let path = "access.toml".to_owned();
        SharedFiles::heard(vec![ToldFile { path, content }])
    };
    let refused = told("no base64!".to_owned()).unwrap_err();
    assert!(matches!(refused, SharedFilesError::Content(_)));
    let large = Base64::encode_string(&vec![0; 1 + FILE_BYTES_MOST as usize]);
    let refused = told(large).unwrap_err();
    assert!(matches!(refused, SharedFilesError::Large(_)));
    let many = |number: usize| {
        let files = (0..number).map(|number| ToldFile {
            path: format!("users/u{number}.pub"),
            content: String::new(),
        });
        SharedFiles::heard(files.collect())
    };
    assert!(many(FILES_MOST).is_ok());
    assert!(many(FILES_MOST + 1).is_err());
}

/// A process that is killed anywhere leaves a folder that is as it was, or as it was to be.
#[test]
fn who_is_interrupted_leaves_nothing_half() {
    let (_from, from) = folder(&[("host_ed25519", "new"), ("users/noc.pub", "new")]);
    let new = SharedFiles::of(&from).unwrap();
    let to = || folder(&[("host_ed25519", "old"), ("agents/ip.pub", "old")]);
    let copied = |to: &StateFolder, path: &str, within: &str| {
        let file: PathBuf = to.path().join(within).join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::copy(from.path().join(path), file).unwrap();
    };
    // While the new ones are written.
    let (_folder, state) = to();
    let before = SharedFiles::of(&state).unwrap();
    copied(&state, "host_ed25519", WRITING);
    finish(&state).unwrap();
    assert_eq!(SharedFiles::of(&state).unwrap(), before);
    assert!(!state.path().join(WRITING).exists());
    // Once all are written, and again after some are in place.
    for placed in [
        &[][..],
        &["host_ed25519"],
        &["host_ed25519", "users/noc.pub"],
    ] {
        let (_folder, state) = to();
        copied(&state, "host_ed25519", READY);
        copied(&state, "users/noc.pub", READY);
        placed.iter().for_each(|path| copied(&state, path, ""));
        finish(&state).unwrap();
        assert_eq!(SharedFiles::of(&state).unwrap(), new, "{placed:?}");
        assert!(!state.path().join(READY).exists());
    }
    // A folder of which nothing is pending is left as it is.
    let (_folder, state) = to();
    finish(&state).unwrap();
    assert_eq!(SharedFiles::of(&state).unwrap(), before);
}

#[test]
fn two_do_not_put_files_at_once() {
    let (_folder, state) = folder(&[]);
    let held = hold(&state).unwrap();
    assert!(hold(&state).is_err());
    drop(held);
    hold(&state).unwrap();
}
