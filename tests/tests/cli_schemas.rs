//! `convoke schema`, `convoke ask` and `convoke eval`: input, JSON output (`--json`), and exit
//! code.
//!
//! The platform of `schema` has the cast of the cases and runs in this process; that of `ask` is
//! the installed one, with the shipped agents. Read next: `cli.rs`.

#![allow(clippy::unwrap_used)]

mod cli_support;
mod support;

use cli_support::{Desk, Said, platform};
use serde_json::{Value, json};
use support::block_on;
use support::process::{Running, run};

#[test]
fn templates_are_seen_checked_published_and_verified() {
    block_on(platform(async |desk: &Desk| {
        seen(desk).await;
        checked(desk).await;
        published(desk).await;
        verified(desk).await;
    }));
}

async fn seen(desk: &Desk) {
    let listed = desk.run(&["schema", "list", "--json"]).await.well().json();
    let of = |name: &str| listed.iter().find(|line| line["scenario"] == name).unwrap();
    assert_eq!(of("energy_saving")["schema_id"], "energy_saving_v1");
    let show = ["schema", "show", "flight booking"];
    let table = desk.run(&[&show[..], &["--form", "keys"]].concat()).await;
    assert!(table.well().stdout.contains("passenger_count"));
    for (form, mark) in [
        ("template", "\"schema_id\": \"flight_booking_v1\""),
        ("json-schema", "\"additionalProperties\": false"),
        ("yang", "module flight_booking_v1 {"),
        ("gbnf", "root ::="),
        ("html", "<form"),
    ] {
        let shown = desk.run(&[&show[..], &["--form", form]].concat()).await;
        let shown = shown.well().stdout;
        assert!(shown.contains(mark), "{form}: {shown}");
    }
    let unknown = desk.run(&["schema", "show", "horse_racing"]).await;
    unknown.with_code(3).says("horse_racing");
}

async fn checked(desk: &Desk) {
    let good = desk.file(
        "good.json",
        br#"{"sites": ["site:BE-017"], "other": "twice"}"#,
    );
    let bad = desk.file("bad.json", br#"{"sites": ["BE-017"], "speed": 3}"#);
    let check = ["schema", "check", "service_verification_v1", "--json"];
    let valid = desk.run(&[&check[..], &[&good]].concat()).await.well();
    assert_eq!(valid.json()[0]["valid"], true);
    let invalid = desk.run(&[&check[..], &[&bad]].concat()).await;
    let invalid = invalid.with_code(3).json();
    let told = invalid[0]["violations"].as_array().unwrap();
    let told: Vec<&Value> = told.iter().map(|v| &v["code"]).collect();
    assert_eq!(told, ["pattern", "unknown"]);
}

async fn published(desk: &Desk) {
    let show = ["schema", "show", "service_verification_v1"];
    let template = desk.run(&show).await.well().stdout;
    let mut template: Value = serde_json::from_str(&template).unwrap();
    template["schema_id"] = json!("service_verification_v2");
    template["keys"].as_array_mut().unwrap().insert(
        1,
        json!({
            "key_name": "rounds", "key_type": "integer", "required": false, "minimum": 1,
            "maximum": 9, "semantic_description": "How often each is measured."
        }),
    );
    let next = desk.file("next.json", template.to_string().as_bytes());
    template["keys"][1]["key_type"] = json!("count");
    let wrong = desk.file("wrong.json", template.to_string().as_bytes());
    let refused = desk.run(&["schema", "publish", &wrong]).await;
    refused.with_code(3).says("count");
    let taken = desk
        .run(&["schema", "publish", &next, "--json"])
        .await
        .well();
    assert_eq!(taken.json()[0]["schema_id"], "service_verification_v2");
    let diff = ["schema", "diff", "service_verification_v1", &next, "--json"];
    let differs = desk.run(&diff).await.well().json();
    assert_eq!(differs.len(), 1);
    assert_eq!(differs[0]["key_name"], "rounds");
    assert_eq!(differs[0]["change"], "added");
}

/// Another template than the pinned one is refused.
async fn verified(desk: &Desk) {
    let verify = ["schema", "verify", "energy_saving_v1", "--json"];
    let first = desk.run(&verify).await.well().json();
    assert_eq!(
        desk.run(&verify).await.well().json()[0]["sha256"],
        first[0]["sha256"]
    );
    let pins = desk.path("known_schemas");
    let kept = std::fs::read_to_string(&pins).unwrap();
    let mut forged: Value = serde_json::from_str(&kept).unwrap();
    let templates = &mut forged[desk.address()]["convoke"]["templates"];
    templates["energy_saving_v1"] = templates["service_verification_v1"].clone();
    assert!(templates["energy_saving_v1"].is_object(), "{kept}");
    std::fs::write(&pins, forged.to_string()).unwrap();
    desk.run(&verify)
        .await
        .with_code(3)
        .says("energy_saving_v1");
    let at = [
        "schema",
        "parse",
        "--scenario",
        "energy_saving",
        "save",
        "20",
        "%",
    ];
    desk.run(&at).await.with_code(3).says("is not used");
    std::fs::write(&pins, kept).unwrap();
    desk.run(&at).await.well();
}

#[test]
fn what_is_not_covered_is_asked_for_decided_and_erased() {
    block_on(platform(async |desk: &Desk| {
        let updates = ["schema", "updates", "energy_saving_v1", "--json"];
        assert!(desk.run(&updates).await.well().json().is_empty());
        let words = "prefer cells with solar panels";
        let extend = ["schema", "extend", "energy_saving", words, "--json"];
        let asked = desk.run(&extend).await.well().json();
        assert_eq!(asked[0]["event"], "extension-requested");
        assert!(
            desk.run(&updates).await.well().json().is_empty(),
            "one is not many"
        );
        let samples = ["schema", "samples", "--json"];
        assert!(desk.run(&samples).await.well().json().is_empty());
        for decide in [
            &["schema", "approve", "nothing"][..],
            &["schema", "reject", "nothing", "--reason", "no need"],
            &["schema", "judge", "nothing", "matches"],
        ] {
            desk.run(decide).await.with_code(3).says("nothing");
        }
        let erase = ["schema", "erase", "operator", "--json"];
        // It lay in everyone's pool and in the client's own.
        assert_eq!(desk.run(&erase).await.well().json()[0]["fragments"], 2);
        assert_eq!(desk.run(&erase).await.well().json()[0]["fragments"], 0);
    }));
}

/// A patch is released, polled, and used only if it is the pinned one (draft-zhou §7).
#[test]
fn a_patch_is_approved_and_vouched_for() {
    block_on(platform(async |desk: &Desk| {
        let words = "prefer cells with solar panels";
        let extend = ["schema", "extend", "energy_saving", words];
        for _ in 0..2 {
            desk.run(&extend).await.well();
        }
        let pending = |told: &Value| told["change"] == "patch-pending";
        desk.heard(&[], 1, pending).await;
        let patches = desk.run(&["schema", "patches", "--json"]).await.well();
        let patch = &patches.json()[0]["patch"];
        assert_eq!(patch["state"], "pending");
        let patch_id = patch["patch-id"].as_str().unwrap();
        let updates = ["schema", "updates", "energy_saving_v1", "--json"];
        assert!(desk.run(&updates).await.well().json().is_empty());
        desk.run(&["schema", "approve", patch_id]).await.well();
        let told = desk.run(&updates).await.well().json();
        assert_eq!(told[0]["patch_id"], patch_id);
        assert_eq!(told[0]["patch"]["new_keys"][0]["experimental"], true);
        let pins = desk.path("known_schemas");
        let kept = std::fs::read_to_string(&pins).unwrap();
        let mut forged: Value = serde_json::from_str(&kept).unwrap();
        let pin = &mut forged[desk.address()]["convoke"]["patches"]["energy_saving_v1"][patch_id];
        assert!(pin["version"].is_u64(), "{kept}");
        pin["version"] = json!(u64::MAX / 2);
        std::fs::write(&pins, forged.to_string()).unwrap();
        let older = desk.run(&updates).await.with_code(3);
        older.says("the patch is not used");
    }));
}

#[test]
fn without_a_platform() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let picture = path("growth.svg");
        let evolve = [
            "schema",
            "evolve",
            "--simulate",
            "--clients",
            "200",
            "--days",
            "30",
            "--json",
            "--svg",
            &picture,
        ];
        let grown = run(folder.path(), &evolve).await.well().json();
        let last = grown.last().unwrap();
        assert_eq!(last["event"], "evolved");
        assert!(last["payloads"].as_u64().unwrap() > 1_000, "{last}");
        assert!(
            std::fs::read_to_string(&picture)
                .unwrap()
                .starts_with("<svg")
        );

        let set = path("set.jsonl");
        let line = json!({
            "id": "1", "schema": "flight_booking_v1",
            "utterance": "Book me a flight from Beijing to Shanghai on 2026-05-04, business class",
            "gold": {
                "origin": ["PEK", "Beijing"], "destination": ["SHA", "Shanghai"],
                "departure_date": ["2026-05-04"], "cabin_class": ["business"],
                "passenger_count": ["", 1]
            }
        });
        let wrong = json!({
            "id": "2", "schema": "flight_booking_v1", "utterance": "to Shanghai, first class",
            "gold": { "destination": ["Berlin"], "cabin_class": ["first"] }
        });
        std::fs::write(&set, format!("{line}\n{wrong}\n")).unwrap();
        let eval = ["eval", "intents", &set, "--json", "--mistakes"];
        let scored = run(folder.path(), &eval).await.well().json();
        assert_eq!(scored[0]["event"], "mistake");
        assert_eq!(scored[0]["keys"][0]["key_name"], "destination");
        assert_eq!(scored[1]["joint_accuracy"], 0.5);
        assert_eq!(scored[1]["cases"], 2);

        let texts = path("texts.jsonl");
        let labelled = [
            ("window seat", "seat"),
            ("a window seat please", "seat"),
            ("vegetarian meal", "meal"),
            ("carnival costume", ""),
        ];
        let labelled = labelled.map(|(text, intent)| json!({ "text": text, "intent": intent }));
        std::fs::write(&texts, labelled.map(|l| l.to_string()).join("\n")).unwrap();
        let eval = ["eval", "fragments", &texts, "--members", "2", "--json"];
        let scored = run(folder.path(), &eval).await.well().json();
        assert_eq!(scored[0]["pair_f1"], 1.0);
        assert_eq!(scored[0]["triggers_right"], 1);

        let template = path("template.json");
        let mut written = json!({
            "schema_id": "car_wash_v1", "scenario": "car_wash",
            "keys": [{
                "key_name": "wax", "key_type": "boolean", "required": false,
                "semantic_description": "Whether it is waxed."
            }]
        });
        let lint = ["schema", "lint", &template, "--json"];
        std::fs::write(&template, written.to_string()).unwrap();
        let sound = run(folder.path(), &lint).await.well().json();
        assert_eq!(sound.last().unwrap()["sound"], true);
        written["keys"][0]["key_type"] = json!("count");
        std::fs::write(&template, written.to_string()).unwrap();
        let findings = run(folder.path(), &lint).await.with_code(3).json();
        assert_eq!(findings[0]["path"], "/keys/0/key_type");

        std::fs::write(&set, "{\"id\": \"1\"}\n").unwrap();
        let unread = run(folder.path(), &["eval", "intents", &set]).await;
        unread.with_code(1).says("line 1");
    });
}

/// D6, D12, D20: scenario and agent are chosen and shown, and a request without a match is
/// refused.
#[test]
fn what_is_wanted_finds_its_agent_or_is_told_that_nobody_does_it() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve_on(state.path(), "Germany50").await;
        let question = ["ask", "what hangs on router Berlin?", "--json"];
        let said = running.client(&question).await.well().json();
        assert_eq!(said[0]["event"], "chosen");
        assert_eq!(said[0]["scenario"], "field_guidance");
        assert_eq!(said[0]["agent"], "TMF-Convoke-ResourceField-1.0.0");
        assert_eq!(said[1]["payload"]["element"], "router:Berlin");
        assert_eq!(said[2]["reply"]["verdict"], "result");
        let content = said[2]["reply"]["content"][0].as_str().unwrap();
        assert!(content.contains("router:Berlin is a router"), "{content}");

        let link = "请诊断链路 Berlin-Leipzig，怀疑光缆中断";
        let shown = running.client(&["ask", link, "--dry-run", "--json"]).await;
        let shown = shown.well().json();
        assert_eq!(shown.len(), 2, "nothing is sent");
        assert_eq!(shown[0]["scenario"], "fault_diagnosis");
        assert_eq!(shown[1]["payload"]["target"], "link:Berlin-Leipzig");

        for (words, hint) in [
            (&["order a large iced latte"][..], "nothing fits"),
            (&["帮我点一杯大杯冰拿铁"], "nothing fits"),
            (
                &["Book a flight from Beijing to Shanghai"],
                "no agent takes it",
            ),
            (&["verify the service again"], "not said: sites"),
            (&["save energy", "--agent", "ip-fault"], "nothing fits"),
            (
                &["diagnose it", "--scenario", "horse racing"],
                "horse racing",
            ),
        ] {
            let arguments = [&["ask"][..], words].concat();
            running.client(&arguments).await.with_code(3).says(hint);
        }
        let plain = [
            "ask",
            "--plain",
            "--agent",
            "resource-copilot",
            "card Berlin/2?",
        ];
        let answered = running.client(&plain).await.well().stdout;
        assert!(answered.contains("card:Berlin/2"), "{answered}");
        running
            .client(&["ask", "--plain", "hello"])
            .await
            .with_code(2);
    });
}
