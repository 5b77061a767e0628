//! The tables, migration by migration.
//!
//! A state begins with those of [`crate::schema::tables`], so what is here is for states of earlier versions alone.
//! Knows SQL, and how [`super::strangers`] tells of what it makes. Read next: [`super`].

/// A step from one version to the next.
pub(super) struct Migration {
    /// The statements that make it. No row should be rewritten that need not be: whoever waits for them waits for all
    /// rows of a state. A column that is added with a constant is none of the rows'.
    pub(super) sql: &'static str,
    /// What there is from then on and was not before, as the check of strangers tells it.
    pub(super) made: &'static [&'static str],
    /// What there was before and is not from then on.
    pub(super) gone: &'static [&'static str],
}

/// The migrations, one step each; never change a released one, append. The numbers are SQLite's: what came before the
/// eighth was never in PostgreSQL, or is refused.
pub(super) const MIGRATIONS: [Migration; 1] = [EIGHTH];

/// What there is is on shard 0, and each shard has a head, a seal and a checkpoint of its own.
const EIGHTH: Migration = Migration {
    sql: "
ALTER TABLE task ADD COLUMN shard bigint NOT NULL DEFAULT 0;
ALTER TABLE task ALTER COLUMN shard DROP DEFAULT;
ALTER TABLE exchange ADD COLUMN shard bigint NOT NULL DEFAULT 0;
ALTER TABLE exchange ALTER COLUMN shard DROP DEFAULT;
ALTER TABLE data_param ADD COLUMN shard bigint NOT NULL DEFAULT 0;
ALTER TABLE data_param ALTER COLUMN shard DROP DEFAULT;
ALTER TABLE data_chunk ADD COLUMN shard bigint NOT NULL DEFAULT 0;
ALTER TABLE data_chunk ALTER COLUMN shard DROP DEFAULT;
ALTER TABLE negotiation ADD COLUMN shard bigint NOT NULL DEFAULT 0;
ALTER TABLE negotiation ALTER COLUMN shard DROP DEFAULT;
ALTER TABLE team ADD COLUMN shard bigint NOT NULL DEFAULT 0;
ALTER TABLE team ALTER COLUMN shard DROP DEFAULT;
ALTER TABLE document ADD COLUMN shard bigint NOT NULL DEFAULT 0;
ALTER TABLE document ALTER COLUMN shard DROP DEFAULT;
ALTER TABLE observation ADD COLUMN shard bigint NOT NULL DEFAULT 0;
ALTER TABLE observation ALTER COLUMN shard DROP DEFAULT;
ALTER TABLE push_config ADD COLUMN shard bigint NOT NULL DEFAULT 0;
ALTER TABLE push_config ALTER COLUMN shard DROP DEFAULT;
ALTER TABLE log ADD COLUMN shard bigint NOT NULL DEFAULT 0;
ALTER TABLE log ALTER COLUMN shard DROP DEFAULT;
ALTER TABLE log ADD COLUMN behind bigint NOT NULL DEFAULT 0;
ALTER TABLE log ALTER COLUMN behind DROP DEFAULT;

ALTER TABLE head DROP CONSTRAINT head_rule_1;
ALTER TABLE head RENAME COLUMN one TO shard;
UPDATE head SET shard = 0;
ALTER TABLE head ADD CONSTRAINT head_rule_1 CHECK (shard BETWEEN 0 AND 63);

ALTER TABLE seal DROP CONSTRAINT seal_rule_1;
ALTER TABLE seal RENAME COLUMN one TO shard;
UPDATE seal SET shard = 0;
ALTER TABLE seal ADD CONSTRAINT seal_rule_1 CHECK (shard BETWEEN 0 AND 63);

ALTER TABLE checkpoint DROP CONSTRAINT checkpoint_rule_1;
ALTER TABLE checkpoint RENAME COLUMN one TO shard;
UPDATE checkpoint SET shard = 0;
ALTER TABLE checkpoint ADD CONSTRAINT checkpoint_rule_1 CHECK (shard BETWEEN 0 AND 63);
",
    made: &[
        "column task.shard bigint",
        "column exchange.shard bigint",
        "column data_param.shard bigint",
        "column data_chunk.shard bigint",
        "column negotiation.shard bigint",
        "column team.shard bigint",
        "column document.shard bigint",
        "column observation.shard bigint",
        "column push_config.shard bigint",
        "column log.shard bigint",
        "column log.behind bigint",
        "column head.shard bigint",
        "index on head key shard",
        "column seal.shard bigint",
        "index on seal key shard",
        "column checkpoint.shard bigint",
        "index on checkpoint key shard",
    ],
    gone: &[
        "column head.one bigint",
        "index on head key one",
        "column seal.one bigint",
        "index on seal key one",
        "column checkpoint.one bigint",
        "index on checkpoint key one",
    ],
};
