//! Tables and numbers in the output for people.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};

/// An empty table with these headings. Columns whose index (from 0) is in `numbers` are right-aligned.
pub(crate) fn table(headings: &[&str], numbers: &[usize]) -> Table {
    let mut table = Table::new();
    table
        .load_preset(presets::UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headings.iter().map(Cell::new));
    for number in numbers {
        if let Some(column) = table.column_mut(*number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// An integer with its digits in groups of three: `52 560`.
pub(crate) fn group_digits(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position) % 3 == 0 {
            out.push('\u{2009}');
        }
        out.push(digit);
    }
    out
}

/// A duration in seconds or milliseconds.
pub(crate) fn format_duration(duration: std::time::Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds >= 1.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{:.1} ms", seconds * 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(group_digits(7_u32), "7");
        assert_eq!(group_digits(999_u32), "999");
        assert_eq!(group_digits(52_560_u32), "52\u{2009}560");
        assert_eq!(group_digits(1_000_000_u32), "1\u{2009}000\u{2009}000");
    }

    #[test]
    fn durations_change_their_unit_at_a_second() {
        assert_eq!(format_duration(Duration::from_micros(1_240)), "1.2 ms");
        assert_eq!(format_duration(Duration::from_millis(2_349)), "2.3 s");
    }
}
