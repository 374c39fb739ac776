//! The files of the pages, compressed by the build.

use std::io::Read;

use flate2::read::GzDecoder;

/// A file of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asset {
    /// Its media type, with the character set of a text.
    pub content_type: &'static str,
    /// Its content, compressed with gzip.
    pub gzip: &'static [u8],
}

macro_rules! asset {
    ($name:literal, $content_type:literal) => {
        Asset {
            content_type: $content_type,
            gzip: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".gz")),
        }
    };
}

/// The style of the front page.
pub const STYLE: Asset = asset!("page.css", "text/css; charset=utf-8");
/// The icon of both pages.
pub const FAVICON: Asset = asset!("favicon.svg", "image/svg+xml");
/// The page of the explorer. Its addresses are relative: to be served as `docs` beside `openapi.json`.
pub const EXPLORER: Asset = asset!("explorer.html", "text/html; charset=utf-8");

/// The files that the explorer loads from the folder `docs`.
const EXPLORER_ASSETS: [(&str, Asset); 6] = [
    (
        "explorer.js",
        asset!("explorer.js", "text/javascript; charset=utf-8"),
    ),
    (
        "explorer.css",
        asset!("explorer.css", "text/css; charset=utf-8"),
    ),
    (
        "swagger-ui-bundle.js",
        asset!("swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
    ),
    (
        "swagger-ui.css",
        asset!("swagger-ui.css", "text/css; charset=utf-8"),
    ),
    ("LICENSE", asset!("LICENSE", "text/plain; charset=utf-8")),
    ("NOTICE", asset!("NOTICE", "text/plain; charset=utf-8")),
];

/// The files of the guide by their paths, if the build was given one.
const GUIDE: &[(&str, Asset)] = include!(concat!(env!("OUT_DIR"), "/guide.rs"));

/// The paths of the files of the guide, relative to its folder; none if it is not built in.
pub fn guide_paths() -> impl Iterator<Item = &'static str> {
    GUIDE.iter().map(|(path, _)| *path)
}

/// The file of the guide at this path, in any case; `None` if there is none.
#[must_use]
pub fn guide_asset(path: &str) -> Option<Asset> {
    let mut assets = GUIDE.iter();
    let (_, asset) = assets.find(|(found, _)| found.eq_ignore_ascii_case(path))?;
    Some(*asset)
}

/// The file of this name that the explorer loads; `None` if there is none.
#[must_use]
pub fn explorer_asset(name: &str) -> Option<Asset> {
    let mut assets = EXPLORER_ASSETS.iter();
    let (_, asset) = assets.find(|(found, _)| *found == name)?;
    Some(*asset)
}

impl Asset {
    /// Its content for a client that does not accept gzip.
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "it never panics")]
    pub fn decompressed(&self) -> Vec<u8> {
        let mut content = Vec::new();
        GzDecoder::new(self.gzip)
            .read_to_end(&mut content)
            .expect("the build compressed it");
        content
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the binary may grow by: 4 MB.
    #[test]
    fn all_assets_together_are_small() {
        let pages = [STYLE, FAVICON, EXPLORER];
        let assets = EXPLORER_ASSETS.iter().map(|(_, asset)| *asset);
        let bytes: usize = assets.chain(pages).map(|asset| asset.gzip.len()).sum();
        assert!(bytes < 1_000_000, "{bytes} bytes");
    }

    #[test]
    fn pages_have_no_inline_script_and_no_other_host() {
        let explorer = String::from_utf8(EXPLORER.decompressed()).expect("UTF-8");
        let front = String::from_utf8(include_bytes!("../templates/front.html").to_vec());
        for page in [explorer, front.expect("UTF-8")] {
            assert!(!page.contains("<style"), "{page}");
            assert!(!page.contains(" style="), "{page}");
            assert!(
                !page.contains("http:") && !page.contains("https:"),
                "{page}"
            );
            let scripts = page.matches("<script").count();
            assert_eq!(page.matches("<script defer src=\"docs/").count(), scripts);
        }
    }

    #[test]
    fn every_file_of_the_explorer_is_there() {
        let explorer = String::from_utf8(EXPLORER.decompressed()).expect("UTF-8");
        let files: Vec<&str> = explorer
            .split('"')
            .filter_map(|text| text.strip_prefix("docs/"))
            .collect();
        assert_eq!(files.len(), 4, "{files:?}");
        for file in files {
            assert!(explorer_asset(file).is_some(), "{file}");
        }
        assert_eq!(explorer_asset("explorer.html"), None);
    }
}
