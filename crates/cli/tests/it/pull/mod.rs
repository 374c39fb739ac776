//! `obeya pull`: what is in the file, what is refused, what stays of a pull that breaks off, and how much
//! memory one takes.

#[cfg(unix)]
mod broken;
mod continued;
mod ended;
mod formats;
mod large;
mod moving;
mod order;
mod periods;
pub mod plant;
mod printed;
pub mod read;
mod refused;
mod relay;
mod shifted;
