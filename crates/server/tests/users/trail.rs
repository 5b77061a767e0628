//! Authentication in the audit trail: over SSH, over HTTP, and changes of credentials.

use crate::platform::Platform;
use domain::audit::{AuditKind, AuditRecord};
use domain::event::LogEvent;
use domain::time::Timestamp;
use server::token::Grant;
use std::sync::Arc;
use testkit::within;

impl Platform {
    /// The first record of a kind about a user.
    async fn record(&self, kind: AuditKind, user: &str) -> Arc<AuditRecord> {
        let feed = self.host.platform.engine().feed();
        let mut news = feed.watch();
        let found = async {
            loop {
                news.borrow_and_update();
                let entries = feed.after(0, 10_000).unwrap();
                let found = entries.iter().find_map(|entry| match &entry.happening {
                    LogEvent::Audit(record)
                        if record.event.kind == kind && record.event.user == user =>
                    {
                        Some(Arc::clone(record))
                    }
                    _ => None,
                });
                match found {
                    Some(record) => return record,
                    None => news.changed().await.unwrap(),
                }
            }
        };
        within(&format!("{} of {user}", kind.as_str()), found).await
    }
}

#[tokio::test]
async fn who_gets_in_over_ssh_and_who_does_not_is_told() {
    let platform = Platform::with("").await;
    platform.admit("users/noc.pub");
    platform.admit("users/guest.pub");
    drop(platform.client("noc").await);
    let login = platform.record(AuditKind::Login, "noc").await;
    assert_eq!(login.event.source, "ssh 127.0.0.1");
    assert!(login.event.subject.starts_with("SHA256:"), "{login:?}");
    // A key of another's, and a name that nobody has.
    for user in ["noc", "nobody"] {
        let refused = platform.client_with(user, "keys/guest_ed25519").await;
        assert!(refused.is_err());
        let failed = platform.record(AuditKind::LoginFailed, user).await;
        assert_eq!(failed.event.source, "ssh 127.0.0.1");
        assert_ne!(failed.event.subject, login.event.subject);
        assert!(failed.event.subject.starts_with("SHA256:"), "{failed:?}");
        assert_eq!(failed.event.reason, "no key that counts under this name");
    }
}

#[tokio::test]
async fn keys_tokens_and_rules_that_come_and_go_are_told() {
    let platform = Platform::with("").await;
    platform.admit("users/noc.pub");
    let added = platform.record(AuditKind::KeyAdded, "noc").await;
    assert_eq!(added.event.subject, "users/noc.pub");
    let issued = platform.issue("noc").unwrap();
    let told = platform.record(AuditKind::TokenIssued, "noc").await;
    assert_eq!(told.event.subject, format!("token {}", issued.entry.id));
    assert!(!format!("{told:?}").contains(&issued.token));
    platform.tokens().revoke(&issued.entry.id).unwrap();
    platform.record(AuditKind::TokenRevoked, "noc").await;
    std::fs::remove_file(platform.file("users/noc.pub")).unwrap();
    platform.record(AuditKind::KeyRemoved, "noc").await;
    let rules = std::fs::read_to_string(platform.file("access.toml")).unwrap();
    std::fs::write(
        platform.file("access.toml"),
        format!("{rules}\n[[group]]\nname = \"readers\"\nuser-name = []\n"),
    )
    .unwrap();
    platform.record(AuditKind::RulesChanged, "").await;
}

/// A token that was issued and revoked between two checks of the platform is recorded.
#[tokio::test]
async fn a_token_that_is_revoked_at_once_is_told_all_the_same() {
    let platform = Platform::with("").await;
    let tokens = platform.tokens();
    let grant = Grant {
        name: "operator".to_owned(),
        valid_s: 600,
        scope: Default::default(),
    };
    let now = server::clock::Clock::wall_time();
    let entry = tokens.issue(&grant, now).unwrap().entry;
    tokens.revoke(&entry.id).unwrap();
    assert_eq!(tokens.entries().unwrap(), []);
    let subject = format!("token {}", entry.id);
    for kind in [AuditKind::TokenIssued, AuditKind::TokenRevoked] {
        let told = platform.record(kind, "operator").await;
        assert_eq!(told.event.subject, subject);
    }
    // Tokens that would have expired by now are deleted, revoked or not.
    let later = now.plus_s(1_000.0);
    tokens.issue(&grant, later).unwrap();
    let kept = std::fs::read_dir(platform.file("tokens")).unwrap();
    assert_eq!(kept.count(), 1);
}

/// A thousand denials from one source are a handful of records, and others are still admitted.
#[tokio::test]
async fn a_flood_of_denials_is_a_handful_of_records() {
    let platform = Platform::with("").await;
    platform.admit("users/guest.pub");
    let mut guest = platform.client("guest").await;
    for _ in 0..200 {
        let denied = guest
            .call("<kill-session><session-id>1</session-id></kill-session>")
            .await;
        assert!(denied.is_err());
    }
    platform.record(AuditKind::Denied, "guest").await;
    let engine = platform.host.platform.engine();
    engine.flushed().await;
    let entries = engine.feed().after(0, 10_000).unwrap();
    let denials = entries.iter().filter(|entry| {
        matches!(&entry.happening, LogEvent::Audit(record) if record.event.kind == AuditKind::Denied)
    });
    assert!(denials.count() <= 4, "200 denials within minutes");
    assert!(engine.denials() >= 200);
    engine.tick(Timestamp::from_ms(i64::MAX / 2));
}

/// A refused token over HTTP is recorded without the token itself.
#[tokio::test]
async fn a_token_that_does_not_count_is_told_without_it() {
    let platform = Platform::with("[http]\nlisten = \"127.0.0.1:0\"").await;
    let address = platform.host.http.unwrap().address.to_string();
    let token = "aaaa.bbbb.cccc";
    let answer = testkit::http::get(&address, "/whoami", Some(token)).await;
    assert!(answer.line.starts_with("HTTP/1.1 401"), "{answer:?}");
    let failed = platform.record(AuditKind::LoginFailed, "").await;
    assert_eq!(failed.event.source, "http 127.0.0.1");
    assert!(!format!("{failed:?}").contains(token));
}
