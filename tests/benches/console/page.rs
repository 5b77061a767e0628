//! What is looked at: the page of tasks, its pictures and its size.
//!
//! Read next: `console/src/live.ts`, by which it follows.

use crate::chromium::{Browser, DESK, Looks as _};
use crate::support::process::{Running, run};
use serde_json::json;
use std::error::Error;
use std::time::{Duration, Instant};

/// Counts pictures, the time between two, elements, and streams that are opened.
const WATCH: &str = "(() => {
    const seen = window.seen = { frames: 0, longest: 0, elements: 0, streams: 0, last: performance.now() };
    const frame = (now) => {
        seen.frames += 1;
        seen.longest = Math.max(seen.longest, now - seen.last);
        seen.last = now;
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    setInterval(() => {
        seen.elements = Math.max(seen.elements, document.querySelectorAll('*').length);
    }, 250);
    const fetched = window.fetch;
    window.fetch = (url, init) => {
        if (String(url).includes('/streams/')) seen.streams += 1;
        return fetched(url, init);
    };
    return true;
})()";

const AFRESH: &str = "Object.assign(window.seen, \
    { frames: 0, longest: 0, elements: 0, streams: 0, last: performance.now() }).frames";

/// Scrolls through the list to its end, by a screen at least; how far it came, and what was there meanwhile.
const SCROLLED: &str = "(async () => {
    const list = document.querySelector('.list');
    const frame = () => new Promise(requestAnimationFrame);
    const rows = () => [...list.querySelectorAll('tr.row')];
    let [elements, blank] = [0, 0];
    const step = Math.max(list.clientHeight, list.scrollHeight / 200);
    for (let top = 0, isOver = false; !isOver; top += step) {
        isOver = top + list.clientHeight >= list.scrollHeight;
        list.scrollTop = top;
        await frame();
        await frame();
        elements = Math.max(elements, document.querySelectorAll('*').length);
        const seen = list.getBoundingClientRect();
        const boxes = rows().map((row) => row.getBoundingClientRect());
        if (!boxes.some((it) => it.bottom > seen.top && it.top < seen.bottom)) blank += 1;
    }
    const last = Number(rows().at(-1)?.ariaRowIndex) - 1;
    const all = Number(list.querySelector('table').ariaRowCount) - 1;
    list.scrollTop = 0;
    return { elements, blank, last, all };
})()";

/// The time for the page to hear of what has happened.
const HEARD_WITHIN: Duration = Duration::from_secs(60);

/// The page, in a browser.
pub(crate) struct Page(Browser);

/// What was seen of it while it was scrolled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scrolled {
    /// Elements of the page, at most.
    pub(crate) elements: u64,
    /// How often there was no row in sight.
    pub(crate) blank: u64,
    /// The place of the last row that was drawn, from 1.
    pub(crate) last: u64,
    /// How many rows there are.
    pub(crate) all: u64,
}

/// What was seen of it for a while.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) frames: u64,
    /// Milliseconds between two pictures, at most.
    pub(crate) longest_ms: u64,
    /// Elements of the page, at most.
    pub(crate) elements: u64,
    /// The streams that were opened: it could not follow so often.
    pub(crate) streams: u64,
    /// The bytes that scripts held at the end.
    pub(crate) heap: u64,
    lasted: Duration,
}

impl Seen {
    /// Pictures a second.
    pub(crate) fn rate(&self) -> f64 {
        self.frames as f64 / self.lasted.as_secs_f64()
    }
}

impl Page {
    /// Signs in, and opens the page of tasks.
    pub(crate) async fn open(
        mut browser: Browser,
        running: &Running,
    ) -> Result<Self, Box<dyn Error>> {
        let made = run(running.state(), &["console", "link", "--json"]).await;
        let link = made.well().json()[0]["link"].clone();
        let link = link.as_str().ok_or("there is no link")?;
        browser.visit(link, DESK);
        browser.wait("document.querySelector('.condition.live')");
        browser.look("location.hash = 'tasks'");
        browser.wait("document.querySelector('tr.row')");
        browser.look(WATCH);
        Ok(Self(browser))
    }

    /// Scrolls to its end, and back to its beginning.
    pub(crate) fn scrolled(&mut self) -> Scrolled {
        let told = self.0.look(SCROLLED);
        let of = |name: &str| told[name].as_u64().unwrap_or_default();
        Scrolled {
            elements: of("elements"),
            blank: of("blank"),
            last: of("last"),
            all: of("all"),
        }
    }

    /// Looks at it for so long.
    pub(crate) async fn looked_at(&mut self, lasts: Duration) -> Seen {
        self.0.look(AFRESH);
        let begun = Instant::now();
        tokio::time::sleep(lasts).await;
        let found = |page: &mut Browser, of: &str| {
            let found = page.look(&format!("Math.round(window.seen.{of})"));
            found.as_u64().unwrap_or_default()
        };
        let page = &mut self.0;
        let lasted = begun.elapsed();
        Seen {
            frames: found(page, "frames"),
            longest_ms: found(page, "longest"),
            elements: found(page, "elements"),
            streams: found(page, "streams"),
            heap: heap(page),
            lasted,
        }
    }

    /// True if the last event that it took becomes the platform's.
    pub(crate) async fn is_at(&mut self, last: u64) -> bool {
        self.0.look("location.hash = 'overview'");
        let until = Instant::now() + HEARD_WITHIN;
        loop {
            let cursor = "Number(document.querySelector('[data-cursor]')?.dataset.cursor ?? 0)";
            if self.0.look(cursor).as_u64() >= Some(last) {
                return true;
            }
            if Instant::now() > until {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// The bytes of what scripts of the page hold, once what nobody holds is thrown away.
fn heap(page: &mut Browser) -> u64 {
    page.ask("HeapProfiler.collectGarbage", json!({}));
    let used = page.ask("Runtime.getHeapUsage", json!({}));
    used["usedSize"].as_f64().unwrap_or_default() as u64
}
