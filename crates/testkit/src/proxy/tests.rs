use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};

use super::{Fault, Proxy};

/// A server on a free port that answers each line with the line and its name.
fn echo(name: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for mut caller in listener.incoming().map_while(Result::ok) {
            let mut bytes = [0; 4096];
            // A client that disconnects ends its turn.
            while let Ok(length @ 1..) = caller.read(&mut bytes) {
                let answer = [&bytes[..length], name.as_bytes()].concat();
                caller.write_all(&answer).expect("sent");
                if name == "once" {
                    break;
                }
            }
        }
    });
    address
}

/// The answer of the other end to some bytes.
fn ask(stream: &mut TcpStream, bytes: &str) -> String {
    stream.write_all(bytes.as_bytes()).expect("sent");
    let mut answer = [0; 4096];
    let length = stream.read(&mut answer).expect("an answer");
    String::from_utf8(answer[..length].to_vec()).expect("UTF-8")
}

#[test]
fn a_turn_is_counted_each_time_a_caller_speaks_after_the_server() {
    let proxy = Proxy::to(echo("!"));
    let mut caller = TcpStream::connect(proxy.address()).expect("connected");
    for turn in 1..=3 {
        assert_eq!(ask(&mut caller, "a"), "a!");
        assert_eq!(proxy.turns(), turn);
    }
}

#[test]
fn connections_go_to_the_targets_that_run_in_turn() {
    let proxy = Proxy::balancing();
    proxy.set(0, Some(echo("0")));
    proxy.set(1, Some(echo("1")));
    let answer = || {
        ask(
            &mut TcpStream::connect(proxy.address()).expect("connected"),
            "a",
        )
    };
    assert_eq!([answer(), answer(), answer()], ["a1", "a0", "a1"]);
    proxy.set(1, None);
    assert_eq!([answer(), answer()], ["a0", "a0"]);
    proxy.set(0, None);
    let mut caller = TcpStream::connect(proxy.address()).expect("connected");
    assert_eq!(caller.read(&mut [0]).expect("closed"), 0, "no target runs");
}

#[test]
fn an_answer_is_the_tests_own_or_has_its_texts_replaced() {
    let url = format!("http://{}", echo("once"));
    let proxy = Proxy::http(&url, &[("b: 1", "b: 2")], |line| {
        line.contains("/refused").then_some("HTTP/1.1 500 \r\n\r\n")
    });
    let answer = |path: &str| {
        let mut caller = TcpStream::connect(proxy.address()).expect("connected");
        ask(
            &mut caller,
            &format!("POST {path} HTTP/1.1\r\nb: 1\r\nContent-Length: 2\r\n\r\nxy"),
        )
    };
    assert_eq!(answer("/refused"), "HTTP/1.1 500 \r\n\r\n");
    assert_eq!(
        answer("/"),
        "POST / HTTP/1.1\r\nb: 2\r\nContent-Length: 2\r\nconnection: close\r\n\r\nxyonce"
    );
}

#[test]
fn an_answer_is_broken_in_the_way_that_the_test_chooses() {
    let proxy = Proxy::faulty(|head| {
        let path = head.split(' ').nth(1).expect("a path");
        match path {
            "/refused" => Some(Fault::Refuse("HTTP/1.1 429 \r\n\r\n")),
            "/replaced" => Some(Fault::Replace("HTTP/1.1 504 \r\n\r\n")),
            "/cut" => Some(Fault::Cut),
            "/spoiled" => Some(Fault::SpoilToken),
            "/reset" => Some(Fault::ResetBefore),
            "/lost" => Some(Fault::ResetAfter),
            _ => None,
        }
    });
    proxy.set(0, Some(echo("once")));
    let request = |path: &str| {
        format!("POST {path} HTTP/1.1\r\nauthorization: Bearer xyz\r\nContent-Length: 2\r\n\r\nxy")
    };
    let mut caller = TcpStream::connect(proxy.address()).expect("connected");
    // On one connection: it stays open though the one to the service ends.
    assert_eq!(
        ask(&mut caller, &request("/refused")),
        "HTTP/1.1 429 \r\n\r\n"
    );
    assert_eq!(ask(&mut caller, &request("/")), request("/") + "once");
    assert_eq!(
        ask(&mut caller, &request("/replaced")),
        "HTTP/1.1 504 \r\n\r\n"
    );
    let spoiled = request("/spoiled").replace(" xyz", " Ayz") + "once";
    assert_eq!(ask(&mut caller, &request("/spoiled")), spoiled);
    let cut = ask(&mut caller, &request("/cut"));
    assert!(cut.ends_with("\r\n\r\nxyo"), "{cut}");
    assert_eq!(caller.read(&mut [0]).expect("closed"), 0);
    for path in ["/reset", "/lost"] {
        let mut caller = TcpStream::connect(proxy.address()).expect("connected");
        caller.write_all(request(path).as_bytes()).expect("sent");
        let error = caller.read(&mut [0]).expect_err("a reset");
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "{path}");
    }
}
