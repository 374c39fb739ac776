//! What holds for the tests themselves: every module runs on every engine.

/// The modules between the mark and the next remark.
fn on_every_engine(binary: &str) -> Vec<&str> {
    let (_, list) = binary
        .split_once("// On every engine")
        .expect("the mark stands in each binary");
    list.lines()
        .skip(1)
        .take_while(|line| !line.starts_with("//"))
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn every_binary_has_the_same_modules() {
    let sqlite = on_every_engine(include_str!("sqlite.rs"));
    assert!(sqlite.contains(&"mod values;"), "{sqlite:?}");
    assert_eq!(on_every_engine(include_str!("postgres.rs")), sqlite);
}
