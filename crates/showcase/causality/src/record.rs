//! The lines of a record of alarms.
//!
//! Knows the format of the PCIC 2021 and NeurIPS 2023 sets; refuses to read files. One alarm a
//! line, under a heading whose columns may stand in any order, with others beside them:
//! ```text
//! alarm_id,device_id,start_timestamp,end_timestamp
//! 11,28,30685,30835
//! "Link down, port 3",router-7,30690.5,
//! ```
//! Types and devices are names or numbers. Times are seconds from any origin, taken in whole ones;
//! an alarm that has not ended has no end. An end is a time, and otherwise ignored: real records hold
//! some that are before their beginnings. Read next: [`crate::history`].

use crate::fields::split;
use crate::history::{AlarmHistory, HistoryBuilder, HistoryError};
use crate::links::DeviceLinks;

/// The most bytes of a line.
pub const LINE_BYTES_MAX: usize = 4_096;
/// The greatest number of seconds.
const LATEST_S: f64 = 99_999_999_999.0;
const COLUMNS: [&str; 4] = ["alarm_id", "device_id", "start_timestamp", "end_timestamp"];

/// The reason why a line is no alarm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct RecordLineError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: LineFault,
}

/// The reason why lines are no history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AlarmReadError {
    /// The fault of one line.
    #[error(transparent)]
    Line(#[from] RecordLineError),
    /// The fault of all of them.
    #[error(transparent)]
    History(#[from] HistoryError),
}

/// What can be wrong with a line of a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// The heading is missing altogether.
    #[error("the heading '{}' is missing", COLUMNS.join(","))]
    NoHeading,
    /// The heading lacks a column.
    #[error("the heading has no column '{0}'")]
    NoColumn(&'static str),
    /// A field that must be there is missing.
    #[error("'{0}' is missing")]
    Missing(&'static str),
    /// A quotation is damaged.
    #[error("{0}")]
    Quotation(&'static str),
    /// A time is no number of seconds.
    #[error("{column} '{text}' is not a number of seconds from 0 to {LATEST_S}")]
    NoTime {
        /// The column.
        column: &'static str,
        /// The beginning of what stands there.
        text: String,
    },
    /// The line is too long.
    #[error("it is longer than {LINE_BYTES_MAX} bytes")]
    TooLong,
    /// The line is no UTF-8.
    #[error("it is not UTF-8")]
    NotUtf8,
    /// A bound of the history is exceeded.
    #[error("{0}")]
    Bound(HistoryError),
}

/// A reader that is given the lines of a record one by one.
#[derive(Debug, Default)]
pub struct AlarmRecordReader {
    line: usize,
    columns: Option<[usize; 4]>,
    history: HistoryBuilder,
}

impl AlarmRecordReader {
    /// Takes the next line, with or without its line feed; empty ones are ignored.
    ///
    /// # Errors
    /// [`RecordLineError`] with the number of the line, which is to be the last one then.
    pub fn read(&mut self, bytes: &[u8]) -> Result<(), RecordLineError> {
        self.line += 1;
        let taken = self.take(bytes);
        let line = self.line;
        taken.map_err(|fault| RecordLineError { line, fault })
    }

    /// The history of all lines.
    ///
    /// # Errors
    /// [`AlarmReadError`] if there was no heading, or if the lines are no history.
    pub fn finish(self, links: Option<&DeviceLinks>) -> Result<AlarmHistory, AlarmReadError> {
        match self.columns {
            Some(_) => Ok(self.history.finish(links)?),
            None => Err(AlarmReadError::Line(RecordLineError {
                line: self.line.max(1),
                fault: LineFault::NoHeading,
            })),
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), LineFault> {
        if bytes.len() > LINE_BYTES_MAX {
            return Err(LineFault::TooLong);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| LineFault::NotUtf8)?;
        let text = match self.line {
            1 => text.trim_start_matches('\u{feff}'),
            _ => text,
        };
        if text.trim().is_empty() {
            return Ok(());
        }
        let fields = split(text.trim()).map_err(LineFault::Quotation)?;
        match self.columns {
            None => self.columns = Some(heading(&fields)?),
            Some(columns) => {
                let (alarm_type, device, start_s) = alarm(&fields, columns)?;
                let pushed = self.history.push(alarm_type, device, start_s);
                pushed.map_err(LineFault::Bound)?;
            }
        }
        Ok(())
    }
}

/// The place of each column.
fn heading(fields: &[impl AsRef<str>]) -> Result<[usize; 4], LineFault> {
    let mut places = [0; 4];
    for (place, column) in places.iter_mut().zip(COLUMNS) {
        let mut fields = fields.iter();
        *place = fields
            .position(|field| field.as_ref().eq_ignore_ascii_case(column))
            .ok_or(LineFault::NoColumn(column))?;
    }
    Ok(places)
}

/// The type, the device and the beginning of an alarm.
fn alarm(fields: &[impl AsRef<str>], columns: [usize; 4]) -> Result<(&str, &str, i64), LineFault> {
    let field = |column: usize| fields.get(columns[column]).map_or("", AsRef::as_ref);
    for (column, name) in COLUMNS.iter().enumerate().take(3) {
        if field(column).is_empty() {
            return Err(LineFault::Missing(name));
        }
    }
    let from = seconds(field(2), COLUMNS[2])?;
    if !field(3).is_empty() {
        seconds(field(3), COLUMNS[3])?;
    }
    Ok((field(0), field(1), from))
}

fn seconds(text: &str, column: &'static str) -> Result<i64, LineFault> {
    let number = text.parse::<f64>().ok();
    let number = number.filter(|seconds| (0.0..=LATEST_S).contains(seconds));
    number
        .map(|seconds| seconds as i64)
        .ok_or_else(|| LineFault::NoTime {
            column,
            text: text.chars().take(40).collect(),
        })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEAD: &str = "alarm_id,device_id,start_timestamp,end_timestamp\n";

    fn read(text: &[u8]) -> Result<AlarmHistory, String> {
        let mut reader = AlarmRecordReader::default();
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            reader.read(line).map_err(|e| e.to_string())?;
        }
        reader.finish(None).map_err(|e| e.to_string())
    }

    fn refusal(text: &str) -> String {
        read(text.as_bytes()).unwrap_err()
    }

    #[test]
    fn refusals_name_the_line() {
        insta::assert_snapshot!(refusal(""), @"line 1: the heading 'alarm_id,device_id,start_timestamp,end_timestamp' is missing");
        insta::assert_snapshot!(refusal("\na,b\n"), @"line 2: the heading has no column 'alarm_id'");
        insta::assert_snapshot!(refusal(HEAD), @"it holds no alarm");
        insta::assert_snapshot!(refusal(&format!("{HEAD}1,2,\n")), @"line 2: 'start_timestamp' is missing");
        insta::assert_snapshot!(refusal(&format!("{HEAD}1,2,3,4\n\n1,2,x,4")), @"line 4: start_timestamp 'x' is not a number of seconds from 0 to 99999999999");
        insta::assert_snapshot!(refusal(&format!("{HEAD}1,2,-1,4\n")), @"line 2: start_timestamp '-1' is not a number of seconds from 0 to 99999999999");
        insta::assert_snapshot!(refusal(&format!("{HEAD}1,2,9,soon\n")), @"line 2: end_timestamp 'soon' is not a number of seconds from 0 to 99999999999");
        insta::assert_snapshot!(refusal(&format!("{HEAD}\"1,2,9,4\n")), @"line 2: a quotation mark is not closed on its line");
        insta::assert_snapshot!(refusal(&format!("{HEAD}{},2,9,\n", "x".repeat(300))), @"line 2: a name is longer than 256 bytes");
        insta::assert_snapshot!(refusal(&format!("{HEAD}{}\n", "x".repeat(5_000))), @"line 2: it is longer than 4096 bytes");
        insta::assert_snapshot!(read(b"alarm_id\xff\n").unwrap_err(), @"line 1: it is not UTF-8");
    }

    #[test]
    fn columns_stand_in_any_order_and_an_open_alarm_has_no_end() {
        let text =
            "\u{feff}end_timestamp,DEVICE_ID,severity,alarm_id,start_timestamp\r\n,d,3,t,4.7\r\n";
        let history = read(text.as_bytes()).unwrap();
        assert_eq!(history.types(), ["t"]);
        assert_eq!(history.span_s(), [4, 4]);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[a-z0-9,.\\n\\r\" -]{0,200}", head in any::<bool>()) {
            let text = if head { format!("{HEAD}{text}") } else { text };
            let _ = read(text.as_bytes());
        }
    }
}
