//! The description of a small model, written by hand from OASIS's CSDL, and the context addresses of the
//! protocol's chapter 10.

use obeya_odata::csdl::{Container, EntitySet, list_context, record_context};
use obeya_odata::edm::{
    Cardinality, Column, EntityType, EnumType, Navigation, Property, SearchIndex, Type,
};
use obeya_odata::{Bound, Context, Limits, OptionName, Options};
use serde_json::{Value, json};

static KIND: EnumType = EnumType {
    name: "Kind",
    members: &["Line", "Cell"],
};

static GROUP: EntityType = EntityType {
    name: "Group",
    table: "groups",
    key: "id",
    properties: &[
        property("id", Type::Int32, false, "id"),
        property("name", Type::String, true, "name"),
        property("kind", Type::Enum(&KIND), false, "kind"),
        property("parentId", Type::Int32, true, "parent_id"),
    ],
    navigations: &[
        navigation("parent", &GROUP, Cardinality::One, ("parent_id", "id")),
        navigation("boards", &BOARD, Cardinality::Many, ("id", "group_id")),
        navigation("users", &USER, Cardinality::Many, ("id", "group_id")),
    ],
    search: Some(SearchIndex {
        table: "groups_search",
        column: "id",
    }),
};

static BOARD: EntityType = EntityType {
    name: "Board",
    table: "boards",
    key: "id",
    properties: &[
        property("id", Type::Int32, false, "id"),
        property("made", Type::DateTimeOffset, false, "made"),
    ],
    // The link is no property, so there is nothing to say about it.
    navigations: &[navigation(
        "group",
        &GROUP,
        Cardinality::One,
        ("group_id", "id"),
    )],
    search: None,
};

static USER: EntityType = EntityType {
    name: "User",
    table: "users",
    key: "id",
    properties: &[
        property("id", Type::String, false, "id"),
        property("skills", Type::Texts, false, "skills"),
    ],
    navigations: &[navigation(
        "home",
        &GROUP,
        Cardinality::One,
        ("home_id", "id"),
    )],
    search: None,
};

static PLANT: Container = Container {
    namespace: "Plant",
    name: "Service",
    sets: &[
        EntitySet {
            name: "groups",
            entity: &GROUP,
            url: "groups",
        },
        EntitySet {
            name: "boards",
            entity: &BOARD,
            url: "walls/boards",
        },
    ],
};

const fn property(name: &'static str, ty: Type, nullable: bool, column: &'static str) -> Property {
    Property {
        name,
        ty,
        nullable,
        column: Column::Name(column),
    }
}

const fn navigation(
    name: &'static str,
    target: &'static EntityType,
    cardinality: Cardinality,
    (from, to): (&'static str, &'static str),
) -> Navigation {
    Navigation {
        name,
        target,
        cardinality,
        from,
        to,
    }
}

const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">
  <edmx:Reference Uri="https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Capabilities.V1.xml">
    <edmx:Include Namespace="Org.OData.Capabilities.V1"/>
  </edmx:Reference>
  <edmx:Reference Uri="https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Aggregation.V1.xml">
    <edmx:Include Namespace="Org.OData.Aggregation.V1"/>
  </edmx:Reference>
  <edmx:DataServices>
    <Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="Plant">
      <EntityType Name="Group">
        <Key>
          <PropertyRef Name="id"/>
        </Key>
        <Property Name="id" Type="Edm.Int32" Nullable="false"/>
        <Property Name="name" Type="Edm.String"/>
        <Property Name="kind" Type="Plant.Kind" Nullable="false"/>
        <Property Name="parentId" Type="Edm.Int32"/>
        <NavigationProperty Name="parent" Type="Plant.Group">
          <ReferentialConstraint Property="parentId" ReferencedProperty="id"/>
        </NavigationProperty>
        <NavigationProperty Name="boards" Type="Collection(Plant.Board)"/>
        <NavigationProperty Name="users" Type="Collection(Plant.User)" ContainsTarget="true"/>
      </EntityType>
      <EntityType Name="Board">
        <Key>
          <PropertyRef Name="id"/>
        </Key>
        <Property Name="id" Type="Edm.Int32" Nullable="false"/>
        <Property Name="made" Type="Edm.DateTimeOffset" Nullable="false" Precision="7"/>
        <NavigationProperty Name="group" Type="Plant.Group"/>
      </EntityType>
      <EntityType Name="User">
        <Key>
          <PropertyRef Name="id"/>
        </Key>
        <Property Name="id" Type="Edm.String" Nullable="false"/>
        <Property Name="skills" Type="Collection(Edm.String)" Nullable="false"/>
        <NavigationProperty Name="home" Type="Plant.Group"/>
      </EntityType>
      <EnumType Name="Kind">
        <Member Name="Line" Value="0"/>
        <Member Name="Cell" Value="1"/>
      </EnumType>
      <EntityContainer Name="Service">
        <EntitySet Name="groups" EntityType="Plant.Group">
          <NavigationPropertyBinding Path="parent" Target="groups"/>
          <NavigationPropertyBinding Path="boards" Target="boards"/>
          <NavigationPropertyBinding Path="users/home" Target="groups"/>
          <Annotation Term="Org.OData.Capabilities.V1.InsertRestrictions">
            <Record>
              <PropertyValue Property="Insertable" Bool="false"/>
            </Record>
          </Annotation>
          <Annotation Term="Org.OData.Capabilities.V1.UpdateRestrictions">
            <Record>
              <PropertyValue Property="Updatable" Bool="false"/>
            </Record>
          </Annotation>
          <Annotation Term="Org.OData.Capabilities.V1.DeleteRestrictions">
            <Record>
              <PropertyValue Property="Deletable" Bool="false"/>
            </Record>
          </Annotation>
          <Annotation Term="Org.OData.Aggregation.V1.ApplySupported">
            <Record>
              <PropertyValue Property="Transformations">
                <Collection>
                  <String>aggregate</String>
                  <String>compute</String>
                  <String>concat</String>
                  <String>filter</String>
                  <String>groupby</String>
                </Collection>
              </PropertyValue>
              <PropertyValue Property="Rollup" EnumMember="Org.OData.Aggregation.V1.RollupType/None"/>
              <PropertyValue Property="From" Bool="false"/>
            </Record>
          </Annotation>
        </EntitySet>
        <EntitySet Name="boards" EntityType="Plant.Board">
          <NavigationPropertyBinding Path="group" Target="groups"/>
          <Annotation Term="Org.OData.Capabilities.V1.InsertRestrictions">
            <Record>
              <PropertyValue Property="Insertable" Bool="false"/>
            </Record>
          </Annotation>
          <Annotation Term="Org.OData.Capabilities.V1.UpdateRestrictions">
            <Record>
              <PropertyValue Property="Updatable" Bool="false"/>
            </Record>
          </Annotation>
          <Annotation Term="Org.OData.Capabilities.V1.DeleteRestrictions">
            <Record>
              <PropertyValue Property="Deletable" Bool="false"/>
            </Record>
          </Annotation>
          <Annotation Term="Org.OData.Capabilities.V1.SearchRestrictions">
            <Record>
              <PropertyValue Property="Searchable" Bool="false"/>
            </Record>
          </Annotation>
          <Annotation Term="Org.OData.Aggregation.V1.ApplySupported">
            <Record>
              <PropertyValue Property="Transformations">
                <Collection>
                  <String>aggregate</String>
                  <String>compute</String>
                  <String>concat</String>
                  <String>filter</String>
                  <String>groupby</String>
                </Collection>
              </PropertyValue>
              <PropertyValue Property="Rollup" EnumMember="Org.OData.Aggregation.V1.RollupType/None"/>
              <PropertyValue Property="From" Bool="false"/>
            </Record>
          </Annotation>
        </EntitySet>
        <Annotation Term="Org.OData.Aggregation.V1.ApplySupportedDefaults">
          <Record>
            <PropertyValue Property="Transformations">
              <Collection>
                <String>aggregate</String>
                <String>compute</String>
                <String>concat</String>
                <String>filter</String>
                <String>groupby</String>
              </Collection>
            </PropertyValue>
            <PropertyValue Property="Rollup" EnumMember="Org.OData.Aggregation.V1.RollupType/None"/>
            <PropertyValue Property="From" Bool="false"/>
          </Record>
        </Annotation>
      </EntityContainer>
    </Schema>
  </edmx:DataServices>
</edmx:Edmx>
"#;

#[test]
fn the_description_in_xml_is_csdl_4_0() {
    assert_eq!(PLANT.xml(), XML);
}

#[test]
fn the_description_in_json_is_csdl_json() {
    let read_only = |others: Value| {
        let mut set = json!({
            "$Collection": true,
            "@Org.OData.Capabilities.V1.InsertRestrictions": {"Insertable": false},
            "@Org.OData.Capabilities.V1.UpdateRestrictions": {"Updatable": false},
            "@Org.OData.Capabilities.V1.DeleteRestrictions": {"Deletable": false},
            "@Org.OData.Aggregation.V1.ApplySupported": {
                "Transformations": ["aggregate", "compute", "concat", "filter", "groupby"],
                "Rollup": "None",
                "From": false,
            },
        });
        let members = others.as_object().unwrap().clone();
        set.as_object_mut().unwrap().extend(members);
        set
    };
    let expected = json!({
        "$Version": "4.0",
        "$Reference": {
            "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Capabilities.V1.json": {
                "$Include": [{"$Namespace": "Org.OData.Capabilities.V1"}]
            },
            "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Aggregation.V1.json": {
                "$Include": [{"$Namespace": "Org.OData.Aggregation.V1"}]
            },
        },
        "$EntityContainer": "Plant.Service",
        "Plant": {
            "Group": {
                "$Kind": "EntityType",
                "$Key": ["id"],
                "id": {"$Type": "Edm.Int32"},
                "name": {"$Nullable": true},
                "kind": {"$Type": "Plant.Kind"},
                "parentId": {"$Type": "Edm.Int32", "$Nullable": true},
                "parent": {
                    "$Kind": "NavigationProperty", "$Type": "Plant.Group", "$Nullable": true,
                    "$ReferentialConstraint": {"parentId": "id"}
                },
                "boards": {"$Kind": "NavigationProperty", "$Collection": true, "$Type": "Plant.Board"},
                "users": {
                    "$Kind": "NavigationProperty", "$Collection": true, "$Type": "Plant.User",
                    "$ContainsTarget": true
                },
            },
            "Board": {
                "$Kind": "EntityType",
                "$Key": ["id"],
                "id": {"$Type": "Edm.Int32"},
                "made": {"$Type": "Edm.DateTimeOffset", "$Precision": 7},
                "group": {"$Kind": "NavigationProperty", "$Type": "Plant.Group", "$Nullable": true},
            },
            "User": {
                "$Kind": "EntityType",
                "$Key": ["id"],
                "id": {},
                "skills": {"$Collection": true},
                "home": {"$Kind": "NavigationProperty", "$Type": "Plant.Group", "$Nullable": true},
            },
            "Kind": {"$Kind": "EnumType", "Line": 0, "Cell": 1},
            "Service": {
                "$Kind": "EntityContainer",
                "groups": read_only(json!({
                    "$Type": "Plant.Group",
                    "$NavigationPropertyBinding": {"parent": "groups", "boards": "boards", "users/home": "groups"},
                })),
                "boards": read_only(json!({
                    "$Type": "Plant.Board",
                    "$NavigationPropertyBinding": {"group": "groups"},
                    "@Org.OData.Capabilities.V1.SearchRestrictions": {"Searchable": false},
                })),
                "@Org.OData.Aggregation.V1.ApplySupportedDefaults": {
                    "Transformations": ["aggregate", "compute", "concat", "filter", "groupby"],
                    "Rollup": "None",
                    "From": false,
                },
            },
        },
    });
    let found: Value = serde_json::from_str(&PLANT.json()).unwrap();
    assert_eq!(found, expected);
}

#[test]
fn the_service_document_lists_the_sets() {
    let found: Value =
        serde_json::from_str(&PLANT.service_document("http://plant.example/v2")).unwrap();
    assert_eq!(
        found,
        json!({
            "@odata.context": "http://plant.example/v2/$metadata",
            "value": [
                {"name": "groups", "kind": "EntitySet", "url": "groups"},
                {"name": "boards", "kind": "EntitySet", "url": "walls/boards"},
            ],
        })
    );
}

#[test]
fn what_is_wrong_with_a_description_is_found() {
    assert_eq!(PLANT.check(), Vec::<String>::new());
    static ODD: EntityType = EntityType {
        name: "Kind",
        table: "odd",
        key: "no",
        properties: &[
            property("the name", Type::String, true, "name"),
            property("kind", Type::Enum(&KIND), true, "kind"),
        ],
        navigations: &[],
        search: None,
    };
    static TWICE: Container = Container {
        namespace: "Plant.7",
        name: "Service",
        sets: &[
            EntitySet {
                name: "odd",
                entity: &ODD,
                url: "odd",
            },
            EntitySet {
                name: "odd",
                entity: &ODD,
                url: "odd",
            },
        ],
    };
    assert_eq!(
        TWICE.check(),
        [
            "Kind: the key `no` is not a property",
            "Plant.7: `Kind` is named twice",
            "Service: `odd` is named twice",
            "`7` is no identifier",
            "`the name` is no identifier",
        ]
    );
}

fn bound(query: &str) -> Bound {
    let limits = Limits::default();
    let (options, _) = Options::parse(query, OptionName::PAGED, &limits).unwrap();
    options.bind(&GROUP, &Context { now: 0, limits }).unwrap()
}

/// OData Protocol, 10.2, 10.3, 10.7 to 10.10, each for an answer of version 4.0.
#[test]
fn a_context_names_what_is_given_out() {
    for (query, context) in [
        ("", "$metadata#groups"),
        ("$filter=id gt 1&$orderby=name&$top=3", "$metadata#groups"),
        ("$select=*", "$metadata#groups"),
        ("$select=name,id", "$metadata#groups(id,name)"),
        ("$expand=boards", "$metadata#groups"),
        ("$select=id&$expand=boards", "$metadata#groups(id)"),
        (
            "$select=id&$expand=boards($select=id)",
            "$metadata#groups(id,boards(id))",
        ),
        // Only expanded navigations: every property is returned.
        (
            "$expand=boards($expand=group($select=name))",
            "$metadata#groups(boards(group(name)))",
        ),
        ("$select=boards&$expand=boards", "$metadata#groups(boards)"),
        (
            "$select=boards&$expand=boards($select=id)",
            "$metadata#groups(boards,boards(id))",
        ),
    ] {
        assert_eq!(list_context("groups", &bound(query)), context, "{query}");
        assert_eq!(
            record_context("groups", &bound(query)),
            format!("{context}/$entity"),
            "{query}"
        );
    }
}

/// OData Data Aggregation 4.0 and its examples: the context lists the grouping properties and the
/// names that the request gives.
#[test]
fn the_context_of_groups_names_their_values() {
    for (apply, context) in [
        ("aggregate($count as n)", "$metadata#groups(n)"),
        (
            "groupby((name,parent/name),aggregate(id with max as last))",
            "$metadata#groups(name,parent(name),last)",
        ),
        (
            "groupby((parent/name,kind,parent/parent/id,parent/id))",
            "$metadata#groups(parent(name,parent(id),id),kind)",
        ),
        ("filter(id gt 1)", "$metadata#groups"),
        (
            "compute(id mul 2 as twice)",
            "$metadata#groups(id,name,kind,parentId,twice)",
        ),
    ] {
        let query = bound(&format!("$apply={apply}"));
        assert_eq!(list_context("groups", &query), context, "{apply}");
    }
}
