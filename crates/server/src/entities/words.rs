//! The words that enumerated properties may hold, as the wire and the tables write them.

use obeya_odata::edm::EnumType;

pub(super) static BOARD_TYPE: EnumType = EnumType {
    name: "BoardType",
    members: &["Weekly", "Kanban", "SmartActionList", "Yearly"],
};

pub(super) static GROUP_TYPE: EnumType = EnumType {
    name: "GroupType",
    members: &["GENERAL", "BUSINESSUNIT", "PROJECT", "CUSTOMIZED"],
};

pub(super) static INCIDENT_STATUS: EnumType = EnumType {
    name: "IncidentStatus",
    members: &["New", "InProgress", "Resolved", "Rejected"],
};

pub(super) static INCIDENT_SEVERITY: EnumType = EnumType {
    name: "IncidentSeverity",
    members: &["None", "Low", "Medium", "High"],
};

pub(super) static IMPROVEMENT_STATUS: EnumType = EnumType {
    name: "ImprovementStatus",
    members: &[
        "Suggested",
        "Planned",
        "InProgress",
        "Implemented",
        "Evaluated",
        "Archived",
        "Activated",
        "Open",
    ],
};

pub(super) static IMPROVEMENT_PRIORITY_STATUS: EnumType = EnumType {
    name: "ImprovementPriorityStatus",
    members: &[
        "NotPrioritized",
        "LowEffortHighEffect",
        "HighEffortHighEffect",
        "LowEffortLowEffect",
        "HighEffortLowEffect",
    ],
};

pub(super) static EVALUATION_STATUS: EnumType = EnumType {
    name: "EvaluationStatus",
    members: &["Medium", "Good", "Bad"],
};

pub(super) static EVALUATION_STATUS_V2: EnumType = EnumType {
    name: "EvaluationStatusV2",
    members: &["Meh", "Smile", "Frown"],
};
