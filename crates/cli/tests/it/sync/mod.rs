//! `obeya sync`: the copy is what the service has, row by row, whatever happened meanwhile and wherever it
//! is.

mod between;
mod comments;
mod copy;
mod exact;
mod killed;
mod lesser;
mod pages;
mod plant;
mod refused;
mod unchanged;
mod wire;
mod writers;
