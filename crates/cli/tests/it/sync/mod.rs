//! `obeya sync`: the copy is what the service has, row by row, whatever happened meanwhile and wherever it is.

mod copy;
mod exact;
mod killed;
mod plant;
mod refused;
mod wire;
mod writers;
