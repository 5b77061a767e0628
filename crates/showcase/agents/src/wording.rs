//! How agents say how many there are, in what people read of them. Read next: [`crate::outbox`], which sends it.

/// `1 site`, `0 sites`, `7 sites`: the number with the form that goes with it.
pub(crate) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_not_many() {
        let said = [0, 1, 2].map(|n| counted(n, "site is", "sites are"));
        assert_eq!(said, ["0 sites are", "1 site is", "2 sites are"]);
    }
}
