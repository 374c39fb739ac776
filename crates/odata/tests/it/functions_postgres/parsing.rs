//! `cast` of texts, to numbers, times, names and truths.

use super::casts::{compare, rows};
use super::server::Server;
use super::{Random, Rows, Ty, text};

/// Texts that are of a form, or nearly.
fn near(forms: &[&str], alphabet: &str, random: &mut Random) -> Rows {
    let alphabet: Vec<char> = alphabet.chars().collect();
    let mut all: Vec<String> = forms.iter().map(|form| (*form).to_owned()).collect();
    for _ in 0..4_000 {
        let mut one: Vec<char> = random.of(forms).chars().collect();
        for _ in 0..=random.below(3) {
            let place = random.below(one.len() + 1);
            match random.below(3) {
                0 if place < one.len() => drop(one.remove(place)),
                1 if place < one.len() => one[place] = *random.of(&alphabet),
                _ => one.insert(place, *random.of(&alphabet)),
            }
        }
        all.push(one.into_iter().collect());
    }
    rows(all.into_iter().map(text))
}

#[test]
fn texts_become_the_same_numbers() {
    let mut server = Server::new();
    let mut random = Random(14);
    let whole = near(
        &[
            "0",
            "42",
            "-7",
            "+5",
            "007",
            "-0",
            "2147483647",
            "2147483648",
            "-2147483648",
            "-2147483649",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808",
            "-9223372036854775809",
            "000000000000000000000000000009223372036854775807",
            "",
            "+",
            "1e3",
            "1.0",
            " 1",
            "1\n",
            "٣",
        ],
        "0123456789+- ",
        &mut random,
    );
    for to in ["Edm.Int32", "Edm.Int64"] {
        compare(
            &mut server,
            Ty::Text,
            Ty::Int,
            "Edm.String",
            to,
            whole.clone(),
        );
    }
    let boundary = format!("{}", f64::MAX);
    let half = "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792";
    let below_half = format!("{}1.{}", &half[..half.len() - 1], "9".repeat(1_500));
    let above_half = format!("{half}.{}1", "0".repeat(1_500));
    let tiny = format!("{:.1074}", 5e-324);
    // Half of the smallest double, exactly, and a little more.
    let half_tiny = "2.4703282292062327208299439634110864618253990646148".to_owned();
    let mut forms: Vec<String> = [
        "0",
        "-0",
        "+0.0",
        "4.2",
        "-1.5e3",
        "1.",
        ".5",
        ".",
        "e5",
        "1e",
        "1e+",
        "1E-7",
        "INF",
        "-INF",
        "+INF",
        "inf",
        "NaN",
        "nan",
        "infinity",
        "1e23",
        "1e400",
        "-1e400",
        "1e-400",
        "-1e-400",
        "0e99999999999999999999",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1.8e308",
        "1e309",
        "5e-324",
        "2.5e-324",
        "2.4e-324",
        "1e-323",
        "1e-324",
        "0.00000000000000000001e-310",
        "12345678901234567890",
        "9007199254740993",
        "0.1e1",
        "1_000",
        " 1",
        "1 ",
        "1\n",
        "0x10",
        "",
    ]
    .map(str::to_owned)
    .to_vec();
    forms.extend([boundary, half.to_owned(), below_half, above_half, tiny]);
    forms.extend([
        format!("{half_tiny}e-324"),
        format!("{half_tiny}9e-324"),
        format!("{}1e-324", &half_tiny[..40]),
    ]);
    forms.push(format!("1{}e-330", "0".repeat(400)));
    forms.push(format!("0.{}1e400", "0".repeat(400)));
    let long = format!("{}.{}1", "1".repeat(200), "0".repeat(20_000));
    let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
    let mut doubles = near(&forms, "0123456789.eE+-I", &mut random);
    doubles.push(vec![text(format!("{long}e99"))]);
    // Decimals between two doubles.
    for _ in 0..4_000 {
        let number = random.real();
        doubles.push(vec![text(format!("{number:e}"))]);
        doubles.push(vec![text(format!("{number:.25e}"))]);
    }
    compare(
        &mut server,
        Ty::Text,
        Ty::Real,
        "Edm.String",
        "Edm.Double",
        doubles,
    );
}

#[test]
fn texts_become_the_same_times() {
    let mut server = Server::new();
    let mut random = Random(15);
    let alphabet = "0123456789-:.TtZz+PDHMS";
    let forms = [
        "2024-01-01",
        "2024-02-29",
        "2023-02-29",
        "1900-02-29",
        "2000-02-29",
        "0000-01-01",
        "9999-12-31",
        "2024-04-31",
        "2024-13-01",
        "2024-00-10",
        "2024-01-00",
        "24-01-01",
        "00:00",
        "23:59",
        "23:59:59",
        "23:59:60",
        "24:00:00",
        "12:30:15.5",
        "12:30:15.1234567",
        "12:30:15.123456789012345678901234",
        "12:30:",
        "12:30:15.",
        "2024-01-01T00:00:00",
        "2024-01-01t10:20:30.25z",
        "2024-01-01T10:20",
        "2024-01-01T10:20Z",
        "2024-01-01T10:20:30+05:30",
        "2024-01-01T10:20:30-05:30",
        "2024-01-01T10:20:30+24:00",
        "2024-01-01T10:20:30+05:60",
        "2024-01-01T10:20:30+0530",
        "1972-06-30T23:59:60.5Z",
        "1972-06-30T23:59:61Z",
        "0000-01-01T00:00:00+00:01",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59.9999999Z",
        "9999-12-31T23:59:59-00:01",
        "2024-01-01T",
        "2024-01-01 10:20",
        "٢024-01-01",
        "2024-01-01\n",
    ];
    let mut rows = near(&forms, alphabet, &mut random);
    // More digits than a number of the server has behind its point.
    let endless = "7".repeat(20_000);
    rows.push(vec![text(format!("12:30:15.{endless}"))]);
    rows.push(vec![text(format!("2024-01-01T12:30:15.{endless}-01:00"))]);
    for to in ["Edm.Date", "Edm.TimeOfDay", "Edm.DateTimeOffset"] {
        compare(
            &mut server,
            Ty::Text,
            Ty::Int,
            "Edm.String",
            to,
            rows.clone(),
        );
    }
    let durations = [
        "PT0S",
        "P1D",
        "PT1H30M",
        "-P2DT3.5S",
        "+P1D",
        "p1dt2h3m4.5678901s",
        "PT0.00000001S",
        "P",
        "PT",
        "P1DT",
        "-P",
        "P1H",
        "PT1D",
        "PT1S1M",
        "PT1.5M",
        "P1Y",
        "PT1H1H",
        "PT.5S",
        "PT5.S",
        "P99999999999999999999D",
        "P10675199D",
        "P10675200D",
        "P10675199DT2H48M5.4775807S",
        "P10675199DT2H48M5.4775808S",
        "-P10675199DT2H48M5.4775808S",
        "PT9223372036854775807S",
        "PT922337203685S",
        "P00000000000000000000000000001D",
        "PT00000000000000000000000000000000000000001.5S",
        "P1T1H",
        "1D",
        "",
        "P1D ",
    ];
    let mut rows = near(&durations, alphabet, &mut random);
    rows.push(vec![text(format!("PT1.{endless}S"))]);
    rows.push(vec![text(format!("P{}1D", "0".repeat(200_000)))]);
    compare(
        &mut server,
        Ty::Text,
        Ty::Int,
        "Edm.String",
        "Edm.Duration",
        rows,
    );
}

#[test]
fn texts_become_the_same_names_and_truths() {
    let mut server = Server::new();
    let mut random = Random(16);
    let guids = [
        "6f9619ff-8b86-d011-b42d-00c04fc964ff",
        "6F9619FF-8B86-D011-B42D-00C04FC964FF",
        "6f9619ff8b86d011b42d00c04fc964ff",
        "{6f9619ff-8b86-d011-b42d-00c04fc964ff}",
        "",
    ];
    let rows = near(&guids, "0123456789abcdefABCDEFg-", &mut random);
    compare(
        &mut server,
        Ty::Text,
        Ty::Text,
        "Edm.String",
        "Edm.Guid",
        rows.clone(),
    );
    compare(
        &mut server,
        Ty::Text,
        Ty::Text,
        "Edm.String",
        "Edm.String",
        rows,
    );
    let truths = near(
        &["true", "false", "True", "1", "0", "t", ""],
        "truefalsTF10 ",
        &mut random,
    );
    compare(
        &mut server,
        Ty::Text,
        Ty::Int,
        "Edm.String",
        "Edm.Boolean",
        truths,
    );
}
