//! The checks of an opening, made before anything of a state is trusted.
//!
//! ```text
//! schema: what our migrations made, and nothing else
//! head:   decrypts under the key ─► rows on which decisions build sum up to what it says
//! log:    one chain from the last seal to the head; the seal is the host key's, and is there
//! files outside: the state goes on from what they saw last
//! ```
//! So the time depends on the number of open rows, not on that of ended ones; those are checked
//! when they are read, and all of them by `verify`. A state whose rows are not bound yet is
//! verified whole. A doubt ([`OpenError::may_be_accepted`]) may be accepted by the operator; all
//! other errors are final. Read next: [`log`], [`crate::bind`], [`crate::outside`].

mod log;

use super::{Decided, OpenError, Options, host_key};
use crate::bind;
use crate::budget::Budget;
use crate::cipher::{Keys, Tables};
use crate::data_key;
use crate::digest::Sum;
use crate::encryptor::Encryptor;
use crate::heads::{Heads, StoredHeads};
use crate::ledger::Ledger;
use crate::outside::{self, Seen};
use crate::read::log::chain_at;
use crate::row::attestation::{self, Attestation, Ground};
use crate::row::head;
use crate::row::seal::{self, Seal};
use crate::row::{RowError, observation};
use crate::schema::{self, Age};
use crate::set::{STALE, Set, SetHashes, SetKey};
use crate::shard::{PerShard, Shard};
use crate::sign::Signer;
use crate::sql::Session;
use crate::verify::{self, VerifyOptions};
use domain::event::Sequence;
use std::collections::BTreeSet;
use std::path::Path;

/// A state that passed the checks.
pub(super) struct Admitted {
    pub(super) heads: Heads,
    pub(super) decided: Decided,
    pub(super) encryptor: Encryptor,
    /// The shards of which rows were written, so that their heads must be.
    pub(super) changed: Vec<Shard>,
    /// The shards whose head is not sealed.
    pub(super) unsealed: BTreeSet<Shard>,
    pub(super) accepted: Vec<String>,
}

/// The arrival of a state that was copied here, and verified as a whole.
pub(crate) struct Arrival {
    /// Why it is here.
    pub(crate) ground: Ground,
    /// Where it comes from, for people.
    pub(crate) detail: String,
}

impl Arrival {
    /// True if the operator who copied it here has taken this doubt into account: that is what a copy that is
    /// put back, or one from another folder, looks like. One whose codes or seal are gone looks forged.
    fn explains(doubt: &OpenError) -> bool {
        matches!(
            doubt,
            OpenError::SetBack { .. } | OpenError::HeadMissing { .. } | OpenError::Stranger { .. }
        )
    }
}

/// Checks the stored state, within the transaction that migrates it, or that copied it here.
pub(super) fn admit(
    session: Session<'_>,
    keys: &Keys,
    options: &Options,
    budget: &Budget,
    arrival: Option<&Arrival>,
) -> Result<Admitted, OpenError> {
    let (age, was_whole) = (schema::age(session)?, schema::is_whole(session)?);
    schema::migrate(session)?;
    if options.thorough {
        quick_check(session)?;
    }
    let guard = Guard {
        tables: Tables { session, keys },
        options,
        signer: options.signer.as_deref(),
        stored: StoredHeads::read(session)?,
        seals: Seal::all(session)?,
    };
    let known = guard.known(age)?;
    let decided = guard.decided(budget)?;
    if let Some((ledger, sets)) = &known {
        guard.check_sets(ledger, sets)?;
    }
    guard.check_log()?;
    let (mut doubts, last_seen) = guard.doubts(known.as_ref().map(|(ledger, _)| ledger))?;
    let is_taken = |doubt: &OpenError| match arrival {
        Some(_) => Arrival::explains(doubt),
        None => options.accept,
    };
    if let Some(place) = doubts.iter().position(|doubt| !is_taken(doubt)) {
        return Err(doubts.swap_remove(place));
    }
    let first_use = known.is_none() && (age == Age::Unbound || options.keys.is_some());
    match arrival {
        // Nobody has seen a head of it here, for it was elsewhere.
        Some(_) => doubts.retain(|doubt| !matches!(doubt, OpenError::HeadMissing { .. })),
        None if (first_use && age != Age::New) || !doubts.is_empty() => {
            guard.verify_whole(&doubts)?;
        }
        None => {}
    }
    let (encryptor, bound_now) = guard.encryptor(known)?;
    let mut admitted = Admitted {
        heads: guard.stored.heads.clone(),
        decided,
        encryptor,
        changed: if bound_now {
            guard.shards()
        } else {
            Vec::new()
        },
        unsealed: guard.unsealed(),
        accepted: doubts.iter().map(ToString::to_string).collect(),
    };
    if was_whole {
        guard.shard(&mut admitted)?;
    }
    if arrival.is_some() || !doubts.is_empty() {
        guard.accept(&doubts, arrival, last_seen, &mut admitted)?;
    }
    Ok(admitted)
}

struct Guard<'g> {
    tables: Tables<'g>,
    options: &'g Options,
    signer: Option<&'g dyn Signer>,
    stored: StoredHeads,
    seals: PerShard<Seal>,
}

impl Guard<'_> {
    /// The ledger, if rows are bound; each must carry its code from then on.
    fn known(&self, age: Age) -> Result<Option<(Ledger, SetKey)>, OpenError> {
        let Tables { session, keys } = self.tables;
        let Some((ledger, sets)) = self.stored.ledger(keys)? else {
            // With a key, rows are bound from the first on.
            let has_keys = !data_key::data_keys(session)?.is_empty();
            return match age == Age::Bound && has_keys {
                true => Err(RowError::forged(head::TABLE, "what binds the rows is gone").into()),
                false => Ok(None),
            };
        };
        keys.bind();
        Ok(Some((ledger, sets)))
    }

    /// Reads the rows on which decisions are based.
    fn decided(&self, budget: &Budget) -> Result<Decided, OpenError> {
        let decided = super::decided(self.tables, budget.rows())?;
        let (open, found) = (self.stored.heads.counts().open, decided.tasks.len());
        if found as u64 != open {
            let key = format!("{open} open tasks, {found} found");
            return Err(RowError::corrupt(head::TABLE, key).into());
        }
        Ok(decided)
    }

    /// Checks that none of the rows on which decisions are based is missing, was added, or is
    /// outdated.
    fn check_sets(&self, ledger: &Ledger, sets: &SetKey) -> Result<(), OpenError> {
        let session = self.tables.session;
        let at_opening = Set::at_opening();
        let found = SetHashes::found(session, sets, &at_opening)?;
        let wrong = |set: &&Set| !ledger.tells(**set, &found);
        if let Some(set) = at_opening.iter().find(wrong) {
            return Err(RowError::forged(set.table(), STALE).into());
        }
        observation::check_numbered(session, ledger.numbered)?;
        self.check_indexes()
    }

    /// Checks that indexes, which no code covers, refer to every row. For tables that keep ended
    /// rows this is left to [`crate::verify`], which also runs in the background.
    fn check_indexes(&self) -> Result<(), OpenError> {
        let kept = [Set::OpenTask.table(), Set::OpenNegotiation.table()];
        let small = Set::at_opening().into_iter().map(Set::table);
        for table in small.filter(|table| !kept.contains(table)) {
            if let Some(found) = self.tables.session.fault_of(table)? {
                return Err(RowError::forged(table, found).into());
            }
        }
        Ok(())
    }

    /// The doubts that an operator may accept; and the generation of the head seen last.
    fn doubts(&self, known: Option<&Ledger>) -> Result<(Vec<OpenError>, u64), OpenError> {
        let (mut doubts, mut last_seen) = (Vec::new(), 0);
        self.doubt_seal(known, &mut doubts)?;
        for (place, path) in self.options.outside.iter().enumerate() {
            match outside::read(path, self.signer) {
                Ok(Some(seen)) => {
                    last_seen = last_seen.max(seen.generation);
                    doubts.extend(self.doubt_seen(path, &seen)?);
                }
                Ok(None) if outside::is_due(place, known) => {
                    let doubt = OpenError::HeadMissing { path: path.clone() };
                    match self.options.lease {
                        Some(_) => tracing::warn!("trusted as it is found, once: {doubt}"),
                        None => doubts.push(doubt),
                    }
                }
                Ok(None) => {}
                Err(doubt) => doubts.push(doubt),
            }
        }
        let mut told = Vec::new();
        doubts.retain(|doubt| {
            let doubt = doubt.to_string();
            let new = !told.contains(&doubt);
            told.push(doubt);
            new
        });
        Ok((doubts, last_seen))
    }

    fn doubt_seal(
        &self,
        known: Option<&Ledger>,
        doubts: &mut Vec<OpenError>,
    ) -> Result<(), OpenError> {
        // Signed where there is no seal yet, and by another key: that is changed as well.
        if let (Some(signer), true) = (self.signer, self.seals.is_empty()) {
            let all = attestation::all(self.tables.session)?;
            let strange = all
                .iter()
                .find(|(number, on)| !on.is_signed(signer, *number));
            doubts.extend(strange.map(|(number, _)| OpenError::Stranger {
                table: attestation::TABLE.to_owned(),
                key: number.to_string(),
            }));
        }
        if self.seals.is_empty() {
            let sealed = known.and_then(Ledger::sealed);
            doubts.extend(sealed.map(|sealed| OpenError::Unsealed { sealed }));
            return Ok(());
        }
        if known.is_some_and(|ledger| !Seal::are_the_last(&self.seals, ledger)) {
            return Err(RowError::forged(seal::TABLE, seal::NOT_THE_LAST).into());
        }
        let mut seals = self.seals.iter();
        let strange = seals.find(|(shard, seal)| {
            let signer = self.signer;
            signer.is_some_and(|signer| !seal.is_signed(*shard, signer))
        });
        doubts.extend(strange.map(|(_, seal)| OpenError::Stranger {
            table: seal::TABLE.to_owned(),
            key: seal.head.sequence.to_string(),
        }));
        Ok(())
    }

    fn doubt_seen(&self, path: &Path, seen: &Seen) -> Result<Option<OpenError>, OpenError> {
        let path = path.to_owned();
        let last = self.stored.heads.sequence();
        let is_empty = self.stored.generation == 0 && last == 0;
        if seen.bound && !self.stored.is_bound() && !is_empty {
            return Ok(Some(OpenError::Unbound { path }));
        }
        if !seen.precedes(&self.stored, self.chain_at(seen.sequence)?) {
            return Ok(Some(OpenError::SetBack {
                path,
                found: last,
                written: self.stored.generation,
                seen: seen.sequence,
                seen_written: seen.generation,
            }));
        }
        let sealed = seen.sealed.filter(|_| self.seals.is_empty());
        Ok(sealed.map(|sealed| OpenError::Unsealed { sealed }))
    }

    /// The digest of an entry; none if it was cut off, or does not exist yet.
    fn chain_at(&self, sequence: Sequence) -> Result<Option<Sum>, RowError> {
        chain_at(self.tables.session, sequence, self.stored.heads.sequence())
    }

    /// Verifies the whole state, except signatures of another host key.
    fn verify_whole(&self, doubts: &[OpenError]) -> Result<(), OpenError> {
        let strange = doubts
            .iter()
            .any(|doubt| matches!(doubt, OpenError::Stranger { .. }));
        let how = VerifyOptions {
            signer: self.signer.filter(|_| !strange),
            ..VerifyOptions::default()
        };
        let has_keys = self.options.keys.is_some();
        let report = verify::walk::walked(self.tables, how, has_keys)?;
        // A missing seal is the doubt itself, not a further fault.
        let mut faults = report.faults.into_iter();
        match faults.find(|fault| fault.table != seal::TABLE || doubts.is_empty()) {
            Some(fault) => Err(fault.into()),
            None => Ok(()),
        }
    }

    /// The encryptor of the writer; true if rows were bound just now.
    fn encryptor(&self, known: Option<(Ledger, SetKey)>) -> Result<(Encryptor, bool), OpenError> {
        let Tables { session, keys } = self.tables;
        let Some(keeper) = self.options.keys.as_deref() else {
            return Ok((Encryptor::none(self.stored.bare()), false));
        };
        let mut encryptor = bind::begin(session, keys, keeper)?;
        if let Some((ledger, sets)) = known {
            encryptor.bind(keys, sets, ledger)?;
            encryptor.ledger.numbered = Some(session.last_observation()? as u64);
            return Ok((encryptor, false));
        }
        let now = self.options.now;
        bind::first_use(
            self.tables,
            keeper,
            self.signer,
            &self.stored,
            now,
            &mut encryptor,
        )?;
        for (shard, seal) in self.seals.iter() {
            encryptor.ledger.of_mut(shard).sealed = Some(seal.head.sequence);
        }
        Ok((encryptor, true))
    }

    /// Records the accepted doubts, and the arrival if it is one; the head outside is then replaced.
    fn accept(
        &self,
        doubts: &[OpenError],
        arrival: Option<&Arrival>,
        last_seen: u64,
        admitted: &mut Admitted,
    ) -> Result<(), OpenError> {
        let (session, end) = (self.tables.session, self.stored.heads.end());
        let encryptor = &mut admitted.encryptor;
        let accepted = doubts.iter().map(|doubt| match doubt {
            OpenError::Stranger { .. } => (Ground::HostKey, doubt.to_string()),
            _ => (Ground::Restored, doubt.to_string()),
        });
        let arrived = arrival.map(|arrival| (arrival.ground, arrival.detail.clone()));
        for (ground, detail) in accepted.chain(arrived) {
            let mut attestation = Attestation {
                ground,
                time: self.options.now.max(end.time),
                sequence: end.sequence,
                chain: end.chain,
                detail,
                signature: Vec::new(),
            };
            attestation.append(session, self.signer, encryptor)?;
            if let (Ground::HostKey, Some(signer)) = (ground, self.signer) {
                host_key::sign_again(session, signer, encryptor)?;
            }
        }
        for doubt in doubts {
            tracing::warn!("accepted on purpose: {doubt}");
        }
        if let Some(signer) = self.signer {
            for shard in self.shards() {
                seal::seal(session, shard, &admitted.heads, signer, encryptor)?;
            }
            admitted.unsealed.clear();
        }
        encryptor.ledger.generation = encryptor.ledger.generation.max(last_seen);
        admitted.changed = self.shards();
        Ok(())
    }
}

impl Guard<'_> {
    /// The shards that there are; there always is shard 0.
    fn shards(&self) -> Vec<Shard> {
        let all: BTreeSet<Shard> = self.stored.heads.shards().chain([Shard::ZERO]).collect();
        all.into_iter().collect()
    }

    /// The shards whose head is not the one that was sealed.
    fn unsealed(&self) -> BTreeSet<Shard> {
        let heads = &self.stored.heads;
        let is_sealed = |shard: &Shard| {
            let seal = self.seals.of(*shard);
            seal.is_some_and(|seal| seal.head == heads.of(*shard))
        };
        heads.shards().filter(|shard| !is_sealed(shard)).collect()
    }

    /// Records that a state of before becomes shard 0, and that the chains of all others begin with its last digest.
    fn shard(&self, admitted: &mut Admitted) -> Result<(), OpenError> {
        let end = self.stored.heads.end();
        let mut attestation = Attestation {
            ground: Ground::Sharded,
            time: self.options.now.max(end.time),
            sequence: end.sequence,
            chain: end.chain,
            detail: "what there was is shard 0; the others begin behind it".to_owned(),
            signature: Vec::new(),
        };
        let session = self.tables.session;
        attestation.append(session, self.signer, &mut admitted.encryptor)?;
        admitted.heads.base = end.chain;
        admitted.changed = self.shards();
        Ok(())
    }
}

fn quick_check(session: Session<'_>) -> Result<(), OpenError> {
    match session.quick_fault()? {
        None => Ok(()),
        Some(key) => Err(OpenError::Corrupt {
            table: "sqlite".to_owned(),
            key,
        }),
    }
}
