//! Groups the rows of an expanded level by their owner. Sorted and searched, since hashing the keys costs
//! more than the few comparisons of a page.

use obeya_store::RecordId;

/// The numbers of rows by the link value of their owner.
pub(crate) struct RowsByOwner {
    /// The link value of the owner of each row.
    owners: Vec<RecordId>,
    /// The rows in the order of their owners; those of one owner in the order in which they were read.
    rows: Vec<usize>,
}

impl RowsByOwner {
    /// From the owner of each row.
    pub(crate) fn new(owners: Vec<RecordId>) -> Self {
        let mut rows: Vec<usize> = (0..owners.len()).collect();
        rows.sort_by_key(|&row| &owners[row]);
        Self { owners, rows }
    }

    /// The rows of one owner.
    pub(crate) fn get(&self, owner: &RecordId) -> &[usize] {
        let first = self.rows.partition_point(|&row| self.owners[row] < *owner);
        let rows = &self.rows[first..];
        let is_other = rows.iter().position(|&row| self.owners[row] != *owner);
        &rows[..is_other.unwrap_or(rows.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_owner_has_its_rows_in_the_order_of_reading() {
        let owners = [7, 3, 7, 9, 3, 7].map(|id: i64| RecordId::from(id));
        let by_owner = RowsByOwner::new(owners.to_vec());
        let rows = |owner: i64| by_owner.get(&RecordId::from(owner));
        assert_eq!(rows(7), [0, 2, 5]);
        assert_eq!(rows(3), [1, 4]);
        assert_eq!(rows(9), [3]);
        for owner in [2, 5, 8, 10] {
            assert!(rows(owner).is_empty(), "{owner}");
        }
        assert!(RowsByOwner::new(Vec::new()).get(&owners[0]).is_empty());
    }

    #[test]
    fn texts_as_ids_are_compared_by_every_letter() {
        let owners = ["u-1", "U-1", "u-1"].map(RecordId::from);
        let by_owner = RowsByOwner::new(owners.to_vec());
        assert_eq!(by_owner.get(&owners[0]), [0, 2]);
        assert_eq!(by_owner.get(&owners[1]), [1]);
    }
}
