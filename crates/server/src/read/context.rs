//! `@odata.context`: which part of the model an answer holds, for callers that ask for OData's minimal metadata.

use super::json;
use crate::entity_sets::ROOT;
use crate::ops::call::Call;

/// The member with its name, to open an object with; nothing when the caller did not ask for it. `context` gives it relative to the service.
pub(super) fn member(call: &Call, context: impl FnOnce() -> Option<String>) -> Option<Vec<u8>> {
    if !call.wants_context() {
        return None;
    }
    let address = format!("{}{ROOT}/{}", call.base_url(), context()?);
    let mut member = b"\"@odata.context\":".to_vec();
    json::string(&mut member, &address);
    Some(member)
}

/// A record, an object without white space, with `member` as its first.
pub(super) fn open(record: Vec<u8>, member: Option<Vec<u8>>) -> Vec<u8> {
    let Some(member) = member else {
        return record;
    };
    let mut out = Vec::with_capacity(record.len() + member.len() + 1);
    out.push(b'{');
    out.extend_from_slice(&member);
    if record.len() > 2 {
        out.push(b',');
    }
    out.extend_from_slice(&record[1..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_comes_first() {
        let opened = |record: &[u8], member: Option<&[u8]>| {
            let opened = open(record.to_vec(), member.map(<[u8]>::to_vec));
            String::from_utf8(opened).expect("UTF-8")
        };
        assert_eq!(opened(b"{\"id\":1}", None), r#"{"id":1}"#);
        assert_eq!(
            opened(b"{\"id\":1}", Some(b"\"c\":\"x\"")),
            r#"{"c":"x","id":1}"#
        );
        assert_eq!(opened(b"{}", Some(b"\"c\":\"x\"")), r#"{"c":"x"}"#);
    }
}
