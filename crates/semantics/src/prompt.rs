//! The text that every model is told beside the template: the language and the time.
//!
//! The template itself is told by [`schema::render::prompt`]. Read next: `endpoint`, `gguf`.

use crate::moment::Calendar;
use schema::language::Language;
use schema::semantics::Circumstances;

/// The language of an utterance: as told, else Chinese if it holds Chinese characters.
pub(crate) fn spoken(utterance: &str, circumstances: &Circumstances) -> Language {
    let chinese = utterance.chars().any(language::script::is_cjk);
    let found = || {
        if chinese {
            Language::chinese()
        } else {
            Language::english()
        }
    };
    circumstances.language.clone().unwrap_or_else(found)
}

/// The day that "tomorrow" is counted from, as the model is told it.
pub(crate) fn today(circumstances: &Circumstances) -> String {
    let calendar = Calendar::of(circumstances);
    let (hours, minutes) = (calendar.minute / 60, calendar.minute % 60);
    format!(
        "Now: {} {}, {hours:02}:{minutes:02}{}",
        calendar.today.weekday(),
        calendar.today,
        calendar.zone()
    )
}
