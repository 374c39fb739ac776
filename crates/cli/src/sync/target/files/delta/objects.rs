//! The objects under a prefix of a bucket, with methods that block.
//!
//! Nothing here knows what an object contains.

use std::io::Write as _;
use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::buffered::BufWriter;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{
    ClientConfigKey, Error, ObjectMeta, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions,
    RetryConfig, UpdateVersion,
};
use reqwest::Url;
use tokio::io::AsyncWriteExt as _;
use tokio::runtime::Handle;

/// The time for a request: a part of a file has 10 MiB, and the line of a plant may be slow.
const TIMEOUT: &str = "300 seconds";

/// For how long a request is repeated after errors that may pass.
const RETRY_TIMEOUT: Duration = Duration::from_secs(30);

/// A prefix of a bucket.
#[derive(Clone)]
pub(super) struct Objects {
    pub(super) store: Arc<dyn ObjectStore>,
    runtime: Handle,
}

/// The version of an object, for a conditional update.
pub(super) type Version = UpdateVersion;

/// The result of a conditional write.
pub(super) enum Put {
    Written(Version),
    /// Another process has written the object.
    Refused,
}

impl Objects {
    /// Connects with the settings that the environment has for S3 (`AWS_ACCESS_KEY_ID`, `AWS_REGION`,
    /// `AWS_ENDPOINT_URL` and so on).
    pub(super) fn connect(location: &str) -> Result<Self> {
        let url = Url::parse(location)?;
        // reqwest is built without one. It fails if the client of the service has installed one before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let prefix = Path::from_url_path(url.path())?;
        let timeout = AmazonS3ConfigKey::Client(ClientConfigKey::Timeout);
        let bucket = AmazonS3Builder::from_env()
            .with_config(timeout, TIMEOUT)
            .with_retry(RetryConfig {
                retry_timeout: RETRY_TIMEOUT,
                ..RetryConfig::default()
            })
            .with_url(url.as_str())
            .build()?;
        Ok(Self::new(Arc::new(PrefixStore::new(bucket, prefix))))
    }

    pub(super) fn new(store: Arc<dyn ObjectStore>) -> Self {
        Objects {
            store,
            runtime: Handle::current(),
        }
    }

    /// Waits for an operation of the store. Other tasks of this thread go on.
    pub(super) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        tokio::task::block_in_place(|| self.runtime.block_on(work))
    }

    /// An object with its description; `None` if it does not exist.
    pub(super) fn get(&self, path: &str) -> Result<Option<(ObjectMeta, Bytes)>> {
        self.wait(get(&*self.store, path))
    }

    /// Writes an object into a local file. Returns false if it does not exist.
    pub(super) fn download(&self, path: &str, to: &FilePath) -> Result<bool> {
        let read = async {
            let mut chunks = match self.store.get(&Path::from(path)).await {
                Err(Error::NotFound { .. }) => return Ok(false),
                found => found?.into_stream(),
            };
            let mut file = crate::durable::create(to)?;
            while let Some(chunk) = chunks.next().await {
                file.write_all(&chunk?)?;
            }
            anyhow::Ok(true)
        };
        self.wait(read)
            .with_context(|| format!("{path} cannot be read"))
    }

    /// An object other than this one, if there is any.
    pub(super) fn any_but(&self, path: &str) -> Result<Option<String>> {
        let mut found = self.store.list(None);
        let first = async {
            while let Some(object) = found.next().await {
                let location = object?.location.to_string();
                if location != path {
                    return Ok(Some(location));
                }
            }
            anyhow::Ok(None)
        };
        self.wait(first).context("the bucket cannot be listed")
    }

    /// Writes an object, whatever is there.
    pub(super) fn put(&self, path: &str, content: Vec<u8>) -> Result<()> {
        let to = Path::from(path);
        self.wait(self.store.put(&to, content.into()))
            .with_context(|| format!("{path} cannot be written"))?;
        Ok(())
    }

    /// Writes an object if its version is this one; without a version, if it does not exist.
    pub(super) fn put_if(
        &self,
        path: &str,
        content: Vec<u8>,
        known: Option<Version>,
    ) -> Result<Put> {
        self.wait(put_if(&*self.store, path, content, known))
    }

    /// The same for contents that differ between runs. The answer to an earlier attempt may have been lost, so
    /// an object with this content counts as written.
    pub(super) fn put_once(
        &self,
        path: &str,
        content: &[u8],
        known: Option<Version>,
    ) -> Result<Put> {
        match self.put_if(path, content.to_vec(), known)? {
            Put::Refused => Ok(match self.get(path)? {
                Some((meta, found)) if *found == *content => Put::Written(version_of(meta)),
                _ => Put::Refused,
            }),
            written @ Put::Written(_) => Ok(written),
        }
    }

    /// The objects in a folder and those below it.
    pub(super) fn list(&self, folder: &str) -> Result<Vec<ObjectMeta>> {
        let found = self.store.list(Some(&Path::from(folder))).try_collect();
        self.wait(found)
            .with_context(|| format!("{folder} cannot be listed"))
    }

    /// Removes objects. Those that do not exist are no error.
    pub(super) fn remove(&self, paths: Vec<String>) -> Result<()> {
        let paths = paths.into_iter().map(|path| Ok(Path::from(path)));
        let mut removed = self
            .store
            .delete_stream(futures_util::stream::iter(paths).boxed());
        self.wait(async {
            while let Some(result) = removed.next().await {
                match result {
                    Ok(_) | Err(Error::NotFound { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })
        .context("replaced files cannot be removed")
    }
}

/// An object with its description, without blocking.
pub(super) async fn get(
    store: &dyn ObjectStore,
    path: &str,
) -> Result<Option<(ObjectMeta, Bytes)>> {
    let read = async {
        let found = store.get(&Path::from(path)).await?;
        Ok((found.meta.clone(), found.bytes().await?))
    };
    match read.await {
        Ok(found) => Ok(Some(found)),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{path} cannot be read")),
    }
}

/// The time since an object was written. A time in the future is that of a clock that differs.
pub(super) fn age(object: &ObjectMeta) -> Duration {
    let age = SystemTime::now().duration_since(object.last_modified.into());
    age.unwrap_or_default()
}

/// The version of an object.
pub(super) fn version_of(meta: ObjectMeta) -> Version {
    Version {
        e_tag: meta.e_tag,
        version: meta.version,
    }
}

/// A conditional write, without blocking.
pub(super) async fn put_if(
    store: &dyn ObjectStore,
    path: &str,
    content: Vec<u8>,
    known: Option<Version>,
) -> Result<Put> {
    let is_update = known.is_some();
    let options = PutOptions::from(known.map_or(PutMode::Create, PutMode::Update));
    match store
        .put_opts(&Path::from(path), content.into(), options)
        .await
    {
        Ok(written) => Ok(Put::Written(written.into())),
        Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(Put::Refused),
        // The object has been removed meanwhile. A new one finds no bucket.
        Err(Error::NotFound { .. }) if is_update => Ok(Put::Refused),
        Err(error) => Err(error).with_context(|| format!("{path} cannot be written")),
    }
}

/// Uploads a local file, in parts if it is large.
pub(super) async fn upload(store: Arc<dyn ObjectStore>, from: &FilePath, to: &str) -> Result<()> {
    let upload = async {
        let mut file = tokio::fs::File::open(from).await?;
        let mut object = BufWriter::new(store, Path::from(to));
        tokio::io::copy_buf(
            &mut tokio::io::BufReader::with_capacity(1 << 20, &mut file),
            &mut object,
        )
        .await?;
        object.shutdown().await
    };
    upload
        .await
        .with_context(|| format!("{to} cannot be written"))
}
