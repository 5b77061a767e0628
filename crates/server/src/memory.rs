//! The memory of the process and its limit; while it is short, new work is refused.
//!
//! The limit is the lowest of `[limits]`, the control groups of the process (versions 1 and 2) and
//! its address space (`ulimit -v`). The usage of a group is that of all its processes, socket
//! buffers included, but without the page cache, dentries and inodes, as the kernel kills by that
//! measure. The refusals are in [`crate::ssh`], [`crate::http`] and `engine`'s accounts.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tokio::task::JoinHandle;
use tracing::{info, warn};

/// The interval of measurements.
const BETWEEN: Duration = Duration::from_millis(100);

/// The percentage of the limit from which memory is short.
const SHORT_PERCENT: u64 = 80;

/// The percentage below which it is no longer short.
const ENOUGH_PERCENT: u64 = 70;

/// The memory that a process uses, and its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The usage, in bytes.
    pub used: u64,
    /// The limit, in bytes.
    pub most: u64,
}

impl Memory {
    /// True if it is short, given whether it was so until now.
    fn is_short(self, was: bool) -> bool {
        let percent = if was { ENOUGH_PERCENT } else { SHORT_PERCENT };
        u128::from(self.used) * 100 >= u128::from(self.most) * u128::from(percent)
    }
}

/// The files in which the system reports the memory of this process.
#[derive(Clone, Debug)]
pub struct MemoryMeter {
    proc: PathBuf,
    groups: PathBuf,
    /// The limit of `[limits]`, in bytes.
    most: Option<u64>,
}

impl MemoryMeter {
    /// The meter of this process, with the limit of `[limits]` if there is one.
    pub fn new(most: Option<u64>) -> Self {
        Self::at("/proc/self", "/sys/fs/cgroup", most)
    }

    /// The same with other folders in place of the system's.
    pub fn at(proc: impl Into<PathBuf>, groups: impl Into<PathBuf>, most: Option<u64>) -> Self {
        Self {
            proc: proc.into(),
            groups: groups.into(),
            most,
        }
    }

    /// The usage against the tightest limit; none if there is none, or the system does not report
    /// it.
    pub fn read(&self) -> Option<Memory> {
        let status = fs::read_to_string(self.proc.join("status")).ok()?;
        let resident = kilobytes(&status, "VmRSS:")?;
        let own = self.most.map(|most| Memory {
            used: resident,
            most,
        });
        let groups = self.of_groups().into_iter().map(|group| Memory {
            used: group.used.unwrap_or(0).max(resident),
            most: group.most,
        });
        let space = self.address_space().zip(kilobytes(&status, "VmSize:"));
        let space = space.map(|(most, used)| Memory { used, most });
        let part =
            |memory: &Memory| u128::from(memory.used) * 1_000 / u128::from(memory.most.max(1));
        groups.chain(own).chain(space).max_by_key(part)
    }

    /// The tightest limit, in bytes; none if there is none.
    pub fn most(&self) -> Option<u64> {
        let groups = self.of_groups().into_iter().map(|group| group.most);
        groups.chain(self.most).chain(self.address_space()).min()
    }

    /// The control groups that limit the process, from its own one up.
    fn of_groups(&self) -> Vec<Group> {
        let Ok(text) = fs::read_to_string(self.proc.join("cgroup")) else {
            return Vec::new();
        };
        let groups = text.lines().filter_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, path) = (parts.next()?, parts.next()?);
            match controllers {
                "" => Some((self.groups.clone(), path, &UNIFIED)),
                of if of.split(',').any(|it| it == "memory") => {
                    Some((self.groups.join("memory"), path, &LEGACY))
                }
                _ => None,
            }
        });
        groups
            .flat_map(|(root, path, files)| bounding(&root, path, files))
            .collect()
    }

    fn address_space(&self) -> Option<u64> {
        let text = fs::read_to_string(self.proc.join("limits")).ok()?;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("Max address space"))?;
        line.split_whitespace().next()?.parse().ok()
    }
}

/// The files of a version of control groups: the limit, the usage, and the keys in `memory.stat` of
/// the part that the kernel can reclaim.
struct Files {
    most: &'static str,
    used: &'static str,
    of_files: &'static [&'static str],
}

const UNIFIED: Files = Files {
    most: "memory.max",
    used: "memory.current",
    // The last is names and inodes above all.
    of_files: &["active_file ", "inactive_file ", "slab_reclaimable "],
};

const LEGACY: Files = Files {
    most: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    // Version 1 tells nothing of names and inodes.
    of_files: &["total_active_file ", "total_inactive_file "],
};

/// A control group with a limit.
struct Group {
    most: u64,
    /// The usage of all its processes, if it is reported.
    used: Option<u64>,
}

/// A group and those above it that have a limit; inside a container the root is its own.
fn bounding(root: &Path, path: &str, files: &Files) -> Vec<Group> {
    let own = root.join(path.trim_start_matches('/'));
    let up = own.ancestors().take_while(|at| at.starts_with(root));
    let group = |at: &Path| {
        Some(Group {
            most: number(&at.join(files.most))?,
            used: used(at, files),
        })
    };
    up.filter_map(group).collect()
}

fn used(group: &Path, files: &Files) -> Option<u64> {
    let all = number(&group.join(files.used))?;
    let stat = fs::read_to_string(group.join("memory.stat")).ok()?;
    let of_files = stat.lines().filter_map(|line| {
        let mut names = files.of_files.iter();
        let number = names.find_map(|name| line.strip_prefix(name))?;
        number.trim().parse::<u64>().ok()
    });
    Some(all.saturating_sub(of_files.sum()))
}

fn number(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

fn kilobytes(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(number << 10)
}

/// Sets `short` periodically, until the handle is aborted. Never sets it where there is no limit.
pub fn watch(meter: MemoryMeter, short: Arc<AtomicBool>) -> JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            look(&meter, &short);
            tokio::time::sleep(BETWEEN).await;
        }
    })
}

/// Measures once.
pub fn look(meter: &MemoryMeter, short: &AtomicBool) {
    let was = short.load(Relaxed);
    let memory = meter.read();
    let is = memory.is_some_and(|memory| memory.is_short(was));
    if is == was {
        return;
    }
    short.store(is, Relaxed);
    let (used, most) = memory.map_or((0, 0), |memory| (memory.used >> 20, memory.most >> 20));
    match is {
        true => warn!(
            memory.used_mib = used,
            memory.most_mib = most,
            "memory is short, {used} of {most} MiB: nothing new is begun"
        ),
        false => info!(
            memory.used_mib = used,
            "there is memory again: {used} MiB are used"
        ),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    struct System(tempfile::TempDir);

    impl System {
        fn new() -> Self {
            let system = Self(tempfile::tempdir().unwrap());
            system.uses_mib(100, 400);
            system
        }

        fn write(&self, file: &str, text: &str) {
            let path = self.0.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn uses_mib(&self, resident: u64, space: u64) {
            let (resident, space) = (resident << 10, space << 10);
            let status = format!("Name:\tconvoke\nVmSize:\t{space} kB\nVmRSS:\t{resident} kB\n");
            self.write("proc/status", &status);
        }

        fn meter(&self, most_mib: Option<u64>) -> MemoryMeter {
            let most = most_mib.map(|most| most << 20);
            MemoryMeter::at(self.0.path().join("proc"), self.0.path().join("cg"), most)
        }
    }

    fn mib(used: u64, most: u64) -> Option<Memory> {
        let (used, most) = (used << 20, most << 20);
        Some(Memory { used, most })
    }

    #[test]
    fn the_tightest_bound_counts() {
        let system = System::new();
        assert_eq!(system.meter(None).read(), None, "nobody bounds it");
        assert_eq!(system.meter(None).most(), None);
        assert_eq!(system.meter(Some(512)).read(), mib(100, 512));
        system.write("proc/cgroup", "0::/a/b\n");
        system.write("cg/a/b/memory.max", "max\n");
        system.write("cg/a/memory.max", &format!("{}\n", 256_u64 << 20));
        assert_eq!(system.meter(Some(512)).read(), mib(100, 256));
        system.write("proc/cgroup", "5:cpu,memory:/c\n1:name=systemd:/c\n");
        system.write(
            "cg/memory/c/memory.limit_in_bytes",
            &format!("{}\n", 128_u64 << 20),
        );
        assert_eq!(system.meter(None).read(), mib(100, 128));
        // The usage of other processes in the group and of the kernel counts, the page cache does
        // not.
        let used = |mib: u64| format!("{}\n", mib << 20);
        system.write("cg/memory/c/memory.usage_in_bytes", &used(124));
        let stat = format!(
            "active_file 1\ntotal_inactive_file {}total_active_file {}",
            used(8),
            used(6)
        );
        system.write("cg/memory/c/memory.stat", &stat);
        assert_eq!(system.meter(None).read(), mib(110, 128));
        let space = format!(
            "Limit  Soft\nMax address space         {}  unlimited bytes\n",
            420_u64 << 20
        );
        system.write("proc/limits", &space);
        assert_eq!(system.meter(None).read(), mib(400, 420));
        assert_eq!(system.meter(None).most(), Some(128 << 20));
        assert_eq!(system.meter(Some(64)).most(), Some(64 << 20));
    }

    /// Page cache, dentries and inodes do not count: a database reads and writes all the time.
    #[test]
    fn what_the_kernel_only_keeps_of_files_is_not_used() {
        let system = System::new();
        let bytes = |mib: u64| format!("{}\n", mib << 20);
        system.write("proc/cgroup", "0::/a\n");
        system.write("cg/a/memory.max", &bytes(512));
        system.write("cg/a/memory.current", &bytes(400));
        let stat = [
            ("active_file", 20),
            ("inactive_file", 30),
            ("slab", 170),
            ("slab_reclaimable", 120),
            ("slab_unreclaimable", 50),
        ];
        let stat = stat.map(|(name, mib)| format!("{name} {}", bytes(mib)));
        system.write("cg/a/memory.stat", &stat.concat());
        assert_eq!(system.meter(None).read(), mib(230, 512));
    }

    /// Memory is short before the kernel acts, and does not alternate with every message.
    #[test]
    fn memory_is_short_from_four_fifths_on_until_there_is_some_again() {
        let (system, short) = (System::new(), AtomicBool::new(false));
        let meter = system.meter(Some(256));
        let mut seen = Vec::new();
        for used in [100, 204, 205, 190, 180, 179, 204] {
            system.uses_mib(used, 400);
            look(&meter, &short);
            seen.push(short.load(Relaxed));
        }
        assert_eq!(seen, [false, false, true, true, true, false, false]);
    }
}
