//! Search terms longer than an index entry: they are stored and found like others.

use obeya_server::store::{StoreError, search};

use crate::reads_plant::Plant;

/// Letters without an order in them, which nothing makes shorter.
fn letters(count: usize) -> String {
    let mut state = 7_u64;
    let letter = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from((state >> 33) % 26).expect("a letter"))
    };
    (0..count).map(letter).collect()
}

#[tokio::test]
async fn a_word_of_any_length_is_stored_and_found() {
    let plant = Plant::new().await;
    let word = letters(7_000);
    let (start, other) = (word[..700].to_owned(), format!("{}x", &word[..700]));
    let texts = [word.clone(), format!("near {start} miss"), other.clone()];
    let written = plant.service().store().write(move |session| {
        for (id, text) in (1..).zip(&texts) {
            search::put_comment(session, id, text)?;
        }
        Ok::<_, StoreError>(())
    });
    written.await.expect("documents");
    for (searched, expected) in [
        (word, vec![1]),
        (start.clone(), vec![2]),
        (other.clone(), vec![3]),
        (format!("{start} {other}"), vec![2, 3]),
        (format!("%22near {start} miss%22"), vec![2]),
        (format!("%22near {other} miss%22"), vec![]),
        (start[..600].to_owned(), vec![]),
    ] {
        let searched = searched.replace(' ', "%20");
        let found = plant
            .ids(&format!("/v2/incidents/comments?$search={searched}"))
            .await;
        assert_eq!(found, expected, "{} bytes", searched.len());
    }
}
