//! A cache of a connection by the text of a statement, which evicts the least recently used entry. Nothing
//! here knows an engine.

/// At most `capacity` entries, and at least one.
pub(super) struct LruCache<T> {
    // Some dozens or hundreds, most of different lengths: comparing with each costs less than hashing a text.
    entries: Vec<Entry<T>>,
    capacity: usize,
    clock: u64,
}

struct Entry<T> {
    text: Box<str>,
    value: T,
    used: u64,
}

impl<T> LruCache<T> {
    pub(super) fn new(capacity: usize) -> Self {
        LruCache {
            entries: Vec::new(),
            capacity: capacity.max(1),
            clock: 0,
        }
    }

    /// The value for this text, made if it is not cached.
    pub(super) fn get<E>(
        &mut self,
        text: &str,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<&mut T, E> {
        self.clock += 1;
        let found = self.entries.iter().position(|entry| *entry.text == *text);
        let index = match found {
            Some(index) => index,
            None => {
                let value = make()?;
                self.evict();
                self.entries.push(Entry {
                    text: text.into(),
                    value,
                    used: 0,
                });
                self.entries.len() - 1
            }
        };
        let entry = &mut self.entries[index];
        entry.used = self.clock;
        Ok(&mut entry.value)
    }

    /// Removes every entry.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }

    fn evict(&mut self) {
        if self.entries.len() < self.capacity {
            return;
        }
        let oldest = (0..self.entries.len()).min_by_key(|&index| self.entries[index].used);
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
        let mut cache = LruCache::new(2);
        let mut made = String::new();
        for text in ["a", "b", "a", "c", "a", "b"] {
            let got = cache.get(text, || {
                made.push_str(text);
                Ok::<_, Infallible>(text.to_uppercase())
            });
            assert_eq!(*got.unwrap(), text.to_uppercase());
        }
        assert_eq!(made, "abcb");
        let failed = cache.get("d", || Err("out of cheese"));
        assert_eq!(failed.unwrap_err(), "out of cheese");
        cache.clear();
        assert!(cache.get("a", || Err(())).is_err());
    }
}
