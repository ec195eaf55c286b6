//! Addresses that are known only when they are asked for, such as a captured `Location` or a link of a page.

use contract::{BuildContext, Piece, Template};

/// Where an exchange goes that goes wherever an answer or a row of data says: to one of the places that others go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Anywhere {
    /// Number of the template that gives the address.
    pub(crate) template: u16,
    /// The captured value that it begins with; a relative address is then one of the answer that this came from.
    pub(crate) capture: Option<u8>,
}

/// What kind of value a text begins with, seen through functions of it.
enum Begins {
    Capture(u8),
    Column,
}

impl Anywhere {
    /// Of a URL that begins with a captured value or one from data, as it is or with a function of it.
    pub(super) fn of(url: &Template, context: &mut BuildContext<'_>) -> Option<Self> {
        let capture = match begins(url.pieces.first()?)? {
            Begins::Capture(slot) => Some(slot),
            Begins::Column => None,
        };
        Some(Self { template: context.keep(url.clone()), capture })
    }
}

fn begins(piece: &Piece) -> Option<Begins> {
    let of_any = |arguments: &[Template]| arguments.iter().flat_map(|text| &text.pieces).find_map(begins);
    match piece {
        Piece::Capture(slot) => Some(Begins::Capture(*slot)),
        Piece::Column { .. } => Some(Begins::Column),
        Piece::Call(call) => of_any(&call.arguments),
        Piece::Script(call) => of_any(&call.arguments),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Call;
    use std::sync::Arc;

    fn begins_with(piece: Piece) -> Option<Option<u8>> {
        begins(&piece).map(|begins| match begins {
            Begins::Capture(slot) => Some(slot),
            Begins::Column => None,
        })
    }

    #[test]
    fn a_captured_value_is_an_address_with_a_function_of_it_too() {
        let call = |arguments: Vec<Piece>| {
            let arguments = arguments.into_iter().map(|piece| Template { pieces: vec![piece] }).collect();
            Piece::Call(Arc::new(Call { name: "f", function: |_, _, _| true, arguments }))
        };
        assert_eq!(begins_with(Piece::Capture(3)), Some(Some(3)));
        assert_eq!(begins_with(Piece::Column { table: 0, column: 1 }), Some(None));
        assert_eq!(begins_with(call(vec![call(vec![Piece::Capture(3)])])), Some(Some(3)));
        assert_eq!(begins_with(call(vec![Piece::Serial, Piece::Column { table: 0, column: 1 }])), Some(None));
        // Where these lead would differ from exchange to exchange, and nothing of the answer says so.
        assert_eq!(begins_with(call(vec![Piece::Serial])), None);
        assert_eq!(begins_with(Piece::Uuid), None);
    }
}
