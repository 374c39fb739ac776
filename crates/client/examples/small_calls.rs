//! Repeats a small call and prints the microseconds per call: the baseline for Python's calls in `cargo xtask
//! bench python`.
//!
//! `small_calls BASE_URL CLIENT_ID CLIENT_SECRET CALLS`

use std::time::Instant;

use obeya::Client;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [base_url, id, secret, calls] = arguments.as_slice() else {
        return Err("expected BASE_URL CLIENT_ID CLIENT_SECRET CALLS".into());
    };
    let calls: u32 = calls.parse()?;
    let client = Client::builder()
        .base_url(base_url)
        .client_id(id)
        .client_secret(secret)
        .build()?;
    client.datasources().get(1).await?;
    let begun = Instant::now();
    for _ in 0..calls {
        client.datasources().get(1).await?;
    }
    println!(
        "{:.2}",
        begun.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
    );
    Ok(())
}
