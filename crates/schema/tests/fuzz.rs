//! The fuzz targets of schemas over their seeds and a few thousand small changes to them: what a
//! stranger's bytes may never do. The functions are in `tests/fuzz`, where libFuzzer runs them for
//! as long as one likes (`make fuzz`).
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

#[path = "../../../tests/fuzz/src/mutation.rs"]
#[allow(dead_code, reason = "targets without seeds of their own are elsewhere")]
mod mutation;
#[path = "../../../tests/fuzz/src/schemas/mod.rs"]
mod schemas;

use schema::shipped::SHIPPED;

macro_rules! figures {
    ($($number:literal),*) => {
        [$(include_str!(concat!("figures/figure-", $number, ".json"))),*]
    };
}

fn bytes(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<Vec<u8>> {
    texts
        .into_iter()
        .map(|text| text.as_ref().as_bytes().to_vec())
        .collect()
}

/// Seeds that are choices: bytes that do not begin as JSON does.
fn choices() -> Vec<Vec<u8>> {
    let byte = |i: usize, k: usize| (i * 37 + k * k * 11 + k * 5) as u8 | 1;
    (0..48usize)
        .map(|i| (0..64).map(|k| byte(i, k)).collect())
        .collect()
}

/// A target's corpus with further seeds: figures of the draft, what ships, choices.
fn fed(name: &str, target: fn(&[u8]), seeds: Vec<Vec<u8>>, changed: usize) {
    let seeds = seeds.into_iter().chain(choices());
    mutation::smoke_with(name, "json", target, seeds.collect(), changed);
}

/// D21 to D33, D111: a template of anyone is read or refused with a reason; what is read is written,
/// read again and rendered in every form.
#[test]
fn no_template_breaks_anything() {
    let figures = figures!["2", "3", "7", "10"];
    let shipped = SHIPPED.iter().map(|(_, json)| *json);
    fed(
        "template",
        schemas::template,
        bytes(shipped.chain(figures)),
        2_000,
    );
}

/// D15, D40, Q10, Q14: a payload of anyone is accepted or refused with a reason; what is accepted is
/// canonical, for JSON Schema too; `other` changes no verdict.
#[test]
fn no_payload_breaks_anything() {
    fed(
        "payload",
        schemas::payload,
        bytes(figures!["4", "5", "8"]),
        3_000,
    );
}

/// D78, D79, D83, Q49: a patch of anyone is refused, or adds keys and describes them, and that is
/// all.
#[test]
fn no_patch_breaks_anything() {
    fed("patch", schemas::patch, bytes(figures!["9"]), 800);
}
