//! Pure rules of the domain: states, transitions and validation. No SQL, no HTTP.
