//! `convoke console`: links to the console, in the state folder of the node that leads, with or without a platform
//! that runs there.
//!
//! A link is told to a terminal, or as JSON to whoever asks for that; nothing else prints it, and no log does.
//! Read next: [`server::sign_in`].

use crate::cli::{Common, ConsoleCommand, OPERATOR};
use crate::output::{self, Failure, line};
use serde_json::json;
use server::clock::Clock;
use server::config::Settings;
use server::config::http::HTTP_PORT;
use server::http::HttpListening;
use server::sign_in::{LINK_S, SignIn, SignInError};
use server::state::StateFolder;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tracing::warn;

/// The address of a server of which the settings say none.
const USUAL: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), HTTP_PORT);

/// The page in the state folder that leads a browser to a link; it leads to nothing once that was used.
const OPENING: &str = "console/open.html";

/// The file in the state folder with the address at which the console was served last, as a browser has it.
const SERVED: &str = "console/url";

pub(crate) fn run(common: &Common, command: ConsoleCommand) -> Result<(), Failure> {
    let folder = StateFolder::new(&common.state);
    let sign_in = SignIn::of(&folder);
    match command {
        ConsoleCommand::Link { user, url, open } => {
            if !(common.json || open || output::on_terminal()) {
                return Err(Failure::usage(
                    "a link lets whoever reads it in: it is told to a terminal, or with --json",
                ));
            }
            let settings = Settings::load(&folder).map_err(|e| Failure::usage(e.to_string()))?;
            let url = url.or_else(|| served(&folder));
            let url = url.unwrap_or_else(|| set_url(&settings));
            let link = link(&folder, &user, &url)?;
            match (common.json, open) {
                (true, _) => output::json(&json!({
                    "event": "console-link", "user": user, "link": link, "valid-s": LINK_S,
                })),
                (false, true) => open_in_browser(&folder, &link)?,
                (false, false) => line(&link),
            }
            Ok(())
        }
        ConsoleCommand::End { user } => {
            let ended = sign_in.end_all_of(&user)?;
            match common.json {
                true => output::json(&json!({
                    "event": "console-ended", "user": user, "ended": ended,
                })),
                false => line(&format!("{ended} sessions and links of {user} have ended")),
            }
            Ok(())
        }
    }
}

/// The address of a server that listens, which is kept for links to come.
pub(crate) fn kept_url(common: &Common, settings: &Settings, http: HttpListening) -> String {
    let url = url(settings, http);
    if let Err(cause) = keep(&StateFolder::new(&common.state), &url) {
        warn!("{SERVED}: {cause}: links to the console need --url");
    }
    url
}

/// Tells the operator a link to the console of a platform that has begun to serve, if a terminal shows it and not
/// a log. `open` opens it instead.
pub(crate) fn tell(common: &Common, url: &str, open: bool) {
    if common.json || !(open || output::on_terminal()) {
        return;
    }
    let folder = StateFolder::new(&common.state);
    let link = match link(&folder, OPERATOR, url) {
        Ok(link) => link,
        // The platform serves without as well.
        Err(failure) => return line(&format!("console      no link: {failure}\n")),
    };
    if open && open_in_browser(&folder, &link).is_ok() {
        return;
    }
    if output::on_terminal() {
        line(&format!("console      {link}  once, within five minutes\n"));
    }
}

/// The address of a server that listens, as a browser is to have it.
fn url(settings: &Settings, http: HttpListening) -> String {
    let (protocol, port) = (http.protocol(), http.address.port());
    match settings.http.names().first() {
        Some(name) => format!("{protocol}://{name}:{port}"),
        // All addresses are none to go to.
        None if http.address.ip().is_unspecified() => format!("{protocol}://localhost:{port}"),
        None => format!("{protocol}://{}", http.address),
    }
}

/// A link for a user to the console at that address. The secret is in the fragment, which browsers send to nobody.
pub(crate) fn link(folder: &StateFolder, user: &str, url: &str) -> Result<String, Failure> {
    let made = SignIn::of(folder).link(user, Clock::wall_time())?;
    Ok(format!(
        "{}/#sign-in={}",
        url.trim_end_matches('/'),
        made.secret
    ))
}

/// Opens a link in the browser of the desktop: by a page that leads to it, which only this user may read, since all users of a
/// machine see the arguments of programs, and the first to use the link is let in.
fn open_in_browser(folder: &StateFolder, link: &str) -> Result<(), Failure> {
    let page =
        page_to(folder, link).map_err(|cause| Failure::failed(format!("{OPENING}: {cause}")))?;
    let opened = Command::new("xdg-open")
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    opened
        .map(drop)
        .map_err(|cause| Failure::failed(format!("xdg-open: {cause}")))
}

/// Writes the page in the state folder that leads to a link; its absolute path.
fn page_to(folder: &StateFolder, link: &str) -> io::Result<PathBuf> {
    let page = folder.path().canonicalize()?.join(OPENING);
    let quoted = link.replace('&', "&amp;").replace('"', "&quot;");
    let text = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>Convoke</title>\
         <meta http-equiv=\"refresh\" content=\"0; url={quoted}\">\n"
    );
    match fs::remove_file(&page) {
        Err(cause) if cause.kind() != ErrorKind::NotFound => return Err(cause),
        _ => {}
    }
    let mut file = OpenOptions::new();
    let mut file = file.write(true).create_new(true).mode(0o600).open(&page)?;
    file.write_all(text.as_bytes())?;
    Ok(page)
}

fn keep(folder: &StateFolder, url: &str) -> io::Result<()> {
    let file = folder.path().join(SERVED);
    let within = file.parent().expect("the file is in a folder");
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(within)?;
    fs::write(file, url)
}

/// The address at which the console was served last: that of a demo, or of `--http`, is in no settings.
fn served(folder: &StateFolder) -> Option<String> {
    fs::read_to_string(folder.path().join(SERVED)).ok()
}

/// The address of a server with these settings, whether or not it runs.
fn set_url(settings: &Settings) -> String {
    let address = settings.http.address().unwrap_or(USUAL);
    let secure = settings.http.tls.is_some();
    url(settings, HttpListening { address, secure })
}

impl From<SignInError> for Failure {
    fn from(error: SignInError) -> Self {
        let message = error.to_string();
        match error {
            SignInError::Stranger(_) | SignInError::Used | SignInError::Expired => {
                Self::refused(message)
            }
            SignInError::Nowhere(_) | SignInError::Key(_) | SignInError::File { .. } => {
                Self::failed(message)
            }
        }
    }
}
