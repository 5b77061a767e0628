//! Pages of the file that are referred to from many places, so that reading would never end.

use super::*;

/// Puts four pages above the root of a table, each of which refers to the next 300 times: an
/// endless number of rows, in 16 KiB.
fn in_many_places(path: &Path, table: &str) {
    const PAGE: usize = 4_096;
    const NAMED: u16 = 300;
    let root: i64 = behind(path, |connection| {
        let sql = "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        connection
            .query_row(sql, [table], |row| row.get(0))
            .unwrap()
    });
    let mut file = std::fs::read(path).unwrap();
    let at = (root as usize - 1) * PAGE;
    let below = file[at..at + PAGE].to_vec();
    file.extend_from_slice(&below);
    let interior = |next: u32| {
        let mut page = vec![0; PAGE];
        let content = PAGE - 5 * usize::from(NAMED);
        page[0] = 5;
        page[3..5].copy_from_slice(&NAMED.to_be_bytes());
        page[5..7].copy_from_slice(&(content as u16).to_be_bytes());
        page[8..12].copy_from_slice(&next.to_be_bytes());
        for cell in 0..usize::from(NAMED) {
            let (place, pointer) = (content + 5 * cell, 12 + 2 * cell);
            page[pointer..pointer + 2].copy_from_slice(&(place as u16).to_be_bytes());
            page[place..place + 4].copy_from_slice(&next.to_be_bytes());
            page[place + 4] = 1;
        }
        page
    };
    for _ in 0..3 {
        let last = (file.len() / PAGE) as u32;
        file.extend_from_slice(&interior(last));
    }
    let pages = (file.len() / PAGE) as u32;
    file[at..at + PAGE].copy_from_slice(&interior(pages));
    file[28..32].copy_from_slice(&pages.to_be_bytes());
    std::fs::write(path, file).unwrap();
}

/// Endless reading is interrupted after a limited number of steps, at the start and by `verify`,
/// with the reason.
#[test]
fn pages_that_stand_in_many_places_are_read_for_a_while() {
    let told = "the state is damaged at sqlite 'reading takes more steps than its size can explain: pages \
        stand in more than one place'; it is refused rather than served";
    for (table, at_start) in [
        ("registration", true),
        ("document", true),
        ("exchange", false),
    ] {
        let stage = stage();
        in_many_places(&stage.path, table);
        let opened = Store::open(stage.options(), Box::new(|_| {}));
        match (at_start, opened) {
            (true, Err(error)) => assert_eq!(error.to_string(), told, "{table}"),
            (false, Ok(_)) => {}
            (_, opened) => panic!("{table}: {:?}", opened.map(drop)),
        }
        let how = VerifyOptions::default();
        let found = verify_with_keys(&stage.path, how, keeper("m1").as_ref());
        assert_eq!(found.unwrap_err().to_string(), told, "{table}");
        match verify(&stage.path) {
            Err(error) => assert_eq!(error.to_string(), told, "{table}"),
            // Without the key less is read.
            Ok(report) => assert!(!report.faults.is_empty(), "{table}"),
        }
    }
}

/// A forgery that makes the verification in the background endless stops the store.
#[test]
fn pages_that_stand_in_many_places_end_the_store_beside_which_they_are_found() {
    let stage = stage();
    in_many_places(&stage.path, "exchange");
    let watched = Options {
        verify: Some(Arc::new(|work| Ok(std::thread::spawn(work)))),
        ..stage.options()
    };
    let (store, _) = open(watched);
    while store.statistics().condition != Condition::Stopped {
        std::thread::yield_now();
    }
    let refused = store.commit(life("refused", None, 20, None)).wait();
    assert!(matches!(refused, Err(CommitError::Stopped)), "{refused:?}");
}

/// A first page that claims a later format makes the file readable but not writable: nothing could
/// be stored.
#[test]
fn a_state_that_can_only_be_read_is_not_opened() {
    const WRITE_VERSION: usize = 18;
    let stage = stage();
    let mut file = std::fs::read(&stage.path).unwrap();
    file[WRITE_VERSION] = 3;
    std::fs::write(&stage.path, file).unwrap();
    match Store::open(stage.options(), Box::new(|_| {})) {
        Err(OpenError::ReadOnly) => {}
        other => panic!("{:?}", other.map(drop)),
    }
}
