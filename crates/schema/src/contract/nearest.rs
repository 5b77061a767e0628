//! The name that was probably meant.
//!
//! Knows spelling only: letters swapped, left out, put in or mistaken, and other ways to join words.

use strsim::osa_distance;

/// Longer names are not compared.
const CHARS_MAX: usize = 64;

/// The name that differs least, the first if several do; none if all differ in more than a third of
/// their letters.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = plain(name)?;
    let scored = known.filter_map(|it| Some((osa_distance(&name, &plain(it)?), it)));
    let (distance, likely) = scored.min_by_key(|(distance, _)| *distance)?;
    let length = likely.chars().count().max(name.chars().count());
    (distance <= (length / 3).max(1) && distance < length).then_some(likely)
}

/// `Cabin-Class`, `cabin class` and `cabin_class` are one name.
fn plain(name: &str) -> Option<String> {
    let joined = |c: char| match c {
        ' ' | '-' | '.' => '_',
        c => c.to_ascii_lowercase(),
    };
    let longer = name.chars().nth(CHARS_MAX).is_some();
    (!longer).then(|| name.chars().map(joined).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Q9: the key that was meant is suggested.
    #[test]
    fn what_was_probably_meant() {
        let known = [
            "origin",
            "destination",
            "departure_date",
            "cabin_class",
            "id",
            "other",
        ];
        for (name, expected) in [
            ("cabin_clas", Some("cabin_class")),
            ("cabinClass", Some("cabin_class")),
            ("Cabin-Class", Some("cabin_class")),
            ("orgiin", Some("origin")),
            ("departure date", Some("departure_date")),
            ("ids", Some("id")),
            ("x", None),
            ("meal", None),
            ("", None),
            ("seat_preference", None),
        ] {
            assert_eq!(nearest(name, known.into_iter()), expected, "{name}");
        }
        assert_eq!(nearest(&"a".repeat(65), known.into_iter()), None);
    }
}
