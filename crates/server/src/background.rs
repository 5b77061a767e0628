//! Threads for work that may wait: steps of hosted agents, interpretation of text, XPath searches.
//!
//! On Linux such a thread runs at low priority and on all cores of the process but one, so that
//! requests always find a core without such work; where there is a single core, only the priority
//! helps. On other systems it is an ordinary thread. Knows nothing of the work; the queue for work
//! of users is [`crate::pool`].

use std::io;
use std::num::NonZeroUsize;
use std::thread::{Builder, JoinHandle};

/// The priority of a background thread, unless the process has a lower one: about a tenth of the
/// weight of a thread that answers requests, so that the work makes progress under full load.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

/// Starts a background thread.
///
/// A refusal by the system of the priority or the restriction to cores is logged, and the thread
/// runs without it; each is independent of the other.
///
/// # Errors
/// If the system cannot start another thread.
pub fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    Builder::new().name(name.to_owned()).spawn(move || {
        confine(CONFINEMENTS);
        work()
    })
}

/// The number of cores that background threads share: one less than the process may use, and at
/// least one.
#[must_use]
pub fn cores() -> NonZeroUsize {
    let all = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    NonZeroUsize::new(all - 1).unwrap_or(NonZeroUsize::MIN)
}

/// A setting of the calling thread, and the consequence if the system refuses it, for the log.
type Confinement = (&'static str, fn() -> io::Result<()>);

#[cfg(target_os = "linux")]
const CONFINEMENTS: &[Confinement] = &[
    ("runs at ordinary priority", lower_priority),
    ("leaves no core free", leave_a_core),
];

#[cfg(not(target_os = "linux"))]
const CONFINEMENTS: &[Confinement] = &[];

/// Applies each setting, independently of the outcome of the others.
fn confine(confinements: &[Confinement]) {
    for (without, ask) in confinements {
        if let Err(cause) = ask() {
            tracing::warn!(cause = %cause, "a background thread {without}: {cause}");
        }
    }
}

/// Lowers the priority of the calling thread.
#[cfg(target_os = "linux")]
fn lower_priority() -> io::Result<()> {
    use rustix::process::{getpriority_process, setpriority_process};

    // Zero, which `None` stands for, is the calling thread and not its process.
    setpriority_process(None, getpriority_process(None)?.max(NICE))?;
    Ok(())
}

/// Removes the free core from the affinity of the calling thread.
#[cfg(target_os = "linux")]
fn leave_a_core() -> io::Result<()> {
    use rustix::process::getpid;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    // The first thread of the process is never confined; the calling one may be a child of one
    // that is.
    let mut cores = sched_getaffinity(Some(getpid()))?;
    if cores.count() > 1
        && let Some(free) = (0..CpuSet::MAX_CPU).find(|&core| cores.is_set(core))
    {
        cores.unset(free);
        sched_setaffinity(None, &cores)?;
    }
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{NICE, confine, cores, leave_a_core, spawn};
    use rustix::process::{getpid, getpriority_process};
    use rustix::thread::sched_getaffinity;

    fn standing() -> (i32, u32) {
        let priority = getpriority_process(None).expect("a thread may ask for its own");
        let set = sched_getaffinity(None).expect("a thread may ask for its own");
        (priority, set.count())
    }

    #[test]
    fn a_background_thread_is_of_low_priority_and_leaves_a_core_free() {
        let all = sched_getaffinity(Some(getpid())).unwrap().count();
        let (priority, kept) = standing();
        let confined = spawn("test", standing).unwrap().join().unwrap();
        assert_eq!(confined, (priority.max(NICE), (all - 1).max(1)));
        assert_eq!(standing(), (priority, kept), "the spawner stays as it was");
        assert_eq!(cores().get(), (all as usize - 1).max(1));
    }

    #[test]
    fn who_may_not_lower_his_priority_leaves_a_core_free_all_the_same() {
        let all = sched_getaffinity(Some(getpid())).unwrap().count();
        let confined = std::thread::spawn(|| {
            let refused = || Err(std::io::ErrorKind::PermissionDenied.into());
            confine(&[("runs at ordinary priority", refused), ("", leave_a_core)]);
            standing().1
        });
        assert_eq!(confined.join().unwrap(), (all - 1).max(1));
    }

    #[test]
    fn one_started_by_another_has_the_same_cores() {
        let outer = spawn("outer", || {
            let inner = spawn("inner", standing).unwrap().join().unwrap();
            (standing(), inner)
        });
        let (outer, inner) = outer.unwrap().join().unwrap();
        assert_eq!(outer, inner);
    }
}
