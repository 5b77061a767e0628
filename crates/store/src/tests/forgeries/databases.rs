//! The same forgeries in a database of PostgreSQL: the rows of the forged file, written there by a second client,
//! which asks nobody.
//!
//! What is SQLite's alone (its schema, its pages, its indexes) has no counterpart there; rows that break a CHECK cannot be
//! written. Read next: [`super`].

use super::*;
use crate::backend::Untrusted;
use crate::copy::rows::{RowFault, copy_all};
use crate::failure::FailureKind;
use crate::schema;

/// Asserts that a database with the rows of the stage is refused in the same words, if there is a server.
pub(super) fn is_refused_there(stage: &Stage, refused: &Refused) {
    let (AtStart(told) | ByVerify(told)) = refused;
    // There is no database of a release before.
    let file = Untrusted::reader(&stage.path.as_path().into()).unwrap();
    if !schema::is_current(file.session()).unwrap() {
        return;
    }
    let of_sqlite = ["its schema is not that of", "index sqlite_autoindex"];
    if of_sqlite.iter().any(|words| told.contains(words)) {
        return;
    }
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let options = Options {
        location: Location::Postgres(database.by_socket().parse().unwrap()),
        holder: "platform".into(),
        synchronous_full: false,
        readers: 1,
        ..stage.options()
    };
    match write(&file, &options) {
        Err(RowFault::Written(cause)) if cause.kind() == FailureKind::Rule => return,
        written => written.unwrap(),
    }
    match (refused, Store::open(options.clone(), Box::new(|_| {}))) {
        (AtStart(told), Err(error)) => assert_eq!(error.to_string(), *told),
        (AtStart(told), Ok(_)) => panic!("it was opened in a database, where is: {told}"),
        (ByVerify(told), Ok((store, _))) => {
            let faults = store.verify().unwrap().faults;
            let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
            assert!(faults.contains(told), "{faults:?}");
        }
        (ByVerify(_), Err(error)) => panic!("{error}"),
    }
    let keys = options.keys.as_deref().unwrap();
    let how = VerifyOptions {
        signer: options.signer.as_deref(),
        outside: options.outside.clone(),
        ..VerifyOptions::default()
    };
    let report = verify_with_keys(&options.location, how, keys).unwrap();
    assert!(!report.is_sound(), "verify finds it too: {refused:?}");
}

/// Writes the rows of a file into an empty database.
fn write(file: &Untrusted, to: &Options) -> Result<(), RowFault> {
    let database = Untrusted::writer(to).unwrap();
    let session = database.session();
    let transaction = session.begin().map_err(RowFault::Written)?;
    schema::migrate(session).map_err(RowFault::Written)?;
    copy_all(file.session(), session, &mut |_, _| {})?;
    transaction.commit().map_err(RowFault::Written)
}
