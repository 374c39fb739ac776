//! What a connection keeps by the text of a statement; the least recently used goes first. Nothing here knows
//! an engine.

/// Room for so many, at least one.
pub(super) struct Kept<T> {
    // Some dozens or hundreds, told apart by their lengths mostly: looking through them costs less than
    // hashing a text.
    entries: Vec<Entry<T>>,
    capacity: usize,
    clock: u64,
}

struct Entry<T> {
    text: Box<str>,
    value: T,
    used: u64,
}

impl<T> Kept<T> {
    pub(super) fn new(capacity: usize) -> Self {
        Kept {
            entries: Vec::new(),
            capacity: capacity.max(1),
            clock: 0,
        }
    }

    /// What is kept of this text, made if it is not.
    pub(super) fn get<E>(
        &mut self,
        text: &str,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<&mut T, E> {
        self.clock += 1;
        let found = self.entries.iter().position(|entry| *entry.text == *text);
        let place = match found {
            Some(place) => place,
            None => {
                let value = make()?;
                self.make_room();
                self.entries.push(Entry {
                    text: text.into(),
                    value,
                    used: 0,
                });
                self.entries.len() - 1
            }
        };
        let entry = &mut self.entries[place];
        entry.used = self.clock;
        Ok(&mut entry.value)
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }

    fn make_room(&mut self) {
        if self.entries.len() < self.capacity {
            return;
        }
        let oldest = (0..self.entries.len()).min_by_key(|&place| self.entries[place].used);
        if let Some(oldest) = oldest {
            self.entries.swap_remove(oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn the_least_recently_used_goes_and_what_is_kept_is_not_made_again() {
        let mut kept = Kept::new(2);
        let mut made = String::new();
        for text in ["a", "b", "a", "c", "a", "b"] {
            let got = kept.get(text, || {
                made.push_str(text);
                Ok::<_, Infallible>(text.to_uppercase())
            });
            assert_eq!(*got.unwrap(), text.to_uppercase());
        }
        assert_eq!(made, "abcb");
        let failed = kept.get("d", || Err("out of cheese"));
        assert_eq!(failed.unwrap_err(), "out of cheese");
        kept.clear();
        assert!(kept.get("a", || Err(())).is_err());
    }
}
