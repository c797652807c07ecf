//! The battery that every row passes.

use super::*;

#[test]
fn rows_stand_in_the_order_of_the_enumeration() {
    for (i, row) in TABLE.iter().enumerate() {
        assert_eq!(row.function as usize, i);
    }
}
