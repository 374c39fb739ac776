//! `$search`: texts in many languages are found by what people type, by the beginnings of words and by
//! phrases, on each engine alike.

use fastrand::Rng;
use obeya_server::store::{StoreError, search};
use obeya_testkit::{is_long, seeds};

use crate::reads_plant::ids;
use crate::support::Service;

/// A service with areas of these names, numbered from 1.
async fn with_areas(names: Vec<String>) -> Service {
    let service = Service::start().await;
    let written = service.store().write(move |session| {
        for (id, name) in (1..).zip(&names) {
            let sql = "INSERT INTO areas (id, name) VALUES (?1, ?2)";
            session.execute(sql, &[id.into(), name.into()])?;
            search::put_area(session, id, name, None)?;
        }
        Ok::<_, StoreError>(())
    });
    written.await.expect("areas");
    service
}

/// The ids that a search finds, in their order; and in the opposite one, with their number.
async fn found(service: &Service, search: &str) -> Vec<i64> {
    let search: String = search.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let path = format!("/v2/areas?$search={search}&$select=id");
    let answer = service.get(&path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    let found = ids(&answer.json()["value"]);
    let path = format!("{path}&$orderby=name desc,id desc&$count=true");
    let ordered = service.get(&path).await.json();
    assert_eq!(ordered["@odata.count"], found.len(), "{path}");
    let mut again = ids(&ordered["value"]);
    again.sort_unstable();
    assert_eq!(again, found, "{path}");
    found
}

/// A text in each language, and which of the numbers of texts each search finds.
const TEXTS: [&str; 12] = [
    "Oljelekkasje i støperiet, Ålesund",
    "Ölverlust an der großen Presse – Maßnahme offen",
    "Fuite d’huile : l’écrou est desserré, cœur brûlé",
    "Wyciek oleju, łożysko zużyte",
    "Утечка масла: ёмкость и клей",
    "ΔΙΑΡΡΟΉ λαδιού, ο πίνακας",
    "3号机液压油泄漏",
    "油圧ポンプから油漏れ、ﾊﾞﾙﾌﾞ交換",
    "น้ำมันรั่วที่ปั๊ม",
    "유압 펌프에서 기름이 샌다",
    "تسرب الزَّيْت من المضخة",
    "Oil leak at press 4, leaking again",
];

#[tokio::test]
async fn texts_in_many_languages_are_found() {
    let service = with_areas(TEXTS.map(str::to_owned).to_vec()).await;
    let cases: [(&str, &[i64]); 40] = [
        // Norwegian, without its letters, as the start of a word, and decomposed.
        ("stoperiet", &[1]),
        ("STØPERIET", &[1]),
        ("a\u{30a}lesund", &[1]),
        ("oljelekk*", &[1]),
        ("oljelekk", &[]),
        // German.
        ("GROSSEN massnahme", &[2]),
        ("großen", &[2]),
        ("o\u{308}lverlust", &[2]),
        ("\"der grossen presse\"", &[2]),
        ("\"grossen der\"", &[]),
        // French.
        ("ecrou", &[3]),
        ("coeur", &[3]),
        ("\"l'huile\"", &[]),
        ("d'huile", &[3]),
        // Polish.
        ("lozysko", &[4]),
        ("zuzyt*", &[4]),
        // Russian, where й is no и.
        ("ЕМКОСТЬ", &[5]),
        ("клеи", &[]),
        ("утеч* масл*", &[5]),
        // Greek, with and without accents, final sigma.
        ("διαρροη", &[6]),
        ("πινακασ", &[6]),
        // Chinese: any part, in any width.
        ("泄漏", &[7]),
        ("液压油", &[7]),
        ("液油", &[]),
        ("油", &[7, 8]),
        ("\"３号机\"", &[7]),
        // Japanese, with narrow kana.
        ("ポンプ", &[8]),
        ("油漏れ", &[8]),
        ("バルブ", &[8]),
        // Thai, with and without tone marks.
        ("รั่ว", &[9]),
        ("รัว", &[9]),
        ("ปั๊ม", &[9]),
        // Korean: the ending of a word is no hindrance.
        ("기름", &[10]),
        ("펌프", &[10]),
        // Arabic, without vowel points.
        ("الزيت", &[11]),
        // Any key counts; a number is quoted; a phrase may be open at its end.
        ("leak łożysko", &[4, 12]),
        ("\"4\"", &[12]),
        ("\"press 4 le\"*", &[12]),
        ("\"press 4 le\"", &[]),
        ("l* o*", &[1, 2, 3, 4, 12]),
    ];
    for (search, expected) in cases {
        let found = found(&service, search).await;
        assert_eq!(found, expected, "{search}");
    }
}

/// A word as it is compared, and how else it may be written.
const WORDS: [(&str, &[&str]); 8] = [
    ("oil", &["Oil", "OIL", "o\u{ad}il", "ｏｉｌ"]),
    ("oill", &["oill", "OÌLL"]),
    ("le", &["lé", "Le"]),
    ("leak", &["LEAK", "leåk", "le\u{301}ak"]),
    ("leaks", &["leaks", "Leaks"]),
    ("strasse", &["Straße", "STRASSE", "strasse"]),
    ("油漏", &["油漏"]),
    ("油", &["油"]),
];

/// Parts of a text or of a phrase: words in the form that is compared.
fn words(rng: &mut Rng, most: usize) -> Vec<&'static str> {
    let count = rng.usize(1..=most);
    (0..count)
        .map(|_| WORDS[rng.usize(..WORDS.len())].0)
        .collect()
}

/// The words as somebody writes them.
fn written(rng: &mut Rng, words: &[&str]) -> String {
    let forms = words.iter().map(|word| {
        let forms = WORDS.iter().find(|(same, _)| same == word);
        let form = rng.choice(forms.expect("one of the words").1);
        (*form.expect("a form")).to_owned()
    });
    forms
        .collect::<Vec<_>>()
        .join([" ", ", ", "-"][rng.usize(..3)])
}

fn is_han(word: &str) -> bool {
    word.starts_with('油')
}

/// Whether a text has a phrase: what the description says, word by word, without terms or an index.
fn has(text: &[&str], phrase: &[&str], is_open: bool) -> bool {
    let last = phrase.len() - 1;
    text.windows(phrase.len()).any(|window| {
        window
            .iter()
            .zip(phrase)
            .enumerate()
            .all(|(at, (found, key))| {
                match (is_han(key), at == 0, at == last) {
                    // Of a script without spaces any part is found, up to the words beside it.
                    (true, true, true) => found.contains(key),
                    (true, true, false) => found.ends_with(key),
                    (true, false, true) => found.starts_with(key),
                    (false, _, true) if is_open => !is_han(found) && found.starts_with(key),
                    _ => found == key,
                }
            })
    })
}

#[tokio::test]
async fn a_search_finds_what_a_reading_of_all_texts_finds() {
    for seed in seeds(if is_long() { 20 } else { 2 }) {
        let mut rng = Rng::with_seed(seed);
        let texts: Vec<_> = (0..60).map(|_| words(&mut rng, 6)).collect();
        let names = texts.iter().map(|text| written(&mut rng, text)).collect();
        let service = with_areas(names).await;
        for _ in 0..60 {
            let keys: Vec<_> = (0..rng.usize(1..=2))
                .map(|_| (words(&mut rng, 3), rng.bool()))
                .collect();
            let search: Vec<String> = keys
                .iter()
                .map(|(phrase, is_open)| {
                    let end = if *is_open { "*" } else { "" };
                    format!("\"{}\"{end}", written(&mut rng, phrase))
                })
                .collect();
            let search = search.join(" ");
            let is_match = |text: &[&str]| {
                keys.iter()
                    .any(|(phrase, is_open)| has(text, phrase, *is_open))
            };
            let expected: Vec<i64> = (1..)
                .zip(&texts)
                .filter(|(_, text)| is_match(text.as_slice()))
                .map(|(id, _)| id)
                .collect();
            assert_eq!(found(&service, &search).await, expected, "{search}");
        }
    }
}
