//! Attached files: which names and types may be attached, and whether a content is of its type.
//!
//! The extension of the name says the type, and the first bytes of the content must be those of that type
//! (as the registry of media types and the specification of each format give them). So the name, the type
//! and the content of a file that is stored always agree, and none is a page that a browser would run.

/// Most characters of the name of a file, its extension included.
pub const LONGEST_NAME: usize = 255;
/// Most attachments of one record.
pub const MOST_PER_RECORD: i64 = 100;

/// Most bytes of a content, whatever a service is configured to accept.
pub const LARGEST_CONTENT: u64 = 64 << 20;

/// A type of files that may be attached.
#[derive(Debug, PartialEq, Eq)]
pub struct MediaType {
    /// Its name, such as `image/png`.
    pub name: &'static str,
    /// The extensions of its files, in lower case.
    pub extensions: &'static [&'static str],
    signature: Signature,
}

/// What a content of a type begins with, or consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signature {
    Png,
    Jpeg,
    Gif,
    Webp,
    Pdf,
    /// ZIP, which also the documents of later office programs are.
    Zip,
    /// The compound file of earlier office programs.
    Compound,
    /// Text in UTF-8, without control characters but tabs and line ends.
    Text,
}

/// Every type that may be attached.
#[rustfmt::skip]
pub static MEDIA_TYPES: [MediaType; 15] = [
    MediaType { name: "image/png", extensions: &["png"], signature: Signature::Png },
    MediaType { name: "image/jpeg", extensions: &["jpg", "jpeg"], signature: Signature::Jpeg },
    MediaType { name: "image/gif", extensions: &["gif"], signature: Signature::Gif },
    MediaType { name: "image/webp", extensions: &["webp"], signature: Signature::Webp },
    MediaType { name: "application/pdf", extensions: &["pdf"], signature: Signature::Pdf },
    MediaType { name: "text/plain", extensions: &["txt"], signature: Signature::Text },
    MediaType { name: "text/csv", extensions: &["csv"], signature: Signature::Text },
    MediaType { name: "application/vnd.openxmlformats-officedocument.wordprocessingml.document", extensions: &["docx"], signature: Signature::Zip },
    MediaType { name: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", extensions: &["xlsx"], signature: Signature::Zip },
    MediaType { name: "application/vnd.openxmlformats-officedocument.presentationml.presentation", extensions: &["pptx"], signature: Signature::Zip },
    MediaType { name: "application/vnd.oasis.opendocument.text", extensions: &["odt"], signature: Signature::Zip },
    MediaType { name: "application/vnd.oasis.opendocument.spreadsheet", extensions: &["ods"], signature: Signature::Zip },
    MediaType { name: "application/msword", extensions: &["doc"], signature: Signature::Compound },
    MediaType { name: "application/vnd.ms-excel", extensions: &["xls"], signature: Signature::Compound },
    MediaType { name: "application/zip", extensions: &["zip"], signature: Signature::Zip },
];

/// The name of a file, in its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileName<'a> {
    /// What is before the last dot.
    pub name: &'a str,
    /// What is after it.
    pub extension: &'a str,
    /// The type that the extension says.
    pub media_type: &'static MediaType,
}

/// Why a name or a content does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: String,
}

impl Misfit {
    fn new(found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            found: found.into(),
            expected: expected.into(),
        }
    }
}

/// The parts of the name of a file.
///
/// # Errors
/// It is empty or longer than [`LONGEST_NAME`] characters, contains a separator of paths or a character that
/// is not shown, or its extension is of none of [`MEDIA_TYPES`].
pub fn file_name(text: &str) -> Result<FileName<'_>, Misfit> {
    let length = text.chars().count();
    if !(1..=LONGEST_NAME).contains(&length) {
        let expected = format!("a file name of 1 to {LONGEST_NAME} characters");
        return Err(Misfit::new(format!("{length} characters"), expected));
    }
    if let Some(character) = text.chars().find(|character| is_refused(*character)) {
        return Err(Misfit::new(
            format!("a file name with U+{:04X}", u32::from(character)),
            "a name without / and \\, without control characters and marks of writing direction",
        ));
    }
    let parts = text
        .rsplit_once('.')
        .filter(|(name, _)| !name.trim().is_empty());
    let Some((name, extension)) = parts else {
        let found = format!("the file name \"{text}\"");
        return Err(Misfit::new(found, known_extensions()));
    };
    match of_extension(extension) {
        Some(media_type) => Ok(FileName {
            name,
            extension,
            media_type,
        }),
        None => Err(Misfit::new(
            format!("the extension \"{extension}\""),
            known_extensions(),
        )),
    }
}

/// The type of the files with this extension, in whatever case.
pub fn of_extension(extension: &str) -> Option<&'static MediaType> {
    let is_its = |known: &&str| known.eq_ignore_ascii_case(extension);
    MEDIA_TYPES
        .iter()
        .find(|media_type| media_type.extensions.iter().any(is_its))
}

/// Separators of paths, and what could make a name look like another one.
fn is_refused(character: char) -> bool {
    matches!(
        character,
        '/' | '\\' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
    ) || character.is_control()
}

fn known_extensions() -> String {
    let known: Vec<&str> = MEDIA_TYPES
        .iter()
        .flat_map(|media_type| media_type.extensions)
        .copied()
        .collect();
    format!(
        "a file name with one of the extensions {}",
        known.join(", ")
    )
}

impl MediaType {
    /// Whether its contents are text.
    pub fn is_text(&self) -> bool {
        self.signature == Signature::Text
    }

    /// Checks that a content is of this type.
    ///
    /// # Errors
    /// It is empty, or does not begin as the contents of this type do.
    pub fn check(&self, content: &[u8]) -> Result<(), Misfit> {
        if content.is_empty() {
            return Err(Misfit::new(
                "an empty file",
                format!("a file of {}", self.name),
            ));
        }
        if self.signature.is_of(content) {
            return Ok(());
        }
        Err(Misfit::new(
            detected(content),
            format!("a content of {}, as the extension says", self.name),
        ))
    }
}

impl Signature {
    fn is_of(self, content: &[u8]) -> bool {
        let begins = |magic: &[u8]| content.starts_with(magic);
        match self {
            Self::Png => begins(b"\x89PNG\r\n\x1a\n"),
            Self::Jpeg => begins(b"\xff\xd8\xff"),
            Self::Gif => begins(b"GIF87a") || begins(b"GIF89a"),
            Self::Webp => begins(b"RIFF") && content.get(8..12) == Some(b"WEBP"),
            Self::Pdf => begins(b"%PDF-"),
            // The second is an archive without files.
            Self::Zip => begins(b"PK\x03\x04") || begins(b"PK\x05\x06"),
            Self::Compound => begins(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
            Self::Text => std::str::from_utf8(content).is_ok_and(|text| {
                let is_plain = |character: char| {
                    matches!(character, '\t' | '\n' | '\r') || !character.is_control()
                };
                text.chars().all(is_plain)
            }),
        }
    }
}

/// What a content looks like, for errors.
fn detected(content: &[u8]) -> &'static str {
    let known = [
        (Signature::Png, "a PNG image"),
        (Signature::Jpeg, "a JPEG image"),
        (Signature::Gif, "a GIF image"),
        (Signature::Webp, "a WebP image"),
        (Signature::Pdf, "a PDF document"),
        (Signature::Zip, "a ZIP archive"),
        (Signature::Compound, "a compound file of an office program"),
        (Signature::Text, "text in UTF-8"),
    ];
    known
        .iter()
        .find(|(signature, _)| signature.is_of(content))
        .map_or("bytes of no known type", |(_, says)| says)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least content of each type, from the specification of its format.
    const LEAST: [(&str, &[u8]); 9] = [
        ("png", b"\x89PNG\r\n\x1a\n"),
        ("jpg", b"\xff\xd8\xff\xe0"),
        ("gif", b"GIF89a"),
        ("webp", b"RIFF\x04\0\0\0WEBP"),
        ("pdf", b"%PDF-1.7"),
        ("zip", b"PK\x03\x04"),
        ("docx", b"PK\x03\x04"),
        ("xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        ("txt", "Lekkasje på linje 2\r\n".as_bytes()),
    ];

    #[test]
    fn a_content_is_of_the_type_of_its_extension_and_of_no_other() {
        for (extension, content) in LEAST {
            for (other, _) in LEAST {
                let media_type = of_extension(other).unwrap();
                let is_same = extension == other
                    || ["zip", "docx"].contains(&extension) && ["zip", "docx"].contains(&other);
                // A text may begin with anything that is text.
                let is_text = other == "txt" && ["gif", "pdf"].contains(&extension);
                let fits = media_type.check(content).is_ok();
                assert_eq!(fits, is_same || is_text, "{extension} as {other}");
            }
        }
    }

    #[test]
    fn a_wrong_content_is_named() {
        let png = of_extension("PNG").unwrap();
        let misfit = png.check(b"<html>").unwrap_err();
        assert_eq!(misfit.found, "text in UTF-8");
        assert_eq!(
            misfit.expected,
            "a content of image/png, as the extension says"
        );
        let found = |content| png.check(content).unwrap_err().found;
        assert_eq!(found(b""), "an empty file");
        assert_eq!(found(b"\x7fELF\x02"), "bytes of no known type");
        let text = of_extension("csv").unwrap();
        assert!(text.check("a;b\n\u{1}".as_bytes()).is_err());
        assert!(text.check(b"Lekkasje p\xe5 linje").is_err(), "Latin-1");
    }

    #[test]
    fn a_name_is_cut_at_its_last_dot() {
        let parts = |text| file_name(text).map(|of| (of.name, of.extension, of.media_type.name));
        assert_eq!(
            parts("crack.left.PNG"),
            Ok(("crack.left", "PNG", "image/png"))
        );
        assert_eq!(parts("tilbud åpent.jpeg").unwrap().2, "image/jpeg");
        for text in [
            "",
            "png",
            ".png",
            " .png",
            "a.exe",
            "a.html",
            "a.svg",
            "a.",
            "../a.png",
            "a\\b.png",
            "a\0.png",
            "a\n.png",
            "gnp.\u{202E}txt.png",
        ] {
            assert!(parts(text).is_err(), "{text:?}");
        }
        assert!(parts(&format!("{}.png", "å".repeat(251))).is_ok());
        let misfit = file_name(&format!("{}.png", "å".repeat(252)))
            .map(|_| ())
            .unwrap_err();
        assert_eq!(misfit.found, "256 characters");
    }

    #[test]
    fn no_type_is_one_that_a_browser_runs() {
        for media_type in &MEDIA_TYPES {
            for part in ["html", "svg", "javascript", "text/xml", "/xml"] {
                assert!(!media_type.name.contains(part), "{}", media_type.name);
            }
        }
    }
}
