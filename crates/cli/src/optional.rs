//! Arguments that a command may do without, although others cannot.

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// The arguments, unless a required one of them is missing.
pub(crate) struct Optional<T>(pub(crate) Option<T>);

impl<T: Args> Args for Optional<T> {
    fn augment_args(command: Command) -> Command {
        // Those for an update are the same, and none of them is required.
        T::augment_args_for_update(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }
}

impl<T: FromArgMatches> FromArgMatches for Optional<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(Self(T::from_arg_matches(matches).ok()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
