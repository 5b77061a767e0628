//! Tasks and their negotiations: what is decided about them, and what readers see.
//!
//! Read next: [`work`], what is decided; [`negotiate`], what is said; [`life`] and [`dispatch`], what
//! follows from it.

pub(crate) mod awaited;
pub(crate) mod dispatch;
pub(crate) mod forming;
pub(crate) mod life;
pub(crate) mod lookup;
pub(crate) mod message;
pub(crate) mod negotiate;
pub(crate) mod operation;
pub(crate) mod plan;
pub(crate) mod proposal;
pub(crate) mod publishers;
pub(crate) mod push;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod team;
pub(crate) mod teams;
pub(crate) mod timers;
pub(crate) mod view;
pub(crate) mod visible;
pub(crate) mod work;
