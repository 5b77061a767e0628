//! The policy of the pages of runs, the script of their map, and their tables.
//!
//! Read next: [`super::batch`], [`super::run`].

use markup::Markup;
use markup::page::Frame;
use std::fmt::Display;

/// The pages' Content-Security-Policy: inline style, and no script but [`SCRIPT`].
pub const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
    script-src 'sha256-+vhBOT2yUKKUebj0V2RWo8KM8hELQ9RRMFB3RcdbaAE='; base-uri 'none'; form-action 'none'";

/// The script that moves the map through time. It contains neither `<` nor `&`, so that it is the
/// same text in XML and in HTML; [`POLICY`] has its digest.
pub const SCRIPT: &str = "\
(function () {
  var map = document.getElementById('map');
  var slider = document.getElementById('when');
  if (!map || !slider) { return; }
  var words = document.getElementById('then');
  var steps = map.getAttribute('data-steps').split('|');
  var sites = Array.from(map.querySelectorAll('[data-out]')).map(function (site) {
    var ranges = site.getAttribute('data-out').split(' ').map(function (range) {
      return range.split('-').map(Number);
    });
    return { site: site, ranges: ranges };
  });
  function show() {
    var step = Number(slider.value);
    words.textContent = steps[step];
    slider.setAttribute('aria-valuetext', steps[step]);
    sites.forEach(function (it) {
      var out = it.ranges.some(function (range) { return range[0] > step ? false : range[1] >= step; });
      it.site.classList.toggle('out', out);
    });
  }
  slider.addEventListener('input', show);
  document.getElementById('moving').hidden = false;
  show();
})();
";

/// The frame of reports.
const OF_REPORTS: Frame<'_> = Frame {
    language: "en",
    policy: POLICY,
    style: "",
    script: SCRIPT,
};

/// A report with that title; `body` writes everything below the heading.
pub(super) fn page(title: &dyn Display, body: impl FnOnce(&mut Markup)) -> String {
    OF_REPORTS.page(title, body)
}

/// A table with a head.
pub(super) fn table(
    page: &mut Markup,
    head: &[(&str, &'static str)],
    rows: impl FnOnce(&mut Markup),
) {
    page.open("div", &[("class", &"wide")]).open("table", &[]);
    page.open("thead", &[]).open("tr", &[]);
    for (name, class) in head {
        page.leaf("th", &[("scope", &"col"), ("class", class)], name);
    }
    page.close().close().open("tbody", &[]);
    rows(page);
    page.close().close().close();
}

/// A cell with a number in it.
pub(super) fn number(page: &mut Markup, text: &dyn Display) {
    page.leaf("td", &[("class", &"number")], text);
}
