//! The fields of a line of comma-separated values.
//!
//! RFC 4180 §2, but that a quotation ends on its line and that blanks around a field mean nothing.
//! Read next: [`crate::record`], [`crate::links`].

use std::borrow::Cow;

/// Splits a line into its fields.
///
/// # Errors
/// The reason, if a quotation has no end or something follows it.
pub(crate) fn split(line: &str) -> Result<Vec<Cow<'_, str>>, &'static str> {
    let mut fields = Vec::new();
    let mut rest = Some(line);
    while let Some(text) = rest {
        let (field, after) = first(text.trim_start())?;
        fields.push(field);
        rest = after;
    }
    Ok(fields)
}

/// The first field, and what follows its comma.
fn first(text: &str) -> Result<(Cow<'_, str>, Option<&str>), &'static str> {
    let Some(quoted) = text.strip_prefix('"') else {
        let (field, after) = match text.split_once(',') {
            Some((field, after)) => (field, Some(after)),
            None => (text, None),
        };
        return Ok((Cow::Borrowed(field.trim_end()), after));
    };
    let (field, rest) = quotation(quoted)?;
    match rest.trim_start() {
        "" => Ok((field.into(), None)),
        rest => match rest.strip_prefix(',') {
            Some(after) => Ok((field.into(), Some(after))),
            None => Err("something stands between a quotation and the next comma"),
        },
    }
}

/// The text up to the closing mark, and what follows it; a doubled mark is one of the text.
fn quotation(text: &str) -> Result<(String, &str), &'static str> {
    let (mut field, mut rest) = (String::new(), text);
    loop {
        let (part, after) = rest
            .split_once('"')
            .ok_or("a quotation mark is not closed on its line")?;
        field.push_str(part);
        match after.strip_prefix('"') {
            Some(more) => {
                field.push('"');
                rest = more;
            }
            None => return Ok((field, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_quotations_separate_nothing() {
        let told = |line| format!("{:?}", split(line));
        insta::assert_snapshot!(told("a, b ,,"), @r#"Ok(["a", "b", "", ""])"#);
        insta::assert_snapshot!(told(r#""Link down, port 3" ,"say ""x""",4"#), @r#"Ok(["Link down, port 3", "say \"x\"", "4"])"#);
        insta::assert_snapshot!(told(r#"1,"open"#), @r#"Err("a quotation mark is not closed on its line")"#);
        insta::assert_snapshot!(told(r#""a"b,c"#), @r#"Err("something stands between a quotation and the next comma")"#);
    }
}
