//! RESTCONF of the real command: the page of the documentation, and clients that were not written here.
//! The answers in all cases are tested in `crates/server/tests/restconf`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "foreign/restconf.rs"]
mod clients;
mod support;

use support::process::Running;
use support::{block_on, page};

#[test]
fn what_comes_is_what_the_modules_say() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve_on(state.path(), "Polska").await;
        clients::what_comes_is_what_the_modules_say(&running).await;
    });
}

/// The page `docs/restconf.md`: every command is run, every answer compared.
#[test]
fn every_command_of_the_page_holds() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        page::holds("restconf.md", &running, 5).await;
    });
}
