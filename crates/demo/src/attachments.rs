//! A picture of an incident and a note of a task, as files.

use std::io;

use serde_json::json;

use crate::calendar::{Calendar, DAYS};
use crate::folder::Folder;

/// A crack, 48 by 32 pixels.
const PICTURE: &[u8] = include_bytes!("files/crack.png");
const NOTE: &[u8] =
    b"Toggle clamp, horizontal, 2.5 kN. Two weeks from the supplier, one from the tool shop.";

/// Writes `attachments.jsonl` and the contents.
pub(crate) fn write(folder: &Folder, calendar: Calendar) -> io::Result<()> {
    let at = calendar.at(DAYS - 3, 9 * 60);
    folder.content("1.png", PICTURE)?;
    folder.content("2.txt", NOTE)?;
    folder.lines(
        "attachments",
        [
            json!({"id": 1, "incidentId": 1, "name": "crack", "fileExtension": "png", "createdDate": at}),
            json!({"id": 2, "taskId": 1, "name": "clamp", "fileExtension": "txt", "createdDate": at}),
        ],
    )
}
