//! Unknown names, and names that do not exist at the end of a path.

use insta::assert_snapshot;

use super::message;
use crate::model::{BOARD, GROUP, INCIDENT};

#[test]
fn what_is_named_exists() {
    assert_snapshot!(message(&BOARD, "$filter=nmae eq 'x'"), @"$filter at byte 0: found `nmae`, which is no property of Board; did you mean `name`?");
    assert_snapshot!(message(&BOARD, "$filter=isPublic and group/levle gt 1"), @"$filter at byte 19: found `levle`, which is no property of Group; did you mean `level`?");
    assert_snapshot!(message(&BOARD, "$filter=contians(name,'x')"), @"$filter at byte 0: found `contians(`, which is no function here; did you mean `contains`?");
    assert_snapshot!(message(&BOARD, "$filter=substringof('x',name)"), @"$filter at byte 0: found `substringof(`, which is no function here; did you mean `substring`?");
    assert_snapshot!(message(&BOARD, "$filter=any(b:b/id eq 1)"), @"$filter at byte 0: found `any(` without a path; it follows a navigation to many, as in `boards/any(b:b/isPublic)`");
    assert_snapshot!(message(&BOARD, "$filter=boardType eq Obeya.BoardType'Weekley'"), @"$filter at byte 13: found 'Weekley', which is no member of BoardType; did you mean `Weekly`?");
    assert_snapshot!(message(&BOARD, "$filter=Name eq 'x'"), @"$filter at byte 0: found `Name`, which is no property of Board; did you mean `name`?");
    assert_snapshot!(message(&BOARD, "$filter=naam eq 'x'"), @"$filter at byte 0: found `naam`, which is no property of Board");
    assert_snapshot!(message(&BOARD, "$filter=id eq @limt&@limit=5"), @"$filter at byte 6: found `@limt`, which the request gives no value; did you mean `@limit`?");
    assert_snapshot!(message(&BOARD, "$filter=id in @list"), @"$filter at byte 6: found `@list`, which the request gives no value");
    assert_snapshot!(message(&BOARD, "$filter=name eq @p&@p=nmae"), @"$filter at byte 8: in the value of `@p`: found `nmae`, which is no property of Board; did you mean `name`?");
    assert_snapshot!(message(&BOARD, "$filter=group/boards/any(b:x/id eq 1)"), @"$filter at byte 19: found `x`, which is no property of Board");
    assert_snapshot!(message(&BOARD, "$filter=group/boards/name eq 'x'"), @"$filter at byte 6: found `boards/`, which leads to many; expected `any`, `all` or `$count` after it");
    assert_snapshot!(message(&BOARD, "$filter=group/boards eq 1"), @"$filter at byte 6: found the navigation `boards` as a value; it leads to many: use `any`, `all` or `$count`");
    assert_snapshot!(message(&BOARD, "$filter=group eq 1"), @"$filter at byte 0: found the navigation `group` as a value; expected a property of it, such as `group/id`, or `eq null`");
    assert_snapshot!(message(&BOARD, "$filter=group gt null"), @"$filter at byte 0: found the navigation `group` as a value; expected a property of it, such as `group/id`, or `eq null`");
    assert_snapshot!(message(&BOARD, "$filter=group eq group/parent or group eq $it"), @"$filter at byte 34: found entities of the types Group and Board, which are never the same; compare properties of them");
    assert_snapshot!(message(&BOARD, "$filter=$it eq 5"), @"$filter at byte 0: found `$it` alone; expected a property of it, such as `$it/id`");
    assert_snapshot!(message(&BOARD, "$filter=name/length gt 5"), @"$filter at byte 0: found `/` after `name`, which is a plain property of Board");
    assert_snapshot!(message(&BOARD, "$filter=group/any(g:g/id eq 1)"), @"$filter at byte 0: found `group`, which is no collection; expected a navigation that leads to many");
    assert_snapshot!(message(&BOARD, "$filter=cast(id,Edm.Strng) eq '1'"), @"$filter at byte 8: found the type `Edm.Strng`, which is not known; did you mean `Edm.String`?");
    assert_snapshot!(message(&BOARD, "$filter=matchespattern(name,'a','g')"), @"$filter at byte 20: found the pattern 'a': the flag `g` is not known; the flags are i, m, s and u");
    assert_snapshot!(message(&INCIDENT, "$filter=severity has X.Severity'Hihg'"), @"$filter at byte 13: found 'Hihg', which is no member of IncidentSeverity; did you mean `High`?");
    assert_snapshot!(message(&BOARD, "$filter=id eq @a&@a=@b&@b=@a"), @"$filter at byte 6: in the value of `@a`: the value of `@b` leads back to itself or through too many aliases");
    assert_snapshot!(message(&BOARD, "$filter=group/name/x eq 1"), @"$filter at byte 6: found `/` after `name`, which is a plain property of Group");
}

#[test]
fn a_literal_beside_an_enumeration_is_a_member() {
    assert_snapshot!(message(&INCIDENT, "$filter=severity eq 'high'"), @"$filter at byte 12: found 'high', which is no member of IncidentSeverity; did you mean `High`?");
    assert_snapshot!(message(&INCIDENT, "$filter='high' ne severity"), @"$filter at byte 0: found 'high', which is no member of IncidentSeverity; did you mean `High`?");
    assert_snapshot!(message(&INCIDENT, "$filter=status in ('New','inprogress')"), @"$filter at byte 17: found 'inprogress', which is no member of IncidentStatus; did you mean `InProgress`?");
    assert_snapshot!(message(&INCIDENT, "$filter=status in @list&@list=['New','Gone']"), @"$filter at byte 10: in the value of `@list`: found 'Gone', which is no member of IncidentStatus; expected one of `New`, `InProgress`, `Resolved`, `Rejected`");
    assert_snapshot!(message(&INCIDENT, "$filter='new' in (status,'New')"), @"$filter at byte 0: found 'new', which is no member of IncidentStatus; did you mean `New`?");
    assert_snapshot!(message(&INCIDENT, "$filter=severity eq @p&@p='high'"), @"$filter at byte 12: found 'high', which is no member of IncidentSeverity; did you mean `High`?");
    assert_snapshot!(message(&INCIDENT, "$filter=severity eq ''"), @"$filter at byte 12: found '', which is no member of IncidentSeverity; expected one of `Low`, `Medium`, `High`");
    assert_snapshot!(message(&BOARD, "$filter=group/type ne 'general'"), @"$filter at byte 14: found 'general', which is no member of GroupType; did you mean `GENERAL`?");
    assert_snapshot!(message(&GROUP, "$filter=boards/any(b:b/boardType eq 'Daily')"), @"$filter at byte 28: found 'Daily', which is no member of BoardType; expected one of `Weekly`, `Kanban`, `SmartActionList`, `Yearly`");
    assert_snapshot!(message(&INCIDENT, "$orderby=status eq 'new'"), @"$orderby at byte 10: found 'new', which is no member of IncidentStatus; did you mean `New`?");
}
