//! Tables for people, in one style.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};

/// An empty table with these headings. Columns named in `numbers` (from 0) are set flush right.
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

/// A whole number with its thousands apart: `52 560` is read at a glance, `52560` is counted.
pub(crate) fn grouped(number: impl TryInto<u64>) -> String {
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

/// A duration in the unit a person would use.
pub(crate) fn took(duration: std::time::Duration) -> String {
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
        assert_eq!(grouped(7_u32), "7");
        assert_eq!(grouped(999_u32), "999");
        assert_eq!(grouped(52_560_u32), "52\u{2009}560");
        assert_eq!(grouped(1_000_000_u32), "1\u{2009}000\u{2009}000");
    }

    #[test]
    fn durations_change_their_unit_at_a_second() {
        assert_eq!(took(Duration::from_micros(1_240)), "1.2 ms");
        assert_eq!(took(Duration::from_millis(2_349)), "2.3 s");
    }
}
