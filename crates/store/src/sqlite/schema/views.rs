//! What a state of an older release lacks, as temporary views and tables: for reading only.
//!
//! Read next: [`super`].

use rusqlite::Connection;

/// Lets a read-only connection read a state after so many migrations as if all had been made.
pub(super) fn show(connection: &Connection, steps: usize) -> rusqlite::Result<()> {
    let views = [
        SECOND_IN_VIEWS,
        THIRD_IN_VIEWS,
        FOURTH_IN_VIEWS,
        FIFTH_IN_VIEWS,
    ];
    match steps {
        // The second shows what the third adds as well.
        0 | 1 => {
            connection.execute_batch(views[0])?;
            views[2..]
                .iter()
                .try_for_each(|view| connection.execute_batch(view))
        }
        steps => {
            let missing = views.iter().skip(steps - 1);
            missing
                .into_iter()
                .try_for_each(|view| connection.execute_batch(view))
        }
    }
}

/// The additions of the fifth migration, for reading only.
const FIFTH_IN_VIEWS: &str = "
CREATE TEMP VIEW IF NOT EXISTS head AS
SELECT *, 0 AS generation, NULL AS cipher FROM main.head;
CREATE TEMP TABLE IF NOT EXISTS attestation
(number, kind, time, sequence, chain, detail, digest, signature);
";

/// The addition of the fourth migration, for reading only.
const FOURTH_IN_VIEWS: &str = "
CREATE TEMP TABLE IF NOT EXISTS push_config (number, task, owner, id, digest, config, cipher);
";

/// The addition of the third migration, for reading only.
const THIRD_IN_VIEWS: &str = "
CREATE TEMP VIEW IF NOT EXISTS task AS SELECT *, NULL AS conversation FROM main.task;
";

/// The additions of the second and third migrations, for reading only.
const SECOND_IN_VIEWS: &str = "
CREATE TEMP VIEW IF NOT EXISTS task AS
SELECT *, NULL AS given, NULL AS cipher, NULL AS conversation FROM main.task;
CREATE TEMP VIEW IF NOT EXISTS exchange AS SELECT *, NULL AS cipher FROM main.exchange;
CREATE TEMP VIEW IF NOT EXISTS data_param AS SELECT *, NULL AS cipher FROM main.data_param;
CREATE TEMP VIEW IF NOT EXISTS data_chunk AS SELECT *, NULL AS cipher FROM main.data_chunk;
CREATE TEMP VIEW IF NOT EXISTS negotiation AS SELECT *, NULL AS cipher FROM main.negotiation;
CREATE TEMP VIEW IF NOT EXISTS team AS SELECT *, NULL AS cipher FROM main.team;
CREATE TEMP VIEW IF NOT EXISTS log AS SELECT *, NULL AS cipher FROM main.log;
CREATE TEMP TABLE IF NOT EXISTS data_key (number, master, wrapped, whole, digest);
CREATE TEMP TABLE IF NOT EXISTS period (number, data_key, salt, digest);
CREATE TEMP TABLE IF NOT EXISTS cursor (id, name, sequence, digest, cipher);
CREATE TEMP TABLE IF NOT EXISTS document (number, kind, name, digest, body, cipher);
CREATE TEMP TABLE IF NOT EXISTS observation (number, digest, body, cipher);
";
