//! Which name was probably meant.
//!
//! Knows spelling only: letters swapped, left out, put in or mistaken, and other ways to join words.

/// Longer names are not compared.
const CHARS_MAX: usize = 64;

/// The name that differs least, the first if several do; none if all differ in more than a third of
/// their letters.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = plain(name)?;
    let scored = known.filter_map(|it| Some((distance(&name, &plain(it)?), it)));
    let (distance, likely) = scored.min_by_key(|(distance, _)| *distance)?;
    let length = likely.chars().count().max(name.len());
    (distance <= (length / 3).max(1) && distance < length).then_some(likely)
}

/// `Cabin-Class`, `cabin class` and `cabin_class` are one name.
fn plain(name: &str) -> Option<Vec<char>> {
    let chars: Vec<char> = name.chars().take(CHARS_MAX + 1).collect();
    let joined = |c: char| {
        if matches!(c, ' ' | '-' | '.') {
            '_'
        } else {
            c.to_ascii_lowercase()
        }
    };
    (chars.len() <= CHARS_MAX).then(|| chars.into_iter().map(joined).collect())
}

/// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
fn distance(one: &[char], other: &[char]) -> usize {
    let (mut before, mut above) = (Vec::new(), (0..=other.len()).collect::<Vec<_>>());
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut least = (above[j] + usize::from(a != b))
                .min(above[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        (before, above) = (above, row);
    }
    above[other.len()]
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
