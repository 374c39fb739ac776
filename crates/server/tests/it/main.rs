//! The service over HTTP, in one binary: a module for each part.

mod support;

mod auth;
mod bad_input;
mod base_url;
mod boards;
mod contract;
mod http;
mod http_connection;
mod http_log;
mod http_upkeep;
mod import;
mod import_faults;
mod import_folder;
mod improvements;
mod incidents;
mod incidents_parts;
mod incidents_plant;
mod incidents_update;
mod odata;
mod odata_doors;
mod odata_typed;
mod paging;
mod reads;
mod reads_plant;
mod store;
mod store_parts;
mod store_purge;
mod store_view;
mod token;
mod trash;
mod types;
mod values;
mod values_large;
