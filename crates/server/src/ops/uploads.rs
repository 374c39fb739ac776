//! The decode stage of an upload: a body of `multipart/form-data` (RFC 7578) with one file.

use bytes::Bytes;
use futures_util::{FutureExt as _, stream};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, StatusCode};
use multer::Multipart;
use obeya_read::text::quoted;
use obeya_store::sha256;

use super::call::Call;
use super::decoding::{Decode, Decoded, INLINE_BYTES, Preconditions};
use crate::http::extract;
use crate::http::problem::Problem;

/// The most bytes of a body besides its file: boundaries, the heads of parts, other fields of a form.
const FRAMING_BYTES: usize = 64 << 10;

/// Reads a file.
pub(super) struct File;

/// A file as it was sent.
#[derive(Debug)]
pub(super) struct UploadedFile {
    /// Its name, not checked yet.
    pub(super) name: String,
    pub(super) content: Bytes,
    /// The SHA-256 of the content, in hexadecimal.
    pub(super) sha256: String,
}

impl Decode for File {
    type Body = UploadedFile;

    /// Refuses, in this order: 415 (not `multipart/form-data` with a boundary, or encoded), 413 (too large),
    /// 408 (too slow), 400 `body.malformed` (no multipart body), 400 `body.invalid` (no file, or several),
    /// 400 `header.invalid`.
    async fn decode(self, call: &mut Call) -> Result<Decoded<UploadedFile>, Problem> {
        let boundary = boundary(call.headers())?;
        let most = call.app.config.limits.attachment_bytes;
        let bytes = call.bytes(most + FRAMING_BYTES).await?;
        // The parser copies what it reads.
        let mut copied = call.app.memory.body_of(&call.caller.client_id);
        let is_small = bytes.len() <= INLINE_BYTES;
        if !is_small {
            copied.try_add(bytes.len())?;
        }
        let memory = call.body_memory();
        let parse = move || {
            let file = parse(bytes, boundary, most);
            drop((memory, copied));
            file
        };
        // The client determines how long parsing takes, so it does not run on a thread of the async runtime.
        let file = match is_small {
            true => parse()?,
            false => tokio::task::spawn_blocking(parse)
                .await
                .map_err(Problem::internal)??,
        };
        // Not of the body: clients choose another boundary for each attempt.
        let fingerprinted = Bytes::from(format!("{}\0{}", file.name, file.sha256));
        let preconditions = Preconditions::of(call, &fingerprinted).await?;
        Ok(Decoded {
            body: file,
            preconditions,
        })
    }
}

/// The boundary of the parts; 415 unless the body is `multipart/form-data`.
fn boundary(headers: &HeaderMap) -> Result<String, Problem> {
    extract::not_encoded(headers).map_err(accepting)?;
    let found = headers
        .get(CONTENT_TYPE)
        .map_or("", |found| found.to_str().unwrap_or(""));
    multer::parse_boundary(found).map_err(|_| {
        let detail = match found {
            "" => "The body has no Content-Type; expected multipart/form-data.".to_owned(),
            found => format!(
                "The body is {}; expected multipart/form-data with a boundary.",
                quoted(found)
            ),
        };
        accepting(extract::unsupported(detail))
    })
}

fn accepting(problem: Problem) -> Problem {
    problem.header(ACCEPT, HeaderValue::from_static("multipart/form-data"))
}

/// The one file of a body. Other fields of the form are ignored, as unknown properties of a JSON body are.
fn parse(bytes: Bytes, boundary: String, most: usize) -> Result<UploadedFile, Problem> {
    let whole = stream::iter([Ok::<_, std::convert::Infallible>(bytes)]);
    let parts = files(Multipart::new(whole, boundary));
    // The whole body is there, so nothing is waited for.
    let files = parts
        .now_or_never()
        .unwrap_or(Err(multer::Error::IncompleteStream));
    let files = files.map_err(|error| {
        Problem::malformed_body(format!("The body is no multipart/form-data: {error}."))
    })?;
    let count = files.len();
    let mut files = files.into_iter();
    let (Some((name, content)), None) = (files.next(), files.next()) else {
        let text = format!("expected one part with a file name, found {count}");
        return Err(Problem::invalid_body("file", text));
    };
    if content.len() > most {
        return Err(too_large(most));
    }
    Ok(UploadedFile {
        name,
        sha256: sha256::hex(&[&content]),
        content,
    })
}

/// The parts with a file name.
async fn files(mut parts: Multipart<'_>) -> Result<Vec<(String, Bytes)>, multer::Error> {
    let mut files = Vec::new();
    while let Some(mut part) = parts.next_field().await? {
        let name = part.file_name().map(str::to_owned);
        // One chunk, as the whole body is there: it is not copied again.
        let mut content = Bytes::new();
        while let Some(chunk) = part.chunk().await? {
            content = match content.is_empty() {
                true => chunk,
                false => [content, chunk].concat().into(),
            };
        }
        files.extend(name.map(|name| (name, content)));
    }
    Ok(files)
}

fn too_large(most: usize) -> Problem {
    Problem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "body.too_large",
        "Body too large",
        format!("The file is larger than the {most} bytes allowed."),
    )
}
