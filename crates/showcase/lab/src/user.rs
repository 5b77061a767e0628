//! The users that the management system of a laboratory and its agents run as: nobody else's on
//! this machine, and two, so that neither reads the other's files.
//!
//! Each prefix has two numbers of its own, for user and group, from a range that neither
//! distributions, directories of users, containers nor `systemd` give away (`docs/lab.md`). There is
//! no account to them: no name, no shell, no home, no further groups. Read next:
//! [`crate::unprivileged`].

use crate::plan::{PREFIX_LETTERS_MAX, PlanError, check_prefix};
use std::ops::RangeInclusive;

/// The letters that a prefix may consist of.
const LETTERS: u32 = 26;
/// The number of the management system whose prefix has no more than `cv`.
const FIRST: u32 = 2_100_000_000;

/// The numbers of all prefixes.
pub(crate) const USERS: RangeInclusive<u32> = FIRST..=FIRST + 2 * prefixes() - 1;

/// How many prefixes there are.
const fn prefixes() -> u32 {
    let (mut all, mut of_length, mut length) = (0, 1, 2);
    while length <= PREFIX_LETTERS_MAX {
        all += of_length;
        of_length *= LETTERS;
        length += 1;
    }
    all
}

/// The number of user and group of the management system of a prefix.
///
/// # Errors
/// [`PlanError::Prefix`] if it is none.
pub fn management_user(prefix: &str) -> Result<u32, PlanError> {
    check_prefix(prefix)?;
    let letters = prefix.bytes().skip(2);
    // Counted as with digits from 1 to 26, so that no two prefixes have one number.
    let digit = |letter: u8| u32::from(letter - b'a') + 1;
    let place = letters.fold(0, |place, letter| place * LETTERS + digit(letter));
    Ok(FIRST + place)
}

/// The number of user and group of the agents of a prefix: as far into the second half of the range.
///
/// # Errors
/// [`PlanError::Prefix`] if it is none.
pub fn agents_user(prefix: &str) -> Result<u32, PlanError> {
    Ok(management_user(prefix)? + prefixes())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn no_two_prefixes_have_one_user() {
        let user = |prefix: &str| management_user(prefix).unwrap();
        let in_order = ["cv", "cva", "cvb", "cvz", "cvaa", "cvab", "cvzz", "cvaaa"];
        let places = in_order.map(|prefix| user(prefix) - FIRST);
        assert_eq!(places, [0, 1, 2, 26, 27, 28, 702, 703]);
        assert_eq!(user("cvzzzzz") + 1, agents_user("cv").unwrap());
        assert_eq!(agents_user("cvzzzzz").unwrap(), *USERS.end());
        assert_ne!(user("cvlab"), user("cvtest"));
        assert!(management_user("lab").is_err());
    }

    #[test]
    fn a_user_is_in_no_range_that_is_given_away() {
        // Up to 2,000,200,000: accounts, subordinates, containers, directories of users. From
        // 2,147,352,576: systemd's foreign images, and numbers that are negative to some.
        let (first, last) = USERS.into_inner();
        assert!(first > 2_000_200_000 && last < 2_147_352_576, "{last}");
    }
}
