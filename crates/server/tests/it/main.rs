//! The service over HTTP, in one binary: a module for each part.

mod support;

mod auth;
mod http;
mod http_log;
mod http_upkeep;
mod token;
mod odata;
mod reads;
mod reads_plant;
mod trash;
mod values;
mod boards;
mod import;
mod import_faults;
mod import_folder;
mod improvements;
mod incidents;
mod incidents_parts;
mod incidents_plant;
mod incidents_update;
mod store;
mod store_purge;
mod types;
