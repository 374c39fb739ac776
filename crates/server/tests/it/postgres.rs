//! The service over HTTP, and the store below it, on PostgreSQL: a module for each part.

use obeya_server::store::Dialect;

/// The engine that this binary is about.
const ENGINE: Dialect = Dialect::Postgres;

mod support;

// On every engine: the list is the same in each binary, to which `engines` sees.
mod anonymity;
mod auth;
mod bad_input;
mod base_url;
mod boards;
mod busy_readers;
mod contract;
mod engines;
mod etags;
mod export;
mod export_plant;
mod http;
mod http_connection;
mod http_log;
mod http_upkeep;
mod import;
mod import_csv_faults;
mod import_faults;
mod import_folder;
mod import_stamps;
mod improvements;
mod improvements_made;
mod incidents;
mod incidents_one_field;
mod incidents_parts;
mod incidents_plant;
mod incidents_trash;
mod incidents_update;
mod incidents_v2;
mod lists_v1;
mod lost_updates;
mod odata;
mod odata_doors;
mod odata_typed;
mod one_form;
mod paging;
mod property_names;
mod reads;
mod reads_plant;
mod repeated;
mod stamps_followed;
mod store;
mod store_ids;
mod store_parts;
mod store_purge;
mod store_replicas;
mod store_session;
mod store_shared;
mod store_view;
mod store_words;
mod token;
mod trash;
mod types;
mod unchanged;
mod values;
mod values_forms;
mod values_large;
mod values_streams;
mod values_written;
mod write_only;

// A server that fails, and what only this engine does.
mod partitions;
mod postgres_cluster;
mod postgres_faults;
mod postgres_roles;
mod postgres_store;
mod postgres_upgrade;
mod postgres_waits;
mod same_bytes;
