//! The OData entity model over the tables.
