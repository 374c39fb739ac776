//! Values aggregated by period, by the SDK on the real service. What is expected is computed by hand.

use obeya::fields::{BinSize, datasource_value as value};
use obeya::{Error, PeriodValue};

use crate::reads_plant::Plant;

/// Values around the end of summer time in Oslo, 26 October 2025 at 01:00 UTC: a day of 25 hours, which
/// begins and ends at 22:00 and 23:00 UTC.
const VALUES: &str = "INSERT INTO datasource_values
    (datasource_id, value_date, id, value, registration_date, dimension) VALUES
    (3, 17613431999999999, 1001, 1.0, 1, 'a'),
    (3, 17613432000000000, 1002, 2.0, 1, 'a'),
    (3, 17614386000000000, 1003, 4.0, 1, 'a'),
    (3, 17614422000000000, 1004, 9.0, 1, 'b'),
    (3, 17615195999999999, 1005, NULL, 1, 'c'),
    (3, 17615196000000000, 1006, -1.0, 1, 'a')";

async fn plant() -> Plant {
    let plant = Plant::new().await;
    plant.change(&[VALUES]).await;
    plant
}

fn shown(periods: &[PeriodValue]) -> Vec<(String, Option<f64>, i64)> {
    let shown = |period: &PeriodValue| (period.start.to_string(), period.value, period.count);
    periods.iter().map(shown).collect()
}

fn expected(periods: &[(&str, Option<f64>, i64)]) -> Vec<(String, Option<f64>, i64)> {
    let owned =
        |(start, value, count): &(&str, Option<f64>, i64)| ((*start).to_owned(), *value, *count);
    periods.iter().map(owned).collect()
}

#[tokio::test]
async fn periods_follow_the_clock_of_a_zone() {
    let plant = plant().await;
    let client = plant.client();
    let values = || client.datasources().values(3);
    let days = values().mean().by(BinSize::Day).in_zone("Europe/Oslo");
    assert_eq!(
        shown(&days.stream().all().await.unwrap()),
        expected(&[
            ("2025-10-23T22:00:00Z", Some(1.0), 1),
            ("2025-10-24T22:00:00Z", Some(2.0), 1),
            ("2025-10-25T22:00:00Z", Some(6.5), 3),
            ("2025-10-26T23:00:00Z", Some(-1.0), 1),
        ])
    );
    // The hour from 2 to 3 is there twice. Both bounds are excluded.
    let hours = values()
        .from("2025-10-24T22:00:00Z".parse().unwrap())
        .to("2025-10-26T22:59:59.9999999Z".parse().unwrap())
        .sum()
        .by(BinSize::Hour)
        .in_zone("Europe/Oslo");
    assert_eq!(
        shown(&hours.stream().all().await.unwrap()),
        expected(&[
            ("2025-10-26T00:00:00Z", Some(4.0), 1),
            ("2025-10-26T01:00:00Z", Some(9.0), 1),
        ])
    );
    // That bound includes its instant.
    let days = values().mean().by(BinSize::Day).in_zone("Europe/Oslo");
    let since = days.since("2025-10-26T23:00:00Z".parse().unwrap());
    assert_eq!(
        shown(&since.stream().all().await.unwrap()),
        expected(&[("2025-10-26T23:00:00Z", Some(-1.0), 1)])
    );
    // So does that of the values themselves, and `from` excludes it.
    let instant = "2025-10-24T22:00:00Z".parse().unwrap();
    let first = || values().to("2025-10-25T22:00:00Z".parse().unwrap());
    let since = first().since(instant).stream().all().await.unwrap();
    let from = first().from(instant).stream().all().await.unwrap();
    assert_eq!((since[0].value, since.len()), (2.0, from.len() + 1));
    let in_utc = values().max().by(BinSize::Day);
    assert_eq!(in_utc.clone().count().await.unwrap(), 2);
    assert_eq!(
        shown(&in_utc.stream().all().await.unwrap()),
        expected(&[
            ("2025-10-24T00:00:00Z", Some(2.0), 2),
            ("2025-10-26T00:00:00Z", Some(9.0), 4),
        ])
    );
}

#[tokio::test]
async fn a_filter_narrows_the_values() {
    let plant = plant().await;
    let client = plant.client();
    let months = client
        .datasources()
        .values(3)
        .filter(value::dimension().eq("a"))
        .min()
        .by(BinSize::Month)
        .in_zone("Europe/Oslo");
    assert_eq!(
        shown(&months.stream().all().await.unwrap()),
        expected(&[("2025-09-30T22:00:00Z", Some(-1.0), 4)])
    );
    let quarters = client.datasources().values(3).filter("dimension eq 'c'");
    let found = quarters
        .mean()
        .by(BinSize::Minutes(15))
        .stream()
        .all()
        .await;
    assert_eq!(
        shown(&found.unwrap()),
        expected(&[("2025-10-26T22:45:00Z", None, 1)])
    );
}

#[tokio::test]
async fn other_options_and_unknown_zones_are_refused() {
    let plant = plant().await;
    let client = plant.client();
    let values = || client.datasources().values(3);
    for (name, request) in [
        ("top", values().top(3)),
        ("orderby", values().orderby("value")),
        ("page_size", values().page_size(3)),
    ] {
        let refused = request.mean().by(BinSize::Week).stream().all().await;
        let Err(Error::Request { reason, .. }) = refused else {
            panic!("{name}: {refused:?}");
        };
        assert!(reason.contains(&format!("option `{name}`")), "{reason}");
    }
    let ended = values().filter("true)/filter(true").sum().by(BinSize::Year);
    let refused = ended.stream().all().await.unwrap_err();
    assert!(matches!(refused, Error::Request { .. }), "{refused}");
    for (request, message) in [
        (
            values().sum().by(BinSize::Year).in_zone("Europe/Olso"),
            "Europe/Olso",
        ),
        (values().sum().by(BinSize::Minutes(7)), "PT7M"),
    ] {
        let refused = request.stream().all().await.unwrap_err();
        assert!(refused.to_string().contains(message), "{refused}");
    }
}
