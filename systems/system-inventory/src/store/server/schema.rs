//! The tables of a tenant in PostgreSQL: the platform's own, with records in three tables and holdings as `jsonb`.

/// The schema and its tables, without indexes: those are faster to make when the rows are there.
pub(super) fn tables(tenant: &str) -> String {
    format!(
        "CREATE SCHEMA {tenant};
         CREATE TABLE {tenant}.inventory_store (instances bigint NOT NULL, seed text NOT NULL, layout bigint NOT NULL);
         CREATE TABLE {tenant}.records (
             id uuid NOT NULL, snapshot_id uuid NOT NULL, matched_id uuid NOT NULL, generation bigint NOT NULL,
             record_type text NOT NULL, instance_id uuid NOT NULL, instance_hrid text NOT NULL, state text NOT NULL,
             suppress_discovery boolean NOT NULL, created_date text NOT NULL, updated_date text NOT NULL,
             title text NOT NULL);
         CREATE TABLE {tenant}.raw_records (id uuid NOT NULL, content text NOT NULL);
         CREATE TABLE {tenant}.marc_records (id uuid NOT NULL, content jsonb NOT NULL);
         CREATE TABLE {tenant}.holdings_record (id uuid NOT NULL, jsonb jsonb NOT NULL, instanceid uuid NOT NULL);
         CREATE TABLE {tenant}.loan (
             id uuid PRIMARY KEY, holding_id uuid NOT NULL, instance_id uuid NOT NULL, loan_date text NOT NULL);"
    )
}

/// Keys and indexes.
pub(super) fn indexes(tenant: &str) -> String {
    format!(
        "ALTER TABLE {tenant}.records ADD PRIMARY KEY (id);
         CREATE INDEX records_instance_hrid ON {tenant}.records (instance_hrid);
         CREATE INDEX records_instance_id ON {tenant}.records (instance_id);
         CREATE INDEX records_snapshot_id ON {tenant}.records (snapshot_id);
         CREATE INDEX records_title ON {tenant}.records USING gin (to_tsvector('simple', title));
         ALTER TABLE {tenant}.raw_records ADD PRIMARY KEY (id);
         ALTER TABLE {tenant}.marc_records ADD PRIMARY KEY (id);
         ALTER TABLE {tenant}.holdings_record ADD PRIMARY KEY (id);
         CREATE INDEX holdings_record_instanceid ON {tenant}.holdings_record (instanceid);
         CREATE INDEX holdings_record_hrid ON {tenant}.holdings_record ((jsonb->>'hrid'));"
    )
}
