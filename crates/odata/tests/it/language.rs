//! The language by its sections: conditions without a property, whose truth the specification's text alone decides.
//!
//! A condition is true when every row is selected by it, false when every row is selected by its negation, and null when neither
//! selects any. Quotations are from OData 4.01 Part 2 (URL conventions), section 5, unless another document is named.

use crate::model::AREA;
use crate::store::{Store, bind, encode};

const TRUE: Option<bool> = Some(true);
const FALSE: Option<bool> = Some(false);

fn truth(store: &Store, condition: &str) -> Option<bool> {
    let selects = |filter: &str| {
        let found = store.filter(&AREA, filter);
        let found = found.unwrap_or_else(|error| panic!("{filter}: {error}"));
        assert!(
            found.is_empty() || found.len() == 7,
            "{filter} is about the rows"
        );
        !found.is_empty()
    };
    match (selects(condition), selects(&format!("not ({condition})"))) {
        (true, false) => TRUE,
        (false, true) => FALSE,
        (false, false) => None,
        (true, true) => panic!("{condition} is true and false"),
    }
}

fn check(cases: &[(&str, Option<bool>)]) {
    let store = Store::new();
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(condition, expected)| {
            let found = truth(&store, condition);
            (found != *expected).then(|| format!("{condition} is {found:?}, expected {expected:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn refused(cases: &[(&str, &str)]) {
    for (filter, code) in cases {
        match bind(&AREA, &format!("$filter={}", encode(filter))) {
            Ok(_) => panic!("{filter} is taken"),
            Err(error) => assert_eq!(error.code(), *code, "{filter}: {error}"),
        }
    }
}

/// "Each of the special values null, -INF, and INF is equal to itself, and only to itself. The special value NaN is not equal to
/// anything, even to itself. … If any operand is null, the operator returns false. The Boolean value true is greater than false."
#[test]
fn comparisons() {
    check(&[
        ("null eq null", TRUE),
        ("null ne null", FALSE),
        ("null eq 1", FALSE),
        ("null ne 1", TRUE),
        ("null gt null", FALSE),
        ("null ge null", FALSE),
        ("null lt 1", FALSE),
        ("1 le null", FALSE),
        ("INF eq INF", TRUE),
        ("-INF eq -INF", TRUE),
        ("INF eq -INF", FALSE),
        ("INF gt 1.7976931348623157e308", TRUE),
        ("-INF lt -9223372036854775808", TRUE),
        ("INF ge INF", TRUE),
        ("INF gt INF", FALSE),
        ("NaN eq NaN", FALSE),
        ("NaN ne NaN", TRUE),
        ("NaN eq null", FALSE),
        ("NaN gt 1", FALSE),
        ("NaN le NaN", FALSE),
        ("NaN lt INF", FALSE),
        ("true gt false", TRUE),
        ("false ge true", FALSE),
        ("false le false", TRUE),
        ("true ne false", TRUE),
        ("'a' lt 'b'", TRUE),
        ("'B' lt 'a'", TRUE),
        // By code point: U+1F600 comes after U+FF21, though UTF-16 would have it before.
        ("'\u{1f600}' gt '\u{ff21}'", TRUE),
        ("'' lt 'a'", TRUE),
        ("'a' eq 'A'", FALSE),
        ("'a' eq 'a '", FALSE),
        // Composed and decomposed text is not the same text.
        ("'\u{e5}' eq 'a\u{30a}'", FALSE),
    ]);
}

/// "Services SHOULD NOT require explicit cast operations between numeric types used in comparison expressions."
#[test]
fn numbers() {
    check(&[
        ("5 eq 5.0", TRUE),
        ("5 eq 5e0", TRUE),
        ("1 eq 1.5", FALSE),
        ("-0.0 eq 0", TRUE),
        ("+42 eq 42", TRUE),
        ("+4.2e+1 eq 42", TRUE),
        ("1e-1 eq 0.1", TRUE),
        ("1E3 eq 1000", TRUE),
        ("2147483648 gt 2147483647", TRUE),
        ("9223372036854775807 gt 9223372036854775806", TRUE),
        ("-9223372036854775808 lt 0", TRUE),
        // Beyond 2^53 a whole number is not turned into a double to be compared with one.
        ("9007199254740993 eq 9007199254740992", FALSE),
        ("9007199254740993 eq 9007199254740992.0", FALSE),
        ("0.1 add 0.2 gt 0.3", TRUE),
    ]);
    refused(&[
        ("1 eq 9223372036854775808", "odata.value"),
        ("1 eq 1e400", "odata.value"),
        ("1 eq '1'", "odata.type"),
        ("1 eq true", "odata.type"),
        ("1 eq .5", "odata.syntax"),
        ("1 eq 1.", "odata.syntax"),
        ("1 eq 0x1", "odata.syntax"),
        ("1 eq 1m", "odata.syntax"),
        ("1 eq + 1", "odata.syntax"),
        ("1 eq inf", "odata.unknown_property"),
        ("1 eq nan", "odata.unknown_property"),
    ]);
}

/// "If an operand of an arithmetic operator is null, the result is null." · "If both operands to div are of an integer type, the
/// result is an integer representing the whole number of times the right operator fits into the left operator." · "The sign of
/// the result is the same as the sign of the left operand." · "divby … promotes both operands to decimal before computing the
/// result, may yield a fractional result, and does not fail for divby zero".
#[test]
fn arithmetic() {
    check(&[
        ("5 div 2 eq 2", TRUE),
        ("-5 div 2 eq -2", TRUE),
        ("5 div -2 eq -2", TRUE),
        ("5 div 2.0 eq 2.5", TRUE),
        ("5.0 div 2 eq 2.5", TRUE),
        ("5 divby 2 eq 2.5", TRUE),
        ("4 divby 2 eq 2", TRUE),
        ("1 divby 0 eq INF", TRUE),
        ("-1 divby 0 eq -INF", TRUE),
        ("1.0 div 0 eq INF", TRUE),
        ("-1.0 div 0 eq -INF", TRUE),
        ("0.0 div 0 gt 0", FALSE),
        ("5 mod 3 eq 2", TRUE),
        ("-5 mod 3 eq -2", TRUE),
        ("5 mod -3 eq 2", TRUE),
        ("5.5 mod 2 eq 1.5", TRUE),
        ("-5.5 mod 2 eq -1.5", TRUE),
        ("null add 1 eq null", TRUE),
        ("null div 1 eq null", TRUE),
        ("-null eq null", TRUE),
        ("1 add 2 mul 3 eq 7", TRUE),
        ("(1 add 2) mul 3 eq 9", TRUE),
        ("8 div 4 div 2 eq 1", TRUE),
        ("10 sub 4 add 3 eq 9", TRUE),
        ("-2 mul -3 eq 6", TRUE),
        ("-(2 add 3) eq -5", TRUE),
        ("2 sub -3 eq 5", TRUE),
        ("2 sub - 3 eq 5", TRUE),
        ("7 mod 4 mul 2 eq 6", TRUE),
        ("2 MUL 3 EQ 6", TRUE),
        ("7 DivBy 2 Eq 3.5", TRUE),
        ("INF sub 1 eq INF", TRUE),
        ("9223372036854775807 add 1 gt 9223372036854775806", TRUE),
    ]);
    refused(&[
        ("1 div 0 eq 1", "odata.value"),
        ("1 mod 0 eq 1", "odata.value"),
        ("1.5 mod 0 eq 1", "odata.value"),
        ("1.5 mod 0.0 eq 1", "odata.value"),
        ("'a' add 'b' eq 'ab'", "odata.type"),
        ("'5' mul 2 eq 10", "odata.type"),
        ("true add 1 eq 2", "odata.type"),
        ("-'a' eq 'a'", "odata.type"),
        ("-true", "odata.type"),
        ("1 + 1 eq 2", "odata.syntax"),
        ("1 * 1 eq 1", "odata.syntax"),
    ]);
}

/// "The null value is treated as unknown, so if one operand evaluates to null and the other operand to false, the and operator
/// returns false. All other combinations with null return null." The same for `or` with true; "not null returns null".
#[test]
fn logic() {
    check(&[
        ("true and null", None),
        ("false and null", FALSE),
        ("null and false", FALSE),
        ("null and null", None),
        ("true or null", TRUE),
        ("null or true", TRUE),
        ("false or null", None),
        ("not null", None),
        ("not not true", TRUE),
        ("not(true)", FALSE),
        ("NOT false AND true", TRUE),
        ("not false and false", FALSE),
        ("true or false and false", TRUE),
        ("(true or false) and false", FALSE),
        ("true eq true and false eq false", TRUE),
        ("null eq null or null", TRUE),
        ("(null and true) eq null", TRUE),
        // Relational operators bind tighter than equality.
        ("1 lt 2 eq true", TRUE),
        ("true eq 2 gt 1", TRUE),
    ]);
    refused(&[
        ("not 1", "odata.type"),
        ("not 1 eq 1", "odata.type"),
        ("1 and true", "odata.type"),
        ("'a' or true", "odata.type"),
        ("true and", "odata.syntax"),
        ("and true", "odata.syntax"),
        ("true true", "odata.syntax"),
        ("1 lt 2 lt 3", "odata.type"),
        ("true xor false", "odata.syntax"),
    ]);
}

/// "The in operator returns true if the left operand is a member of the right operand. The right operand MUST be either a
/// comma-separated list of primitive values, enclosed in parentheses, or a single expression that resolves to a collection."
#[test]
fn membership() {
    check(&[
        ("1 in (1)", TRUE),
        ("1 in (2,1.0)", TRUE),
        ("1 in [1, 2]", TRUE),
        ("'a' in [\"a\",'b']", TRUE),
        ("'O''Neil' in ('x', 'O''Neil')", TRUE),
        ("1 in []", FALSE),
        ("null in (1)", FALSE),
        ("null in (1,null)", TRUE),
        ("1 in (null)", FALSE),
        ("NaN in (NaN)", FALSE),
        ("INF in (1,INF)", TRUE),
        ("true in (false,true)", TRUE),
        ("not (1 in (1,2))", FALSE),
        ("not 1 in (1,2)", FALSE),
        ("2024-01-01 in (2024-01-01)", TRUE),
        ("-1 in (1,-1)", TRUE),
        ("1 IN (1)", TRUE),
        ("(1 in (1)) eq true", TRUE),
        ("duration'PT60S' in ('PT1M')", TRUE),
    ]);
    refused(&[
        ("1 in ()", "odata.syntax"),
        ("1 in 1", "odata.syntax"),
        ("1 in (1,)", "odata.syntax"),
        ("1 in (1", "odata.syntax"),
        ("1 in ('a')", "odata.type"),
        ("1 in (1,'a')", "odata.type"),
        ("1 in [1,2)", "odata.syntax"),
        ("[1] eq [1]", "odata.type"),
        ("[1,2] in [[1,2]]", "odata.type"),
    ]);
}

/// "If a parameter of a canonical function is null, the function returns null." · "If the start index N is larger than the length
/// of the string/collection, an empty string/collection is returned." · "A negative start index N, if supported, returns a
/// string/collection starting N characters/items before the end". · "according to Unicode rules".
#[test]
fn functions_of_strings() {
    check(&[
        ("contains('abc','')", TRUE),
        ("contains('','')", TRUE),
        ("contains('','a')", FALSE),
        ("contains('abc',null)", None),
        ("contains(null,null)", None),
        ("startswith('abc','')", TRUE),
        ("startswith('','a')", FALSE),
        ("startswith('ab','abc')", FALSE),
        ("endswith('abc','bc')", TRUE),
        ("endswith('abc','')", TRUE),
        ("endswith('bc','abc')", FALSE),
        ("endswith('a%','%')", TRUE),
        ("contains('a_b','a_b')", TRUE),
        ("contains('axb','a_b')", FALSE),
        ("indexof('abc','')  eq 0", TRUE),
        ("indexof('','') eq 0", TRUE),
        ("indexof('abc','c') eq 2", TRUE),
        ("indexof('abc','x') eq -1", TRUE),
        ("indexof('abc','C') eq -1", TRUE),
        ("indexof('\u{1f600}b','b') eq 1", TRUE),
        ("indexof(null,'b') eq null", TRUE),
        ("length('') eq 0", TRUE),
        ("length('\u{1f600}\u{d8}') eq 2", TRUE),
        ("length(null) eq null", TRUE),
        ("substring('abc',0) eq 'abc'", TRUE),
        ("substring('abc',1) eq 'bc'", TRUE),
        ("substring('abc',3) eq ''", TRUE),
        ("substring('abc',9) eq ''", TRUE),
        ("substring('abc',-1) eq 'c'", TRUE),
        ("substring('abc',-9) eq 'abc'", TRUE),
        ("substring('abc',1,1) eq 'b'", TRUE),
        ("substring('abc',1,0) eq ''", TRUE),
        ("substring('abc',1,99) eq 'bc'", TRUE),
        ("substring('abc',-2,1) eq 'b'", TRUE),
        ("substring('\u{1f600}bc',1,1) eq 'b'", TRUE),
        ("substring('abc',null) eq null", TRUE),
        ("substring('abc',1,null) eq null", TRUE),
        ("tolower('\u{c5}\u{d8}A') eq '\u{e5}\u{f8}a'", TRUE),
        ("toupper('\u{e5}\u{f8}a') eq '\u{c5}\u{d8}A'", TRUE),
        ("toupper(tolower('Stra\u{df}e')) eq 'STRASSE'", TRUE),
        ("tolower(null) eq null", TRUE),
        ("trim('\t \u{a0}a b \u{2003}') eq 'a b'", TRUE),
        ("trim('') eq ''", TRUE),
        ("concat('a','b') eq 'ab'", TRUE),
        ("concat('','') eq ''", TRUE),
        ("concat('a',null) eq null", TRUE),
        ("concat(concat('a',', '),'b') eq 'a, b'", TRUE),
        ("CONCAT('a','b') eq 'ab'", TRUE),
        ("StartsWith('abc','a')", TRUE),
        ("matchesPattern('Alfreds','^A.*s$')", TRUE),
        ("matchespattern('alfreds','^A.*S$')", FALSE),
        ("matchespattern('alfreds','^A.*S$','i')", TRUE),
        ("matchespattern(null,'a')", None),
        ("contains('a''b','''')", TRUE),
    ]);
    refused(&[
        ("substring('abc',1,-1) eq ''", "odata.value"),
        ("substring('abc') eq ''", "odata.unknown_function"),
        ("substring('abc','1') eq ''", "odata.type"),
        ("substring('abc',1.5) eq ''", "odata.type"),
        ("contains('a')", "odata.unknown_function"),
        ("contains('a',1)", "odata.type"),
        ("contains('a','b',1)", "odata.unknown_function"),
        ("length(5) eq 1", "odata.type"),
        ("length() eq 1", "odata.unknown_function"),
        ("tolower(1) eq '1'", "odata.type"),
        ("concat('a',1) eq 'a1'", "odata.type"),
        ("concat('a','b')", "odata.type"),
        ("substringof('a','abc')", "odata.unknown_function"),
        ("replace('a','b','c') eq 'a'", "odata.unknown_function"),
        ("contains 'a'", "odata.syntax"),
        ("name contains 'a'", "odata.syntax"),
        ("name like 'a'", "odata.syntax"),
        ("contains('a','b'", "odata.syntax"),
        ("contains('a' 'b')", "odata.syntax"),
        ("contains('a',,'b')", "odata.syntax"),
        ("contains(,'b')", "odata.syntax"),
    ]);
}

/// "The mid-point between two integers is rounded away from zero, i.e. 0.5 is rounded to 1 and -0.5 is rounded to -1."
#[test]
fn functions_of_numbers() {
    check(&[
        ("round(0.5) eq 1", TRUE),
        ("round(-0.5) eq -1", TRUE),
        ("round(1.5) eq 2", TRUE),
        ("round(2.5) eq 3", TRUE),
        ("round(-2.5) eq -3", TRUE),
        ("round(2.4999) eq 2", TRUE),
        ("round(0.49999999999999994) eq 0", TRUE),
        ("round(5) eq 5", TRUE),
        ("floor(-0.5) eq -1", TRUE),
        ("floor(2.9) eq 2", TRUE),
        ("floor(-3) eq -3", TRUE),
        ("ceiling(-0.5) eq 0", TRUE),
        ("ceiling(2.1) eq 3", TRUE),
        ("round(null) eq null", TRUE),
        ("floor(INF) eq INF", TRUE),
        ("ceiling(-INF) eq -INF", TRUE),
        ("round(NaN) eq NaN", FALSE),
        ("round(5 divby 2) eq 3", TRUE),
    ]);
    refused(&[
        ("round('1') eq 1", "odata.type"),
        ("round(1,2) eq 1", "odata.unknown_function"),
        ("abs(-1) eq 1", "odata.unknown_function"),
    ]);
}

/// The grammar of dates, instants and times of day, and the functions of their parts. "Services that are unable to preserve the
/// offset … MUST fail evaluation of the day function for literal Edm.DateTimeOffset values that are not stated in the time zone
/// of the normalized values."
#[test]
fn dates_and_times() {
    check(&[
        ("2024-02-29 gt 2024-02-28", TRUE),
        ("2000-02-29 eq 2000-02-29", TRUE),
        ("0000-01-01 lt 0001-01-01", TRUE),
        ("2024-01-01T00:00:00Z eq 2024-01-01T01:00:00+01:00", TRUE),
        ("2024-01-01T00:00:00Z eq 2023-12-31T19:00:00-05:00", TRUE),
        ("2024-01-01T00:00:00Z eq 2024-01-01T05:45:00+05:45", TRUE),
        ("2024-01-01T00:00Z eq 2024-01-01T00:00:00.000Z", TRUE),
        ("2024-01-01t00:00:00z eq 2024-01-01T00:00:00Z", TRUE),
        ("2024-01-01T00:00:00.1Z gt 2024-01-01T00:00:00.09Z", TRUE),
        (
            "2024-01-01T00:00:00.1234567Z ne 2024-01-01T00:00:00.1234568Z",
            TRUE,
        ),
        ("2024-01-01T00:00:00-00:00 eq 2024-01-01T00:00:00Z", TRUE),
        ("1972-06-30T23:59:60Z lt 1972-07-01T00:00:00Z", TRUE),
        ("2024-02-29T23:59:59-14:00 gt 2024-03-01T13:59:58Z", TRUE),
        ("12:30 eq 12:30:00", TRUE),
        ("23:59:59.999 gt 23:59:59", TRUE),
        ("00:00 eq 00:00:00.0", TRUE),
        ("mindatetime() lt 0001-01-01T00:00:00Z", TRUE),
        ("mindatetime() eq 0000-01-01T00:00:00Z", TRUE),
        ("maxdatetime() gt 9999-12-31T23:59:59Z", TRUE),
        (
            "now() gt 2024-01-01T00:00:00Z and now() lt maxdatetime()",
            TRUE,
        ),
        ("now() eq now()", TRUE),
        ("NOW( ) eq now()", TRUE),
        (
            "year(2024-02-29) eq 2024 and month(2024-02-29) eq 2 and day(2024-02-29) eq 29",
            TRUE,
        ),
        ("year(1969-12-31T23:59:59Z) eq 1969", TRUE),
        ("year(0000-12-31) eq 0", TRUE),
        (
            "hour(23:59:58.5) eq 23 and minute(23:59:58.5) eq 59 and second(23:59:58.5) eq 58",
            TRUE,
        ),
        ("hour(1969-12-31T23:30:00Z) eq 23", TRUE),
        ("fractionalseconds(23:59:58.25) eq 0.25", TRUE),
        ("fractionalseconds(2024-01-01T00:00:00Z) eq 0", TRUE),
        ("fractionalseconds(1969-12-31T23:59:59.1Z) eq 0.1", TRUE),
        ("date(2024-02-29T23:30:00Z) eq 2024-02-29", TRUE),
        ("time(2024-02-29T23:30:00Z) eq 23:30", TRUE),
        ("totaloffsetminutes(2024-01-01T00:00:00+02:30) eq 150", TRUE),
        ("totaloffsetminutes(2024-01-01T00:00:00-00:30) eq -30", TRUE),
        ("totaloffsetminutes(now()) eq 0", TRUE),
        ("second(2024-01-01T00:00:59+02:30) eq 59", TRUE),
        ("year(null) eq null", TRUE),
    ]);
    refused(&[
        ("2023-02-29 eq null", "odata.value"),
        ("1900-02-29 eq null", "odata.value"),
        ("2024-04-31 eq null", "odata.value"),
        ("2024-00-10 eq null", "odata.value"),
        ("2024-13-01 eq null", "odata.value"),
        ("2024-01-00 eq null", "odata.value"),
        ("2011-12-31T24:00Z eq null", "odata.value"),
        ("2011-12-31T24:00:00Z eq null", "odata.value"),
        ("2012-09-03T24:00-03:00 eq null", "odata.value"),
        ("2012-09-03T12:60Z eq null", "odata.value"),
        ("2012-09-03T12:00:00+25:00 eq null", "odata.value"),
        ("24:00:00 eq null", "odata.value"),
        ("12:00:60 eq null", "odata.value"),
        ("2024-1-1 eq null", "odata.syntax"),
        ("20240101T000000Z eq null", "odata.syntax"),
        ("datetime'2024-01-01T00:00:00' eq null", "odata.syntax"),
        ("2024-01-01 eq '2024-01-01'", "odata.type"),
        ("12:00 eq 2024-01-01", "odata.type"),
        ("year('2024-01-01') eq 2024", "odata.type"),
        ("year(12:00) eq 2024", "odata.type"),
        ("hour(2024-01-01) eq 0", "odata.type"),
        ("date(2024-01-01) eq 2024-01-01", "odata.type"),
        ("day(2024-01-01T00:00:00+01:00) eq 31", "odata.value"),
        ("hour(2024-01-01T00:00:00+01:00) eq 23", "odata.value"),
        ("now(1) eq now()", "odata.unknown_function"),
    ]);
}

/// "services MUST support duration and enumeration literals with or without the type prefix" · "Date add Duration results in a
/// Date" and the other signatures of `add`, `sub`, `mul` and `div` · "today plus a positive duration smaller than one day is
/// today; today minus a positive duration smaller than one day is yesterday".
#[test]
fn durations() {
    check(&[
        ("duration'P1DT2H' eq duration'PT26H'", TRUE),
        ("duration'P1DT2H' eq 'PT26H'", TRUE),
        ("'PT1H30M' eq duration'PT90M'", TRUE),
        ("duration'PT1H' gt 'PT59M59.999S'", TRUE),
        ("duration'-P1D' lt duration'PT0S'", TRUE),
        ("duration'PT0.5S' eq duration'PT0.500S'", TRUE),
        ("Duration'PT1S' eq duration'PT1S'", TRUE),
        ("-duration'PT1H' eq duration'-PT1H'", TRUE),
        ("totalseconds(duration'PT1M0.5S') eq 60.5", TRUE),
        ("totalseconds('P1D') eq 86400", TRUE),
        ("totalseconds(null) eq null", TRUE),
        (
            "2024-01-31T00:00:00Z add duration'P1D' eq 2024-02-01T00:00:00Z",
            TRUE,
        ),
        (
            "2024-01-31T00:00:00Z add 'P1D' eq 2024-02-01T00:00:00Z",
            TRUE,
        ),
        (
            "2024-03-01T00:00:00Z sub 'PT1S' eq 2024-02-29T23:59:59Z",
            TRUE,
        ),
        (
            "2024-01-02T00:00:00Z sub 2024-01-01T12:00:00Z eq 'PT12H'",
            TRUE,
        ),
        ("2024-02-28 add duration'P2D' eq 2024-03-01", TRUE),
        ("2024-02-28 add 'PT23H' eq 2024-02-28", TRUE),
        ("2024-03-01 sub 'PT1H' eq 2024-02-29", TRUE),
        ("2024-03-01 sub 2024-02-28 eq duration'P2D'", TRUE),
        ("duration'PT1H' add 'PT1H' eq 'PT2H'", TRUE),
        ("'PT1H' add duration'PT1H' eq 'PT2H'", TRUE),
        ("duration'PT1H' sub 'PT2H' eq '-PT1H'", TRUE),
        ("duration'PT1H' mul 2 eq 'PT2H'", TRUE),
        ("2 mul duration'PT1H' eq 'PT2H'", TRUE),
        ("'PT1H' mul 1.5 eq 'PT1H30M'", TRUE),
        ("duration'PT1H' div 2 eq 'PT30M'", TRUE),
        ("duration'PT1H' divby 0.5 eq 'PT2H'", TRUE),
        ("now() sub 'P1D' lt now()", TRUE),
        ("null add duration'PT1H' eq null", TRUE),
    ]);
    refused(&[
        ("duration'P1Y' eq null", "odata.value"),
        ("duration'P1M' eq null", "odata.value"),
        ("duration'1D' eq null", "odata.value"),
        ("duration'PT' eq null", "odata.value"),
        ("duration'PT1H' eq 'x'", "odata.value"),
        ("now() add 'x' eq null", "odata.value"),
        ("now() add 5 eq null", "odata.type"),
        ("now() add now() eq null", "odata.type"),
        ("5 sub now() eq null", "odata.type"),
        ("duration'PT1H' mul duration'PT1H' eq null", "odata.type"),
        ("5 div duration'PT1H' eq null", "odata.type"),
        ("duration'PT1H' div 0 eq null", "odata.value"),
        ("duration'PT1H' mod 2 eq null", "odata.type"),
        ("12:00 add duration'PT1H' eq null", "odata.type"),
    ]);
}

/// "guidValue = 8HEXDIG - …": hexadecimal digits of either case are the same GUID.
#[test]
fn guids() {
    check(&[
        (
            "01234567-89AB-CDEF-0123-456789abcdef eq 01234567-89ab-cdef-0123-456789ABCDEF",
            TRUE,
        ),
        (
            "01234567-89ab-cdef-0123-456789abcdef eq 01234567-89ab-cdef-0123-456789abcdee",
            FALSE,
        ),
        ("abcdefab-89ab-cdef-0123-456789abcdef ne null", TRUE),
        (
            "01234567-89ab-cdef-0123-456789abcdef in (01234567-89AB-CDEF-0123-456789ABCDEF)",
            TRUE,
        ),
        (
            "cast('01234567-89AB-CDEF-0123-456789ABCDEF',Edm.Guid) eq 01234567-89ab-cdef-0123-456789abcdef",
            TRUE,
        ),
    ]);
    refused(&[
        (
            "01234567-89ab-cdef-0123-456789abcdef eq '01234567-89ab-cdef-0123-456789abcdef'",
            "odata.type",
        ),
        ("01234567-89ab-cdef-456789abcdef eq null", "odata.syntax"),
        (
            "guid'01234567-89ab-cdef-0123-456789abcdef' eq null",
            "odata.syntax",
        ),
    ]);
}

/// "The null value can be cast to any type. Primitive types are cast to Edm.String … by using the literal representation used in
/// payloads. … Numeric primitive types are cast to each other with appropriate rounding. The cast fails if the integer part
/// doesn't fit into the target type. … If the cast fails, the cast function returns null." · "If the string value does not
/// contain a time-zone offset, it is treated as UTC."
#[test]
fn casts() {
    check(&[
        ("cast(null,Edm.Int32) eq null", TRUE),
        ("cast(5,Edm.String) eq '5'", TRUE),
        ("cast(2.5,Edm.String) eq '2.5'", TRUE),
        ("cast(true,Edm.String) eq 'true'", TRUE),
        ("cast(INF,Edm.String) eq 'INF'", TRUE),
        ("cast(NaN,Edm.String) eq 'NaN'", TRUE),
        ("cast(2024-02-29,Edm.String) eq '2024-02-29'", TRUE),
        (
            "cast(2024-02-29T12:00:00Z,Edm.String) eq '2024-02-29T12:00:00Z'",
            TRUE,
        ),
        ("cast(12:30,Edm.String) eq '12:30:00'", TRUE),
        ("cast(duration'P1DT2H',Edm.String) eq 'P1DT2H'", TRUE),
        ("cast('5',Edm.Int32) eq 5", TRUE),
        ("cast('5.5',Edm.Int32) eq null", TRUE),
        ("cast('x',Edm.Double) eq null", TRUE),
        ("cast('2.5',Edm.Double) eq 2.5", TRUE),
        ("cast('2.5',Edm.Decimal) eq 2.5", TRUE),
        ("cast('true',Edm.Boolean)", TRUE),
        ("cast('yes',Edm.Boolean) eq null", TRUE),
        ("cast('2024-02-30',Edm.Date) eq null", TRUE),
        ("cast('2024-02-29',Edm.Date) eq 2024-02-29", TRUE),
        (
            "cast('2024-02-29T12:00:00',Edm.DateTimeOffset) eq 2024-02-29T12:00:00Z",
            TRUE,
        ),
        ("cast('12:30',Edm.TimeOfDay) eq 12:30", TRUE),
        ("cast('PT1H',Edm.Duration) eq duration'PT1H'", TRUE),
        ("cast(2.5,Edm.Int32) eq 3", TRUE),
        ("cast(1e10,Edm.Int32) eq null", TRUE),
        ("cast(1e10,Edm.Int64) eq 10000000000", TRUE),
        ("cast(1e30,Edm.Int64) eq null", TRUE),
        ("cast(5,Edm.Double) div 2 eq 2.5", TRUE),
        ("isof(5,Edm.Int32)", TRUE),
        ("isof(5,Edm.Int64)", TRUE),
        ("isof('a',Edm.String)", TRUE),
        ("isof('a',Edm.Date)", FALSE),
        ("isof(null,Edm.String)", FALSE),
        ("ISOF(5,Edm.Double)", TRUE),
    ]);
    refused(&[
        ("cast(5) eq 5", "odata.unknown_function"),
        ("cast(5,'Edm.String') eq '5'", "odata.type"),
        ("cast(5,Edm.Strin) eq '5'", "odata.type"),
        ("cast(5,String) eq '5'", "odata.type"),
        ("cast(true,Edm.Int32) eq 1", "odata.type"),
        ("Edm.String eq 'x'", "odata.type"),
    ]);
}

/// "evaluates the condition in each pair, starting with the leftmost pair, and stops as soon as a condition evaluates to true. It
/// then returns the value of the result of this pair. It returns null if none of the conditions in any pair evaluates to true."
#[test]
fn cases() {
    check(&[
        ("case(true:1) eq 1", TRUE),
        ("case(false:1,true:2) eq 2", TRUE),
        ("case(true:1,true:2) eq 1", TRUE),
        ("case(false:1) eq null", TRUE),
        ("case(null:1,true:2) eq 2", TRUE),
        ("case(1 gt 2:'a',1 lt 2:'b') eq 'b'", TRUE),
        ("case(false:1,true:2.5) eq 2.5", TRUE),
        ("case(true:null,true:1) eq null", TRUE),
        ("case(true:true)", TRUE),
        ("case(true:null)", None),
        ("case(false:true)", None),
        ("case(true:1 lt 2) eq true", TRUE),
        ("CASE( true : 'a' , true : 'b' ) eq 'a'", TRUE),
        ("case(true:case(false:1,true:2)) add 1 eq 3", TRUE),
        ("case(12:30 eq 12:30 : 1) eq 1", TRUE),
        ("case(false:duration'PT1H',true:'PT2H') eq 'PT2H'", TRUE),
    ]);
    refused(&[
        ("case() eq 1", "odata.syntax"),
        ("case(true) eq 1", "odata.syntax"),
        ("case(true:1,) eq 1", "odata.syntax"),
        ("case(1:1) eq 1", "odata.type"),
        ("case(true:1,true:'a') eq 1", "odata.type"),
        ("case(true:1)", "odata.type"),
    ]);
}

/// RWS and BWS are spaces and tabs, in any number.
#[test]
fn white_space_and_case() {
    let store = Store::new();
    for query in [
        "$filter=id%20eq%201",
        "$filter=id+eq+1",
        "$filter=id%09eq%091",
        "$filter=id%20%20eq%20%09%201%20",
        "$filter=%20(%20id%20eq%201%20)%20",
        "%24filter=id%20eq%201",
        "filter=id%20Eq%201",
        "$FILTER=id%20EQ%201",
        "$filter=(id)eq(1)",
        "$filter=id%20in(1)",
        "$filter=id%20in%20(%201%20)",
        "$filter=startswith(%20name%20,%20'As'%20)",
        "$filter=id%20eq%20%2B1",
        "$filter=name%20eq%20%27Assembly%27",
        "$filter=id%20eq%20@a&@a=1",
        "$filter=id%20eq%20%40a&%40a=1",
    ] {
        assert_eq!(store.ids(&AREA, query), Ok(vec![1]), "{query}");
    }
    refused(&[
        ("ideq 1", "odata.syntax"),
        ("id eq1", "odata.syntax"),
        ("name eq'Assembly'", "odata.syntax"),
        ("Id eq 1", "odata.unknown_property"),
        ("", "odata.syntax"),
        (" ", "odata.syntax"),
        ("()", "odata.syntax"),
        ("((id eq 1)", "odata.syntax"),
        ("(id eq 1))", "odata.syntax"),
        ("id eq 1;", "odata.syntax"),
        ("id eq 1,", "odata.syntax"),
        ("name eq \u{2018}x\u{2019}", "odata.syntax"),
        ("name eq 'x\u{0}'", "odata.option"),
        ("id = 1", "odata.syntax"),
        ("id > 1", "odata.syntax"),
        ("id eq 1 && id eq 1", "odata.syntax"),
        ("id eq 1 || id eq 1", "odata.syntax"),
        ("!(id eq 1)", "odata.syntax"),
        ("id eq", "odata.syntax"),
        ("id eq eq 1", "odata.syntax"),
        ("id/x eq 1", "odata.type"),
        ("/id eq 1", "odata.syntax"),
        ("id/ eq 1", "odata.syntax"),
        ("id eq 1/0", "odata.syntax"),
    ]);
}
