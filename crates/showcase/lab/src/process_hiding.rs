//! How a program is started so that it sees no process but its user's own.
//!
//! Command lines and `/proc/PID/net` of others tell what was done to the laboratory. Read next:
//! [`crate::unprivileged`], which starts programs so; [`crate::requirements`], which tries whether it can be.

/// What a shell does in a mount namespace of its own, called as the program that mounts: other users'
/// processes are hidden, then what follows is run in its place.
const HIDING_PROCESSES: &str = r#""$0" -t proc -o hidepid=invisible proc /proc && exec "$@""#;

/// The arguments with which `unshare` runs the program that follows them so; `mount` is the program that
/// mounts. Of its mounts nothing is seen outside.
pub(crate) fn unshare_arguments(mount: &str) -> [&str; 7] {
    [
        "--mount",
        "--propagation",
        "private",
        "/bin/sh",
        "-c",
        HIDING_PROCESSES,
        mount,
    ]
}
