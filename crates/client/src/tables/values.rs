//! Datasources and their values.

use obeya_model::{Datasource, DatasourceValue};

use super::cell::{Column, Kind};

/// A value (v1). The same columns as [`value_schema`](crate::value_schema), for those who need the seventh digit of an instant.
static VALUE: [Column<DatasourceValue>; 14] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("dataSourceId", Kind::Int, false, |r| {
        r.data_source_id.into()
    }),
    Column::new("registrationDate", Kind::Instant, false, |r| {
        r.registration_date.into()
    }),
    Column::new("areaId", Kind::Int, true, |r| r.area_id.into()),
    Column::new("assetId", Kind::Int, true, |r| r.asset_id.into()),
    Column::new("projectId", Kind::Int, true, |r| r.project_id.into()),
    Column::new("value", Kind::Number, false, |r| r.value.into()),
    Column::new("description", Kind::Text, true, |r| {
        r.description.as_deref().into()
    }),
    Column::new("dimension", Kind::Word, true, |r| {
        r.dimension.as_deref().into()
    }),
    Column::new("dimension2", Kind::Word, true, |r| {
        r.dimension2.as_deref().into()
    }),
    Column::new("dimension3", Kind::Word, true, |r| {
        r.dimension3.as_deref().into()
    }),
    Column::new("dimension4", Kind::Word, true, |r| {
        r.dimension4.as_deref().into()
    }),
    Column::new("valueDate", Kind::Instant, false, |r| r.value_date.into()),
    Column::new("externalId", Kind::Text, true, |r| {
        r.external_id.as_deref().into()
    }),
];

/// A datasource (v1).
static DATASOURCE: [Column<Datasource>; 3] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("title", Kind::Text, true, |r| r.title.as_deref().into()),
    Column::new("description", Kind::Text, true, |r| {
        r.description.as_deref().into()
    }),
];

super::tabular! {
    DatasourceValue: VALUE;
    Datasource: DATASOURCE;
}
