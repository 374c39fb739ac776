//! The image for containers: a few files of Debian in one layer, the binary in another, as an archive that
//! Docker, Podman and the tools of OCI load.
//!
//! It is not pushed anywhere, and needs no container runtime to build.

mod layout;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::archive::{pack_content, time_of_source};
use super::platform::debian;
use super::release::Release;
use super::{BINARY, THIRD_PARTY};
use crate::process::{self, root};
use layout::Layout;

/// The user of the service in the image, by number: a runtime that is asked for it sees that it is not root.
/// `packaging/image/root.sh` has the same number.
const USER: &str = "65532:65532";

/// The folder of the database, a volume.
pub(super) const VOLUME: &str = "/var/lib/obeya";

/// The packages of Debian that the files come from.
const PACKAGES: &str = "--include=base-files,ca-certificates,libc6,libgcc-s1";

/// The files of them that are extracted: the C library and its loader, certificates, licences, and what
/// scanners read. Another library that the binary needs belongs here; the check would fail without it.
const FILES: [&str; 13] = [
    "/etc/debian_version",
    "/etc/os-release",
    "/lib*",
    "/usr/lib/*-linux-gnu/libc.so.6",
    "/usr/lib/*-linux-gnu/libgcc_s.so.1",
    "/usr/lib/*-linux-gnu/libm.so.6",
    "/usr/lib/*/ld-linux-*.so.*",
    "/usr/lib/ld-linux-*.so.*",
    "/usr/lib/os-release",
    "/usr/lib64/ld-linux-*.so.*",
    "/usr/share/ca-certificates/*",
    "/usr/share/common-licenses/*GPL*",
    "/usr/share/common-licenses/MPL-2.0",
];

/// Those whose licences go with them.
const COPYRIGHTS: [&str; 4] = ["base-files", "ca-certificates", "gcc-*-base", "libc6"];

/// What the image is made of.
pub(super) struct Image<'a> {
    pub(super) release: &'a Release,
    /// The content of the archive of the binary, as a folder.
    pub(super) program: &'a Path,
}

impl Image<'_> {
    /// Writes the archive `…-oci.tar` into `out`, by way of the folder `build`.
    pub(super) fn write(&self, build: &Path, out: &Path) -> Result<PathBuf> {
        let build = build.join("image");
        let layout = Layout::create(&build.join("layout"))?;
        let base = build.join("base.tar");
        self.debian(&base)?;
        let program = build.join("program.tar");
        pack_content(&self.lay_out(&build.join("program"))?, &program)?;
        let layers = [
            layout.layer(&base, "mmdebstrap --variant=extract stable")?,
            layout.layer(&program, "cargo xtask dist")?,
        ];
        let version = env!("CARGO_PKG_VERSION");
        let created = jiff::Timestamp::from_second(time_of_source()?.try_into()?)?.to_string();
        let config = config(self.release.architecture, &created);
        layout.finish(config, &layers, &format!("{BINARY}:{version}"))?;
        let archive = out.join(format!("{}-oci.tar", self.release.name));
        pack_content(&build.join("layout"), &archive)?;
        Ok(archive)
    }

    /// The layer with the files of Debian. Its times are 1970: as long as the packages do not change, the
    /// layer is the same in each release.
    fn debian(&self, archive: &Path) -> Result<()> {
        let mut mmdebstrap = debian(self.release.architecture, "extract");
        mmdebstrap.arg(PACKAGES).arg("--dpkgopt=path-exclude=/*");
        for file in FILES {
            mmdebstrap.arg(format!("--dpkgopt=path-include={file}"));
        }
        for package in COPYRIGHTS {
            let file = format!("/usr/share/doc/{package}/copyright");
            mmdebstrap.arg(format!("--dpkgopt=path-include={file}"));
        }
        let script = root().join("packaging/image/root.sh");
        mmdebstrap
            .arg(format!("--extract-hook={}", script.display()))
            // The script has removed what these steps work on.
            .arg("--skip=cleanup/apt,cleanup/mmdebstrap,cleanup/reproducible")
            // A runtime makes the devices; one without root could not unpack them.
            .args(["--skip=output/dev", "--format=tar", "stable"])
            .arg(archive)
            .env("SOURCE_DATE_EPOCH", "0");
        process::run(&mut mmdebstrap).context("extracting the packages of Debian")
    }

    /// The files of the layer with the binary, in a folder.
    fn lay_out(&self, folder: &Path) -> Result<PathBuf> {
        let (bin, doc) = (folder.join("usr/bin"), folder.join("usr/share/doc/obeya"));
        fs::create_dir_all(&bin)?;
        fs::create_dir_all(&doc)?;
        fs::copy(self.program.join(BINARY), bin.join(BINARY))?;
        for name in ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT", THIRD_PARTY] {
            fs::copy(self.program.join(name), doc.join(name)).context(name)?;
        }
        fs::write(doc.join("obeya.cdx.json"), &self.release.components)?;
        Ok(folder.to_owned())
    }
}

/// How the image is run. `Healthcheck` is not of OCI but of Docker's extension of it; other tools skip it.
fn config(architecture: &str, created: &str) -> Value {
    let seconds = |count: u64| count * 1_000_000_000;
    json!({
        "created": created,
        "architecture": architecture,
        "os": "linux",
        "config": {
            "User": USER,
            "Env": ["PATH=/usr/bin", format!("OBEYA_DB=sqlite:{VOLUME}/plant.db")],
            "Entrypoint": [format!("/usr/bin/{BINARY}")],
            // In a container, loopback is reached by nobody. Without `--create`, as in the unit of systemd: a
            // volume that is not mounted would become an empty plant.
            "Cmd": ["serve", "--listen", "0.0.0.0:8080", "--log-format", "json"],
            "ExposedPorts": {"8080/tcp": {}},
            "Volumes": {VOLUME: {}},
            "WorkingDir": VOLUME,
            "StopSignal": "SIGTERM",
            "Labels": {
                "org.opencontainers.image.title": BINARY,
                "org.opencontainers.image.description": "Obeya, a service for lean management",
                "org.opencontainers.image.version": env!("CARGO_PKG_VERSION"),
                "org.opencontainers.image.licenses": env!("CARGO_PKG_LICENSE"),
                "org.opencontainers.image.created": created,
            },
            "Healthcheck": {
                "Test": ["CMD", format!("/usr/bin/{BINARY}"), "status", "http://127.0.0.1:8080"],
                "Interval": seconds(30),
                "Timeout": seconds(5),
                "StartPeriod": seconds(30),
                "Retries": 3,
            },
        },
    })
}
