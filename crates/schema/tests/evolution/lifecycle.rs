//! The life of patches and keys (§6.2.2, §6.2.3), with every boundary of D109.

use super::{DAY, HOUR, Story, at, base, key, name};
use schema::evolution::{
    Activity, Approval, ClusterId, LineageCommand, LineageEvent, Observation, Resolved, effective,
};
use schema::language::Language;
use schema::lint::TemplateOrigin;
use schema::patch::Refinement;
use schema::template::KeyStatus;
use serde_json::{Map, json};

/// The verdict at the end of the trial on a key with such measures, in thousandths.
fn verdict(usage: usize, meant: Option<usize>, typed: usize) -> String {
    let mut story = Story::begin();
    story.tries("extra", at(0));
    // A thousand with the key, so that thousandths of these are whole.
    story.sees("extra", usage, typed, meant, at(DAY));
    story.tick(at(7 * DAY));
    story.state("extra").to_owned()
}

/// D101, D102, D109, Q33, Q36: 14.9 and 15.0, 79.9 and 80.0, 89.9 and 90.0 percent; 4.9 and 5.0, 59.9
/// and 60.0, 69.9 and 70.0; between them a trial goes on.
#[test]
fn measures_decide_at_their_boundaries() {
    let table = [
        (150, Some(800), 900),
        (149, Some(800), 900),
        (150, Some(799), 900),
        (50, Some(800), 900),
        (49, Some(800), 900),
        (150, Some(600), 900),
        (150, Some(599), 900),
        (150, None, 900),
        (0, Some(800), 900),
    ];
    let told = table.map(|(usage, meant, typed)| {
        format!(
            "{usage} {meant:?} {typed}: {}",
            verdict(usage, meant, typed)
        )
    });
    insta::assert_snapshot!(told.join("\n"), @r"
    150 Some(800) 900: stable
    149 Some(800) 900: experimental
    150 Some(799) 900: experimental
    50 Some(800) 900: experimental
    49 Some(800) 900: deprecated
    150 Some(600) 900: experimental
    150 Some(599) 900: deprecated
    150 None 900: experimental
    0 Some(800) 900: deprecated
    ");
    // Types, of a thousand values.
    let typed = [900, 899, 700, 699].map(|typed| verdict(1_000, Some(900), typed));
    assert_eq!(
        typed,
        ["stable", "experimental", "experimental", "deprecated"]
    );
}

/// D98, D100, D109: 6 d 23 h is not yet 7 d.
#[test]
fn a_trial_lasts_seven_days() {
    let mut story = Story::begin();
    story.tries("extra", at(0));
    story.sees("extra", 500, 1_000, Some(900), at(DAY));
    assert_eq!(story.tick(at(7 * DAY - HOUR)), [""; 0]);
    assert_eq!(story.tick(at(7 * DAY)), ["promoted", "published"]);
}

/// D77, D97, D99, D101, Q27: born experimental and told so; promoted into the next version, under which
/// the old one is as it was; the flag is gone.
#[test]
fn promotion_publishes_the_next_version() {
    let mut story = Story::begin();
    story.tries("extra", at(0));
    story.tries("second", at(0));
    let current = story.lineage.current();
    assert_eq!(
        current.key("extra").unwrap().standing,
        KeyStatus::Experimental
    );
    assert_eq!(*story.lineage.base(), base());
    story.sees("extra", 500, 1_000, Some(900), at(DAY));
    story.tick(at(7 * DAY));
    let next = story.lineage.base().clone();
    assert_eq!(
        (next.schema_id.as_str(), next.scenario.as_str()),
        ("flight_booking_v2", "flight_booking")
    );
    assert_eq!(next.key("extra").unwrap().standing, KeyStatus::Stable);
    assert_eq!(next.keys.last().unwrap().key_name, "other");
    assert_eq!(schema::lint::template(&next, TemplateOrigin::Own), []);
    // The other patch is rebased, and both keys are accepted under the old version.
    let patch = story.lineage.patches().next().unwrap();
    assert_eq!(
        (patch.parent_schema_id.as_str(), patch.new_keys.len()),
        ("flight_booking_v2", 1)
    );
    let tolerated = story
        .lineage
        .tolerated(&base(), &story.settings, at(7 * DAY));
    assert_eq!(
        tolerated
            .iter()
            .map(|t| t.key_name.as_str())
            .collect::<Vec<_>>(),
        ["extra", "second"]
    );
}

/// D103 to D106, Q47, D109: 13 and 14 days of grace, 29 and 30 days of acceptance.
#[test]
fn deprecated_keys_go_in_their_time() {
    let mut story = Story::begin();
    story.tries("extra", at(0));
    story.sees("extra", 10, 1_000, None, at(DAY));
    assert_eq!(story.tick(at(7 * DAY)), ["deprecated"]);
    assert_eq!(
        story.lineage.current().key("extra").unwrap().standing,
        KeyStatus::Deprecated
    );
    assert_eq!(story.tick(at(20 * DAY)), [""; 0], "13 days");
    assert_eq!(story.tick(at(21 * DAY)), ["withdrawn"], "14 days");
    assert_eq!(story.lineage.current(), base());
    assert_eq!(story.lineage.patches().count(), 0);
    let accepted = |story: &Story, day: i64| {
        !story
            .lineage
            .tolerated(&base(), &story.settings, at(day * DAY))
            .is_empty()
    };
    assert!(
        accepted(&story, 50) && !accepted(&story, 51),
        "29 and 30 days"
    );
    let payload: Map<_, _> = [("extra".to_owned(), json!(true))].into_iter().collect();
    let seen = Observation {
        client: None,
        payload: &payload,
        accepted: true,
        now: at(22 * DAY),
    };
    assert_eq!(story.lineage.observe(&seen), ["extra"], "worth a warning");
    assert_eq!(story.tick(at(50 * DAY)), [""; 0]);
    assert_eq!(story.tick(at(51 * DAY)), ["forgotten"]);
    assert_eq!(story.state("extra"), "forgotten");
}

/// Q33, Q35, D92, D109: undecided, a trial goes on until the observation window ends, 29 and 30 d.
#[test]
fn an_undecided_trial_ends_with_the_window() {
    let mut story = Story::begin();
    story.tries("extra", at(0));
    for day in 0..30 {
        story.sees("extra", 100, 1_000, Some(900), at(day * DAY));
    }
    for day in [7, 14, 21, 28] {
        assert_eq!(story.tick(at(day * DAY)), ["extended"]);
    }
    assert_eq!(story.tick(at(30 * DAY - HOUR)), [""; 0]);
    assert_eq!(story.tick(at(30 * DAY)), ["deprecated"]);
}

/// Q33, Q37: without payloads nothing is judged; without judgements a key is not promoted, and not
/// deprecated for it.
#[test]
fn what_is_unknown_blames_nobody() {
    let mut story = Story::begin();
    story.tries("silent", at(0));
    assert_eq!(story.tick(at(7 * DAY)), ["extended"]);
    let mut story = Story::begin();
    story.tries("extra", at(0));
    for day in 0..40 {
        story.sees("extra", 500, 1_000, None, at(day * DAY));
        story.tick(at(day * DAY));
    }
    assert_eq!(story.state("extra"), "experimental");
    story.settings.trial.promotion.judged = false;
    story.tick(at(48 * DAY));
    assert_eq!(story.state("extra"), "stable");
}

/// Q34, Q48: a promoted key is judged every month; when it falls it leaves by versions of its own.
#[test]
fn stable_keys_are_judged_on() {
    let mut story = Story::begin();
    story.tries("extra", at(0));
    story.sees("extra", 500, 1_000, Some(900), at(DAY));
    story.tick(at(7 * DAY));
    story.sees("extra", 500, 1_000, Some(900), at(10 * DAY));
    assert_eq!(story.tick(at(37 * DAY)), ["extended"]);
    story.sees("extra", 0, 1_000, None, at(60 * DAY));
    assert_eq!(story.tick(at(67 * DAY)), ["deprecated", "published"]);
    let told = story.lineage.base().key("extra").unwrap().standing;
    assert_eq!(
        (told, story.lineage.base().schema_id.as_str()),
        (KeyStatus::Deprecated, "flight_booking_v3")
    );
    assert_eq!(story.tick(at(81 * DAY)), ["withdrawn", "published"]);
    assert!(story.lineage.base().key("extra").is_none());
    assert!(
        story
            .lineage
            .base()
            .keys
            .iter()
            .map(|k| &k.shape)
            .eq(base().keys.iter().map(|k| &k.shape))
    );
}

/// D91, D93 to D96, Q38, Q39, Q46: the four measures.
#[test]
fn four_measures_are_kept() {
    let mut story = Story::begin();
    story.tries("extra", at(0));
    let settings = story.settings.clone();
    for client in ["anna", "bert", "carl"] {
        story.lineage.delivered(client, &settings);
    }
    let mut sends = |client: &str, value: Option<serde_json::Value>, accepted: bool| {
        let payload: Map<_, _> = value.map(|v| ("extra".to_owned(), v)).into_iter().collect();
        let seen = Observation {
            client: Some(client),
            payload: &payload,
            accepted,
            now: at(HOUR),
        };
        story.lineage.observe(&seen);
    };
    sends("anna", Some(json!(true)), true);
    sends("bert", Some(json!("yes")), false);
    sends("bert", None, true);
    sends("stranger", Some(json!(false)), true);
    sends("carl", Some(json!(null)), true);
    story.lineage.judge("extra", true, at(HOUR));
    let ratios = story
        .lineage
        .key("extra")
        .unwrap()
        .metrics
        .ratios(30 * DAY, at(2 * HOUR));
    insta::assert_snapshot!(serde_json::to_string(&ratios).unwrap(), @r#"{"usage_frequency":0.6,"semantic_alignment_accuracy":1.0,"value_type_correctness":0.6666666666666666,"client_adoption_rate":0.3333333333333333}"#);
    assert!(
        !story.lineage.judge("origin", true, at(HOUR)),
        "base keys are never judged"
    );
}

/// D107, D108, Q40, Q41, D109: the tenth goes on trial, the eleventh waits, in order, until one of
/// the ten is promoted or deprecated; a key that waits for approval holds its place.
#[test]
fn the_eleventh_key_waits() {
    let mut story = Story::begin();
    for i in 0..9 {
        story.tries(&format!("key_{i}"), at(0));
    }
    story.proposes(key("tenth"), at(0)).unwrap();
    let (first, second) = (story.fires(at(0)), story.fires(at(0)));
    assert!(!story.lineage.has_room(&story.settings));
    let full = story.turn(first, key("eleventh"), at(0)).unwrap_err();
    assert_eq!(full, "10 keys are on trial already");
    assert_eq!(story.lineage.queue().collect::<Vec<_>>(), [first, second]);
    let principal = "anna".to_owned();
    story
        .does(
            &LineageCommand::Deprecate {
                key_name: "key_0".into(),
                principal,
            },
            at(1),
        )
        .unwrap();
    let turn = story.turn(second, key("twelfth"), at(1)).unwrap_err();
    assert_eq!(turn, "it is not the turn of cluster 11");
    story.turn(first, key("eleventh"), at(1)).unwrap();
    assert!(story.turn(second, key("twelfth"), at(1)).is_err());
    // Refinements bring no key and need no place.
    let refinement = Refinement {
        key_name: "origin".into(),
        annotation: key("x").annotation,
    };
    let resolved = Resolved::Refines {
        refinement,
        sensitive: false,
    };
    story
        .does(
            &LineageCommand::Propose {
                cluster: second,
                resolved,
                exposes_capability: false,
            },
            at(1),
        )
        .unwrap();
    // Each lineage has its own limit.
    assert!(Story::of("anna").proposes(key("own"), at(0)).is_ok());
}

/// Q41: the queue is bounded, holds a cluster once, and what cooled is dropped.
#[test]
fn the_queue_is_bounded() {
    let mut story = Story::begin();
    story.settings.convergence.queue_max = 2;
    let first = story.fires(at(0));
    story.fires(at(0));
    let fire = |cluster| LineageCommand::Fire { cluster };
    assert_eq!(
        story.does(&fire(ClusterId(9)), at(0)).unwrap_err(),
        "2 triggers wait already"
    );
    assert_eq!(
        story.does(&fire(first), at(0)).unwrap_err(),
        "cluster 0 has been dealt with"
    );
    let drop = LineageCommand::Drop {
        cluster: first,
        why: schema::evolution::Dropped::Cooled,
    };
    story.does(&drop, at(0)).unwrap();
    assert!(story.does(&fire(first), at(0)).is_ok(), "it may fire again");
}

/// D113, Q45, Q51: by hand unless the policy says so; two for what is sensitive, never twice the
/// same, never by the policy.
#[test]
fn approval_is_by_hand() {
    let mut story = Story::begin();
    let ordinary = story.proposes(key("extra"), at(0)).unwrap();
    assert_eq!(story.lineage.current(), base(), "visible to nobody");
    assert_eq!(story.lineage.suggestion(None, None), None);
    let events = story.approves(&ordinary, "anna", at(0)).unwrap();
    assert_eq!(
        events.iter().map(name).collect::<Vec<_>>(),
        ["approved", "activated"]
    );
    assert!(story.approves(&ordinary, "bert", at(0)).is_err());

    story.settings.patch.policy.ordinary = Approval::Auto;
    let auto = story.proposes(key("by_itself"), at(0)).unwrap();
    assert_eq!(story.lineage.patch_activity(&auto), Activity::Active);
    for sensitive in ["payment_method", "user_role"] {
        let patch = story.proposes(key(sensitive), at(0)).unwrap();
        story.approves(&patch, "anna", at(0)).unwrap();
        assert_eq!(story.lineage.patch_activity(&patch), Activity::Pending);
        let twice = story.approves(&patch, "anna", at(0)).unwrap_err();
        assert_eq!(twice, format!("'anna' approved '{patch}' already"));
        story.approves(&patch, "bert", at(0)).unwrap();
        assert_eq!(story.lineage.patch_activity(&patch), Activity::Active);
    }
    // A key that lets clients do what they could not do before.
    let cluster = story.fires(at(0));
    let resolved = Resolved::New(key("reboot_site"));
    let events = story
        .does(
            &LineageCommand::Propose {
                cluster,
                resolved,
                exposes_capability: true,
            },
            at(0),
        )
        .unwrap();
    assert_eq!(events.len(), 1);
    assert_eq!(story.lineage.pending().next().unwrap().approvers_min, 2);
}

/// A rejected cluster rests, and so does one that nobody decided upon; then they may ask again.
#[test]
fn rejected_clusters_rest() {
    let mut story = Story::begin();
    let rejected = story.proposes(key("extra"), at(0)).unwrap();
    let reject = |patch_id: &str| LineageCommand::Reject {
        patch_id: patch_id.to_owned(),
        principal: "anna".into(),
        reason: "no".into(),
    };
    story.does(&reject(&rejected), at(0)).unwrap();
    assert!(story.does(&reject(&rejected), at(0)).is_err());
    assert!(story.lineage.is_settled(ClusterId(0), at(30 * DAY - 1)));
    assert!(!story.lineage.is_settled(ClusterId(0), at(30 * DAY)));
    story.proposes(key("other_one"), at(0)).unwrap();
    assert_eq!(story.tick(at(30 * DAY - 1)), [""; 0]);
    assert_eq!(story.tick(at(30 * DAY)), ["lapsed"]);
    assert_eq!(story.lineage.pending().len(), 0);
}

/// D86, Q42, Q43: a patch names itself, its parent, its time and its end, 90 days on; keys on trial
/// at its end go out.
#[test]
fn a_patch_ends() {
    let mut story = Story::begin();
    story.settings.trial.promotion.judged = true;
    let patch_id = story.tries("extra", at(0));
    let patch = story.lineage.patches().next().unwrap().clone();
    assert_eq!(
        (patch_id.as_str(), patch.parent_schema_id.as_str()),
        ("flight_booking_v1_p1", "flight_booking_v1")
    );
    assert_eq!((patch.timestamp, patch.expires_at), (at(0), at(90 * DAY)));
    for day in 0..90 {
        story.sees("extra", 500, 1_000, None, at(day * DAY));
        story.tick(at(day * DAY));
    }
    assert_eq!(story.state("extra"), "experimental");
    assert_eq!(story.tick(at(90 * DAY)), ["deprecated", "renewed"]);
    assert_eq!(story.tick(at(104 * DAY)), ["withdrawn"]);
}

/// A refinement that lasts becomes part of the next version; D79, Q49: only descriptions change.
#[test]
fn a_refinement_is_folded_in() {
    let mut story = Story::begin();
    let cluster = story.fires(at(0));
    let refinement = Refinement {
        key_name: "origin".into(),
        annotation: key("x").annotation,
    };
    let resolved = Resolved::Refines {
        refinement: refinement.clone(),
        sensitive: false,
    };
    story
        .does(
            &LineageCommand::Propose {
                cluster,
                resolved,
                exposes_capability: false,
            },
            at(0),
        )
        .unwrap();
    story
        .approves("flight_booking_v1_p1", "anna", at(0))
        .unwrap();
    let refined = story.lineage.current();
    assert_eq!(
        refined.key("origin").unwrap().annotation,
        refinement.annotation
    );
    assert_eq!(
        refined.key("origin").unwrap().shape,
        base().key("origin").unwrap().shape
    );
    assert_eq!(story.tick(at(90 * DAY)), ["published"]);
    assert_eq!(
        story.lineage.base().key("origin").unwrap().annotation,
        refinement.annotation
    );
    assert_eq!(story.lineage.patches().count(), 0);
}

/// D89, Q27: a client's own keys are seen by that client alone, become stable without a version,
/// and give way to what everyone gets.
#[test]
fn a_client_has_a_stack_of_its_own() {
    let (mut all, mut own) = (Story::begin(), Story::of("anna"));
    all.tries("for_all", at(0));
    own.tries("cabin_zone", at(0));
    let patch = own.lineage.patches().next().unwrap();
    assert_eq!(patch.client.as_deref(), Some("anna"));
    assert!(!patch.patch_id.contains("anna"));
    let annas = effective(
        all.lineage.base(),
        all.lineage.patches().chain(own.lineage.patches()),
    );
    let names: Vec<_> = annas.keys.iter().map(|k| k.key_name.as_str()).collect();
    assert_eq!(
        names,
        ["origin", "cabin_class", "for_all", "cabin_zone", "other"]
    );
    assert!(all.lineage.current().key("cabin_zone").is_none());

    own.sees("cabin_zone", 500, 1_000, Some(900), at(DAY));
    assert_eq!(own.tick(at(7 * DAY)), ["promoted"]);
    assert_eq!(
        own.tick(at(90 * DAY)),
        ["extended", "renewed"],
        "nothing was sent: nothing is known"
    );
    let mut own = Story::of("anna");
    own.tries("for_all", at(0));
    all.sees("for_all", 500, 1_000, Some(900), at(DAY));
    all.tick(at(7 * DAY));
    let rebase = LineageCommand::Rebase {
        base: all.lineage.base().clone(),
    };
    own.does(&rebase, at(7 * DAY)).unwrap();
    assert_eq!(
        (own.lineage.patches().count(), own.lineage.base()),
        (0, all.lineage.base())
    );
    assert!(all.does(&rebase, at(7 * DAY)).is_err());
}

/// D83: a name is given once, also while a patch waits, and the base may have gained it meanwhile.
#[test]
fn names_are_given_once() {
    let mut story = Story::begin();
    assert!(story.proposes(key("origin"), at(0)).is_err());
    let cluster = ClusterId(0);
    story
        .does(
            &LineageCommand::Drop {
                cluster,
                why: schema::evolution::Dropped::Pending,
            },
            at(0),
        )
        .unwrap();
    story.proposes(key("extra"), at(0)).unwrap();
    assert_eq!(
        story.proposes(key("extra"), at(0)).unwrap_err(),
        "there is a key 'extra' already"
    );
}

/// D86 to D88, D99, Q44, Q54: the full set of members always, also read back; since a patch only what
/// is new or changed.
#[test]
fn suggestions_are_complete() {
    let mut story = Story::begin();
    let first = story.tries("first_key", at(0));
    let second = story.tries("second_key", at(DAY));
    let told = story
        .lineage
        .suggestion(None, Some(&Language::english()))
        .unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&told).unwrap(), @r#"
    {
      "expires_at": "2026-04-01T00:00:00.000Z",
      "language": "en",
      "new_keys": [
        {
          "default_value": false,
          "experimental": true,
          "key_name": "first_key",
          "key_type": "boolean",
          "required": false,
          "semantic_description": "Whether it is wanted. Example mapping: 'it is wanted' -> true."
        },
        {
          "default_value": false,
          "experimental": true,
          "key_name": "second_key",
          "key_type": "boolean",
          "required": false,
          "semantic_description": "Whether it is wanted. Example mapping: 'it is wanted' -> true."
        }
      ],
      "parent_schema_id": "flight_booking_v1",
      "patch_id": "flight_booking_v1_p2",
      "timestamp": "2026-01-02T00:00:00.000Z"
    }
    "#);
    let (read, _) = schema::read::suggestion(&told, TemplateOrigin::Peer).unwrap();
    assert!(matches!(read, schema::read::Suggestion::Patch(patch) if patch.patch_id == second));
    let names = |story: &Story, since: &str| -> Vec<String> {
        let patches = story.lineage.patches_since(Some(since));
        patches.map(|p| p.patch_id.clone()).collect()
    };
    assert_eq!(names(&story, &first), std::slice::from_ref(&second));
    assert_eq!(story.lineage.suggestion(Some(&second), None), None);
    let out = LineageCommand::Deprecate {
        key_name: "first_key".into(),
        principal: "anna".into(),
    };
    story.does(&out, at(2 * DAY)).unwrap();
    assert_eq!(names(&story, &second), [first]);
    assert_eq!(names(&story, "never heard of").len(), 2);
    // The short form of a peer is advice (Figure 9).
    let short = json!({"new_keys": [{"key_name": "seat_preference", "key_type": "string", "required": false,
        "default_value": "none", "semantic_description": "Seat preference. Acceptable values: window, aisle, none."}]});
    let (read, _) = schema::read::suggestion(&short, TemplateOrigin::Peer).unwrap();
    assert!(
        matches!(read, schema::read::Suggestion::Advice { new_keys, .. } if new_keys.len() == 1)
    );
}

/// D58: switched off, nothing fires and nothing is approved; what is there still runs out.
#[test]
fn switched_off_nothing_begins() {
    let mut story = Story::begin();
    story.tries("extra", at(0));
    story.sees("extra", 0, 1_000, None, at(DAY));
    story.settings.parts.patches = false;
    let refused = story
        .does(
            &LineageCommand::Fire {
                cluster: ClusterId(7),
            },
            at(0),
        )
        .unwrap_err();
    assert_eq!(refused, "schemas do not evolve here");
    assert_eq!(story.tick(at(7 * DAY)), ["deprecated"]);
    let _: Vec<LineageEvent> = story.does(&LineageCommand::Tick, at(21 * DAY)).unwrap();
    assert_eq!(story.state("extra"), "withdrawn");
}
