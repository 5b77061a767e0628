//! The whole table of a lineage: each command in each state of a patch and its key.

use super::{DAY, Story, at, base, key, name};
use schema::evolution::{ClusterId, Dropped, LineageCommand, Resolved};

const CLUSTER: ClusterId = ClusterId(0);
/// With a digest of the client's name.
const PATCH: &str = "flight_booking_v1_55579b557896_p1";

/// A story of one client in which the key came so far.
fn until(state: &str) -> (Story, i64) {
    let mut story = Story::of("anna");
    let mut day = 0;
    for step in [
        "queued",
        "pending",
        "experimental",
        "stable",
        "deprecated",
        "withdrawn",
    ] {
        if state == "none" {
            break;
        }
        match step {
            "queued" => drop(story.fires(at(0))),
            "pending" => drop(story.turn(CLUSTER, key("extra"), at(0)).unwrap()),
            "experimental" if state == "rejected" => {
                let reject = command("Reject");
                drop(story.does(&reject, at(0)).unwrap());
                break;
            }
            "experimental" => drop(story.approves(PATCH, "bert", at(0)).unwrap()),
            "stable" => {
                story.sees("extra", 500, 1_000, Some(900), at(DAY));
                day = 7;
            }
            "deprecated" => drop(story.does(&command("Deprecate"), at(8 * DAY)).unwrap()),
            _ => day = 22,
        }
        story.tick(at(day * DAY));
        if step == state {
            break;
        }
    }
    (story, day)
}

fn command(called: &str) -> LineageCommand {
    let (patch_id, principal) = (PATCH.to_owned(), "anna".to_owned());
    match called {
        "Fire" => LineageCommand::Fire { cluster: CLUSTER },
        "Propose" => LineageCommand::Propose {
            cluster: CLUSTER,
            resolved: Resolved::New(key("extra")),
            exposes_capability: false,
        },
        "Drop" => LineageCommand::Drop {
            cluster: CLUSTER,
            why: Dropped::Cooled,
        },
        "Approve" => LineageCommand::Approve {
            patch_id,
            principal,
        },
        "Reject" => LineageCommand::Reject {
            patch_id,
            principal,
            reason: "no".into(),
        },
        "Deprecate" => LineageCommand::Deprecate {
            key_name: "extra".into(),
            principal,
        },
        "Rebase" => {
            let mut base = base();
            base.schema_id = "flight_booking_v2".into();
            LineageCommand::Rebase { base }
        }
        _ => LineageCommand::Tick,
    }
}

/// D83 to D108: what each command leads to, and why not.
#[test]
fn the_whole_table() {
    let states = [
        "none",
        "queued",
        "pending",
        "rejected",
        "experimental",
        "stable",
        "deprecated",
        "withdrawn",
    ];
    let commands = [
        "Fire",
        "Propose",
        "Drop",
        "Approve",
        "Reject",
        "Deprecate",
        "Rebase",
    ];
    let mut table = String::new();
    for state in states {
        for called in commands {
            let (mut story, day) = until(state);
            let told = match story.does(&command(called), at(day * DAY)) {
                Ok(events) => events.iter().map(name).collect::<Vec<_>>().join(", "),
                Err(refusal) => format!("– {refusal}"),
            };
            table += &format!("{state:12} {called:9} {told}\n");
        }
    }
    insta::assert_snapshot!(table, @r"
    none         Fire      queued
    none         Propose   – it is not the turn of cluster 0
    none         Drop      – it is not the turn of cluster 0
    none         Approve   – no patch 'flight_booking_v1_55579b557896_p1' waits for approval
    none         Reject    – no patch 'flight_booking_v1_55579b557896_p1' waits for approval
    none         Deprecate – no key 'extra' came from a patch
    none         Rebase    rebased
    queued       Fire      – cluster 0 has been dealt with
    queued       Propose   proposed
    queued       Drop      dropped
    queued       Approve   – no patch 'flight_booking_v1_55579b557896_p1' waits for approval
    queued       Reject    – no patch 'flight_booking_v1_55579b557896_p1' waits for approval
    queued       Deprecate – no key 'extra' came from a patch
    queued       Rebase    rebased
    pending      Fire      – cluster 0 has been dealt with
    pending      Propose   – it is not the turn of cluster 0
    pending      Drop      – it is not the turn of cluster 0
    pending      Approve   approved, activated
    pending      Reject    rejected
    pending      Deprecate – no key 'extra' came from a patch
    pending      Rebase    rebased
    rejected     Fire      – cluster 0 has been dealt with
    rejected     Propose   – it is not the turn of cluster 0
    rejected     Drop      – it is not the turn of cluster 0
    rejected     Approve   – no patch 'flight_booking_v1_55579b557896_p1' waits for approval
    rejected     Reject    – no patch 'flight_booking_v1_55579b557896_p1' waits for approval
    rejected     Deprecate – no key 'extra' came from a patch
    rejected     Rebase    rebased
    experimental Fire      – cluster 0 has been dealt with
    experimental Propose   – it is not the turn of cluster 0
    experimental Drop      – it is not the turn of cluster 0
    experimental Approve   – no patch 'flight_booking_v1_55579b557896_p1' waits for approval
    experimental Reject    – no patch 'flight_booking_v1_55579b557896_p1' waits for approval
    experimental Deprecate deprecated
    experimental Rebase    rebased
    stable       Fire      – cluster 0 has been dealt with
    stable       Propose   – it is not the turn of cluster 0
    stable       Drop      – it is not the turn of cluster 0
    stable       Approve   – no patch 'flight_booking_v1_55579b557896_p1' waits for approval
    stable       Reject    – no patch 'flight_booking_v1_55579b557896_p1' waits for approval
    stable       Deprecate deprecated
    stable       Rebase    rebased
    deprecated   Fire      – cluster 0 has been dealt with
    deprecated   Propose   – it is not the turn of cluster 0
    deprecated   Drop      – it is not the turn of cluster 0
    deprecated   Approve   – no patch 'flight_booking_v1_55579b557896_p1' waits for approval
    deprecated   Reject    – no patch 'flight_booking_v1_55579b557896_p1' waits for approval
    deprecated   Deprecate – 'extra' is deprecated already
    deprecated   Rebase    rebased
    withdrawn    Fire      – cluster 0 has been dealt with
    withdrawn    Propose   – it is not the turn of cluster 0
    withdrawn    Drop      – it is not the turn of cluster 0
    withdrawn    Approve   – no patch 'flight_booking_v1_55579b557896_p1' waits for approval
    withdrawn    Reject    – no patch 'flight_booking_v1_55579b557896_p1' waits for approval
    withdrawn    Deprecate – 'extra' is withdrawn already
    withdrawn    Rebase    rebased
    ");
}
