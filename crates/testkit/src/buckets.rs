//! A server of S3 in the test's process, whose objects are files.

use std::net::TcpListener;
use std::path::PathBuf;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use tempfile::TempDir;

const KEY: &str = "tests";
const SECRET: &str = "secret of tests";

/// The server, until the process ends.
pub struct Buckets {
    root: TempDir,
    url: String,
}

impl Buckets {
    /// Starts a server without buckets.
    ///
    /// # Panics
    /// If it cannot listen on a free port of this machine.
    #[must_use]
    pub fn start() -> Self {
        let root = tempfile::tempdir().expect("a folder");
        let mut service = S3ServiceBuilder::new(FileSystem::new(root.path()).expect("a store"));
        service.set_auth(SimpleAuth::from_single(KEY, SECRET));
        let service = service.build();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("set");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        std::thread::spawn(move || {
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                loop {
                    let (socket, _) = listener.accept().await.expect("accepted");
                    let service = service.clone();
                    tokio::spawn(async move {
                        let server = Builder::new(TokioExecutor::new());
                        // A client may end a connection at any time.
                        let _ = server.serve_connection(TokioIo::new(socket), service).await;
                    });
                }
            });
        });
        Buckets { root, url }
    }

    /// Makes a bucket. Its objects are the files below the folder that is returned.
    ///
    /// # Panics
    /// If it exists.
    #[must_use]
    pub fn create(&self, name: &str) -> PathBuf {
        let folder = self.root.path().join(name);
        std::fs::create_dir(&folder).expect("a new bucket");
        folder
    }

    /// The variables of the environment by which clients of S3 find the server.
    #[must_use]
    pub fn environment(&self) -> [(&'static str, &str); 5] {
        [
            ("AWS_ACCESS_KEY_ID", KEY),
            ("AWS_SECRET_ACCESS_KEY", SECRET),
            ("AWS_REGION", "eu-north-1"),
            ("AWS_ENDPOINT_URL", &self.url),
            ("AWS_ALLOW_HTTP", "true"),
        ]
    }
}
