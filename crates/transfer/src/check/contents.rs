//! The contents of attachments: each is there, with the size and the digest that its attachment has.

use std::ops::ControlFlow;

use super::CheckError;
use super::report::{Findings, Rule};
use crate::migrate::{Progress, key};
use obeya_store::engine::present;
use obeya_store::sha256;
use obeya_store::{Session, Value};

const TABLE: &str = "attachments";

/// Compares every content with its attachment.
pub(super) fn run(
    session: &mut dyn Session,
    findings: &mut Findings,
    progress: &dyn Progress,
) -> Result<(), CheckError> {
    if !progress.should_continue() {
        return Err(CheckError::Stopped);
    }
    progress.table(TABLE);
    let sql = "SELECT a.id, a.file_size_in_bytes, a.sha256, c.content FROM attachments AS a
        LEFT JOIN attachment_contents AS c ON c.id = a.id ORDER BY a.id";
    let read = session.query(sql, &[], &mut |row| {
        let (size, expected) = (present(row.int(1)?)?, present(row.text(2)?)?);
        let text = match row.bytes(3)? {
            None => Some("it has no content".to_owned()),
            Some(content) if i64::try_from(content.len()).ok() != Some(size) => Some(format!(
                "file_size_in_bytes is {size}, and its content has {} bytes",
                content.len()
            )),
            Some(content) if sha256::hex(&[content]) != expected => {
                Some("its sha256 is not that of its content".to_owned())
            }
            Some(_) => None,
        };
        if let Some(text) = text {
            let place = key(&[Value::Int(present(row.int(0)?)?)]);
            findings.add(Rule::State, Some(TABLE), Some(place), text);
        }
        Ok(ControlFlow::Continue(()))
    });
    findings.guard(Rule::File, TABLE, || Ok(read?))?;
    progress.advance(1);
    Ok(())
}
