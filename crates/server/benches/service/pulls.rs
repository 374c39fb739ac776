//! All values of a large datasource through the SDK into record batches: service and client together, as many
//! processors as there are.

use std::time::Instant;

use futures_util::TryStreamExt;

use crate::process::Child;
use crate::table::Table;
use crate::{Bench, median};

const ROUNDS: usize = 5;
const VALUES: usize = 1_000_000;
/// Values a second that the two together must reach at least.
const ARROW: f64 = 1_000_000.0;
const JSON: f64 = 400_000.0;

pub fn measure(table: &mut Table, bench: &Bench) {
    let service = Child::service(&bench.plant.db);
    let client = obeya::Client::builder()
        .base_url(format!("http://{}", service.address))
        .token(bench.token.as_str())
        .build()
        .expect("a client");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let pull = |json: bool| {
        let values = client.datasources().values(1);
        let values = if json { values.as_json() } else { values };
        let before = service.processor_ms();
        let started = Instant::now();
        let rows = runtime.block_on(async {
            let batches = values.arrow_stream();
            let count = batches.try_fold(0, async |rows, batch| Ok(rows + batch.num_rows()));
            count.await.expect("the values")
        });
        assert_eq!(rows, VALUES);
        let rate = VALUES as f64 / started.elapsed().as_secs_f64();
        (rate, service.processor_ms() - before)
    };
    // The caches of the service are warm then.
    pull(false);
    let (mut arrow, mut json) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        arrow.push(pull(false));
        json.push(pull(true));
    }
    for (name, figures, goal) in [("Arrow", arrow, ARROW), ("JSON", json, JSON)] {
        let (rates, processor): (Vec<_>, Vec<_>) = figures.into_iter().unzip();
        let rate = median(rates);
        table.row(
            &format!("1,000,000 values through the SDK as {name}"),
            rate,
            goal,
            "values/s, the goal",
            Some((rate / goal, 1.0, true)),
        );
        table.alone(
            "  processor time of the service",
            median(processor),
            "ms for all of them",
        );
    }
}
