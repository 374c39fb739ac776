//! The fields of each kind of record that a table may fill: what a cell must be, and the headers that people
//! give such a column in English, Norwegian and German. Only facts, no logic of reading.

use obeya_server::import::{Named, NewResource};

use super::words::{
    EVALUATIONS, GROUP_TYPES, IMPROVEMENT_STATES, INCIDENT_STATES, PRIORITIES, SEVERITIES,
    USER_TYPES, Words,
};

/// The records of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Resource {
    /// Incidents
    Incidents,
    /// Improvements
    Improvements,
    /// Values of a datasource
    Values,
    /// Users
    Users,
    /// Groups
    Groups,
}

/// What a cell must be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// Any text of at most so many characters.
    Text(usize),
    /// A day.
    Day,
    /// A day or an instant.
    Instant,
    Number,
    /// An integer.
    Whole,
    Boolean,
    Words(Words),
    /// A record by its id or its name.
    Name(Named),
    /// A user by id or name; otherwise the text itself goes to the property of this name.
    Person(&'static str),
    /// Several records by their ids or names, separated by semicolons.
    Names(Named),
}

/// How the interface takes the field when it creates a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    /// Under the same name.
    Same,
    /// Under this name.
    As(&'static str),
    /// Not at all: the service sets it itself.
    No,
}

/// A field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    /// Its name in maps and messages.
    pub(crate) name: &'static str,
    /// The property of the import format.
    pub(crate) property: &'static str,
    pub(crate) kind: Kind,
    pub(crate) need: Need,
    pub(crate) api: Api,
    /// Headers between spaces, each in lower case and without signs.
    headers: &'static str,
}

/// Whether a record can be without the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Always,
    /// Only the interface requires it.
    ThroughApi,
    Never,
}

impl Resource {
    /// The name of the import format.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Incidents => "incidents",
            Self::Improvements => "improvements",
            Self::Values => "values",
            Self::Users => "users",
            Self::Groups => "groups",
        }
    }

    /// The same as the import knows it.
    pub(crate) fn stored(self) -> NewResource {
        match self {
            Self::Incidents => NewResource::Incidents,
            Self::Improvements => NewResource::Improvements,
            Self::Values => NewResource::DatasourceValues,
            Self::Users => NewResource::Users,
            Self::Groups => NewResource::Groups,
        }
    }

    /// The fields.
    pub(crate) fn fields(self) -> &'static [Field] {
        match self {
            Self::Incidents => INCIDENTS,
            Self::Improvements => IMPROVEMENTS,
            Self::Values => VALUES,
            Self::Users => USERS,
            Self::Groups => GROUPS,
        }
    }

    /// A field by its name.
    pub(crate) fn field(self, name: &str) -> Option<&'static Field> {
        self.fields().iter().find(|field| field.name == name)
    }
}

impl Field {
    /// The headers that mean the field, in lower case and without spaces and signs.
    pub(crate) fn headers(&self) -> impl Iterator<Item = &'static str> {
        self.headers.split(' ')
    }

    /// The property under which the field is written; `None` if the interface does not take it.
    pub(crate) fn written(&self, through_api: bool) -> Option<&'static str> {
        match (through_api, self.api) {
            (false, _) | (true, Api::Same) => Some(self.property),
            (true, Api::As(property)) => Some(property),
            (true, Api::No) => None,
        }
    }

    /// Whether a record must have it.
    pub(crate) fn is_required(&self, through_api: bool) -> bool {
        self.need == Need::Always || through_api && self.need == Need::ThroughApi
    }
}

const fn field(
    name: &'static str,
    property: &'static str,
    kind: Kind,
    headers: &'static str,
) -> Field {
    Field {
        name,
        property,
        kind,
        need: Need::Never,
        api: Api::Same,
        headers,
    }
}

const fn required(field: Field) -> Field {
    Field {
        need: Need::Always,
        ..field
    }
}

const fn required_by_api(field: Field) -> Field {
    Field {
        need: Need::ThroughApi,
        ..field
    }
}

const fn given(field: Field) -> Field {
    Field {
        api: Api::No,
        ..field
    }
}

const fn api(name: &'static str, field: Field) -> Field {
    Field {
        api: Api::As(name),
        ..field
    }
}

/// No limit of the interface.
const LONG: usize = usize::MAX;

const EXTERNAL_ID: Field = field(
    "externalId",
    "externalId",
    Kind::Text(255),
    "externalid extid id nr no number nummer saksnr saksnummer caseid casenumber caseno case reference \
     referanse referenz ref avviksnr avviksnummer fallnummer vorgangsnummer eksternid externeid \
     incidentid recordid key nøkkel",
);
const TEXT: &str = "text tekst description beskrivelse beschreibung details detaljer narrative comment kommentar \
     comments bemerkung anmerkung merknad notes notat summary sammendrag";
const TITLE: &str = "title tittel titel subject emne betreff headline overskrift heading kurzbeschreibung \
     shortdescription name navn";
const GROUP: &str = "followupgroup group gruppe team oppfølgingsgruppe ansvarliggruppe avdeling abteilung department \
     zuständigegruppe";
const AREA: Field = field(
    "area",
    "areaId",
    Kind::Name(Named::Area),
    "area areaid område bereich location sted lokasjon ort standort place site zone",
);
const PROJECT: Field = field(
    "project",
    "projectId",
    Kind::Name(Named::Project),
    "project projectid projectnumber prosjekt prosjektnummer projekt projektnummer",
);
const RESPONSIBLE: Field = field(
    "responsible",
    "responsibleUserId",
    Kind::Name(Named::User),
    "responsible responsibleuser responsibleuserid ansvarlig verantwortlich verantwortlicher owner \
     assignee assignedto tildelt eier saksbehandler bearbeiter zuständig",
);
const DUE: Field = field(
    "dueDate",
    "dueDate",
    Kind::Instant,
    "duedate due frist deadline fällig fälligkeit fälligam forfallsdato termin",
);

const EVALUATION_STATUS: Field = field(
    "evaluationStatus",
    "evaluationStatus",
    Kind::Words(EVALUATIONS),
    "evaluation evaluationstatus evaluering bewertung",
);

const EVALUATION_TEXT: Field = field(
    "evaluationText",
    "evaluationText",
    Kind::Text(LONG),
    "evaluationtext evalueringstekst bewertungstext",
);

static INCIDENTS: &[Field] = &[
    required(field("title", "title", Kind::Text(LONG), TITLE)),
    required(field(
        "incidentDate",
        "incidentDate",
        Kind::Day,
        "incidentdate date dato datum hendelsesdato avviksdato ereignisdatum vorfallsdatum eventdate \
         dateofincident occurred occurredon inntruffet when når",
    )),
    required(field(
        "incidentType",
        "incidentTypeId",
        Kind::Name(Named::IncidentType),
        "incidenttype incidenttypeid type hendelsestype avvikstype ereignistyp ereignisart \
         vorfallsart typ art sakstype eventtype",
    )),
    field("text", "text", Kind::Text(LONG), TEXT),
    field(
        "severity",
        "severity",
        Kind::Words(SEVERITIES),
        "severity alvorlighet alvorlighetsgrad schweregrad schwere alvor",
    ),
    field(
        "status",
        "status",
        Kind::Words(INCIDENT_STATES),
        "status state tilstand zustand",
    ),
    required_by_api(field(
        "categories",
        "categories",
        Kind::Names(Named::Category),
        "categories category kategori kategorier kategorie kategorien",
    )),
    field(
        "causes",
        "causes",
        Kind::Names(Named::Cause),
        "causes cause årsak årsaker ursache ursachen rootcause rotårsak",
    ),
    field(
        "followUpGroup",
        "followUpGroupId",
        Kind::Name(Named::Group),
        GROUP,
    ),
    field(
        "reportedByGroup",
        "reportedByGroupId",
        Kind::Name(Named::Group),
        "reportedbygroup reportinggroup meldendegruppe meldtavgruppe rapportertavgruppe skift schicht \
         shift",
    ),
    RESPONSIBLE,
    api(
        "createdByUserId",
        field(
            "reportedBy",
            "reportedByUserId",
            Kind::Person("reportedBy"),
            "reportedby reporter reportedbyuserid meldtav rapportertav melder gemeldetvon innmelder \
             createdby opprettetav erstelltvon",
        ),
    ),
    given(field(
        "reportedDate",
        "reportedDate",
        Kind::Instant,
        "reporteddate reported reportedon created createddate meldtdato meldt registrert rapportert \
         opprettet gemeldetam erstellt erstelltam meldedatum",
    )),
    field(
        "resolvedDate",
        "resolvedDate",
        Kind::Instant,
        "resolveddate resolved closed closeddate closedon lukket lukketdato løst avsluttet erledigt \
         erledigtam gelöstam geschlossen",
    ),
    DUE,
    AREA,
    PROJECT,
    EVALUATION_STATUS,
    EVALUATION_TEXT,
    field(
        "isAnonymous",
        "isAnonymous",
        Kind::Boolean,
        "isanonymous anonymous anonym",
    ),
    given(field(
        "latitude",
        "latitude",
        Kind::Number,
        "latitude lat breddegrad breitengrad",
    )),
    given(field(
        "longitude",
        "longitude",
        Kind::Number,
        "longitude lon long lng lengdegrad längengrad",
    )),
    EXTERNAL_ID,
];

static VALUES: &[Field] = &[
    required(field(
        "dataSource",
        "dataSourceId",
        Kind::Name(Named::Datasource),
        "datasource datasourceid datakilde datenquelle series serie kpi",
    )),
    required(field(
        "valueDate",
        "valueDate",
        Kind::Instant,
        "valuedate date dato datum time tid zeit timestamp tidspunkt zeitpunkt zeitstempel datetime \
         day dag tag tidsstempel",
    )),
    required(field(
        "value",
        "value",
        Kind::Number,
        "value verdi wert measurement måling messwert amount antall anzahl resultat result ergebnis \
         måleverdi",
    )),
    field(
        "dimension",
        "dimension",
        Kind::Text(100),
        "dimension dimension1 dim dim1",
    ),
    field(
        "dimension2",
        "dimension2",
        Kind::Text(100),
        "dimension2 dim2",
    ),
    field(
        "dimension3",
        "dimension3",
        Kind::Text(100),
        "dimension3 dim3",
    ),
    field(
        "dimension4",
        "dimension4",
        Kind::Text(100),
        "dimension4 dim4",
    ),
    field("description", "description", Kind::Text(255), TEXT),
    AREA,
    field("asset", "assetId", Kind::Whole, "asset assetid"),
    PROJECT,
    EXTERNAL_ID,
];

static IMPROVEMENTS: &[Field] = &[
    required_by_api(field("title", "title", Kind::Text(100), TITLE)),
    field("text", "text", Kind::Text(LONG), TEXT),
    field(
        "status",
        "status",
        Kind::Words(IMPROVEMENT_STATES),
        "status state tilstand zustand fase phase",
    ),
    field(
        "priorityStatus",
        "priorityStatus",
        Kind::Words(PRIORITIES),
        "prioritystatus priority prioritet priorität",
    ),
    field("group", "groupId", Kind::Name(Named::Group), GROUP),
    PROJECT,
    field(
        "category",
        "categoryId",
        Kind::Name(Named::ImprovementCategory),
        "category kategori kategorie categoryid",
    ),
    required_by_api(field(
        "suggestedBy",
        "suggestedByUserId",
        Kind::Person("suggestedBy"),
        "suggestedby suggestedbyuserid foreslåttav forslagsstiller vorgeschlagenvon einreicher \
         createdby proposedby opprettetav",
    )),
    RESPONSIBLE,
    given(field(
        "suggestionDate",
        "suggestionDate",
        Kind::Instant,
        "suggestiondate suggested date dato datum created opprettet foreslått vorgeschlagenam \
         erstellt",
    )),
    given(field(
        "plannedDate",
        "plannedDate",
        Kind::Instant,
        "planneddate planned planlagt geplant",
    )),
    given(field(
        "inProgressDate",
        "inProgressDate",
        Kind::Instant,
        "inprogressdate started startet begonnen påbegynt",
    )),
    given(field(
        "implementedDate",
        "implementedDate",
        Kind::Instant,
        "implementeddate implemented innført gjennomført umgesetzt done ferdig",
    )),
    given(field(
        "evaluatedDate",
        "evaluatedDate",
        Kind::Instant,
        "evaluateddate evaluated evaluert bewertetam",
    )),
    given(field(
        "archivedDate",
        "archivedDate",
        Kind::Instant,
        "archiveddate archived arkivert archiviert",
    )),
    DUE,
    field(
        "costOfInvestment",
        "costOfInvestment",
        Kind::Number,
        "costofinvestment cost kostnad kosten",
    ),
    field(
        "gainOfInvestment",
        "gainOfInvestment",
        Kind::Number,
        "gainofinvestment gain saving gevinst besparelse ersparnis einsparung nutzen",
    ),
    field(
        "costOfInvestmentHours",
        "costOfInvestmentHours",
        Kind::Number,
        "costofinvestmenthours",
    ),
    field(
        "gainOfInvestmentHours",
        "gainOfInvestmentHours",
        Kind::Number,
        "gainofinvestmenthours",
    ),
    field(
        "estimatedCostOfInvestment",
        "estimatedCostOfInvestment",
        Kind::Number,
        "estimatedcostofinvestment estimatedcost estimertkostnad",
    ),
    field(
        "estimatedGainOfInvestment",
        "estimatedGainOfInvestment",
        Kind::Number,
        "estimatedgainofinvestment estimatedgain estimertgevinst",
    ),
    field(
        "estimatedCostOfInvestmentHours",
        "estimatedCostOfInvestmentHours",
        Kind::Number,
        "estimatedcostofinvestmenthours",
    ),
    field(
        "estimatedGainOfInvestmentHours",
        "estimatedGainOfInvestmentHours",
        Kind::Number,
        "estimatedgainofinvestmenthours",
    ),
    EVALUATION_STATUS,
    EVALUATION_TEXT,
    EXTERNAL_ID,
];

static USERS: &[Field] = &[
    required(field(
        "userName",
        "userName",
        Kind::Text(255),
        "username user login brukernavn benutzername benutzer bruker upn userprincipalname loginname",
    )),
    required_by_api(field(
        "firstName",
        "firstName",
        Kind::Text(255),
        "firstname givenname fornavn vorname",
    )),
    required_by_api(field(
        "lastName",
        "lastName",
        Kind::Text(255),
        "lastname surname familyname etternavn nachname",
    )),
    field(
        "displayName",
        "displayName",
        Kind::Text(511),
        "displayname name navn fullname visningsnavn anzeigename fulltnavn",
    ),
    required_by_api(field(
        "email",
        "email",
        Kind::Text(255),
        "email mail epost emailaddress epostadresse",
    )),
    field(
        "type",
        "type",
        Kind::Words(USER_TYPES),
        "type typ usertype brukertype",
    ),
    given(field(
        "groups",
        "groups",
        Kind::Names(Named::Group),
        "groups group grupper gruppe gruppen team teams avdeling department abteilung",
    )),
    EXTERNAL_ID,
];

static GROUPS: &[Field] = &[
    required(field(
        "name",
        "name",
        Kind::Text(LONG),
        "name navn group groupname gruppe gruppenavn gruppenname team title",
    )),
    field(
        "type",
        "type",
        Kind::Words(GROUP_TYPES),
        "type typ grouptype gruppetype gruppentyp",
    ),
    field("description", "description", Kind::Text(LONG), TEXT),
    field(
        "parent",
        "parentId",
        Kind::Name(Named::Group),
        "parent parentid parentgroup overordnet overordnetgruppe übergeordnet übergeordnetegruppe \
         obergruppe",
    ),
    PROJECT,
    given(field(
        "sortOrder",
        "sortOrder",
        Kind::Whole,
        "sortorder order rekkefølge reihenfolge sortering",
    )),
    EXTERNAL_ID,
];

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use clap::ValueEnum as _;

    use super::super::words::normal;
    use super::*;

    #[test]
    fn a_header_means_one_field_and_is_written_as_it_is_compared() {
        for resource in Resource::value_variants() {
            let mut seen = HashMap::new();
            for field in resource.fields() {
                for header in field.headers() {
                    assert_eq!(normal(header), header, "{}", field.name);
                    let earlier = seen.insert(header, field.name);
                    assert_eq!(earlier, None, "{resource:?}: {header} of {}", field.name);
                }
                let own = normal(field.name);
                let listed = seen.get(&*own);
                assert!(listed.is_none_or(|name| *name == field.name), "{own}");
            }
        }
    }
}
