//! A copy in a bucket, read by the log of each table and not by our own code. The bucket is a folder of the
//! server that has it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use obeya_testkit::Buckets;
use serde_json::Value;

/// The server of this process.
static SERVER: OnceLock<Buckets> = OnceLock::new();

/// The variables by which the binary finds the server; none if no test has a bucket.
pub fn environment() -> impl Iterator<Item = (&'static str, &'static str)> {
    SERVER.get().into_iter().flat_map(Buckets::environment)
}

/// A copy in a new bucket.
pub struct Bucket {
    name: String,
    /// The objects of the copy.
    pub folder: PathBuf,
}

impl Bucket {
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        let name = format!("bucket-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let folder = SERVER.get_or_init(Buckets::start).create(&name);
        Bucket {
            name,
            folder: folder.join("copies/plant"),
        }
    }

    pub fn to(&self) -> String {
        format!("s3://{}/copies/plant", self.name)
    }

    /// The object that excludes concurrent runs.
    pub fn lease(&self) -> PathBuf {
        self.folder.join("_obeya/lease.json")
    }

    /// After a run was killed: lets the next one begin, without waiting for a minute.
    pub fn expire_lease(&self) {
        if self.lease().exists() {
            let handover = r#"{"held":false,"handover":{"uncommitted":true,"unfenced":true}}"#;
            fs::write(self.lease(), handover).expect("written");
        }
    }

    /// The files of a table according to its log, with the values of the columns that it is partitioned by.
    pub fn files(&self, table: &str) -> BTreeMap<PathBuf, Value> {
        let table = self.folder.join(table);
        let mut files = BTreeMap::new();
        for version in 0_u64.. {
            let commit = table.join(format!("_delta_log/{version:020}.json"));
            let Ok(lines) = fs::read_to_string(&commit) else {
                break;
            };
            for line in lines.lines() {
                let action: Value = serde_json::from_str(line).expect("JSON");
                let path = |action: &Value| table.join(action["path"].as_str().expect("a path"));
                if let Some(add) = action.get("add") {
                    let path = path(add);
                    assert_eq!(size(&path), add["size"].as_u64(), "{}", path.display());
                    files.insert(path, add["partitionValues"].clone());
                }
                if let Some(remove) = action.get("remove") {
                    let known = files.remove(&path(remove));
                    assert!(
                        known.is_some(),
                        "{remove} is no file of {}",
                        commit.display()
                    );
                }
            }
        }
        files
    }
}

fn size(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|metadata| metadata.len())
}
