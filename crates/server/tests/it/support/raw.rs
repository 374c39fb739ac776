//! Requests that no well-behaved client can send: bytes over a socket.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Opens a connection.
pub async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.expect("connected")
}

/// Sends the bytes and reads until the service closes; the request should say `Connection: close`.
pub async fn exchange(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = connect(address).await;
    stream.write_all(request).await.expect("sent");
    rest(&mut stream).await
}

/// Reads until the service closes.
pub async fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("an answer");
    String::from_utf8(answer).expect("UTF-8")
}

/// Reads until this text has arrived.
pub async fn until(stream: &mut TcpStream, text: &str) -> String {
    let mut answer = Vec::new();
    loop {
        let mut chunk = [0; 1024];
        let count = stream.read(&mut chunk).await.expect("an answer");
        assert_ne!(count, 0, "closed before {text:?}");
        answer.extend_from_slice(&chunk[..count]);
        if String::from_utf8_lossy(&answer).contains(text) {
            return String::from_utf8(answer).expect("UTF-8");
        }
    }
}
