-- A state as schema 2 wrote it, the release before payloads were encrypted: one task was removed, one erased.
PRAGMA application_id = 1131312747;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE checkpoint (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  sequence  INTEGER NOT NULL,
  chain     BLOB    NOT NULL,
  time      INTEGER NOT NULL,
  ended_by  INTEGER NOT NULL,
  tasks     INTEGER NOT NULL,
  exchanges INTEGER NOT NULL,
  data      INTEGER NOT NULL,
  digest    BLOB    NOT NULL,
  signature BLOB    NOT NULL
) STRICT;
INSERT INTO "checkpoint" VALUES(1,2,X'F258AD5A286E26F231DA984B658C98DA665E20CBE14C8B754E6AD145F57D86FC',1500,1001,1,0,0,X'A2B7BF18074F728F2E135B15DE697A85085ADCF9AA2588A740B79826B4291205',X'');
CREATE TABLE data_chunk (
  number INTEGER PRIMARY KEY,
  data   INTEGER NOT NULL,
  offset INTEGER NOT NULL CHECK (offset >= 0),
  digest BLOB    NOT NULL,
  bytes  BLOB    NOT NULL CHECK (length(bytes) BETWEEN 1 AND 262144),
  UNIQUE (data, offset)
) STRICT;
INSERT INTO "data_chunk" VALUES(1,3,0,X'27FEC31688C3D9000C77BA25E9A980B932CC8F56312F2248417139D35D444496',X'6F6C642D736563726574');
INSERT INTO "data_chunk" VALUES(2,3,10,X'7513B2C825C9D9616D25143C9AB5436830329938D2A790EBA0685A0EF91A26D3',X'6F6C642D736563726574');
CREATE TABLE data_param (
  number      INTEGER PRIMARY KEY,
  id          TEXT    NOT NULL UNIQUE,
  task        TEXT,
  party_one   TEXT    NOT NULL,
  party_two   TEXT    NOT NULL,
  data_type   TEXT    NOT NULL,
  description TEXT    NOT NULL,
  format      TEXT    NOT NULL,
  changed_at  INTEGER NOT NULL,
  data        TEXT,
  url         TEXT,
  size        INTEGER,
  sha256      BLOB,
  finished    INTEGER,
  digest      BLOB    NOT NULL,
  CHECK ((data IS NOT NULL) + (url IS NOT NULL) + (size IS NOT NULL) = 1)
) STRICT;
INSERT INTO "data_param" VALUES(1,'d-ended','ended','oss','ran','text','a reply','text/plain',1000,'data d-ended',NULL,NULL,NULL,NULL,X'EF748C68F863F9CD0752046187ABD0FF9D70C3063FA2935C57C0A07DD726C19B');
INSERT INTO "data_param" VALUES(2,'d-erased','erased','oss','ran','text','','text/plain',1000,'',NULL,NULL,NULL,NULL,X'013D3D867F3229A745126FECCDE4AB57E3F490CE0BE387EF98D2018631C86DC1');
INSERT INTO "data_param" VALUES(3,'d-open',NULL,'oss','ran','text','old-secret','text/plain',1000,NULL,NULL,20,X'0707070707070707070707070707070707070707070707070707070707070707',1,X'844E350876544B41903F4444C0270F9DB501393DDE2DCB3276EBECD6CABE38E0');
INSERT INTO "data_param" VALUES(4,'d-url','open','oss','ran','text','a reply','text/plain',1000,NULL,'https://x.example/old-secret',NULL,NULL,NULL,X'FAD13C4179F2732D09B493065967A87049DF3031F8F461B3966AECC2DA2DD44C');
CREATE TABLE erasure (
  task      TEXT    NOT NULL PRIMARY KEY,
  time      INTEGER NOT NULL,
  exchanges INTEGER NOT NULL,
  data      INTEGER NOT NULL,
  entries   INTEGER NOT NULL,
  digest    BLOB    NOT NULL,
  signature BLOB    NOT NULL
) STRICT;
INSERT INTO "erasure" VALUES('erased',2500,1,1,2,X'12C7217138B1624DFDFC8305F200EA6133F8DF52A692AAEEB6CFEE831F53B94A',X'');
CREATE TABLE exchange (
  number        INTEGER PRIMARY KEY,
  id            TEXT    NOT NULL UNIQUE,
  task          TEXT,
  send_from     TEXT    NOT NULL,
  send_to       TEXT    NOT NULL,
  verb          TEXT    NOT NULL,
  request       TEXT    NOT NULL,
  request_time  INTEGER NOT NULL,
  response      TEXT,
  response_time INTEGER,
  digest        BLOB    NOT NULL
) STRICT;
INSERT INTO "exchange" VALUES(1,'x-ended','ended','oss','ran','taskAssgin','request old-secret',1600,NULL,NULL,X'8048B145817E1B9758F6FEF7216A67763AC65B3FEB977603B9D05E6F0CB11F1B');
INSERT INTO "exchange" VALUES(2,'x-erased','erased','oss','ran','taskAssgin','',1600,NULL,NULL,X'9934D3DAD751E906AC7A8974D28736A27BA4AC3CE98A1338A7B419C0877620CD');
CREATE TABLE head (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  sequence  INTEGER NOT NULL,
  time      INTEGER NOT NULL,
  chain     BLOB    NOT NULL,
  tasks     INTEGER NOT NULL,
  open      INTEGER NOT NULL,
  exchanges INTEGER NOT NULL,
  data      INTEGER NOT NULL,
  digest    BLOB    NOT NULL
) STRICT;
INSERT INTO "head" VALUES(1,8,3001,X'5DD5A8EEAE50281C67ED50FA67B609C0B41DF46485F0E70F1A76231C9B23CDC1',3,1,2,4,X'222EA814EE1314A2BE70DDAEE664CE4D5B1339844584E3CBA2F481542C37B17E');
CREATE TABLE log (
  sequence INTEGER PRIMARY KEY,
  time     INTEGER NOT NULL,
  kind     TEXT    NOT NULL,
  body     TEXT    NOT NULL,
  digest   BLOB    NOT NULL,
  erased   BLOB
) STRICT;
INSERT INTO "log" VALUES(3,1600,'task','{"time":1000,"task":"ended","from":"ran","to":"oss","verb":"taskResultNotify","asynchronous":true,"status":"created","start_time":1000,"percent":0,"content":{"target_object":"link:a--b","task_description":"ended","environmental_information":"## not a heading\n\"quoted\"","expected_response":"restored","asynchronous":true,"terms":[["los","loss of signal"]],"payload":{"schema_id":"fault_diagnosis_v1","values":{"big":18446744073709551615,"list":[null,true,"ü\u0000"],"pi":0.30000000000000004,"tiny":5e-324}},"progress":"40 %","result":"done","others":[["notes",""]]}}',X'D05234848C1A2DCB07AD906372D8A9F5E5938E82F94901017EEFC45F798F2E4A',NULL);
INSERT INTO "log" VALUES(4,2000,'task','{"time":2000,"task":"ended","from":"ran","to":"oss","verb":"taskResultNotify","asynchronous":true,"status":"cancelled","previous":"created","start_time":1000,"percent":0,"content":{"target_object":"link:a--b","task_description":"ended","environmental_information":"## not a heading\n\"quoted\"","expected_response":"restored","asynchronous":true,"terms":[["los","loss of signal"]],"payload":{"schema_id":"fault_diagnosis_v1","values":{"big":18446744073709551615,"list":[null,true,"ü\u0000"],"pi":0.30000000000000004,"tiny":5e-324}},"progress":"40 %","result":"done","others":[["notes",""]]},"data":"d1"}',X'18420A92B39E725E83B54AE6B967BC380B02482D20C9D740EB2ED605627BABD9',NULL);
INSERT INTO "log" VALUES(5,2000,'task','{"time":1000,"task":"erased","from":"ran","to":"oss","verb":"taskResultNotify","asynchronous":true,"status":"created","start_time":1000,"percent":0,"content":{"target_object":"","task_description":""}}',X'42009AA3869C3EF35BC3E302313746EBE96CA323434714A0C56FC8B05E294658',X'FAD44E02D0300A67ED21408D00F66378C24826C5DAB717C3AF02DDE6CE9F948B6BC9A31A3637B417B6767BBCFE3651FDA7FDCD6EC381AF238AA366187AEBEE08');
INSERT INTO "log" VALUES(6,2000,'task','{"time":2000,"task":"erased","from":"ran","to":"oss","verb":"taskResultNotify","asynchronous":true,"status":"cancelled","previous":"created","start_time":1000,"percent":0,"content":{"target_object":"","task_description":""},"data":"d1"}',X'C394A4CA9DBE2AA2B830B18B7B9B51A3E15EAFA03C3B7391C2F7756A43BF8928',X'63439F3A9CBF54FF6A133EC8155E93BB2C4AA67E59D2A778B5D7FF2EF44BF7E05DECBA3E39860CD6298E11B833D3C02BC012ADE35DFCE0B949794D18A6A51FA3');
INSERT INTO "log" VALUES(7,3000,'task','{"time":1000,"task":"open","from":"ran","to":"oss","verb":"taskResultNotify","asynchronous":true,"status":"created","start_time":1000,"percent":0,"content":{"target_object":"link:a--b","task_description":"open","environmental_information":"## not a heading\n\"quoted\"","expected_response":"restored","asynchronous":true,"terms":[["los","loss of signal"]],"payload":{"schema_id":"fault_diagnosis_v1","values":{"big":18446744073709551615,"list":[null,true,"ü\u0000"],"pi":0.30000000000000004,"tiny":5e-324}},"progress":"40 %","result":"done","others":[["notes",""]]}}',X'7D371EE8129E45044A89FE16C43436D70C6098E8D6EFE9CE150ADFCE89D61B0F',NULL);
INSERT INTO "log" VALUES(8,3001,'session-started','{"username":"operator","session":4,"source_host":"127.0.0.1"}',X'5DD5A8EEAE50281C67ED50FA67B609C0B41DF46485F0E70F1A76231C9B23CDC1',NULL);
CREATE TABLE negotiation (
  number     INTEGER PRIMARY KEY,
  task       TEXT    NOT NULL,
  kind       TEXT    NOT NULL,
  publisher  TEXT    NOT NULL,
  executor   TEXT    NOT NULL,
  state      TEXT    NOT NULL,
  changed_at INTEGER NOT NULL,
  terms      TEXT    NOT NULL,
  digest     BLOB    NOT NULL,
  turns      TEXT    NOT NULL,
  UNIQUE (task, kind)
) STRICT;
INSERT INTO "negotiation" VALUES(1,'ended','feasibility','oss','ran','open',10,'{"opened":1,"round_limit":3,"answer_within_ms":60000,"version":1}',X'B071AA14CB1836759DD80958E91E6C3AEA84A6405A1A27DF930F0924B87F598F','[{"round":1,"by":"publisher","speech":{"stance":"offer","contents":[{"target_object":"link:a--b","task_description":"do","environmental_information":"## not a heading\n\"quoted\"","expected_response":"restored","asynchronous":true,"terms":[["los","loss of signal"]],"payload":{"schema_id":"fault_diagnosis_v1","values":{"big":18446744073709551615,"list":[null,true,"ü\u0000"],"pi":0.30000000000000004,"tiny":5e-324}},"progress":"40 %","result":"done","others":[["notes",""]]}],"reasons":[],"alternative":null},"at":10}]');
INSERT INTO "negotiation" VALUES(2,'erased','feasibility','oss','ran','open',10,'{"opened":1,"round_limit":3,"answer_within_ms":60000,"version":1}',X'0EE01EC7735BB16FA0D51EC58C0BC3C0182114CDE0415BA848D9EFCFACBD3E45','[{"round":1,"by":"publisher","speech":{"stance":"offer","contents":[{"target_object":"","task_description":""}],"reasons":[],"alternative":null},"at":10}]');
CREATE TABLE registration (
  name   TEXT NOT NULL PRIMARY KEY,
  place  TEXT NOT NULL,
  digest BLOB NOT NULL
) STRICT;
INSERT INTO "registration" VALUES('ran','{"profile":{"name":"ran","alias":"ran","description":"ü","agent_type":null,"version":"1.0.0","provider":"p","domain":"Wireless, IP","management_object":null,"layer":"resource","capability":{"streaming":true,"push_notifications":false,"negotiate":"n"},"skills":[{"name":"diagnose","description":"","tags":["a","b"],"input_modes":[],"output_modes":[],"examples":[],"schemas":["fault_diagnosis_v1"]}],"authentication":[{"id":"ssh","scheme":"SSH public key","jwt_info":null,"oauth":"o"}]},"reach":"client","registered_at":1,"renewed_at":2,"lease_ms":10000,"health":"degraded","health_note":"one card","expired":false}',X'3F7B569ABCA210D62949E2515E0391F3C776D88D8E499397DD4F66C649A4FE9E');
CREATE TABLE seal (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  sequence  INTEGER NOT NULL,
  time      INTEGER NOT NULL,
  chain     BLOB    NOT NULL,
  tasks     INTEGER NOT NULL,
  open      INTEGER NOT NULL,
  exchanges INTEGER NOT NULL,
  data      INTEGER NOT NULL,
  digest    BLOB    NOT NULL,
  signature BLOB    NOT NULL
) STRICT;
CREATE TABLE task (
  number       INTEGER PRIMARY KEY,
  id           TEXT    NOT NULL UNIQUE,
  parent       TEXT,
  send_from    TEXT    NOT NULL,
  send_to      TEXT    NOT NULL,
  status       TEXT    NOT NULL,
  ended        INTEGER NOT NULL CHECK (ended IN (0, 1)),
  created_at   INTEGER NOT NULL,
  changed_at   INTEGER NOT NULL,
  version      INTEGER NOT NULL CHECK (version > 0),
  asynchronous INTEGER NOT NULL,
  conditions   TEXT,
  awaits       TEXT,
  answer_by    INTEGER,
  percent      INTEGER NOT NULL CHECK (percent BETWEEN 0 AND 100),
  digest       BLOB    NOT NULL,
  content      TEXT    NOT NULL,
  text         TEXT    NOT NULL,
  plan         TEXT,
  result       TEXT,
  said         TEXT
) STRICT;
INSERT INTO "task" VALUES(1,'ended',NULL,'oss','ran','cancelled',1,1000,2000,2,1,NULL,NULL,NULL,0,X'B376231E2E040C12EB399C17F0129FDE0208B81EA15B94972DE687E36194CAFD','{"target_object":"link:a--b","task_description":"ended","environmental_information":"## not a heading\n\"quoted\"","expected_response":"restored","asynchronous":true,"terms":[["los","loss of signal"]],"payload":{"schema_id":"fault_diagnosis_v1","values":{"big":18446744073709551615,"list":[null,true,"ü\u0000"],"pi":0.30000000000000004,"tiny":5e-324}},"progress":"40 %","result":"done","others":[["notes",""]]}','an old-secret','{"target_object":"link:a--b","task_description":"plan old-secret","environmental_information":"## not a heading\n\"quoted\"","expected_response":"restored","asynchronous":true,"terms":[["los","loss of signal"]],"payload":{"schema_id":"fault_diagnosis_v1","values":{"big":18446744073709551615,"list":[null,true,"ü\u0000"],"pi":0.30000000000000004,"tiny":5e-324}},"progress":"40 %","result":"done","others":[["notes",""]]}','{"target_object":"link:a--b","task_description":"result old-secret","environmental_information":"## not a heading\n\"quoted\"","expected_response":"restored","asynchronous":true,"terms":[["los","loss of signal"]],"payload":{"schema_id":"fault_diagnosis_v1","values":{"big":18446744073709551615,"list":[null,true,"ü\u0000"],"pi":0.30000000000000004,"tiny":5e-324}},"progress":"40 %","result":"done","others":[["notes",""]]}','{"target_object":"link:a--b","task_description":"said","environmental_information":"## not a heading\n\"quoted\"","expected_response":"restored","asynchronous":true,"terms":[["los","loss of signal"]],"payload":{"schema_id":"fault_diagnosis_v1","values":{"big":18446744073709551615,"list":[null,true,"ü\u0000"],"pi":0.30000000000000004,"tiny":5e-324}},"progress":"40 %","result":"done","others":[["notes",""]]}');
INSERT INTO "task" VALUES(2,'erased',NULL,'oss','ran','cancelled',1,1000,2000,2,1,NULL,NULL,NULL,0,X'21A4AADBD3217C74FDBC071BCC4190C1A493599E748DF5BE766945E42B7E1E58','{"target_object":"","task_description":""}','','{"target_object":"","task_description":""}','{"target_object":"","task_description":""}','{"target_object":"","task_description":""}');
INSERT INTO "task" VALUES(3,'open',NULL,'oss','ran','created',0,1000,1000,1,1,'{"deadline":9000,"answer_within_ms":null,"fulfillment_demanded":false,"round_limit":0,"subscription":{"protocol":"https","method":"POST","url":"https://oss.example/old-secret"},"data":"d-open","context":null}',NULL,NULL,0,X'50931A18DFD46CDDB332D3D9F1F0256996128A1BA30471428909BA6E23019B94','{"target_object":"link:a--b","task_description":"open","environmental_information":"## not a heading\n\"quoted\"","expected_response":"restored","asynchronous":true,"terms":[["los","loss of signal"]],"payload":{"schema_id":"fault_diagnosis_v1","values":{"big":18446744073709551615,"list":[null,true,"ü\u0000"],"pi":0.30000000000000004,"tiny":5e-324}},"progress":"40 %","result":"done","others":[["notes",""]]}','## target object
link:a--b',NULL,NULL,NULL);
CREATE TABLE team (
  number     INTEGER PRIMARY KEY,
  task       TEXT    NOT NULL UNIQUE,
  changed_at INTEGER NOT NULL,
  digest     BLOB    NOT NULL,
  team       TEXT    NOT NULL
) STRICT;
INSERT INTO "team" VALUES(1,'ended',2,X'581750B693848FA63BB0255939C21B640183044CA6149CC6652F1989910BE2D1','{"task":"ended","publisher":"oss","needs":[{"name":"radio","criteria":{"skill":"diagnose","tags":["a"],"input_mode":null,"output_mode":null,"domain":null,"management_object":null,"schema":null,"text":null},"content":{"target_object":"link:a--b","task_description":"radio part","environmental_information":"## not a heading\n\"quoted\"","expected_response":"restored","asynchronous":true,"terms":[["los","loss of signal"]],"payload":{"schema_id":"fault_diagnosis_v1","values":{"big":18446744073709551615,"list":[null,true,"ü\u0000"],"pi":0.30000000000000004,"tiny":5e-324}},"progress":"40 %","result":"done","others":[["notes",""]]},"optional":true}],"candidates":[{"need":"radio","agent":"ran","score":750,"standing":"declined","reasons":[{"reason":"no-capacity","path":"window","message":"busy \"until\" noon"}]}],"formed_at":1,"changed_at":2,"version":2}');
INSERT INTO "team" VALUES(2,'erased',2,X'A16E9DE034FF31631956F7AEA1BCBED1153CF660BBF3F70D4C700831B76F3746','{"task":"erased","publisher":"oss","needs":[{"name":"radio","criteria":{"skill":"diagnose","tags":["a"],"input_mode":null,"output_mode":null,"domain":null,"management_object":null,"schema":null,"text":null},"content":{"target_object":"","task_description":""},"optional":true}],"candidates":[{"need":"radio","agent":"ran","score":750,"standing":"declined","reasons":[]}],"formed_at":1,"changed_at":2,"version":2}');
CREATE INDEX task_open ON task (changed_at) WHERE ended = 0;
CREATE INDEX task_ended ON task (changed_at) WHERE ended = 1;
CREATE INDEX task_ended_by_send_from ON task (send_from, changed_at) WHERE ended = 1;
CREATE INDEX task_ended_by_send_to ON task (send_to, changed_at) WHERE ended = 1;
CREATE INDEX task_by_parent ON task (parent) WHERE parent IS NOT NULL;
CREATE INDEX exchange_by_task ON exchange (task) WHERE task IS NOT NULL;
CREATE INDEX exchange_by_send_from ON exchange (send_from);
CREATE INDEX exchange_by_send_to ON exchange (send_to);
CREATE INDEX data_param_by_task ON data_param (task) WHERE task IS NOT NULL;
CREATE INDEX data_param_by_party_one ON data_param (party_one);
CREATE INDEX data_param_by_party_two ON data_param (party_two);
CREATE INDEX negotiation_open ON negotiation (changed_at) WHERE state = 'open';
CREATE TRIGGER a_terminal_state_is_never_left BEFORE UPDATE ON task
WHEN OLD.ended = 1 AND NOT (NEW.status = OLD.status AND NEW.version = OLD.version
  AND EXISTS (SELECT 1 FROM erasure WHERE task = OLD.id))
BEGIN SELECT RAISE(ABORT, 'a terminal state is never left'); END;
CREATE TRIGGER a_task_is_never_forgotten BEFORE DELETE ON task
WHEN OLD.ended = 0 OR OLD.changed_at > coalesce((SELECT ended_by FROM checkpoint), -1)
BEGIN SELECT RAISE(ABORT, 'a task is never forgotten before a checkpoint says so'); END;
CREATE TRIGGER the_log_is_never_rewritten BEFORE UPDATE ON log
WHEN NOT (OLD.erased IS NULL AND NEW.erased IS NOT NULL AND NEW.sequence = OLD.sequence
  AND NEW.time = OLD.time AND NEW.kind = OLD.kind AND NEW.digest = OLD.digest)
BEGIN SELECT RAISE(ABORT, 'the log is only appended to'); END;
CREATE TRIGGER the_log_is_never_cut BEFORE DELETE ON log
WHEN OLD.sequence > coalesce((SELECT sequence FROM checkpoint), 0)
BEGIN SELECT RAISE(ABORT, 'the log is never cut before a checkpoint says so'); END;
COMMIT;
