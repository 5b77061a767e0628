//! The source of deliveries on a platform: the engine's log and tasks, and the cursors in its store.
//!
//! Cursors are where the state is, so that whoever goes on with it goes on with its deliveries. Releases before
//! had them in a file beside the store, which is taken over once. Read next: [`super::delivery`], which
//! defines cursors.

use super::source::{DeliverySource, Failure, Kept};
use crate::state::StateFolder;
use bindings::a2a::{self, Push};
use domain::event::{Entry, Sequence};
use domain::notification::Notification;
use domain::push::PushConfig;
use domain::registry::Reach;
use domain::task::Subscription;
use domain::time::Timestamp;
use engine::query::TaskById;
use engine::{Engine, Refusal, StoreFailure};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;

/// A platform as a source.
pub struct PlatformSource {
    engine: Arc<Engine>,
    folder: StateFolder,
}

impl PlatformSource {
    /// The source of this engine, whose principals are in this folder.
    pub fn new(engine: Arc<Engine>, folder: StateFolder) -> Self {
        Self { engine, folder }
    }

    /// True if the principal still has a key, or is hosted here: others receive no reports.
    fn knows(&self, name: &str) -> bool {
        let hosted = || {
            self.engine
                .place(name)
                .is_some_and(|place| place.reach == Reach::Hosted)
        };
        self.folder.credential(name).is_some() || hosted()
    }
}

impl DeliverySource for PlatformSource {
    fn watch(&self) -> watch::Receiver<Sequence> {
        self.engine.feed().watch()
    }

    fn after(&self, cursor: Sequence, limit: usize) -> Result<Vec<Arc<Entry>>, Failure> {
        Ok(self.engine.feed().after(cursor, limit)?)
    }

    fn subscription(&self, change: &Notification) -> Result<Option<Subscription>, Failure> {
        if !self.knows(&change.to) {
            return Ok(None);
        }
        let publisher = self.engine.principal(&change.to);
        let task = TaskById(change.task.clone());
        let found = match self.engine.read(&publisher, task, Timestamp::default()) {
            Ok(found) => found,
            // The publisher may not even see it.
            Err(refusal) => readable(Err(refusal))?,
        };
        let subscription = found.and_then(|task| task.conditions.subscription.clone());
        Ok(subscription.filter(|_| self.engine.receives_reports(&publisher, change)))
    }

    fn pushed_by(
        &self,
        sequence: Sequence,
        change: &Notification,
    ) -> Result<Vec<PushConfig>, Failure> {
        let configs = readable(a2a::pushed_by(&self.engine, sequence, change))?;
        Ok(configs
            .into_iter()
            .filter(|it| self.knows(&it.owner))
            .collect())
    }

    fn push_of(
        &self,
        config: &PushConfig,
        sequence: Sequence,
        change: &Notification,
    ) -> Result<Option<Push>, Failure> {
        if !self.knows(&config.owner) {
            return Ok(None);
        }
        readable(a2a::push_of(&self.engine, config, sequence, change))
    }

    fn cursors(&self) -> Result<Vec<(String, Sequence)>, Failure> {
        let cursors = self.engine.store().cursors()?.into_iter();
        Ok(cursors.map(|it| (it.name, it.sequence)).collect())
    }

    fn keep(&self, cursors: Vec<(String, Option<Sequence>)>) -> Kept {
        let kept = self.engine.store().keep_cursors(cursors);
        Box::pin(async move { Ok(kept.await?) })
    }
}

/// Takes cursors of releases before over into the store: those of a file that is one JSON object of sequences by
/// name, which is removed once they are on disk. Without the file there is nothing to do.
///
/// # Errors
/// [`Failure`] if the file cannot be read or the store cannot take them; the file is still there then.
pub(super) async fn carry_over(engine: &Engine, file: &Path) -> Result<(), Failure> {
    let cursors: BTreeMap<String, Sequence> = match fs::read(file) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
        read => serde_json::from_slice(&read?)?,
    };
    let cursors = cursors.into_iter();
    let cursors = cursors.map(|(name, sequence)| (name, Some(sequence)));
    engine.store().keep_cursors(cursors.collect()).await?;
    Ok(fs::remove_file(file)?)
}

/// The result of a read; the default where the row is damaged or refused, as reading it again would
/// not help.
fn readable<T: Default>(read: Result<T, Refusal>) -> Result<T, Failure> {
    match read {
        Ok(read) => Ok(read),
        Err(Refusal::Failed(StoreFailure::Damaged { .. })) => Ok(T::default()),
        Err(Refusal::Failed(failed)) => Err(failed.into()),
        Err(_) => Ok(T::default()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use engine::Setup;
    use testkit::{on_disk, setup};

    fn opened(folder: &Path) -> Arc<Engine> {
        let store = on_disk(folder);
        Arc::new(Engine::open(Setup { store, ..setup([]) }).unwrap())
    }

    fn source(engine: Arc<Engine>, folder: &Path) -> PlatformSource {
        PlatformSource::new(engine, StateFolder::new(folder))
    }

    fn sorted(mut cursors: Vec<(String, Sequence)>) -> Vec<(String, Sequence)> {
        cursors.sort();
        cursors
    }

    #[tokio::test]
    async fn cursors_are_there_again_with_the_state() {
        let folder = tempfile::tempdir().unwrap();
        let platform = source(opened(folder.path()), folder.path());
        assert_eq!(platform.cursors().unwrap(), []);
        let names = [
            "webhook",
            "webhook http://a/ a\ntask",
            "webhook http://a/ b",
        ];
        let set = |place| names.map(|name| (name.to_owned(), place)).to_vec();
        platform.keep(set(Some(7))).await.unwrap();
        let forgotten = (names[2].to_owned(), None);
        platform.keep(vec![forgotten]).await.unwrap();
        drop(platform);
        let again = source(opened(folder.path()), folder.path());
        let expected = names[..2].iter().map(|name| ((*name).to_owned(), 7));
        let expected: Vec<_> = expected.collect();
        assert_eq!(sorted(again.cursors().unwrap()), expected);
    }

    #[tokio::test]
    async fn the_file_of_a_release_before_is_taken_over_once() {
        let folder = tempfile::tempdir().unwrap();
        let engine = opened(folder.path());
        let file = StateFolder::new(folder.path()).webhook();
        carry_over(&engine, &file).await.unwrap();
        fs::write(&file, "{\"webhook\":7").unwrap();
        assert!(carry_over(&engine, &file).await.is_err());
        assert!(file.exists());
        fs::write(&file, "{\"webhook\":7,\"webhook http://a/ b\":5}").unwrap();
        carry_over(&engine, &file).await.unwrap();
        assert!(!file.exists());
        carry_over(&engine, &file).await.unwrap();
        let kept = source(engine, folder.path()).cursors().unwrap();
        let expected = [
            ("webhook".to_owned(), 7),
            ("webhook http://a/ b".to_owned(), 5),
        ];
        assert_eq!(sorted(kept), expected);
    }
}
