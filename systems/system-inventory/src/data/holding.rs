//! Holdings: where an instance stands on the shelves; one to five of them.

use serde_json::json;
use terms::{Nanos, iso};

use super::catalogue::{Catalogue, Instance, Kind};
use super::draws::Draws;

/// Most holdings of one instance.
pub(crate) const HOLDINGS_MAX: u64 = 5;

/// One holdings record.
#[derive(Clone, Debug)]
pub(crate) struct Holding {
    pub(crate) id: String,
    /// The whole record as JSON text.
    pub(crate) json: String,
}

/// What draws about holdings are keyed with.
const PURPOSE: u64 = 0x484F_4C44;
/// First day of the collection, 2023-01-01, in seconds since 1970; record `i` is `i` seconds younger.
const FIRST_DAY_S: i64 = 1_672_531_200;

/// The moment at which instance `number` was catalogued.
pub(super) fn created(number: u64) -> String {
    iso::millis(Nanos::from_secs(FIRST_DAY_S.saturating_add_unsigned(number)))
}

impl Catalogue {
    /// The holdings of an instance, one to five, all numbers equally likely.
    pub(crate) fn holdings(&self, instance: &Instance) -> Vec<Holding> {
        let mut draws = Draws::new(self.key(PURPOSE), instance.number);
        let count = 1 + draws.below(HOLDINGS_MAX);
        let class =
            format!("{}{}", draws.one_of(&["DD", "PN", "QA", "TA", "HD", "Z", "ML", "GB"]), 100 + draws.below(9000));
        (0..count).map(|place| self.holding(instance, place, &class, &mut draws)).collect()
    }

    fn holding(&self, instance: &Instance, place: u64, class: &str, draws: &mut Draws) -> Holding {
        let id = self.uuid(Kind::Holding, instance.number * HOLDINGS_MAX + place);
        let location = self.uuid(Kind::Reference, draws.below(20));
        let created = created(instance.number);
        let json = json!({
            "id": id,
            "_version": 1,
            "hrid": format!("ho{:011}", instance.number * HOLDINGS_MAX + place + 1),
            "instanceId": instance.uuid,
            "permanentLocationId": location,
            "effectiveLocationId": location,
            "sourceId": self.uuid(Kind::Reference, 100),
            "callNumber": format!("{class} .{}{}", (b'A' + draws.below(26) as u8) as char, draws.below(1000)),
            "copies": 1 + draws.below(4),
            "onLoan": 0,
            "holdingsStatements": [{ "statement": format!("v.1 (19{:02})-v.{}", draws.below(100), 2 + draws.below(40)) }],
            "notes": [{ "note": draws.words(6), "staffOnly": false }],
            "discoverySuppress": false,
            "metadata": { "createdDate": created, "updatedDate": created },
        });
        Holding { id, json: json.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_to_five_holdings_equally_often() {
        let catalogue = Catalogue::new(1);
        let mut counts = [0u32; 6];
        for number in 0..10_000 {
            counts[catalogue.holdings(&catalogue.instance(number)).len()] += 1;
        }
        assert_eq!(counts[0], 0);
        // 2000 expected of each; five standard deviations of Binomial(10000, 1/5) are 200.
        assert!(counts[1..].iter().all(|count| count.abs_diff(2000) < 200), "{counts:?}");
    }

    #[test]
    fn a_holding_names_its_instance_and_is_the_same_each_time() {
        let catalogue = Catalogue::new(1);
        let instance = catalogue.instance(42);
        let holdings = catalogue.holdings(&instance);
        for holding in &holdings {
            let read: serde_json::Value = serde_json::from_str(&holding.json).unwrap();
            assert_eq!(read["instanceId"], instance.uuid);
            assert_eq!(read["id"], holding.id);
            assert!(holding.json.len() < 1000, "{}", holding.json.len());
        }
        let again: Vec<String> = catalogue.holdings(&instance).into_iter().map(|holding| holding.json).collect();
        assert_eq!(again, holdings.into_iter().map(|holding| holding.json).collect::<Vec<_>>());
    }
}
