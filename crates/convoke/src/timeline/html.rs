//! The picture as a self-contained page, followed by all messages in full.
//!
//! No script, nothing loaded from elsewhere. Read next: [`super::svg`].

use super::svg::{self, escaped};
use super::{Picture, Row};
use std::fmt::Write;

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:15px/1.45 ui-sans-serif,system-ui,sans-serif;margin:24px auto;max-width:1200px;padding:0 16px;overflow-wrap:break-word}\
.picture{overflow-x:auto}h1{font-size:20px}h2{font-size:17px}summary{cursor:pointer}\
pre{white-space:pre-wrap;overflow-wrap:anywhere;border-left:3px solid #8c959f;padding-left:12px}\
time{font-variant-numeric:tabular-nums;opacity:.7}";

/// Draws the page of a picture.
pub(crate) fn draw(picture: &Picture) -> String {
    let title = escaped(&picture.title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n\
         <div class=\"picture\">\n{}</div>\n<h2>Word for word</h2>\n",
        svg::draw(picture)
    );
    for row in &picture.rows {
        said(&mut page, picture, row);
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn said(page: &mut String, picture: &Picture, row: &Row) {
    let who = match row.mark {
        super::Mark::Request { from, to } | super::Mark::Response { from, to } => {
            format!("{} → {}", picture.lifelines[from], picture.lifelines[to])
        }
        super::Mark::Note(at) => picture.lifelines[at].clone(),
    };
    let _ = writeln!(
        page,
        "<details><summary><time>{}</time> {}: {}</summary><pre>{}</pre></details>",
        picture.after(row),
        escaped(&who),
        escaped(&row.label),
        escaped(&row.whole),
    );
}
