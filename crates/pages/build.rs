//! Takes the files of Swagger UI that the explorer needs from their archive, and compresses every asset, so
//! that the binary holds nothing uncompressed.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::ZipArchive;

/// The files of Swagger UI: the ends of their paths in the archive.
const SWAGGER_UI: [&str; 4] = [
    "dist/swagger-ui-bundle.js",
    "dist/swagger-ui.css",
    "LICENSE",
    "NOTICE",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=assets");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    for entry in fs::read_dir("assets")? {
        let path = entry?.path();
        write_compressed(&out, &path, &fs::read(&path)?)?;
    }
    let mut archive = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    // Its folder is named after the version.
    let folder = archive.name_for_index(0).ok_or("the archive is empty")??;
    let folder = folder.split('/').next().unwrap_or_default().to_owned();
    for name in SWAGGER_UI {
        let mut content = Vec::new();
        archive
            .by_name(&format!("{folder}/{name}"))
            .map_err(|error| format!("Swagger UI's {name}: {error}"))?
            .read_to_end(&mut content)?;
        write_compressed(&out, Path::new(name), &content)?;
    }
    Ok(())
}

/// Writes `NAME.gz`.
fn write_compressed(out: &Path, path: &Path, content: &[u8]) -> Result<(), Box<dyn Error>> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| format!("{} has no name", path.display()))?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    fs::write(out.join(format!("{name}.gz")), encoder.finish()?)?;
    Ok(())
}
