//! What is sent within a transaction and goes out with what follows.
//!
//! At the latest it goes out when something is waited for: a transaction that ends is. Outside of one each statement
//! goes out at once. Read next: [`super`]; `hold`, which keeps it back.

use super::{Session, Stage};

/// The changes of a transaction that go out together: while the server does some, the next are made ready.
const TOGETHER: usize = 64;

impl Session {
    /// Sends something of a transaction; it goes out with what follows, at the latest with its end.
    pub(super) fn held(&self, send: impl FnOnce()) {
        if self.stage.get() == Stage::Outside {
            return send();
        }
        self.line.hold.hold();
        send();
        match self.together.get() + 1 {
            TOGETHER => self.release(),
            together => self.together.set(together),
        }
    }

    /// Has everything that was sent go out.
    pub(super) fn release(&self) {
        self.together.set(0);
        self.line.hold.release();
    }
}
