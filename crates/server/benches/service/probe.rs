//! Requests that may be refused, each on a connection of its own, with how long they took.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::load;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(100);

/// One answer.
#[derive(Clone, Copy)]
pub struct Answer {
    /// 0 if the connection ended without an answer.
    pub status: u16,
    /// The time until its last byte, with that for the connection.
    pub seconds: f64,
}

/// Sends a request and reads its answer.
pub fn ask(address: &str, request: &[u8]) -> Answer {
    let began = Instant::now();
    let status = exchange(address, request).unwrap_or_default();
    let seconds = began.elapsed().as_secs_f64();
    Answer { status, seconds }
}

fn exchange(address: &str, request: &[u8]) -> io::Result<u16> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let status = answer.get(9..12).unwrap_or_default();
    let status = std::str::from_utf8(status).unwrap_or_default();
    Ok(status.parse().unwrap_or_default())
}

/// A GET with a token, after which the connection ends.
pub fn get(path: &str, token: &str) -> Vec<u8> {
    closing(&load::request(path, token))
}

/// The same request, after which the connection ends.
pub fn closing(request: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(request).expect("UTF-8");
    let closing = text.replacen("\r\n", "\r\nConnection: close\r\n", 1);
    closing.into_bytes()
}

/// As many connections as this, each with one request after another for this time.
pub fn closed_loop(
    connections: usize,
    time: Duration,
    ask: impl Fn() -> Answer + Sync,
) -> Vec<Answer> {
    let end = Instant::now() + time;
    std::thread::scope(|scope| {
        let ask = || {
            let mut answers = Vec::new();
            while Instant::now() < end {
                answers.push(ask());
            }
            answers
        };
        let connections: Vec<_> = (0..connections).map(|_| scope.spawn(ask)).collect();
        let answers = connections.into_iter();
        answers
            .flat_map(|connection| connection.join().expect("no panic"))
            .collect()
    })
}

/// This many requests a second for this time, whether earlier ones were answered or not (open loop), so that
/// a slow service does not lower its own load.
pub fn open_loop(rate: f64, time: Duration, ask: impl Fn() -> Answer + Sync) -> Vec<Answer> {
    let began = Instant::now();
    let requests = (time.as_secs_f64() * rate).ceil() as usize;
    let ask = &ask;
    std::thread::scope(|scope| {
        let send = |request: usize| {
            let due = Duration::from_secs_f64(request as f64 / rate);
            std::thread::sleep(due.saturating_sub(began.elapsed()));
            scope.spawn(ask)
        };
        let requests: Vec<_> = (0..requests).map(send).collect();
        let answers = requests.into_iter();
        answers
            .map(|request| request.join().expect("no panic"))
            .collect()
    })
}

/// The times of the accepted requests.
pub fn accepted(answers: &[Answer]) -> Vec<f64> {
    let accepted = answers.iter().filter(|answer| answer.status == 200);
    accepted.map(|answer| answer.seconds).collect()
}

/// A quantile of times; NaN if there are none.
pub fn quantile(times: &[f64], part: f64) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    let at = times.len().saturating_sub(1) as f64 * part;
    times.get(at.round() as usize).copied().unwrap_or(f64::NAN)
}
