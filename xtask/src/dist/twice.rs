//! Whether a second build, in another folder, gives the same binary. What differs is listed by section.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use object::{Object, ObjectSection};

use super::build;
use super::platform::Platform;
use crate::process::target;

/// Builds again, into an empty folder below the target folder, and compares.
///
/// The folder stays: a run that was interrupted continues, and Cargo finds nothing to do if there was none.
pub(super) fn compare(platform: &Platform, guide: &Path, binary: &Path) -> Result<()> {
    let second = build::binary(platform, guide, &target().join("dist-twice"))?;
    let [one, other] = [binary, &second]
        .map(|path| fs::read(path).with_context(|| format!("reading {}", path.display())));
    let (one, other) = (one?, other?);
    if one == other {
        println!("twice: two builds gave the same {} bytes", one.len());
        return Ok(());
    }
    for line in differences(&one, &other)? {
        println!("twice: {line}");
    }
    bail!(
        "{} and {} differ: the build is not reproducible",
        binary.display(),
        second.display()
    )
}

/// A line for each section that is not the same in both.
fn differences(one: &[u8], other: &[u8]) -> Result<Vec<String>> {
    let (one, other) = (sections(one)?, sections(other)?);
    let mut lines = Vec::new();
    for (name, content) in &one {
        match other.get(name) {
            None => lines.push(format!("{name}: only in the first")),
            Some(content_of_other) if content != content_of_other => lines.push(format!(
                "{name}: {} and {} bytes, different from byte {} on",
                content.len(),
                content_of_other.len(),
                content
                    .iter()
                    .zip(*content_of_other)
                    .take_while(|(one, other)| one == other)
                    .count()
            )),
            Some(_) => {}
        }
    }
    for name in other.keys().filter(|name| !one.contains_key(*name)) {
        lines.push(format!("{name}: only in the second"));
    }
    if lines.is_empty() {
        lines.push("every section is the same: the headers differ".to_owned());
    }
    Ok(lines)
}

/// The content of each section, by name.
fn sections(binary: &[u8]) -> Result<BTreeMap<String, &[u8]>> {
    let file = object::File::parse(binary).context("not an ELF file")?;
    let mut sections = BTreeMap::new();
    for section in file.sections() {
        sections.insert(section.name()?.to_owned(), section.data()?);
    }
    Ok(sections)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_section_that_differs_is_named() {
        let one = fs::read(std::env::current_exe().expect("this binary")).expect("bytes");
        let (offset, size) = {
            let file = object::File::parse(&*one).expect("ELF");
            let section = file.section_by_name(".rodata").expect("constants");
            section.file_range().expect("in the file")
        };
        let mut other = one.clone();
        other[usize::try_from(offset).expect("fits") + 7] ^= 1;
        assert_eq!(
            differences(&one, &other).expect("compared"),
            [format!(
                ".rodata: {size} and {size} bytes, different from byte 7 on"
            )]
        );
        // The last byte of the identification in the header, which pads it.
        let mut other = one.clone();
        other[15] ^= 1;
        assert_eq!(
            differences(&one, &other).expect("compared"),
            ["every section is the same: the headers differ"]
        );
    }
}
