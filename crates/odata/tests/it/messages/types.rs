//! Values of the wrong type, and functions of the wrong arguments.

use insta::assert_snapshot;
use obeya_odata::edm::{Column, EntityType, Property, Type};

use super::message;
use crate::model::{BOARD, DATASOURCE_VALUE, INCIDENT};
use crate::store::bind;

static TASK: EntityType = EntityType {
    name: "Task",
    table: "tasks",
    key: "id",
    properties: &[
        Property {
            name: "id",
            ty: Type::Int32,
            nullable: false,
            column: Column::Name("id"),
        },
        Property {
            name: "tags",
            ty: Type::Texts,
            nullable: false,
            column: Column::Name("tags"),
        },
    ],
    navigations: &[],
    search: None,
};

#[test]
fn a_list_of_texts_can_be_selected_and_stands_in_no_expression() {
    assert!(bind(&TASK, "$select=tags").is_ok());
    assert_snapshot!(message(&TASK, "$filter=contains(tags,'5S')"), @"$filter at byte 9: found `tags`, a list of texts, which can be selected only; expected a property with one value");
    assert_snapshot!(message(&TASK, "$filter=id gt 1 and tags/any(t:t eq '5S')"), @"$filter at byte 12: found `tags`, a list of texts, which can be selected only; expected a property with one value");
    assert_snapshot!(message(&TASK, "$orderby=id,tags desc"), @"$orderby at byte 3: found `tags`, a list of texts, which can be selected only; expected a property with one value");
}

#[test]
fn values_are_of_the_type_that_is_needed() {
    assert_snapshot!(message(&BOARD, "$filter=boardType eq 1"), @"$filter at byte 13: found BoardType and Edm.Int32 on the two sides of `eq`, which can't be compared; a member is written as its name in single quotes");
    assert_snapshot!(message(&BOARD, "$filter=id in @l&@l=[1,'a']"), @"$filter at byte 6: in the value of `@l`: found Edm.Int32 and Edm.String on the two sides of `in`, which can't be compared; a number is written without quotes");
    assert_snapshot!(message(&BOARD, "$filter=name gt 5"), @"$filter at byte 8: found Edm.String and Edm.Int32 on the two sides of `gt`, which can't be compared; a string is written in single quotes");
    assert_snapshot!(message(&BOARD, "$filter=name"), @"$filter at byte 0: found a value of type Edm.String; expected a condition, such as a comparison");
    assert_snapshot!(message(&BOARD, "$filter=not name eq 'x'"), @"$filter at byte 0: found `not` before a value of type Edm.String; expected a condition. `not` binds tighter than comparisons: write `not (… eq …)`");
    assert_snapshot!(message(&BOARD, "$filter=name and isPublic"), @"$filter at byte 0: found a value of type Edm.String beside `and`; expected a condition");
    assert_snapshot!(message(&BOARD, "$filter=contains(name,5)"), @"$filter at byte 14: found a value of type Edm.Int32 as an argument of `contains`; expected a string");
    assert_snapshot!(message(&BOARD, "$filter=contains(name)"), @"$filter at byte 0: found 1 as the number of arguments of `contains`; expected 2");
    assert_snapshot!(message(&BOARD, "$filter=case(name:1) eq 1"), @"$filter at byte 5: found a value of type Edm.String; expected a condition, such as a comparison");
    assert_snapshot!(message(&BOARD, "$filter=case(isPublic:1,true:'a') eq 1"), @"$filter at byte 21: found Edm.String as a value of `case` after Edm.Int32; expected values of one type");
    assert_snapshot!(message(&BOARD, "$filter=cast(isPublic,Edm.Int32) eq 1"), @"$filter at byte 0: a value of type Edm.Boolean can't be cast to Edm.Int32");
    assert_snapshot!(message(&BOARD, "$filter=cast(id,'Edm.String') eq '1'"), @"$filter at byte 8: expected the name of a type, such as Edm.String");
    assert_snapshot!(message(&BOARD, "$filter=Edm.String eq name"), @"$filter at byte 0: found the type name `Edm.String`; it may only stand in `cast` and `isof`");
    assert_snapshot!(message(&BOARD, "$filter=matchespattern(name,'a(b')"), @"$filter at byte 20: found the pattern 'a(b': a group is not closed");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=bin(valueDate,duration'PT7H') eq null"), @"$filter at byte 14: found duration'PT7H' as the size of `bin`; expected a duration that divides a day, such as duration'PT15M', or 'hour', 'day', 'week', 'month', 'quarter' or 'year'");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=bin(valueDate,'decade') eq null"), @"$filter at byte 14: found 'decade' as the size of `bin`; expected a duration that divides a day, such as duration'PT15M', or 'hour', 'day', 'week', 'month', 'quarter' or 'year'");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=bin(valueDate,valueDate sub valueDate) eq null"), @"$filter at byte 14: found an expression as the size of `bin`; expected a duration that divides a day, such as duration'PT15M', or 'hour', 'day', 'week', 'month', 'quarter' or 'year'");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=bin(valueDate,7) eq null"), @"$filter at byte 14: found a value of type Edm.Int32 as an argument of `bin`; expected a duration or a string");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=bin(valueDate,'week','Europe/Olso') eq null"), @"$filter at byte 21: found the time zone 'Europe/Olso', which is not known; expected the name of a time zone, such as 'Europe/Oslo'");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=bin(valueDate,'week',dimension) eq null"), @"$filter at byte 21: found an expression as the time zone of `bin`; expected the name of a time zone, such as 'Europe/Oslo'");
    assert_snapshot!(message(&BOARD, "$filter=matchespattern('a',name)"), @"$filter at byte 19: found an expression as the pattern of `matchespattern`; expected a string in quotes");
    assert_snapshot!(message(&BOARD, "$filter=isPublic eq 'true'"), @"$filter at byte 12: found Edm.Boolean and Edm.String on the two sides of `eq`, which can't be compared; `true` and `false` are written without quotes");
    assert_snapshot!(message(&BOARD, "$filter=isPublic eq 1"), @"$filter at byte 12: found Edm.Boolean and Edm.Int32 on the two sides of `eq`, which can't be compared; a truth value is written `true` or `false`");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=valueDate gt '2024-01-01'"), @"$filter at byte 13: found Edm.DateTimeOffset and Edm.String on the two sides of `gt`, which can't be compared; an instant is written without quotes: 2024-01-31T00:00:00Z");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=valueDate add 5 gt now()"), @"$filter at byte 14: found Edm.DateTimeOffset and Edm.Int32 on the two sides of `add`; expected numbers, or an instant, date or duration with a duration");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=valueDate add '1 day' gt now()"), @"$filter at byte 14: found '1 day'; expected a duration such as 'PT1H30M'");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=value add 'x' gt 5"), @"$filter at byte 10: found Edm.Double and Edm.String on the two sides of `add`; expected numbers, or an instant, date or duration with a duration");
    assert_snapshot!(message(&INCIDENT, "$filter=incidentDate gt 2024-01-01T06:00:00Z"), @"$filter at byte 16: found Edm.Date and Edm.DateTimeOffset on the two sides of `gt`, which can't be compared; a date is written 2024-01-31 or as its midnight in UTC, and `date(…)` gives an instant's date");
    assert_snapshot!(message(&INCIDENT, "$filter=incidentDate eq '2024-01-01'"), @"$filter at byte 16: found Edm.Date and Edm.String on the two sides of `eq`, which can't be compared; a date is written without quotes: 2024-01-31");
    assert_snapshot!(message(&INCIDENT, "$filter=title has 'x'"), @"$filter at byte 0: found a value of type Edm.String before `has`; expected an enumeration");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=id mod 0 eq 1"), @"$filter at byte 7: found a zero after `mod`, which has no result");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=id eq '5'"), @"$filter at byte 6: found Edm.Int32 and Edm.String on the two sides of `eq`, which can't be compared; a number is written without quotes");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=substring(description,1,-1) eq ''"), @"$filter at byte 24: found the length -1; expected 0 or more");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=valueDate gt datetime'2024-02-03T00:00:00'"), @"$filter at byte 13: found `datetime` before a string; only `duration` and qualified type names may stand there; an instant is written 2024-01-31T00:00:00Z, without quotes");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=valueDate gt duration'1 day'"), @"$filter at byte 13: found the duration '1 day'; expected days, hours, minutes and seconds as in P1DT2H30M5.5S");
    assert_snapshot!(message(&BOARD, "$filter=(id,name) eq 1"), @"$filter at byte 0: found a list as a value; a list may only follow `in`, itself or by an alias such as `@list`");
    assert_snapshot!(message(&BOARD, "$filter=[id,name] in [[1,'a']]"), @"$filter at byte 0: found a list as a value; a list may only follow `in`, itself or by an alias such as `@list`");
    assert_snapshot!(message(&BOARD, "$filter=cast(id) eq 5"), @"$filter at byte 0: found 1 as the number of arguments of `cast`; expected 2 (a value and a type)");
    assert_snapshot!(message(&BOARD, "$filter=now(1) gt now()"), @"$filter at byte 0: found 1 as the number of arguments of `now`; expected none");
    assert_snapshot!(message(&BOARD, "$filter=duration'PT1H' mul duration'PT1H' eq null"), @"$filter at byte 19: found Edm.Duration and Edm.Duration on the two sides of `mul`; expected numbers, or an instant, date or duration with a duration");
    assert_snapshot!(message(&BOARD, "$filter=01234567-89ab-cdef-0123-456789abcdef eq '01234567-89ab-cdef-0123-456789abcdef'"), @"$filter at byte 40: found Edm.Guid and Edm.String on the two sides of `eq`, which can't be compared; a GUID is written without quotes");
    assert_snapshot!(message(&BOARD, "$filter=isMember has 'x'"), @"$filter at byte 0: found a value of type Edm.Boolean before `has`; expected an enumeration");
    assert_snapshot!(message(&BOARD, "$filter=-isPublic"), @"$filter at byte 0: found `-` before a value of type Edm.Boolean; expected a number or a duration");
    assert_snapshot!(message(&BOARD, "$filter=id in (1,'a')"), @"$filter at byte 9: found Edm.Int32 and Edm.String on the two sides of `in`, which can't be compared; a number is written without quotes");
}
