//! A service that sends records in another order than it was asked for: to continue after the last one could
//! lose others, so the pull is refused. In an order of the user's choice it is not.

use obeya_testkit::Proxy;

use super::plant::{DATASOURCE, Plant, beside};
use crate::binary::{Done, done};

/// Texts in answers, and their replacements.
type Replace = &'static [(&'static str, &'static str)];

/// Pulls from a service whose answers have these texts replaced.
fn pull(plant: &Plant, replace: Replace, arguments: &[&str]) -> Done {
    let proxy = Proxy::http(&plant.serving.url, replace, |_| None);
    let mut command = plant.pull(arguments);
    done(command.env("OBEYA_BASE_URL", proxy.url()))
}

#[test]
fn records_that_come_in_no_order_of_ids_are_refused() {
    let plant = Plant::new();
    let file = plant.file("areas.ndjson");
    let arguments = ["areas", "-o", file.to_str().expect("UTF-8")];
    // The same one twice, and a smaller one after a larger one.
    let twice: Replace = &[("\"id\":3,", "\"id\":2,")];
    let reversed: Replace = &[("\"id\":2,", "\"id\":4,")];
    for (replace, what) in [
        (twice, "Number(2)) after Some(Number(2))"),
        (reversed, "Number(3)) after Some(Number(4))"),
    ] {
        let err = pull(&plant, replace, &arguments).failure(1);
        assert!(err.contains("expected them by id"), "{err}");
        assert!(err.contains(what), "{err}");
        assert!(!file.exists() && !beside(&file, ".part").exists(), "{what}");
        let ordered = [&arguments[..], &["--order-by", "name"]].concat();
        let out = pull(&plant, replace, &ordered).success();
        assert!(out.starts_with("2 rows in "), "{out}");
        std::fs::remove_file(&file).expect("removed");
    }
}

#[test]
fn values_that_come_in_no_order_of_dates_are_refused() {
    // Five of one minute, and five of one ten minutes later.
    let plant = Plant::with_values(10);
    let earlier: Replace = &[("2023-11-14T22:23:20", "2023-11-14T22:03:20")];
    let file = plant.file("values.ndjson");
    let arguments = ["values", DATASOURCE, "-o", file.to_str().expect("UTF-8")];
    let err = pull(&plant, earlier, &arguments).failure(1);
    assert!(err.contains("expected them by valueDate"), "{err}");
    assert!(!file.exists() && !beside(&file, ".part").exists());
    let ordered = [&arguments[..], &["--order-by", "valueDate"]].concat();
    let out = pull(&plant, earlier, &ordered).success();
    assert!(out.starts_with("10 rows in "), "{out}");
}
