//! A line of the stream: `topic time value`, as `mosquitto_sub -F '%t %I %p'` writes it.

use obeya::model::Timestamp;

/// A line as it was read.
#[derive(Clone, Debug)]
pub struct Line {
    /// Where from, for messages: `stdin` or the address of a sender.
    pub source: String,
    /// Its number there, from 1.
    pub number: u64,
    /// Its text.
    pub text: String,
}

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading<'a> {
    /// The topic. It may contain spaces.
    pub topic: &'a str,
    /// When the value was measured.
    pub time: Timestamp,
    /// The value.
    pub value: f64,
}

impl<'a> Reading<'a> {
    /// Reads a line.
    ///
    /// # Errors
    /// What was found in place of which part, for a person.
    pub fn parse(text: &'a str) -> Result<Self, String> {
        // From the right: neither time nor value has spaces.
        let mut parts = text.trim_end().rsplitn(3, ' ');
        let (Some(value), Some(time), Some(topic)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(format!("found {text:?}, expected `topic time value`"));
        };
        let time = time
            .parse()
            .map_err(|_| format!("time: found {time:?}, expected {}", Timestamp::FORMS))?;
        let number = value.parse::<f64>().ok().filter(|value| value.is_finite());
        let value = number.ok_or_else(|| {
            format!("value: found {value:?}, expected a finite number such as 81.5")
        })?;
        Ok(Self { topic, time, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_from_its_end() {
        let read = Reading::parse("plant/press 2/oee 2026-11-26T07:00:00+0100 81.5\r").unwrap();
        assert_eq!(read.topic, "plant/press 2/oee");
        // One hour ahead of UTC.
        assert_eq!(read.time.to_string(), "2026-11-26T06:00:00Z");
        assert_eq!(read.value, 81.5);
    }

    #[test]
    fn a_line_that_is_none_is_named_with_what_was_expected() {
        for (text, expected) in [
            ("81.5", "found \"81.5\", expected `topic time value`"),
            (
                "t noon 1",
                "time: found \"noon\", expected a timestamp such as 2026-03-02T06:12:00Z or a date such as 2026-03-02",
            ),
            (
                "t 2026-11-26 on",
                "value: found \"on\", expected a finite number such as 81.5",
            ),
            // JSON has no such number.
            (
                "t 2026-11-26 NaN",
                "value: found \"NaN\", expected a finite number such as 81.5",
            ),
        ] {
            assert_eq!(Reading::parse(text).unwrap_err(), expected);
        }
    }
}
