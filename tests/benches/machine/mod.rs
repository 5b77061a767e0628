//! The machine on which a bench runs, and the resources of processes; for all benches of this
//! folder.
//!
//! Knows `/proc` of Linux. Read next: the `main.rs` of a bench.

use domain::time::Timestamp;
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// The description of this machine, with the date.
pub(crate) fn machine() -> Value {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let model = read("/proc/cpuinfo");
    let model = model
        .lines()
        .find_map(|l| l.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown", |(_, name)| name.trim());
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = Timestamp::from_ms(since.unwrap_or_default().as_millis() as i64);
    json!({
        "event": "machine", "cpu": model,
        "cores": std::thread::available_parallelism().map_or(0, usize::from),
        "kernel": format!("Linux {}", read("/proc/sys/kernel/osrelease").trim()),
        "build": if cfg!(debug_assertions) { "debug" } else { "release" },
        "date": now.to_string(),
        "load_average": load_average(),
    })
}

/// The load average of the last minute.
pub(crate) fn load_average() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let first = text.split_whitespace().next();
    first.and_then(|n| n.parse().ok()).unwrap_or(f64::NAN)
}

/// The memory of a process in bytes; `process` is a name under `/proc` and `field` one of its
/// `status`: `VmRSS` is resident now, `VmHWM` is the peak.
pub(crate) fn memory_bytes(process: &str, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mut lines = status.lines();
    let line = lines.find(|l| l.split(':').next() == Some(field));
    let kib = line.and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1_024
}

/// Processor time used by a process so far, in seconds.
pub(crate) fn cpu_s(process: &str) -> f64 {
    /// Linux counts processor time in hundredths of a second (`getconf CLK_TCK`).
    const TICKS_PER_S: f64 = 100.0;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name, in parentheses, may hold blanks.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks.filter_map(|t| t.parse::<f64>().ok()).sum::<f64>() / TICKS_PER_S
}
