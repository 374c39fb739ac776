//! Writes an image as the OCI image layout says: a folder of blobs, named by their digests, with a list of
//! what they are. `docker load` of Docker before 25 reads a list of its own, which is written too.
//!
//! It knows no file of the image.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::dist::archive::sha256;
use crate::process::command;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

/// The folder of an image.
pub(super) struct Layout {
    folder: PathBuf,
}

/// A layer that was written.
pub(super) struct Layer {
    /// The digest of its uncompressed archive.
    diff_id: String,
    descriptor: Value,
    made_by: String,
}

impl Layout {
    /// An empty image in a new folder.
    pub(super) fn create(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder.join("blobs/sha256"))?;
        let version = json!({"imageLayoutVersion": "1.0.0"});
        fs::write(folder.join("oci-layout"), version.to_string())?;
        Ok(Self {
            folder: folder.to_owned(),
        })
    }

    /// Adds a layer, an uncompressed archive.
    pub(super) fn layer(&self, archive: &Path, made_by: &str) -> Result<Layer> {
        let gzip = command("gzip")
            .args(["--no-name", "-9", "--stdout"])
            .arg(archive)
            .stderr(Stdio::inherit())
            .output()
            .context("cannot start gzip")?;
        if !gzip.status.success() {
            bail!("gzip failed ({}): {}", gzip.status, archive.display());
        }
        Ok(Layer {
            diff_id: format!("sha256:{}", sha256(&fs::read(archive)?)),
            descriptor: self.blob(LAYER, &gzip.stdout)?,
            made_by: made_by.to_owned(),
        })
    }

    /// Writes what remains: the settings with their layers, and the lists. `name` is `name:version`.
    pub(super) fn finish(&self, mut config: Value, layers: &[Layer], name: &str) -> Result<()> {
        let (_, version) = name.split_once(':').context("a name has a version")?;
        let diff_ids: Vec<_> = layers.iter().map(|layer| &layer.diff_id).collect();
        config["rootfs"] = json!({"type": "layers", "diff_ids": diff_ids});
        let history = layers
            .iter()
            .map(|layer| json!({"created_by": layer.made_by}));
        config["history"] = history.collect();
        let config = self.blob(CONFIG, config.to_string().as_bytes())?;
        let descriptors: Vec<_> = layers.iter().map(|layer| &layer.descriptor).collect();
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": config,
            "layers": descriptors,
        });
        let mut manifest = self.blob(MANIFEST, manifest.to_string().as_bytes())?;
        manifest["annotations"] = json!({
            "org.opencontainers.image.ref.name": version,
            // By this one containerd and Docker name the image that they load.
            "io.containerd.image.name": format!("docker.io/library/{name}"),
        });
        let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": [manifest]});
        fs::write(self.folder.join("index.json"), index.to_string())?;
        let docker = json!([{
            "Config": blob_path(&config),
            "RepoTags": [name],
            "Layers": descriptors.iter().map(|layer| blob_path(layer)).collect::<Vec<_>>(),
        }]);
        fs::write(self.folder.join("manifest.json"), docker.to_string())?;
        Ok(())
    }

    /// Writes a blob, and returns its descriptor.
    fn blob(&self, media_type: &str, bytes: &[u8]) -> Result<Value> {
        let digest = format!("sha256:{}", sha256(bytes));
        let descriptor = json!({"mediaType": media_type, "digest": digest, "size": bytes.len()});
        fs::write(self.folder.join(blob_path(&descriptor)), bytes)?;
        Ok(descriptor)
    }
}

/// The path of a blob in the folder.
fn blob_path(descriptor: &Value) -> String {
    let digest = descriptor["digest"].as_str().unwrap_or_default();
    format!("blobs/{}", digest.replace(':', "/"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// A JSON file of the image.
    fn json(path: &Path) -> Value {
        serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
    }

    /// The path of a blob, whose digest and size are those of its descriptor.
    fn checked(folder: &Path, descriptor: &Value) -> PathBuf {
        let digest = descriptor["digest"].as_str().expect("a digest");
        let (algorithm, hexadecimal) = digest.split_once(':').expect("an algorithm");
        assert_eq!(algorithm, "sha256");
        let path = folder.join("blobs/sha256").join(hexadecimal);
        let bytes = fs::read(&path).expect("the blob");
        assert_eq!(sha256(&bytes), hexadecimal);
        assert_eq!(descriptor["size"], bytes.len());
        path
    }

    #[test]
    fn every_blob_is_found_by_its_digest_from_the_index_on() {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = temporary.path().join("image");
        let layout = Layout::create(&folder).expect("created");
        let archives = ["base", "program"].map(|name| {
            let archive = temporary.path().join(name);
            fs::write(&archive, format!("the layer {name}")).expect("written");
            archive
        });
        let layers = archives
            .each_ref()
            .map(|archive| layout.layer(archive, "a test").expect("added"));
        let config = json!({"architecture": "amd64", "os": "linux"});
        layout
            .finish(config, &layers, "obeya:1.2.3")
            .expect("finished");

        // https://github.com/opencontainers/image-spec/blob/v1.1.0/image-layout.md
        assert_eq!(
            json(&folder.join("oci-layout")),
            json!({"imageLayoutVersion": "1.0.0"})
        );
        let index = json(&folder.join("index.json"));
        let entry = &index["manifests"][0];
        assert_eq!(
            entry["annotations"]["org.opencontainers.image.ref.name"],
            "1.2.3"
        );
        let manifest = json(&checked(&folder, entry));
        let config = json(&checked(&folder, &manifest["config"]));
        assert_eq!(config["os"], "linux");
        for (number, archive) in archives.iter().enumerate() {
            let blob = checked(&folder, &manifest["layers"][number]);
            let unpacked = command("gzip").args(["-dc"]).arg(&blob).output();
            let unpacked = unpacked.expect("gzip starts").stdout;
            assert_eq!(unpacked, fs::read(archive).expect("the archive"));
            // The digest of what is unpacked, not that of the blob.
            let id = config["rootfs"]["diff_ids"][number]
                .as_str()
                .expect("an id");
            assert_eq!(id, format!("sha256:{}", sha256(&unpacked)));
        }
        // What `docker load` reads.
        let docker = &json(&folder.join("manifest.json"))[0];
        assert_eq!(docker["RepoTags"], json!(["obeya:1.2.3"]));
        for path in [
            &docker["Config"],
            &docker["Layers"][0],
            &docker["Layers"][1],
        ] {
            assert!(
                folder.join(path.as_str().expect("a path")).is_file(),
                "{path}"
            );
        }
    }
}
