//! The source of deliveries on a platform: the engine's log and tasks, and the cursors in a file.
//!
//! The file is beside the store, replaced as a whole, and deleted with the store. Read next:
//! [`super::delivery`], which defines cursors.

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
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// A platform as a source.
pub struct PlatformSource {
    engine: Arc<Engine>,
    folder: StateFolder,
    cursors: Arc<CursorFile>,
}

impl PlatformSource {
    /// The source of this engine, whose principals and cursors are in this folder.
    ///
    /// # Errors
    /// If the file of cursors exists and cannot be read.
    pub fn new(engine: Arc<Engine>, folder: StateFolder) -> io::Result<Self> {
        let cursors = Arc::new(CursorFile::open(folder.webhook())?);
        Ok(Self {
            engine,
            folder,
            cursors,
        })
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
        Ok(self.cursors.all())
    }

    fn keep(&self, cursors: Vec<(String, Option<Sequence>)>) -> Kept {
        let file = Arc::clone(&self.cursors);
        Box::pin(async move {
            let kept = tokio::task::spawn_blocking(move || file.keep(cursors));
            Ok(kept.await??)
        })
    }
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

/// Cursors by name, in a file that is one JSON object and is replaced as a whole.
struct CursorFile {
    path: PathBuf,
    cursors: Mutex<BTreeMap<String, Sequence>>,
}

impl CursorFile {
    fn open(path: PathBuf) -> io::Result<Self> {
        let cursors = match fs::read(&path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            read => serde_json::from_slice(&read?)?,
        };
        Ok(Self {
            path,
            cursors: Mutex::new(cursors),
        })
    }

    fn all(&self) -> Vec<(String, Sequence)> {
        let cursors = self.cursors.lock().expect("no holder panics");
        cursors.clone().into_iter().collect()
    }

    /// Applies the changes and writes the file.
    fn keep(&self, changed: Vec<(String, Option<Sequence>)>) -> io::Result<()> {
        let mut cursors = self.cursors.lock().expect("no holder panics");
        for (name, cursor) in changed {
            match cursor {
                Some(cursor) => cursors.insert(name, cursor),
                None => cursors.remove(&name),
            };
        }
        let text = serde_json::to_vec(&*cursors)?;
        let temporary = self.path.with_extension("new");
        let mut file = File::create(&temporary)?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&temporary, &self.path)?;
        match self.path.parent() {
            Some(folder) => File::open(folder)?.sync_all(),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_there_again_and_a_damaged_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("convoke.db-webhook");
        let file = CursorFile::open(path.clone()).unwrap();
        assert_eq!(file.all(), []);
        let names = [
            "webhook",
            "webhook http://a/ a\ntask",
            "webhook http://a/ b",
        ];
        let set = |place| names.map(|name| (name.to_owned(), place)).to_vec();
        file.keep(set(Some(7))).unwrap();
        file.keep(vec![(names[2].to_owned(), None)]).unwrap();
        let again = CursorFile::open(path.clone()).unwrap();
        assert_eq!(
            again.all(),
            names[..2]
                .iter()
                .map(|n| ((*n).to_owned(), 7))
                .collect::<Vec<_>>()
        );
        fs::write(&path, "{\"webhook\":7").unwrap();
        let damaged = CursorFile::open(path).err().unwrap();
        assert_eq!(damaged.kind(), io::ErrorKind::UnexpectedEof);
    }
}
