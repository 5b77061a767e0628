//! The promise of a thread that it reads nothing for a while, held to where debug assertions are on.
//!
//! Whoever holds a lock for which others wait gives it: a read may take as long as the way to a database.
//! Read next: [`super::Readers`], which asks.

use std::marker::PhantomData;

#[cfg(debug_assertions)]
thread_local! {
    /// How many promises of this thread are kept.
    static PROMISES: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// While it lives, a read of any store by this thread panics in builds with debug assertions. In all others it
/// is nothing, and costs nothing.
#[derive(Debug)]
pub struct NoReads(PhantomData<*const ()>);

impl NoReads {
    /// Nothing is read from now on.
    pub fn begin() -> Self {
        #[cfg(debug_assertions)]
        PROMISES.set(PROMISES.get() + 1);
        Self(PhantomData)
    }

    /// # Panics
    /// Where debug assertions are on and this thread has promised to read nothing.
    pub(super) fn check() {
        #[cfg(debug_assertions)]
        assert!(
            PROMISES.get() == 0,
            "the store is read where nothing may be"
        );
    }
}

#[cfg(debug_assertions)]
impl Drop for NoReads {
    fn drop(&mut self) {
        PROMISES.set(PROMISES.get() - 1);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Options, Store};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn whoever_promised_to_read_nothing_panics_when_it_does_and_nobody_else() {
        let (store, _) = Store::open(Options::memory(), Box::new(|_| ())).unwrap();
        let read = || store.documents("kind").unwrap().len();
        let reads = || catch_unwind(AssertUnwindSafe(read));
        let promise = NoReads::begin();
        assert_eq!(reads().is_err(), cfg!(debug_assertions));
        std::thread::scope(|scope| {
            let other = scope.spawn(|| store.documents("kind").unwrap().len());
            assert_eq!(other.join().unwrap(), 0);
        });
        drop(promise);
        assert_eq!(reads().unwrap(), 0);
    }
}
