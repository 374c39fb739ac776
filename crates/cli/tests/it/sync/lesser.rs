//! A service of this interface that lacks what only ours has: ours, behind a proxy that gives some words of its answers other names.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What gets another name, as long as its own so that no length changes.
type Words = &'static [(&'static str, &'static str)];

/// Answers without tags.
pub const NO_TAGS: Words = &[("\r\netag: ", "\r\nxtag: ")];

/// An issuer that does not say that comments stamp their incidents.
pub const NO_PROMISE: Words = &[(
    "incident_stamps_cover_comments",
    "incident_stamps_cover_comets_x",
)];

/// Starts the proxy, which ends with the runtime of the test; gives its address.
pub async fn lesser(service: &str, words: Words) -> String {
    for (word, other) in words {
        assert_eq!(word.len(), other.len(), "{word}");
    }
    let service = service.strip_prefix("http://").expect("plain").to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((caller, _)) = listener.accept().await {
            tokio::spawn(pass_on(caller, service.clone(), words));
        }
    });
    url
}

async fn pass_on(caller: TcpStream, service: String, words: Words) {
    let service = TcpStream::connect(service).await.expect("connected");
    let (mut asked, mut answered) = caller.into_split();
    let (mut answers, mut asks) = service.into_split();
    tokio::spawn(async move { tokio::io::copy(&mut asked, &mut asks).await });
    // The service writes the head of an answer at once, so none of the words is cut in two.
    let mut bytes = vec![0; 1 << 16];
    while let Ok(read) = answers.read(&mut bytes).await {
        let bytes = &mut bytes[..read];
        for (word, other) in words {
            let places = 0..bytes.len().saturating_sub(word.len() - 1);
            for place in places {
                if bytes[place..].starts_with(word.as_bytes()) {
                    bytes[place..place + word.len()].copy_from_slice(other.as_bytes());
                }
            }
        }
        // Either end may go at any time, as with every proxy.
        if read == 0 || answered.write_all(bytes).await.is_err() {
            return;
        }
    }
}
