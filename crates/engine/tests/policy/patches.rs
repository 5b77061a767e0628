//! Patches of schemas that rules approve or reject: what is approved is served, and what was not stored is decided
//! again.

#[path = "../../../schema/tests/evolution/bag.rs"]
mod bag;

use super::*;
use bag::Bag;
use engine::query::SchemaTree;
use engine::{GetSchemaTemplate, PatchStanding, SchemaSetup, Which};
use schema::contract::Unknown;
use schema::evolution::EvolutionSettings;
use schema::shipped;
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::Duration;
use store::{Batch, Document};

const HOUR_MS: i64 = 3_600_000;

/// A platform on which many want the same, so that a patch waits.
fn wanting(store: store::Options) -> Stage {
    wanting_with(store, Quotas::default())
}

/// The same, where users may write no more than this.
fn wanting_with(store: store::Options, users: Quotas) -> Stage {
    let now = begin();
    let desk = hosted(testkit::profile("desk"), testkit::Willing, now);
    let engine = Engine::open(Setup {
        store,
        limits: Limits {
            users,
            ..Limits::default()
        },
        schemas: SchemaSetup {
            settings: EvolutionSettings::default(),
            unknown: Unknown::Reject,
            embedder: Some(Arc::new(Bag)),
            ..SchemaSetup::fixed(shipped::shipped())
        },
        ..testkit::setup([desk])
    });
    let mut stage = Stage {
        engine: engine.unwrap(),
        now,
        ann_has_key: Arc::default(),
        out_has_key: Arc::default(),
    };
    stage.engine.start(now);
    for n in 0..40 {
        let words = format!("unlike any other {n}{n}{n}");
        stage.books(&format!("c{}", n % 8), &format!("early-{n}"), &words);
    }
    stage.grow();
    stage.now = stage.now + 10 * 24 * HOUR_MS;
    for n in 0..21 {
        let (client, task) = (format!("c{}", n % 7), format!("seat-{n}"));
        stage.books(&client, &task, "window seat");
    }
    stage.grow();
    stage
}

impl Stage {
    fn books(&self, client: &str, task: &str, other: &str) {
        let job = format!(
            "## target object\nflight\n## task description\nbook\n## structured payload\n\
             {{\"schema_id\": \"flight_booking_v1\", \"payload\": {{\"origin\": \"PEK\", \
             \"destination\": \"SHA\", \"departure_date\": \"2026-05-04\", \"other\": \"{other}\"}}}}"
        );
        self.say(client, assignment("desk", task, &job)).unwrap();
    }

    /// Schemas grow, and rules look at what came of that; nobody else waits for what they do.
    fn grow(&self) {
        let mut growing = pin!(self.engine.evolve(self.now));
        let mut context = Context::from_waker(Waker::noop());
        while growing.as_mut().poll(&mut context).is_pending() {
            self.flush();
        }
    }

    /// The first patch for everybody.
    fn patch(&self) -> Option<PatchStanding> {
        let records = self.read("operator", SchemaTree);
        let mut patches = records.patches.into_iter().filter(|p| p.client.is_none());
        patches.next().map(|patch| patch.state)
    }

    /// Schemas grow, and nothing is stored of what rules make of it.
    fn grow_in_vain(&self) {
        // Of what is written together with this, nothing is stored.
        let large = Document {
            kind: "trial".into(),
            name: "large".to_owned(),
            body: Some("x".repeat(5_000_000)),
        };
        let (mut growing, mut large) = (pin!(self.engine.evolve(self.now)), Some(large));
        let mut context = Context::from_waker(Waker::noop());
        while growing.as_mut().poll(&mut context).is_pending() {
            if self.patch() == Some(PatchStanding::Active) {
                let documents = large.take().into_iter().collect();
                let batch = Batch {
                    documents,
                    ..Batch::default()
                };
                drop(self.engine.store().commit(batch));
            }
            self.flush();
        }
        assert!(large.is_none(), "it was about to be approved");
    }

    /// How many keys on trial a client is served.
    fn on_trial(&self) -> usize {
        let which = Which::Scenario("Flight Booking".to_owned());
        let language = None;
        let served = self.run("c1", GetSchemaTemplate { which, language });
        let template = served.unwrap().template;
        let keys = template["keys"].as_array().unwrap().iter();
        keys.filter(|key| key["experimental"] == true).count()
    }
}

fn approves(name: &str, verdict: RuleVerdict) -> AddRule {
    AddRule {
        kind: DecisionKind::Patch,
        conditions: RuleConditions::default(),
        verdict,
        ..cheap(name, 0.0)
    }
}

#[test]
fn a_patch_that_a_rule_approves_is_served() {
    let stage = wanting(store::Options::memory());
    assert_eq!(stage.patch(), Some(PatchStanding::Pending));
    let rule = approves("patches", RuleVerdict::Accept);
    stage.run("operator", rule).unwrap();
    assert_eq!(stage.on_trial(), 0);
    stage.grow();
    assert_eq!(stage.patch(), Some(PatchStanding::Active));
    assert_eq!(stage.on_trial(), 1);
    assert!(!stage.decided().is_empty());
}

#[test]
fn a_patch_whose_approval_was_not_stored_waits_and_is_approved_by_the_next_look() {
    let folder = tempfile::tempdir().unwrap();
    let stage = wanting(store::Options {
        batch_wait: Duration::from_secs(3_600),
        size_max: Some(4_000_000),
        ..testkit::on_disk(folder.path())
    });
    let rule = approves("patches", RuleVerdict::Accept);
    stage.run("operator", rule).unwrap();
    stage.grow_in_vain();
    assert_eq!(stage.patch(), Some(PatchStanding::Pending));
    assert_eq!((stage.on_trial(), stage.decided().len()), (0, 0));
    stage.grow();
    assert_eq!(stage.patch(), Some(PatchStanding::Active));
    assert_eq!(stage.on_trial(), 1);
}

/// What a rule does to a patch is charged to its author.
#[test]
fn a_patch_of_the_rule_of_one_who_writes_too_fast_waits_until_there_is_room() {
    let users = writes_slowly("operator", 600);
    let mut stage = wanting_with(store::Options::memory(), users);
    let rule = approves("patches", RuleVerdict::Accept);
    stage.run("operator", rule).unwrap();
    stage.grow();
    assert_eq!(stage.patch(), Some(PatchStanding::Pending));
    assert_eq!(stage.refused("operator"), 1);
    stage.now = stage.now + 60_000;
    stage.grow();
    assert_eq!(stage.patch(), Some(PatchStanding::Active));
}

/// What was not stored and is decided again is charged once.
#[test]
fn a_patch_whose_approval_was_not_stored_is_paid_once() {
    let folder = tempfile::tempdir().unwrap();
    let stage = wanting_with(
        store::Options {
            batch_wait: Duration::from_secs(3_600),
            size_max: Some(4_000_000),
            ..testkit::on_disk(folder.path())
        },
        // Of the share, the rule and one word of it have room, and nothing refills.
        writes_slowly("operator", 1_300),
    );
    let rule = approves("patches", RuleVerdict::Accept);
    stage.run("operator", rule).unwrap();
    stage.grow_in_vain();
    assert_eq!(stage.patch(), Some(PatchStanding::Pending));
    stage.grow();
    assert_eq!(stage.patch(), Some(PatchStanding::Active));
    assert_eq!(stage.refused("operator"), 0);
}

/// Who may only reject has no rule that approves, and the other way round.
#[test]
fn a_rule_about_patches_has_the_rights_of_what_it_says() {
    let stage = wanting(store::Options::memory());
    let permit = |module: &str, rpc: &str| Rule {
        name: rpc.to_owned(),
        module: module.to_owned(),
        target: RuleTarget::Rpc(rpc.to_owned()),
        operations: [AccessOperation::Exec].into(),
        action: Action::Permit,
    };
    let list = RuleList {
        name: "carl".to_owned(),
        groups: ["critics".to_owned()].into(),
        rules: vec![
            permit("convoke-policy", "add-rule"),
            permit("convoke-schema", "reject-patch"),
        ],
    };
    let mut access = testkit::access(&["operator"]);
    access.enabled = true;
    access
        .groups
        .insert("critics".to_owned(), ["carl".to_owned()].into());
    let everything = Rule {
        name: "everything".to_owned(),
        module: "*".to_owned(),
        target: RuleTarget::Everything,
        operations: [AccessOperation::Read, AccessOperation::Exec].into(),
        action: Action::Permit,
    };
    let administrators = RuleList {
        name: "admin".to_owned(),
        groups: ["admin".to_owned()].into(),
        rules: vec![everything],
    };
    access.lists.extend([administrators, list]);
    stage.engine.set_access(access);
    assert!(
        stage.inbox("carl").count > 0,
        "he may reject, so it waits for him"
    );
    let yes = approves("yes", RuleVerdict::Accept);
    stage.run("carl", yes).unwrap();
    stage.grow();
    assert_eq!(
        (stage.decided(), stage.patch()),
        (vec![], Some(PatchStanding::Pending))
    );
    let no = approves("no", RuleVerdict::Reject);
    stage.run("carl", no).unwrap();
    stage.grow();
    let decided = stage.decided();
    assert!(
        decided.iter().all(|(_, rule)| rule == "carl/no"),
        "{decided:?}"
    );
    assert_ne!(stage.patch(), Some(PatchStanding::Pending));
}
