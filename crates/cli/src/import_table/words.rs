//! The words of the interface's enumerations, with what people write for them in English, Norwegian and
//! German, compared in lower case and without spaces and signs. The word itself always counts.

/// Words of an enumeration: each with what people write for it.
pub(crate) type Words = &'static [(&'static str, &'static [&'static str])];

pub(super) const SEVERITIES: Words = &[
    ("None", &["ingen", "keine", "no", "nei"]),
    ("Low", &["lav", "niedrig", "gering", "minor", "liten", "1"]),
    ("Medium", &["middels", "mittel", "moderate", "2"]),
    (
        "High",
        &[
            "høy", "hoch", "alvorlig", "serious", "severe", "critical", "kritisk", "schwer", "3",
        ],
    ),
];

pub(super) const INCIDENT_STATES: Words = &[
    ("New", &["ny", "neu", "open", "åpen", "offen", "registrert"]),
    (
        "InProgress",
        &[
            "underarbeid",
            "inarbeit",
            "inbearbeitung",
            "pågår",
            "underbehandling",
            "assigned",
        ],
    ),
    (
        "Resolved",
        &[
            "løst",
            "lukket",
            "ferdig",
            "gelöst",
            "erledigt",
            "geschlossen",
            "closed",
            "done",
            "avsluttet",
        ],
    ),
    ("Rejected", &["avvist", "abgelehnt", "avslått"]),
];

pub(super) const IMPROVEMENT_STATES: Words = &[
    (
        "Suggested",
        &["foreslått", "vorgeschlagen", "ny", "neu", "new"],
    ),
    ("Planned", &["planlagt", "geplant"]),
    (
        "InProgress",
        &["underarbeid", "inarbeit", "pågår", "inbearbeitung"],
    ),
    (
        "Implemented",
        &["innført", "gjennomført", "umgesetzt", "ferdig", "done"],
    ),
    ("Evaluated", &["evaluert", "bewertet"]),
    ("Archived", &["arkivert", "archiviert"]),
    ("Open", &["åpen", "offen"]),
];

pub(super) const PRIORITIES: Words = &[
    ("NotPrioritized", &["ikkeprioritert", "nichtpriorisiert"]),
    ("LowEffortHighEffect", &[]),
    ("HighEffortHighEffect", &[]),
    ("LowEffortLowEffect", &[]),
    ("HighEffortLowEffect", &[]),
];

pub(super) const EVALUATIONS: Words = &[
    ("Good", &["god", "bra", "gut"]),
    ("Medium", &["middels", "mittel"]),
    ("Bad", &["dårlig", "schlecht"]),
];

pub(super) const USER_TYPES: Words = &[
    ("NORMAL", &[]),
    ("MOBILE", &["mobil"]),
    ("SCREEN", &["skjerm", "bildschirm"]),
];

pub(super) const GROUP_TYPES: Words = &[
    ("GENERAL", &["generell", "allgemein", "team"]),
    (
        "BUSINESSUNIT",
        &["forretningsenhet", "enhet", "geschäftseinheit"],
    ),
    ("PROJECT", &["prosjekt", "projekt"]),
    ("CUSTOMIZED", &["tilpasset", "angepasst"]),
];

/// A header or a word as it is compared: lower case, letters and digits only.
pub(crate) fn normal(text: &str) -> String {
    let letters = text.chars().filter(|sign| sign.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// What people write for yes and no.
pub(super) const YES: [&str; 7] = ["yes", "ja", "true", "x", "1", "sann", "wahr"];
pub(super) const NO: [&str; 6] = ["no", "nei", "nein", "false", "0", "falsch"];
