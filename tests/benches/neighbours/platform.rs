//! The platform under attack: `convoke serve` as shipped, with two more users and two HTTP servers.
//!
//! A guest is a key in `users/` under the shipped `access.toml`, with no rights of its own. An
//! attacker with rights is another administrator than the victim. Read next: `attack`.

use crate::machine;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use server::access::SHIPPED;
use server::ssh::keys::{self, StateKeys};
use server::ssh::{HostKeyPolicy, Target};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// The victim: an administrator, as shipped.
pub(crate) const OPERATOR: &str = "operator";
/// The guest's name.
pub(crate) const GUEST: &str = "guest";
/// Another administrator, the attacker with rights.
pub(crate) const NOC: &str = "noc";
/// The time limit for a platform to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// The addresses and credentials of a platform.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Place {
    /// The platform's NETCONF address.
    pub(crate) netconf: String,
    /// The HTTP listener's address.
    pub(crate) http: String,
    /// A bearer token of the other administrator.
    pub(crate) noc_token: String,
    /// A bearer token of the guest.
    pub(crate) guest_token: String,
    /// The state folder, in which the keys are.
    pub(crate) state: PathBuf,
}

impl Place {
    /// The connection parameters of a user.
    pub(crate) fn target(&self, user: &str) -> Result<Target, Box<dyn Error>> {
        let keys = StateKeys::open(&self.state)?;
        let key = match user {
            OPERATOR => keys.operator()?,
            other => keys::load(&self.state.join(other))?,
        };
        Ok(Target {
            address: self.netconf.clone(),
            user: user.to_owned(),
            key: Arc::new(key),
            host_key: HostKeyPolicy::Exactly(keys.host()?.public_key().clone()),
        })
    }
}

/// A platform; killed when dropped.
pub(crate) struct Platform {
    child: Child,
    place: Place,
    _folder: TempDir,
}

impl Platform {
    /// Starts a platform in a folder of its own, as shipped.
    pub(crate) async fn start(binary: &Path) -> Result<Self, Box<dyn Error>> {
        Self::start_with(binary, "").await
    }

    /// Starts a platform with this `convoke.toml`.
    pub(crate) async fn start_with(binary: &Path, settings: &str) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let state = folder.path().to_owned();
        std::fs::write(state.join("convoke.toml"), settings)?;
        let admin = "name = \"admin\"\nuser-name = [";
        let (before, behind) = SHIPPED.split_once(admin).ok_or("no administrators")?;
        let access = format!("{before}{admin}\"{NOC}\", {behind}");
        std::fs::write(state.join("access.toml"), access)?;
        let mut command = Command::new(binary);
        command
            .args(["--json", "--state"])
            .arg(&state)
            .args(["serve", "--network", "Germany50", "--seed", "1"])
            .args(["--netconf", "127.0.0.1:0", "--agents-from", "0"])
            .args(["--http", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let mut child = command.spawn()?;
        let output = child.stdout.take().expect("it is piped");
        let mut lines = BufReader::new(output).lines();
        let line = tokio::time::timeout(PATIENCE, lines.next_line()).await??;
        let ready: Value = serde_json::from_str(&line.ok_or("the platform did not start")?)?;
        let listeners = ready["listeners"].as_array().ok_or("no listeners")?;
        let address = |found: &Value| found["address"].as_str().unwrap_or_default().to_owned();
        let http = listeners.iter().find(|l| {
            l["protocol"]
                .as_str()
                .is_some_and(|p| p.starts_with("http"))
        });
        let users = StateKeys::open(&state)?.users();
        for name in [GUEST, NOC] {
            let key = keys::load_or_generate(&state.join(name), name)?;
            keys::write_public(&users.join(format!("{name}.pub")), key.public_key())?;
        }
        let place = Place {
            netconf: listeners.first().map(address).unwrap_or_default(),
            http: http.map(address).ok_or("no HTTP listener")?,
            noc_token: token(binary, &state, NOC).await?,
            guest_token: token(binary, &state, GUEST).await?,
            state,
        };
        Ok(Self {
            child,
            place,
            _folder: folder,
        })
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// Processor time used so far, in seconds.
    pub(crate) fn cpu_s(&self) -> f64 {
        machine::cpu_s(&self.process())
    }

    /// Resident memory in megabytes.
    pub(crate) fn resident_mb(&self) -> f64 {
        machine::memory_bytes(&self.process(), "VmRSS") as f64 / 1e6
    }

    fn process(&self) -> String {
        self.child
            .id()
            .map_or_else(String::new, |id| id.to_string())
    }
}

/// Issues a token for a user. Waits until the second of the first start is over: older builds
/// refuse tokens of that second.
async fn token(binary: &Path, state: &Path, name: &str) -> Result<String, Box<dyn Error>> {
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let mut command = Command::new(binary);
    let issued = command
        .arg("--state")
        .arg(state)
        .args(["token", "issue", name])
        .output()
        .await?;
    match issued.status.success() {
        true => Ok(String::from_utf8(issued.stdout)?.trim().to_owned()),
        false => Err(String::from_utf8_lossy(&issued.stderr).into_owned().into()),
    }
}

/// The command that was built with the same profile as this bench.
pub(crate) fn built_beside() -> Result<PathBuf, Box<dyn Error>> {
    let bench = std::env::current_exe()?;
    let profile = bench.ancestors().nth(2).ok_or("no folder of the profile")?;
    let binary = profile.join("convoke");
    match binary.exists() {
        true => Ok(binary),
        false => Err(format!(
            "{} is not built: `cargo build --package convoke`, with --release for `cargo bench`, or --binary FILE",
            binary.display()
        )
        .into()),
    }
}
