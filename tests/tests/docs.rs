//! The pages under `docs/`: every message on them is sent, every answer compared.
//!
//! They are parsed like the cases of `conformance/` (`harness::conformance`).

use harness::conformance::{self, Verdict};
use harness::judge::Seen;
use harness::memory::Memory;
use std::path::Path;

#[test]
fn every_example_of_the_pages_holds() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let mut examples = 0;
    for page in conformance::cases(&docs) {
        if !page.steps.is_empty() {
            let verdict = conformance::run(&page, &mut Memory::new(), &mut Seen::new());
            assert_eq!(verdict, Verdict::Passed, "{}", page.path.display());
            examples += page.steps.len();
        }
    }
    assert!(examples > 20, "only {examples} examples were found");
}
