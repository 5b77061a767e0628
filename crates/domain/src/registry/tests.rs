//! The table of a registration's transitions, and its invariants.

use super::*;
use crate::profile::{Capability, Layer};
use insta::assert_snapshot;
use proptest::prelude::*;

fn profile(version: &str) -> Arc<Profile> {
    Arc::new(Profile {
        name: "ip".into(),
        alias: None,
        description: "d".into(),
        agent_type: None,
        version: version.into(),
        provider: "p".into(),
        domain: None,
        management_object: None,
        layer: Layer::Resource,
        province: None,
        capability: Capability::default(),
        skills: vec![],
        authentication: vec![],
    })
}

fn terms(version: &str, lease_ms: i64) -> Terms {
    Terms {
        profile: profile(version),
        reach: Reach::Client,
        lease_ms,
    }
}

fn renew(health: Health) -> Command {
    let note = if health == Health::Ok { "" } else { "hot" };
    Command::Renew {
        health,
        note: note.into(),
    }
}

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(ms)
}

fn place() -> Registration {
    Registration::first(terms("1.0.0", 10_000), at(1_000)).unwrap()
}

#[test]
fn the_table() {
    let mut degraded = place();
    degraded.apply(&place().decide(renew(Health::Degraded), at(1_000)).unwrap());
    let mut expired = place();
    expired.apply(&place().decide(Command::Expire, at(11_000)).unwrap());
    let hosted = Registration::hosted(profile("1.0.0"), at(1_000));
    let places = [
        ("ok", place()),
        ("degraded", degraded),
        ("expired", expired),
        ("hosted", hosted),
    ];
    let commands = [
        ("register", Command::Register(terms("1.0.0", 10_000))),
        (
            "register otherwise",
            Command::Register(terms("1.0.1", 10_000)),
        ),
        ("renew", renew(Health::Ok)),
        ("renew degraded", renew(Health::Degraded)),
        ("renew failing", renew(Health::Failing)),
        ("expire", Command::Expire),
        ("suspend", Command::Suspend),
    ];
    let mut table = String::new();
    for (state, place) in &places {
        for (command, wanted) in &commands {
            let outcome = match place.decide(wanted.clone(), at(11_000)) {
                Ok(event) => event.change.map_or("-", AgentChange::as_str).to_owned(),
                Err(improper) => format!("({improper})"),
            };
            table.push_str(&format!("{state}, {command}: {outcome}\n"));
        }
    }
    assert_snapshot!(table, @r"
    ok, register: -
    ok, register otherwise: registered
    ok, renew: -
    ok, renew degraded: health
    ok, renew failing: health
    ok, expire: expired
    ok, suspend: expired
    degraded, register: health
    degraded, register otherwise: registered
    degraded, renew: health
    degraded, renew degraded: -
    degraded, renew failing: health
    degraded, expire: expired
    degraded, suspend: expired
    expired, register: returned
    expired, register otherwise: registered
    expired, renew: returned
    expired, renew degraded: returned
    expired, renew failing: returned
    expired, expire: (no lease of the agent is over)
    expired, suspend: (no lease of the agent is over)
    hosted, register: (a hosted agent holds its place by configuration)
    hosted, register otherwise: (a hosted agent holds its place by configuration)
    hosted, renew: (a hosted agent holds its place by configuration)
    hosted, renew degraded: (a hosted agent holds its place by configuration)
    hosted, renew failing: (a hosted agent holds its place by configuration)
    hosted, expire: (a hosted agent holds its place by configuration)
    hosted, suspend: (a hosted agent holds its place by configuration)
    ");
}

#[test]
fn a_lease_ends_when_it_is_over_and_not_before() {
    let mut place = place();
    assert_eq!(place.lease_until(), Some(at(11_000)));
    assert_eq!(
        place.decide(Command::Expire, at(10_999)),
        Err(Improper::NotDue)
    );
    let suspended = place.decide(Command::Suspend, at(2_000)).unwrap();
    assert!(suspended.expired, "whatever is left of the lease");
    let renewed = place.decide(renew(Health::Ok), at(9_000)).unwrap();
    place.apply(&renewed);
    assert_eq!(
        place.decide(Command::Expire, at(11_000)),
        Err(Improper::NotDue)
    );
    let expired = place.decide(Command::Expire, at(19_000)).unwrap();
    place.apply(&expired);
    assert!(!place.is_available());
    assert_eq!(place.registered_at, at(1_000));
}

#[test]
fn a_place_has_bounds() {
    for (lease_ms, fits) in [
        (9_999, false),
        (10_000, true),
        (7 * 86_400_000, true),
        (7 * 86_400_000 + 1, false),
        (-1, false),
    ] {
        let first = Registration::first(terms("1.0.0", lease_ms), at(0));
        assert_eq!(first.is_ok(), fits, "{lease_ms}");
    }
    let note = |bytes| Command::Renew {
        health: Health::Ok,
        note: "x".repeat(bytes),
    };
    assert!(place().decide(note(1_024), at(2_000)).is_ok());
    assert_eq!(
        place().decide(note(1_025), at(2_000)),
        Err(Improper::Note { bytes: 1_025 })
    );
    let bad = Registration::first(terms("one", 10_000), at(0));
    assert!(matches!(bad, Err(Improper::Profile(_))));
}

#[test]
fn a_server_has_an_address_and_a_host_key() {
    let first = |address: &str, host_key: &str| {
        let reach = Reach::Server {
            address: address.into(),
            host_key: host_key.into(),
        };
        let terms = Terms {
            reach,
            ..terms("1.0.0", 10_000)
        };
        Registration::first(terms, at(0))
    };
    let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2A";
    for good in ["agent.example:830", "192.0.2.1:8830", "[2001:db8::1]:830"] {
        assert!(first(good, key).is_ok(), "{good}");
    }
    for bad in [
        "agent.example",
        ":830",
        "a:0",
        "a:65536",
        "a b:830",
        "[::x]:1",
        "::1:830",
        "u@h:1",
    ] {
        assert!(
            matches!(first(bad, key), Err(Improper::Address { .. })),
            "{bad}"
        );
    }
    for bad in [
        "",
        "ssh-ed25519",
        "ssh-ed25519 ",
        "ssh-ed25519 A A",
        "ssh-rsa A\nB",
    ] {
        assert!(
            matches!(first("a:830", bad), Err(Improper::HostKey { .. })),
            "{bad}"
        );
    }
    let hosted = Terms {
        reach: Reach::Hosted,
        ..terms("1.0.0", 10_000)
    };
    assert_eq!(Registration::first(hosted, at(0)), Err(Improper::Hosted));
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        (0u8..3, 10_000i64..40_000)
            .prop_map(|(v, lease)| Command::Register(terms(&format!("1.0.{v}"), lease))),
        (0usize..3).prop_map(|h| renew(Health::ALL[h])),
        Just(Command::Expire),
    ]
}

proptest! {
    #[test]
    fn whatever_is_asked(steps in prop::collection::vec((command(), -5_000i64..30_000), 0..40)) {
        let mut place = place();
        let mut now = at(1_000);
        for (command, pause) in steps {
            now = now + pause;
            let (before, late) = (place.clone(), place.lease_until().unwrap() <= now);
            let speaks = command != Command::Expire;
            let Ok(event) = place.decide(command, now) else {
                // Only time is ever refused here: it was not over yet, or had been before.
                prop_assert!(!speaks && (!late || before.expired));
                continue;
            };
            place.apply(&event);
            // Time never runs back, and the first day stays the first day.
            prop_assert!(place.renewed_at >= before.renewed_at);
            prop_assert_eq!(place.registered_at, before.registered_at);
            // A command renews the lease; only its end without one makes it expire.
            prop_assert_eq!(place.expired, !speaks);
            if speaks {
                prop_assert_eq!(place.renewed_at, now.max(before.renewed_at));
            } else {
                prop_assert!(late);
            }
            // A change visible to others is notified, and nothing else.
            let seen = |r: &Registration| {
                (r.profile.clone(), r.reach.clone(), r.health, r.health_note.clone(), r.expired)
            };
            prop_assert_eq!(event.change.is_some(), seen(&before) != seen(&place));
        }
    }
}

#[test]
fn an_a2a_agent_has_a_card() {
    let first = |card_url: &str| {
        let reach = Reach::A2a {
            card_url: card_url.into(),
            signed: false,
        };
        let terms = Terms {
            reach,
            ..terms("1.0.0", 10_000)
        };
        Registration::first(terms, at(0))
    };
    assert!(first("https://agent.example/a").is_ok());
    for bad in [
        "",
        "agent.example",
        "ftp://agent.example",
        "https://",
        "http:///a",
    ] {
        assert!(matches!(first(bad), Err(Improper::CardUrl { .. })), "{bad}");
    }
}

#[test]
fn a_card_that_was_signed_stays_signed() {
    let on = |card_url: &str, signed| Terms {
        reach: Reach::A2a {
            card_url: card_url.into(),
            signed,
        },
        ..terms("1.0.0", 10_000)
    };
    let register = |place: &mut Registration, terms| {
        let event = place.decide(Command::Register(terms), at(1))?;
        place.apply(&event);
        Ok(event.change)
    };
    let (one, other) = ("https://agent.example", "https://other.example");
    let mut place = Registration::first(on(one, false), at(0)).unwrap();
    let signed = register(&mut place, on(one, true));
    assert_eq!(signed, Ok(Some(AgentChange::Registered)));
    let before = place.clone();
    let unsigned = register(&mut place, on(one, false));
    assert_eq!(unsigned, Err(Improper::Unsigned));
    assert_eq!(place, before);
    assert_eq!(register(&mut place, on(one, true)), Ok(None));
    // Elsewhere is the card of somebody else.
    assert!(register(&mut place, on(other, false)).is_ok());
}
