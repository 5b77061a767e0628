//! Texts that take time in proportion to them: where they are read, and what becomes of too much work.

use super::*;
use std::sync::atomic::Ordering;

/// A2A-T is read beside the connections, after rights were decided; without room, nothing is done.
#[test]
fn texts_are_read_beside_the_connections() {
    let stage = Stage::new();
    let prompt = energy("Haidian", "Energy consumption goal: 20%");
    let task = said("m-1", Family::Task, ENERGY, &prompt);
    stage.pool.full.store(true, Ordering::Relaxed);
    for (who, code) in [("guest", -32041), ("ann", -32045)] {
        let told = stage.rpc(who, RADIO, "SendMessage", json!({"message": task}));
        assert_eq!(told["error"]["code"], code, "{told}");
    }
    stage.pool.full.store(false, Ordering::Relaxed);
    assert!(ask(&stage, task)["task"].is_object());
}

/// A text that is more work than is done for one is refused as such words are, and nothing comes of it.
#[test]
fn a_text_that_is_too_much_work_is_refused() {
    let stage = Stage::new();
    let common = "x, ".repeat(20_000);
    let alternatives = "### Alternative 1\n".repeat(16);
    let wanted = "Area: Haidian\nEnergy consumption goal: 20%";
    let text = format!("## Under Evaluation Description\n{wanted}\n{common}\n{alternatives}");
    let proposal = of_negotiation("m-1", PROPOSE, 1, "PROPOSE", &text);
    let told = stage.rpc("ann", RADIO, "SendMessage", json!({"message": proposal}));
    let error = &told["error"];
    assert_eq!(error["code"], -32043, "{told}");
    let why = "it takes more than 8000000 steps to read; say it shorter, or as typed data";
    assert_eq!(error["message"], why);
    assert!(told.to_string().contains("message.metadata"), "{told}");
    let listed = stage.rpc("ann", RADIO, "ListTasks", json!({}));
    assert_eq!(listed["result"]["tasks"], json!([]), "{listed}");
}
