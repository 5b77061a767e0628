//! The fuzz targets of schemas over their seeds and a few thousand small changes to them: what a
//! stranger's bytes may never do. The functions are in `tests/fuzz`, where libFuzzer runs them for
//! as long as one likes (`make fuzz`).
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

#[path = "../../../tests/fuzz/src/mutation.rs"]
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

/// How many times as long: CONVOKE_FUZZ_TIMES, for `make soak`.
#[allow(clippy::disallowed_methods)]
fn times() -> usize {
    let told = std::env::var("CONVOKE_FUZZ_TIMES");
    told.map_or(1, |times| times.parse().expect("a number"))
}

fn fed(target: fn(&[u8]), seeds: Vec<Vec<u8>>, changed: usize) {
    let dictionary = include_str!("../../../tests/fuzz/words.dict");
    let words: Vec<&str> = dictionary
        .lines()
        .filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'))
        .collect();
    let seeds: Vec<_> = seeds.into_iter().chain(choices()).collect();
    mutation::feed(target, &seeds, &words, changed * times());
}

/// D21 to D33, D111: a template of anyone is read or refused with a reason; what is read is written,
/// read again and rendered in every form.
#[test]
fn no_template_breaks_anything() {
    let figures = figures!["2", "3", "7", "10"];
    let shipped = SHIPPED.iter().map(|(_, json)| *json);
    fed(schemas::template, bytes(shipped.chain(figures)), 2_000);
}

/// D15, D40, Q10, Q14: a payload of anyone is accepted or refused with a reason; what is accepted is
/// canonical, for JSON Schema too; `other` changes no verdict.
#[test]
fn no_payload_breaks_anything() {
    let examples = [
        include_str!("../../../tests/fuzz/seeds/payload/diagnosis.json"),
        include_str!("../../../tests/fuzz/seeds/payload/verification.json"),
    ];
    fed(
        schemas::payload,
        bytes(figures!["4", "5", "8"].into_iter().chain(examples)),
        3_000,
    );
}

/// D78, D79, D83, Q49: a patch of anyone is refused, or adds keys and describes them, and that is
/// all.
#[test]
fn no_patch_breaks_anything() {
    let examples = [
        include_str!("../../../tests/fuzz/seeds/patch/whole.json"),
        include_str!("../../../tests/fuzz/seeds/patch/advice.json"),
        include_str!("../../../tests/fuzz/seeds/patch/chinese.json"),
    ];
    fed(
        schemas::patch,
        bytes(figures!["9"].into_iter().chain(examples)),
        800,
    );
}
