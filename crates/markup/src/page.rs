//! The head and the style that all pages share.
//!
//! Knows nothing of the content of a page. Read next: [`crate::Markup`].

use crate::Markup;
use std::fmt::Display;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--paper:#ffffff;--field:#eef2f6;--edge:#8c959f;\
--grid:#d8dee4;--good:#1a7f37;--bad:#cf222e;--wait:#9a6700;--goodfield:#dafbe1;--badfield:#ffebe9;--waitfield:#fff8c5;\
--p0:#0059b3;--p1:#b34700;--p2:#00755a;--p3:#9c2a7d;--p4:#6b5900;--p5:#5f5f5f;\
--t0:#0059b3;--t1:#b34700;--t2:#00755a;--t3:#9c2a7d}\
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9198a1;--paper:#0d1117;--field:#21262d;--edge:#6e7681;\
--grid:#30363d;--good:#3fb950;--bad:#f85149;--wait:#d29922;--goodfield:#12261e;--badfield:#25171c;--waitfield:#272115;\
--p0:#6cb6ff;--p1:#f0883e;--p2:#3ccfa4;--p3:#e583c6;--p4:#d9c04a;--p5:#b1b1b1;\
--t0:#6cb6ff;--t1:#f0883e;--t2:#3ccfa4;--t3:#e583c6}}\
body{font:15px/1.5 ui-sans-serif,system-ui,'DejaVu Sans',sans-serif;color:var(--ink);background:var(--paper);\
margin:28px auto;max-width:1200px;padding:0 20px;overflow-wrap:break-word}\
h1{font-size:23px;line-height:1.25}h2{font-size:18px;margin:36px 0 8px}h3{font-size:14px;margin:0 0 4px}\
p,li{max-width:80ch}.soft{color:var(--soft)}.picture{overflow-x:auto}\
table{border-collapse:collapse;font-size:13px}.wide{overflow-x:auto}\
th,td{padding:4px 10px;border-bottom:1px solid var(--grid);text-align:left;vertical-align:top}\
thead th{border-bottom:2px solid var(--edge)}td.number,th.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\
.worse{color:var(--bad);font-weight:600}.better{color:var(--good)}\
ul.findings{padding-left:0;list-style:none}ul.findings li{border-left:4px solid var(--edge);padding:3px 12px;margin:6px 0}\
ul.findings li.worse{border-color:var(--bad);background:var(--badfield);color:var(--ink);font-weight:400}\
ul.findings li.better{border-color:var(--good);background:var(--goodfield);color:var(--ink)}\
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(380px,100%),1fr));gap:22px 12px}\
figure{margin:0;min-width:0}figcaption{font-size:12px;color:var(--soft);max-width:60ch}\
.beside{display:flex;flex-wrap:wrap;gap:28px;align-items:flex-start}.beside>*{flex:0 1 auto;min-width:0;max-width:100%}\
details{margin:4px 0}summary{cursor:pointer}time{font-variant-numeric:tabular-nums;color:var(--soft)}\
pre{white-space:pre-wrap;overflow-wrap:anywhere;border-left:3px solid var(--edge);padding-left:12px;margin:4px 0;font:inherit}\
code{font:13px ui-monospace,'DejaVu Sans Mono',monospace;overflow-wrap:anywhere}input[type=range]{width:100%}\
.legend{display:flex;flex-wrap:wrap;gap:4px 22px;padding:0;list-style:none}.legend svg{vertical-align:-2px;margin-right:6px}\
svg text{font:12px ui-sans-serif,system-ui,'DejaVu Sans',sans-serif;fill:var(--ink)}\
svg{max-width:none}svg .small{font-size:10px;fill:var(--soft)}svg .lane{font-weight:600}\
svg .name{font-weight:600;text-anchor:middle}svg .mid{text-anchor:middle}svg .end{text-anchor:end}\
.over{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}\
.grid{stroke:var(--grid)}.floor{stroke:var(--edge)}.box{fill:var(--field);stroke:var(--edge)}\
.life{stroke:var(--edge);stroke-dasharray:3 4}\
.p0{--it:var(--p0)}.p1{--it:var(--p1)}.p2{--it:var(--p2)}.p3{--it:var(--p3)}.p4{--it:var(--p4)}.p5{--it:var(--p5)}\
.mark{fill:var(--it)}.faint{opacity:.45}.ringed{stroke:var(--paper);stroke-width:1.5}\
.whisker{stroke:var(--it);stroke-width:2}.curve{fill:none;stroke:var(--it);stroke-width:2}\
.province{opacity:.13;stroke-width:26;stroke-linejoin:round}\
.t0{fill:var(--t0);stroke:var(--t0)}.t1{fill:var(--t1);stroke:var(--t1)}.t2{fill:var(--t2);stroke:var(--t2)}.t3{fill:var(--t3);stroke:var(--t3)}\
.backbone{stroke:var(--edge);stroke-width:1.6}.town{fill:var(--ink)}.core{stroke:var(--paper);stroke-width:2}\
.site{fill:var(--soft)}.cross{display:none;fill:none;stroke:var(--bad);stroke-width:2.4;stroke-linecap:round}\
.out .cross{display:inline}.out .site{display:none}\
.broken{display:none;fill:none;stroke:var(--bad)}.broken.out{display:inline}.break{stroke-width:5;stroke-linecap:round;opacity:.75}\
.ring{stroke-width:2.4}\
.grave{fill:var(--bad)}.other{fill:var(--wait);opacity:.55}.reading{fill:none;stroke:var(--p0);stroke-width:1.6}\
.bar{stroke-width:1}.bar.open{fill:var(--waitfield);stroke:var(--wait);stroke-dasharray:4 2}\
.bar.well{fill:var(--goodfield);stroke:var(--good)}.bar.badly{fill:var(--badfield);stroke:var(--bad)}\
.bar.called-off{fill:var(--field);stroke:var(--edge)}.bar.fault{fill:var(--badfield);stroke:var(--bad)}\
svg .inside{fill:var(--ink)}svg .fail{fill:var(--bad)}\
.arrow{fill:none;stroke:var(--ink);stroke-width:1.5}.reply{stroke-dasharray:6 4}.tip{fill:var(--ink)}\
.arrow.well{stroke:var(--good)}.arrow.badly{stroke:var(--bad)}.arrow.called-off{stroke:var(--wait)}\
.tip.well{fill:var(--good)}.tip.badly{fill:var(--bad)}.tip.called-off{fill:var(--wait)}\
@media print{body{max-width:none}details{break-inside:avoid}}";

/// The language, policy, style and script of a page: everything except its text.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The language of the page, as a tag of BCP 47.
    pub language: &'a str,
    /// Its Content-Security-Policy.
    pub policy: &'a str,
    /// Further style rules, beside those of all pages; nothing in them needs escaping.
    pub style: &'static str,
    /// Its script, which holds neither `<` nor `&`, so that it is the same text in XML and in HTML.
    pub script: &'static str,
}

impl Frame<'_> {
    /// A page of that title; `body` writes the content below the heading.
    pub fn page(&self, title: &dyn Display, body: impl FnOnce(&mut Markup)) -> String {
        let mut page = Markup::new();
        page.raw("<!DOCTYPE html>\n")
            .open("html", &[("lang", &self.language)]);
        self.head(&mut page, title);
        page.open("body", &[]).open("main", &[]);
        page.leaf("h1", &[], title);
        body(&mut page);
        page.close();
        let script = page.open("script", &[]).raw(self.script);
        script.close().close().close();
        page.finish()
    }

    fn head(&self, page: &mut Markup, title: &dyn Display) {
        let viewport = [
            ("name", &"viewport" as &dyn Display),
            ("content", &"width=device-width"),
        ];
        let policy = [
            ("http-equiv", &"Content-Security-Policy" as &dyn Display),
            ("content", &self.policy),
        ];
        page.open("head", &[])
            .empty("meta", &[("charset", &"utf-8")])
            .empty("meta", &viewport)
            .empty("meta", &policy)
            .leaf("title", &[], title)
            .open("style", &[])
            .raw(STYLE)
            .raw(self.style)
            .close()
            .close();
    }
}
