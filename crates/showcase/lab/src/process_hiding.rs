//! How a program is started so that it sees no process but its user's own.
//!
//! Command lines and `/proc/PID/net` of others tell what was done to the laboratory. Read next:
//! [`crate::unprivileged`], which starts programs so; [`crate::requirements`], which tries whether it can be.

/// What a shell does in a mount namespace of its own, called as the program that mounts: other users'
/// processes are hidden, then what follows is run in its place.
pub(crate) const HIDING_PROCESSES: &str =
    r#""$0" -t proc -o hidepid=invisible proc /proc && exec "$@""#;
/// The arguments of `unshare` for a mount namespace of which nothing is seen outside.
pub(crate) const OWN_MOUNTS: [&str; 3] = ["--mount", "--propagation", "private"];
