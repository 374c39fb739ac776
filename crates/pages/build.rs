//! Takes the files of Swagger UI that the explorer needs from their archive, and compresses every asset:
//! the binary holds nothing uncompressed. If `OBEYA_GUIDE` names the folder of the guide, which `cargo
//! xtask docs` builds, its files are assets too.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
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
    write_guide(&out)
}

/// Writes `guide.rs`, the table of the files of the guide in the order of their names. Without a guide it is
/// empty.
fn write_guide(out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=OBEYA_GUIDE");
    let mut table = "&[\n".to_owned();
    if let Some(guide) = env::var_os("OBEYA_GUIDE").map(PathBuf::from) {
        println!("cargo::rerun-if-changed={}", guide.display());
        let folder = out.join("guide");
        fs::create_dir_all(&folder)?;
        for (number, file) in files_below(&guide)?.iter().enumerate() {
            let name = file.strip_prefix(&guide)?.to_str();
            let name = name.ok_or_else(|| format!("{} is not UTF-8", file.display()))?;
            let content_type = content_type(file)?;
            let compressed = folder.join(format!("{number}.gz"));
            fs::write(&compressed, gzip(&fs::read(file)?)?)?;
            writeln!(
                table,
                "({name:?}, Asset {{ content_type: {content_type:?}, gzip: include_bytes!({compressed:?}) }}),"
            )?;
        }
    }
    fs::write(out.join("guide.rs"), table + "]\n")?;
    Ok(())
}

/// Every file below a folder that a page can load.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files_below(&path)?);
        } else if path.extension().is_some() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn content_type(file: &Path) -> Result<&'static str, String> {
    Ok(
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("html") => "text/html; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("txt") => "text/plain; charset=utf-8",
            Some("svg") => "image/svg+xml",
            Some("png") => "image/png",
            Some("woff2") => "font/woff2",
            _ => return Err(format!("{} has no known media type", file.display())),
        },
    )
}

/// Writes `NAME.gz`.
fn write_compressed(out: &Path, path: &Path, content: &[u8]) -> Result<(), Box<dyn Error>> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| format!("{} has no name", path.display()))?;
    fs::write(out.join(format!("{name}.gz")), gzip(content)?)?;
    Ok(())
}

fn gzip(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    encoder.finish()
}
