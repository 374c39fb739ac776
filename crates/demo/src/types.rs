//! Incident types: their categories, causes, consequences and custom fields, and what they are called in
//! other languages.

use serde_json::{Value, json};
use std::io;

use crate::folder::Folder;

/// A name in English, Norwegian and German.
type Words = [&'static str; 3];

/// The languages besides English, in the order of [`Words`].
const LANGUAGES: [(&str, usize); 2] = [("nb", 1), ("de", 2)];

/// A category; those with children are headings.
pub(crate) struct Category {
    title: Words,
    children: &'static [Words],
}

/// One type of incident, and what incidents of that type say.
pub(crate) struct Type {
    title: Words,
    description: Words,
    categories: &'static [Category],
    causes: &'static [Words],
    /// Title and unit.
    consequences: &'static [(Words, &'static str)],
    /// Label, type, mandatory.
    fields: &'static [(Words, &'static str, bool)],
    /// Titles of incidents; `{}` is replaced by a place.
    pub(crate) titles: &'static [&'static str],
    /// Machines and lines where incidents of this type happen.
    pub(crate) places: &'static [&'static str],
    /// What people write first below an incident of this type.
    pub(crate) remarks: &'static [&'static str],
}

const fn category(title: Words, children: &'static [Words]) -> Category {
    Category { title, children }
}

/// The four types.
pub(crate) const TYPES: [Type; 4] = [
    Type {
        title: [
            "Health and safety",
            "Helse og sikkerhet",
            "Arbeitssicherheit",
        ],
        description: [
            "Injuries, near misses and unsafe conditions",
            "Skader, nestenulykker og farlige forhold",
            "Unfälle, Beinaheunfälle und unsichere Zustände",
        ],
        categories: &[
            category(
                ["Injury", "Personskade", "Verletzung"],
                &[
                    ["Cut", "Kutt", "Schnitt"],
                    ["Crush", "Klem", "Quetschung"],
                    ["Burn", "Brannskade", "Verbrennung"],
                ],
            ),
            category(
                ["Near miss", "Nestenulykke", "Beinaheunfall"],
                &[
                    [
                        "Falling object",
                        "Fallende gjenstand",
                        "Herabfallender Gegenstand",
                    ],
                    ["Vehicle", "Kjøretøy", "Fahrzeug"],
                ],
            ),
            category(
                ["Unsafe condition", "Farlig forhold", "Unsicherer Zustand"],
                &[],
            ),
        ],
        causes: &[
            ["Guard missing", "Manglende vern", "Schutz fehlt"],
            ["Hurry", "Hastverk", "Eile"],
            ["Lighting", "Belysning", "Beleuchtung"],
            ["Instruction unclear", "Uklar instruks", "Anweisung unklar"],
            [
                "Order and tidiness",
                "Orden og renhold",
                "Ordnung und Sauberkeit",
            ],
        ],
        consequences: &[
            (["Lost days", "Fraværsdager", "Ausfalltage"], "days"),
            (
                ["Treatment cost", "Behandlingskostnad", "Behandlungskosten"],
                "NOK",
            ),
        ],
        fields: &[
            (["Body part", "Kroppsdel", "Körperteil"], "text", false),
            (
                [
                    "Reported to authority",
                    "Meldt til Arbeidstilsynet",
                    "Behörde informiert",
                ],
                "bool",
                false,
            ),
        ],
        titles: &[
            "Slipped on coolant at {}",
            "Kutt i hånd ved {}",
            "Forklift too close to the walkway at {}",
            "Guard open while {} was running",
            "Fallende gods fra reol ved {}",
            "Hot chips from {} on the floor",
            "Verbrennung am {} beim Entformen",
        ],
        places: &[
            "line 1",
            "line 4",
            "linje 5",
            "furnace O-2",
            "crane K-04",
            "the shot blaster",
            "goods receipt",
            "press P3",
            "Ofen 4",
        ],
        remarks: &[
            "Area cordoned off, shift leader informed.",
            "Satt opp provisorisk vern til delen kommer.",
            "Bilde lagt ved. Gulvet er fortsatt glatt.",
            "Could we get a fixed lamp here? Third time this month.",
            "Discussed in the morning meeting, Kjersti follows up.",
            "Mit der Schicht besprochen, Gitter bleibt zu.",
        ],
    },
    Type {
        title: ["Quality deviation", "Kvalitetsavvik", "Qualitätsabweichung"],
        description: [
            "Product or process outside its limits",
            "Produkt eller prosess utenfor grensene",
            "Produkt oder Prozess außerhalb der Grenzen",
        ],
        categories: &[
            category(
                ["Dimension", "Mål", "Maß"],
                &[
                    ["Bore", "Boring", "Bohrung"],
                    ["Tooth profile", "Tannprofil", "Zahnprofil"],
                    ["Length", "Lengde", "Länge"],
                ],
            ),
            category(
                ["Surface", "Overflate", "Oberfläche"],
                &[
                    ["Paint", "Lakk", "Lack"],
                    ["Scratch", "Ripe", "Kratzer"],
                    ["Porosity", "Porøsitet", "Porosität"],
                ],
            ),
            category(["Wrong part", "Feil del", "Falsches Teil"], &[]),
            category(
                [
                    "Customer complaint",
                    "Kundereklamasjon",
                    "Kundenreklamation",
                ],
                &[],
            ),
        ],
        causes: &[
            ["Tool wear", "Verktøyslitasje", "Werkzeugverschleiß"],
            ["Setting", "Innstilling", "Einstellung"],
            ["Material", "Materiale", "Material"],
            ["Measuring device", "Måleutstyr", "Messmittel"],
            ["Drawing", "Tegning", "Zeichnung"],
            ["Handling", "Håndtering", "Handhabung"],
        ],
        consequences: &[
            (["Scrapped parts", "Vrakede deler", "Ausschussteile"], "pcs"),
            (["Rework", "Omarbeid", "Nacharbeit"], "h"),
            (["Cost", "Kostnad", "Kosten"], "NOK"),
        ],
        fields: &[
            (
                ["Order number", "Ordrenummer", "Auftragsnummer"],
                "text",
                true,
            ),
            (
                ["Quantity checked", "Antall kontrollert", "Geprüfte Menge"],
                "number",
                false,
            ),
            (
                ["Customer informed", "Kunde informert", "Kunde informiert"],
                "bool",
                false,
            ),
        ],
        titles: &[
            "Bore 0.03 mm over size on {}",
            "Riper i lakk etter {}",
            "Porosity found after {}",
            "Tooth profile drifting on {}",
            "Zahnflanke verbrannt an {}",
            "Wrong gasket packed behind {}",
            "Hardness below limit after {}",
            "Kundereklamasjon: støy i gir, {}",
        ],
        places: &[
            "line 1",
            "line 2",
            "line 3",
            "line 4",
            "linje 5",
            "linje 6",
            "hobbing machine H7",
            "grinder S11",
            "the washing plant",
            "paint booth 1",
            "furnace O-2",
        ],
        remarks: &[
            "Checked 40 parts from the box, two more out of tolerance.",
            "Measured again after cool-down: within limits.",
            "Avvik meldt til leverandør, venter på 8D.",
            "Boxes blocked, sorting starts with the evening shift.",
            "Werkzeug gewechselt, erste fünf Teile in Ordnung.",
            "Is it the old batch of inserts? They came with another coating.",
        ],
    },
    Type {
        title: ["Equipment failure", "Utstyrsfeil", "Anlagenstörung"],
        description: [
            "Unplanned stops of machines and lines",
            "Uplanlagt stans av maskiner og linjer",
            "Ungeplante Stillstände von Maschinen und Linien",
        ],
        categories: &[
            category(
                ["Mechanical", "Mekanisk", "Mechanisch"],
                &[
                    ["Bearing", "Lager", "Lager"],
                    ["Belt or chain", "Rem eller kjede", "Riemen oder Kette"],
                ],
            ),
            category(
                ["Electrical", "Elektrisk", "Elektrisch"],
                &[
                    ["Drive", "Drift", "Antrieb"],
                    ["Sensor", "Sensor", "Sensor"],
                    ["PLC", "PLS", "SPS"],
                ],
            ),
            category(
                [
                    "Hydraulics and air",
                    "Hydraulikk og luft",
                    "Hydraulik und Luft",
                ],
                &[
                    ["Leak", "Lekkasje", "Leckage"],
                    ["Pressure", "Trykk", "Druck"],
                ],
            ),
        ],
        causes: &[
            ["Wear", "Slitasje", "Verschleiß"],
            ["Lubrication", "Smøring", "Schmierung"],
            ["Overload", "Overbelastning", "Überlast"],
            ["Contamination", "Forurensning", "Verschmutzung"],
            ["Software", "Programvare", "Software"],
            ["Spare part", "Reservedel", "Ersatzteil"],
        ],
        consequences: &[
            (["Downtime", "Stopptid", "Stillstand"], "min"),
            (
                ["Repair cost", "Reparasjonskostnad", "Reparaturkosten"],
                "NOK",
            ),
        ],
        fields: &[
            (
                ["Machine number", "Maskinnummer", "Maschinennummer"],
                "text",
                true,
            ),
            (
                [
                    "Temporary repair",
                    "Midlertidig reparasjon",
                    "Provisorische Reparatur",
                ],
                "bool",
                false,
            ),
        ],
        titles: &[
            "Hydraulic leak at {}",
            "Spindle bearing noisy on {}",
            "Lagerfeil på {}",
            "{} stops with drive fault F30021",
            "Sensor for part present lost on {}",
            "Druckabfall an {}",
            "Transportbånd står ved {}",
            "Robot gripper drops parts at {}",
        ],
        places: &[
            "line 1",
            "line 2",
            "line 3",
            "line 4",
            "linje 5",
            "linje 6",
            "furnace O-2",
            "hobbing machine H7",
            "grinder S11",
            "the washing plant",
            "press P3",
            "crane K-04",
            "robot R12",
            "compressor 3",
        ],
        remarks: &[
            "Same leak as in spring, the seal is from the old batch.",
            "Ersatzteil ist bestellt, Lieferung am Freitag.",
            "Night shift ran at 80 % until the electrician came.",
            "Smurt og startet, men lyden er der fortsatt.",
            "Photo taken, oil absorbed, pump isolated.",
            "Alarm history attached: three trips since Monday.",
        ],
    },
    Type {
        title: ["Environment", "Ytre miljø", "Umwelt"],
        description: [
            "Spills, emissions, waste and energy",
            "Utslipp, avfall og energi",
            "Leckagen, Emissionen, Abfall und Energie",
        ],
        categories: &[
            category(
                ["Spill", "Søl og utslipp", "Leckage"],
                &[
                    ["Oil", "Olje", "Öl"],
                    ["Coolant", "Kjølevæske", "Kühlmittel"],
                ],
            ),
            category(["Waste", "Avfall", "Abfall"], &[]),
            category(["Energy", "Energi", "Energie"], &[]),
        ],
        causes: &[
            ["Overfilling", "Overfylling", "Überfüllung"],
            ["Seal", "Pakning", "Dichtung"],
            ["Sorting", "Sortering", "Sortierung"],
            ["Left running", "Sto på", "Nicht abgeschaltet"],
        ],
        consequences: &[
            (["Volume", "Volum", "Menge"], "l"),
            (
                ["Clean-up cost", "Oppryddingskostnad", "Reinigungskosten"],
                "NOK",
            ),
        ],
        fields: &[(["Substance", "Stoff", "Stoff"], "text", false)],
        titles: &[
            "Oil on the floor below {}",
            "Kjølevæske i sluk ved {}",
            "Mixed waste in the metal bin at {}",
            "Compressed air left open at {}",
            "Ölabscheider voll, {}",
        ],
        places: &[
            "the washing plant",
            "paint booth 1",
            "compressor 3",
            "press P3",
            "grinder S11",
            "the coolant station",
            "gate 1",
        ],
        remarks: &[
            "Photo taken, oil absorbed, drain covered.",
            "Kommunen er varslet, ingenting gikk i sluk.",
            "Absorbent is nearly used up here.",
            "Behälter getauscht, Etikett fehlte.",
            "The leak came from the return line, not from the tank.",
        ],
    },
];

/// The ids of one type's parts, as in the folder.
pub(crate) struct Ids {
    /// Categories an incident can have: the leaves.
    pub(crate) leaves: Vec<i32>,
    /// Causes.
    pub(crate) causes: Vec<i32>,
    /// Consequences with their unit.
    pub(crate) consequences: Vec<(i32, &'static str)>,
    /// Custom fields with their label and type.
    pub(crate) fields: Vec<(i32, &'static str, &'static str)>,
}

/// Parts of type `t` are numbered from `100 * (t + 1)`, so a reader of the folder sees at once what belongs
/// where.
fn first_id(position: usize) -> i32 {
    100 * (i32::try_from(position).unwrap_or(0) + 1)
}

/// The ids of the type at this position of [`TYPES`].
pub(crate) fn ids(position: usize) -> Ids {
    let kind = &TYPES[position];
    let first = first_id(position);
    let mut leaves = Vec::new();
    let mut next = first;
    for category in kind.categories {
        if category.children.is_empty() {
            leaves.push(next);
        }
        next += 1;
        for _ in category.children {
            leaves.push(next);
            next += 1;
        }
    }
    Ids {
        leaves,
        causes: (first..).take(kind.causes.len()).collect(),
        consequences: (first..)
            .zip(kind.consequences)
            .map(|(id, (_, unit))| (id, *unit))
            .collect(),
        fields: (first..)
            .zip(kind.fields)
            .map(|(id, (label, kind, _))| (id, label[0], *kind))
            .collect(),
    }
}

/// Writes `incident_types.jsonl`.
pub(crate) fn write(folder: &Folder) -> io::Result<()> {
    folder.lines(
        "incident_types",
        TYPES
            .iter()
            .enumerate()
            .map(|(position, kind)| line(position, kind)),
    )
}

fn line(position: usize, kind: &Type) -> Value {
    let first = first_id(position);
    let mut next = first;
    let mut number = || {
        next += 1;
        next - 1
    };
    let categories: Vec<Value> = (1..)
        .zip(kind.categories)
        .map(|(order, category)| {
            let id = number();
            let children: Vec<Value> = (1..)
                .zip(category.children)
                .map(|(order, title)| {
                    json!({"id": number(), "title": title[0], "description": null, "sortOrder": order, "parentId": id, "children": []})
                })
                .collect();
            json!({"id": id, "title": category.title[0], "description": null, "sortOrder": order, "parentId": null, "children": children})
        })
        .collect();
    let causes: Vec<Value> = (first..)
        .zip(1..)
        .zip(kind.causes)
        .map(|((id, order), title)| json!({"id": id, "title": title[0], "description": null, "sortOrder": order}))
        .collect();
    let consequences: Vec<Value> = (first..)
        .zip(kind.consequences)
        .map(|(id, (title, unit))| json!({"id": id, "title": title[0], "unit": unit}))
        .collect();
    let fields: Vec<Value> = (first..)
        .zip(1..)
        .zip(kind.fields)
        .map(|((id, order), (label, kind, mandatory))| {
            json!({"id": id, "label": label[0], "type": kind, "sortOrder": order, "dataListId": null, "isMandatory": mandatory})
        })
        .collect();
    let translations: serde_json::Map<String, Value> = LANGUAGES
        .iter()
        .map(|(language, index)| ((*language).to_owned(), translation(first, kind, *index)))
        .collect();
    json!({
        "id": position + 1, "title": kind.title[0], "description": kind.description[0], "categories": categories, "causes": causes,
        "consequences": consequences, "customFields": fields, "translations": translations,
    })
}

fn translation(first: i32, kind: &Type, language: usize) -> Value {
    let categories: Vec<Words> = kind
        .categories
        .iter()
        .flat_map(|category| {
            std::iter::once(category.title).chain(category.children.iter().copied())
        })
        .collect();
    let titled = |titles: &mut dyn Iterator<Item = Words>| -> Vec<Value> {
        (first..)
            .zip(titles)
            .map(|(id, title)| json!({"id": id, "title": title[language]}))
            .collect()
    };
    json!({
        "title": kind.title[language],
        "description": kind.description[language],
        "categories": titled(&mut categories.into_iter()),
        "causes": titled(&mut kind.causes.iter().copied()),
        "consequences": titled(&mut kind.consequences.iter().map(|(title, _)| *title)),
        "customFields": (first..).zip(kind.fields).map(|(id, (label, ..))| json!({"id": id, "label": label[language]})).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ids_incidents_use_are_those_the_type_line_carries() {
        for (position, kind) in TYPES.iter().enumerate() {
            let line = line(position, kind);
            let mut leaves = Vec::new();
            for category in line["categories"].as_array().unwrap() {
                let children = category["children"].as_array().unwrap();
                if children.is_empty() {
                    leaves.push(category["id"].as_i64().unwrap());
                }
                leaves.extend(children.iter().map(|child| child["id"].as_i64().unwrap()));
            }
            assert_eq!(
                ids(position)
                    .leaves
                    .into_iter()
                    .map(i64::from)
                    .collect::<Vec<_>>(),
                leaves
            );
        }
    }
}
