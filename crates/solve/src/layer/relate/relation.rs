//! A binary relation between two bytes as a bit matrix.

use everypath_term::ByteSet;

/// For each value of one byte the allowed values of the other, by rows and by columns.
#[derive(Clone)]
pub(super) struct Relation {
    rows: Box<[ByteSet]>,
    columns: Box<[ByteSet]>,
}

/// One of the two bytes of a relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    First,
    Second,
}

impl Relation {
    pub(super) fn new(rows: Vec<ByteSet>) -> Relation {
        let mut columns = vec![ByteSet::EMPTY; 256];
        for (first, row) in rows.iter().enumerate() {
            for second in row.iter() {
                columns[usize::from(second)].insert(first as u8);
            }
        }
        Relation { rows: rows.into(), columns: columns.into() }
    }

    /// The intersection.
    pub(super) fn meet(&self, other: &Relation) -> Relation {
        let meet = |a: &[ByteSet], b: &[ByteSet]| a.iter().zip(b).map(|(a, b)| a.meet(b)).collect();
        Relation { rows: meet(&self.rows, &other.rows), columns: meet(&self.columns, &other.columns) }
    }

    /// The values of the other byte that support a value of the byte on this side.
    pub(super) fn with(&self, side: Side, value: u8) -> &ByteSet {
        match side {
            Side::First => &self.rows[usize::from(value)],
            Side::Second => &self.columns[usize::from(value)],
        }
    }

    /// The values among `others` that have support in `values`: REVISE in Mackworth (1977).
    pub(super) fn supported(&self, side: Side, values: &ByteSet, others: &ByteSet) -> ByteSet {
        let (forwards, backwards) = match side {
            Side::First => (&self.rows, &self.columns),
            Side::Second => (&self.columns, &self.rows),
        };
        if values.len() <= others.len() {
            let mut image = ByteSet::EMPTY;
            values.for_each(|value| image = image.join(&forwards[usize::from(value)]));
            return image.meet(others);
        }
        let mut supported = *others;
        others.for_each(|other| {
            if backwards[usize::from(other)].meet(values).is_empty() {
                supported.remove(other);
            }
        });
        supported
    }
}
