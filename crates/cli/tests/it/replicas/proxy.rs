//! A proxy that gives each connection to the next replica.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::net::{TcpListener, TcpStream};

/// The proxy. It ends with the runtime of the test.
pub struct Proxy {
    pub url: String,
    replicas: Arc<Mutex<Turns>>,
}

#[derive(Default)]
struct Turns {
    addresses: Vec<Option<SocketAddr>>,
    next: usize,
}

impl Turns {
    /// The replicas that run, beginning with the one whose turn it is.
    fn turn(&mut self) -> Vec<SocketAddr> {
        self.next += 1;
        let count = self.addresses.len();
        let places = (0..count).map(|place| (self.next + place) % count);
        places.filter_map(|place| self.addresses[place]).collect()
    }
}

impl Proxy {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let replicas = Arc::<Mutex<Turns>>::default();
        let turns = replicas.clone();
        tokio::spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                let turn = turns.lock().expect("no panic").turn();
                tokio::spawn(pass_on(caller, turn));
            }
        });
        Self { url, replicas }
    }

    /// Says where a replica listens; `None` while it does not.
    pub fn set(&self, replica: usize, address: Option<SocketAddr>) {
        let mut turns = self.replicas.lock().expect("no panic");
        if turns.addresses.len() <= replica {
            turns.addresses.resize(replica + 1, None);
        }
        turns.addresses[replica] = address;
    }
}

/// Bytes both ways until either end closes.
async fn pass_on(mut caller: TcpStream, turn: Vec<SocketAddr>) {
    for address in turn {
        if let Ok(mut replica) = TcpStream::connect(address).await {
            // A replica that dies breaks the connection, which the caller sees.
            let _ = tokio::io::copy_bidirectional(&mut caller, &mut replica).await;
            return;
        }
    }
}
