//! Data in pieces: in any order, repeated, never overlapping.

use super::*;
use domain::context::Chunked;

fn whole(id: &str, size: u64, finished: bool) -> DataParam {
    DataParam {
        body: Body::Chunked(Chunked {
            size,
            sha256: Some([7; 32]),
            finished,
        }),
        ..data(id, None, "oss", "ran")
    }
}

fn piece(id: &str, offset: u64, bytes: &[u8]) -> Chunk {
    Chunk {
        data: id.into(),
        offset,
        bytes: bytes.into(),
    }
}

fn pieces(chunks: Vec<Chunk>) -> Batch {
    Batch {
        chunks,
        ..Batch::default()
    }
}

/// Bytes that differ from place to place.
fn bytes(from: u64, length: u64) -> Vec<u8> {
    (from..from + length).map(|n| (n * n % 251) as u8).collect()
}

#[test]
fn pieces_come_in_any_order_and_are_read_as_one() {
    everywhere(|options| {
        let (store, _) = open(options);
        let first = Batch {
            data: vec![whole("d", 1_000, false)],
            chunks: vec![piece("d", 300, &bytes(300, 300))],
            ..Batch::default()
        };
        store.commit(first).wait().unwrap();
        assert_eq!(store.read_data("d", 0, 99).unwrap(), b"");
        assert_eq!(store.read_data("d", 350, 10).unwrap(), bytes(350, 10));
        let rest = vec![
            piece("d", 600, &bytes(600, 400)),
            piece("d", 0, &bytes(0, 300)),
        ];
        store.commit(pieces(rest)).wait().unwrap();
        // The very same once more.
        let again = vec![piece("d", 300, &bytes(300, 300))];
        store.commit(pieces(again)).wait().unwrap();
        for (offset, length) in [(0, 1_000), (0, 5_000), (299, 2), (250, 700), (999, 9)] {
            let found = store.read_data("d", offset, length).unwrap();
            let most = (1_000 - offset).min(length as u64);
            assert_eq!(found, bytes(offset, most), "{length} from {offset}");
        }
        assert_eq!(store.read_data("d", 1_000, 9).unwrap(), b"");
        assert_eq!(store.read_data("d", u64::MAX, 9).unwrap(), b"");
        let map: Vec<_> = store.chunk_map("d").unwrap();
        let map: Vec<_> = map.into_iter().map(|p| (p.offset, p.length)).collect();
        assert_eq!(map, [(0, 300), (300, 300), (600, 400)]);
        assert_eq!(store.chunk("d", 300).unwrap(), Some(bytes(300, 300)));
        assert_eq!(store.chunk("d", 301).unwrap(), None);
        let finished = Batch {
            data: vec![whole("d", 1_000, true)],
            ..Batch::default()
        };
        store.commit(finished).wait().unwrap();
        assert_eq!(
            store.data_param("d").unwrap(),
            Some(whole("d", 1_000, true))
        );
        let report = store.verify().unwrap();
        assert!(report.is_sound(), "{report:?}");
        assert_eq!((report.data, report.chunks), (1, 3));
    });
}

#[test]
fn another_piece_in_the_same_place_is_refused_and_leaves_nothing() {
    everywhere(|options| {
        let (store, _) = open(options);
        let first = Batch {
            data: vec![whole("d", 1_000, false)],
            chunks: vec![piece("d", 300, &bytes(300, 300))],
            ..Batch::default()
        };
        store.commit(first).wait().unwrap();
        for (offset, content) in [
            (300, bytes(0, 300)),
            (300, bytes(300, 299)),
            (250, bytes(250, 51)),
            (599, bytes(599, 9)),
            (0, bytes(0, 1_000)),
            (400, bytes(400, 5)),
        ] {
            let batch = Batch {
                chunks: vec![piece("d", offset, &content)],
                ..everything("never")
            };
            let refused = store.commit(batch).wait();
            assert!(
                matches!(refused, Err(CommitError::Overlap { stored: 300, .. })),
                "{offset}: {refused:?}"
            );
        }
        let with_itself = vec![piece("d", 0, b"ab"), piece("d", 1, b"b")];
        let refused = store.commit(pieces(with_itself)).wait();
        assert!(
            matches!(refused, Err(CommitError::Overlap { stored: 0, .. })),
            "{refused:?}"
        );
        let unknown = store.commit(pieces(vec![piece("?", 0, b"x")])).wait();
        assert!(
            matches!(unknown, Err(CommitError::UnknownData { .. })),
            "{unknown:?}"
        );
        for length in [0, 256 * 1_024 + 1] {
            let refused = store
                .commit(pieces(vec![piece("d", 2_000, &bytes(0, length))]))
                .wait();
            assert!(
                matches!(refused, Err(CommitError::Refused(_))),
                "{refused:?}"
            );
        }
        assert_eq!(store.task(&TaskId::new("never")).unwrap(), None);
        assert_eq!(store.chunk_map("d").unwrap().len(), 1);
        assert!(matches!(
            store.chunk_map("?"),
            Err(ReadError::Unknown { .. })
        ));
    });
}

#[test]
fn inline_data_are_read_in_parts_too_and_data_elsewhere_are_not_here() {
    everywhere(|options| {
        let (store, _) = open(options);
        let elsewhere = DataParam {
            body: Body::Elsewhere("https://files.example/1".into()),
            ..data("u", None, "oss", "ran")
        };
        let batch = Batch {
            data: vec![data("i", None, "oss", "ran"), elsewhere.clone()],
            ..Batch::default()
        };
        store.commit(batch).wait().unwrap();
        assert_eq!(store.read_data("i", 5, 100).unwrap(), b"i");
        assert_eq!(store.read_data("i", 2, 3).unwrap(), b"ta ");
        assert_eq!(store.read_data("u", 0, 100).unwrap(), b"");
        assert_eq!(store.data_param("u").unwrap(), Some(elsewhere));
    });
}

#[test]
fn a_damaged_piece_is_refused_and_the_others_are_served() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    let batch = Batch {
        data: vec![whole("d", 20, true)],
        chunks: vec![piece("d", 0, b"0123456789"), piece("d", 10, b"abcdefghij")],
        ..Batch::default()
    };
    store.commit(batch).wait().unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    let spoil = "UPDATE data_chunk SET bytes = CAST('abcdefghiJ' AS BLOB) WHERE offset = 10";
    assert_eq!(connection.execute(spoil, []).unwrap(), 1);
    assert_eq!(store.read_data("d", 0, 10).unwrap(), b"0123456789");
    let refused = store.read_data("d", 5, 10);
    assert!(
        matches!(refused, Err(ReadError::Corrupt { .. })),
        "{refused:?}"
    );
    assert_eq!(
        store.verify().unwrap().faults.len(),
        2,
        "the piece, and data not complete"
    );
    connection
        .execute("DELETE FROM data_chunk WHERE offset = 10", [])
        .unwrap();
    let faults = store.verify().unwrap().faults;
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].table, "data_param");
}

#[test]
fn a_transaction_holds_only_so_many_bytes() {
    let (go, gate) = std::sync::mpsc::channel::<()>();
    let (entered, inside) = std::sync::mpsc::channel();
    let on_commit = move |_: &[Committed]| {
        let _ = entered.send(());
        let _ = gate.recv();
    };
    let (store, _) = Store::open(Options::memory(), Box::new(on_commit)).unwrap();
    let first = store.commit(Batch {
        data: vec![whole("d", 16 << 20, false)],
        ..Batch::default()
    });
    inside.recv().unwrap();
    let length = 256 << 10;
    let tickets: Vec<_> = (0..64)
        .map(|n| store.commit(pieces(vec![piece("d", n * length, &bytes(n, length))])))
        .collect();
    drop(go);
    first.wait().unwrap();
    tickets.into_iter().for_each(|t| t.wait().unwrap());
    // 16 MiB, 4 MiB at a time.
    assert_eq!(store.statistics().transactions, 1 + 4);
    assert_eq!(store.chunk_map("d").unwrap().len(), 64);
}
