//! Who watches over a platform: what he sees, and what becomes of a platform that he left.

use super::*;
use crate::ssh::Gate;

async fn started(folder: &StateFolder) -> Host {
    let settings = "netconf = \"127.0.0.1:0\"\nagents-from = 0\nroles = [\"oss-fault\"]\n";
    let settings: Settings = toml::from_str(settings).unwrap();
    let (home, clock) = (Home::Folder(folder.clone()), Arc::new(Clock::wall()));
    let host = Host::start(home, &settings, Arc::default(), clock);
    host.await.unwrap()
}

/// Nobody can say any more who may be in, or whether there is memory.
#[tokio::test]
async fn a_platform_whose_watchers_end_has_failed() {
    let state = tempfile::tempdir().unwrap();
    let folder = StateFolder::new(state.path());
    for (watcher, told) in [
        (0, "whether keys were taken away"),
        (1, "whether memory is short"),
    ] {
        let host = started(&folder).await;
        assert_eq!(host.found_failed(), None);
        // As it ends when what it does panics.
        let watchers = [&host.revocation, &host.memory];
        watchers[watcher].as_ref().unwrap().abort();
        let why = host.failed().await;
        assert!(why.contains(told), "{why}");
        host.stop().await;
    }
}

/// What changes between the first look at a file and its reading, or later, is seen as a change.
#[tokio::test]
async fn what_changes_while_a_platform_starts_is_seen() {
    let state = tempfile::tempdir().unwrap();
    let folder = StateFolder::new(state.path());
    let host = started(&folder).await;
    // The test looks by itself.
    host.revocation.as_ref().unwrap().abort();
    let seen = Seen::of(&folder);
    let before = host.platform.engine().access();
    let rules = std::fs::read_to_string(folder.access()).unwrap();
    let others = rules.replace("\"operator\"", "\"nobody-any-more\"");
    std::fs::write(folder.access(), &others).unwrap();
    let mut lookout = Lookout::begin(&folder, seen, host.platform.engine(), &host.clock).unwrap();
    let keys = host.keys.as_ref().unwrap();
    lookout.look(&KeyHolders {
        authenticator: Arc::new(authenticator(keys, &host.profiles).unwrap()),
        logins: Arc::clone(Gate::new(Default::default()).logins()),
    });
    assert_ne!(host.platform.engine().access(), before);
    host.stop().await;
}

/// The last listener lets nobody in while sessions at the first are told goodbye, and as long as any
/// of them is there keys and memory are watched.
#[tokio::test]
async fn whoever_stops_closes_every_listener_first() {
    let state = tempfile::tempdir().unwrap();
    let host = started(&StateFolder::new(state.path())).await;
    assert!(host.listening.len() > 1);
    host.begin_stop();
    for listening in &host.listening {
        while tokio::net::TcpStream::connect(listening.address)
            .await
            .is_ok()
        {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(host.found_failed(), None, "the watchers are at work");
    host.stop().await;
}
