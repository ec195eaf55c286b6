//! The tables, in both dialects. `message_count` is for those who reconcile: to count a million messages by agreement
//! takes a second with it, and without it the server reads every message.

/// SQLite: moments are texts in UTC that sort as time does.
pub(super) const SQLITE: &str = "
CREATE TABLE IF NOT EXISTS cpa (cpa_id TEXT PRIMARY KEY, cpa TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS message (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time_stamp TEXT NOT NULL,
  cpa_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  message_id TEXT NOT NULL UNIQUE,
  ref_to_message_id TEXT,
  time_to_live TEXT,
  persist_time TEXT,
  from_party_id TEXT NOT NULL,
  from_role TEXT,
  to_party_id TEXT NOT NULL,
  to_role TEXT,
  service TEXT NOT NULL,
  action TEXT NOT NULL,
  content BLOB NOT NULL,
  status INTEGER NOT NULL,
  status_time TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS message_reference ON message (ref_to_message_id);
CREATE INDEX IF NOT EXISTS message_count ON message (action, cpa_id, status);
CREATE TABLE IF NOT EXISTS attachment (
  message INTEGER NOT NULL REFERENCES message (id),
  `order` INTEGER NOT NULL,
  content_id TEXT NOT NULL,
  content_type TEXT NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (message, `order`)
);
CREATE TABLE IF NOT EXISTS delivery_task (
  cpa_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  message_id TEXT PRIMARY KEY,
  time_to_live TEXT,
  time_stamp TEXT NOT NULL,
  retries INTEGER NOT NULL,
  server TEXT
);
CREATE TABLE IF NOT EXISTS delivery_log (
  message_id TEXT NOT NULL,
  time_stamp TEXT NOT NULL,
  uri TEXT NOT NULL,
  status TEXT NOT NULL,
  error_message TEXT
);
CREATE INDEX IF NOT EXISTS delivery_log_message ON delivery_log (message_id);
";

/// MariaDB: ids are compared byte by byte, white space at their ends too.
pub(super) const MARIADB: [&str; 5] = [
    "CREATE TABLE IF NOT EXISTS cpa (cpa_id VARCHAR(255) PRIMARY KEY, cpa MEDIUMTEXT NOT NULL)
     ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin",
    "CREATE TABLE IF NOT EXISTS message (
       id BIGINT PRIMARY KEY AUTO_INCREMENT,
       time_stamp DATETIME(3) NOT NULL,
       cpa_id VARCHAR(255) NOT NULL,
       conversation_id VARCHAR(255) NOT NULL,
       message_id VARCHAR(255) NOT NULL UNIQUE,
       ref_to_message_id VARCHAR(255),
       time_to_live DATETIME(3),
       persist_time DATETIME(3),
       from_party_id VARCHAR(255) NOT NULL,
       from_role VARCHAR(255),
       to_party_id VARCHAR(255) NOT NULL,
       to_role VARCHAR(255),
       service VARCHAR(255) NOT NULL,
       action VARCHAR(255) NOT NULL,
       content MEDIUMBLOB NOT NULL,
       status SMALLINT NOT NULL,
       status_time DATETIME(3) NOT NULL,
       KEY message_reference (ref_to_message_id),
       KEY message_count (action, cpa_id, status)
     ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin",
    "CREATE TABLE IF NOT EXISTS attachment (
       message BIGINT NOT NULL,
       `order` SMALLINT NOT NULL,
       content_id VARCHAR(255) NOT NULL,
       content_type VARCHAR(255) NOT NULL,
       content LONGBLOB NOT NULL,
       PRIMARY KEY (message, `order`),
       FOREIGN KEY (message) REFERENCES message (id)
     ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin",
    "CREATE TABLE IF NOT EXISTS delivery_task (
       cpa_id VARCHAR(255) NOT NULL,
       channel VARCHAR(255) NOT NULL,
       message_id VARCHAR(255) PRIMARY KEY,
       time_to_live DATETIME(3),
       time_stamp DATETIME(3) NOT NULL,
       retries INT NOT NULL,
       server VARCHAR(255)
     ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin",
    "CREATE TABLE IF NOT EXISTS delivery_log (
       message_id VARCHAR(255) NOT NULL,
       time_stamp DATETIME(3) NOT NULL,
       uri VARCHAR(1024) NOT NULL,
       status VARCHAR(16) NOT NULL,
       error_message VARCHAR(1024),
       KEY delivery_log_message (message_id)
     ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin",
];
