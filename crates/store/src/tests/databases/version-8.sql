CREATE TABLE "state" (
  "one" bigint NOT NULL,
  "application" text NOT NULL,
  "version" bigint NOT NULL,
  PRIMARY KEY ("one"),
  CONSTRAINT state_rule_1 CHECK (one = 1)
);
CREATE TABLE "owner" (
  "one" bigint NOT NULL,
  "epoch" bigint NOT NULL,
  "holder" text NOT NULL,
  "until" bigint NOT NULL,
  "since" bigint NOT NULL,
  "rules" text NOT NULL,
  "heir" text NOT NULL,
  "heir_until" bigint NOT NULL,
  "commits" bigint NOT NULL,
  PRIMARY KEY ("one"),
  CONSTRAINT owner_rule_1 CHECK (one = 1)
);
CREATE TABLE "numbered" (
  "one" bigint NOT NULL,
  "observation" bigint NOT NULL,
  PRIMARY KEY ("one"),
  CONSTRAINT numbered_rule_1 CHECK (one = 1)
);
CREATE TABLE "node" (
  "name" text NOT NULL,
  "place" text NOT NULL,
  "life" text NOT NULL,
  "address" text NOT NULL,
  "version" text NOT NULL,
  "state" text NOT NULL,
  "rules" text NOT NULL,
  "started" bigint NOT NULL,
  "seen" bigint NOT NULL,
  "until" bigint NOT NULL,
  "wanted" text NOT NULL,
  PRIMARY KEY ("name")
);
CREATE TABLE "task" (
  "number" bigint NOT NULL,
  "id" text NOT NULL,
  "parent" text,
  "send_from" text NOT NULL,
  "send_to" text NOT NULL,
  "status" text NOT NULL,
  "ended" bigint NOT NULL,
  "created_at" bigint NOT NULL,
  "changed_at" bigint NOT NULL,
  "version" bigint NOT NULL,
  "asynchronous" bigint NOT NULL,
  "conditions" bytea,
  "awaits" text,
  "answer_by" bigint,
  "percent" bigint NOT NULL,
  "digest" bytea NOT NULL,
  "content" bytea NOT NULL,
  "text" bytea NOT NULL,
  "plan" bytea,
  "result" bytea,
  "said" bytea,
  "given" text,
  "cipher" bytea,
  "conversation" text,
  PRIMARY KEY ("number"),
  UNIQUE ("id"),
  CONSTRAINT task_rule_1 CHECK (ended IN (0, 1)),
  CONSTRAINT task_rule_2 CHECK (version > 0),
  CONSTRAINT task_rule_3 CHECK (percent BETWEEN 0 AND 100)
);
CREATE INDEX task_open ON "task" ("changed_at", "number") WHERE ended = 0;
CREATE INDEX task_ended ON "task" ("changed_at", "number") WHERE ended = 1;
CREATE INDEX task_ended_by_send_from ON "task" ("send_from", "changed_at", "number") WHERE ended = 1;
CREATE INDEX task_ended_by_send_to ON "task" ("send_to", "changed_at", "number") WHERE ended = 1;
CREATE INDEX task_by_conversation ON "task" ("conversation", "changed_at", "number") WHERE conversation IS NOT NULL;
CREATE INDEX task_by_parent ON "task" ("parent", "changed_at", "number") WHERE parent IS NOT NULL;
CREATE TABLE "exchange" (
  "number" bigint NOT NULL,
  "id" text NOT NULL,
  "task" text,
  "send_from" text NOT NULL,
  "send_to" text NOT NULL,
  "verb" text NOT NULL,
  "request" bytea NOT NULL,
  "request_time" bigint NOT NULL,
  "response" text,
  "response_time" bigint,
  "digest" bytea NOT NULL,
  "cipher" bytea,
  PRIMARY KEY ("number"),
  UNIQUE ("id")
);
CREATE INDEX exchange_by_task ON "exchange" ("task", "number") WHERE task IS NOT NULL;
CREATE INDEX exchange_by_send_from ON "exchange" ("send_from", "number");
CREATE INDEX exchange_by_send_to ON "exchange" ("send_to", "number");
CREATE TABLE "data_param" (
  "number" bigint NOT NULL,
  "id" text NOT NULL,
  "task" text,
  "party_one" text NOT NULL,
  "party_two" text NOT NULL,
  "data_type" text NOT NULL,
  "description" bytea NOT NULL,
  "format" text NOT NULL,
  "changed_at" bigint NOT NULL,
  "data" bytea,
  "url" bytea,
  "size" bigint,
  "sha256" bytea,
  "finished" bigint,
  "digest" bytea NOT NULL,
  "cipher" bytea,
  PRIMARY KEY ("number"),
  UNIQUE ("id"),
  CONSTRAINT data_param_rule_1 CHECK (data IS NOT NULL AND url IS NULL AND size IS NULL
             OR data IS NULL AND url IS NOT NULL AND size IS NULL
             OR data IS NULL AND url IS NULL AND size IS NOT NULL)
);
CREATE INDEX data_param_by_task ON "data_param" ("task", "number") WHERE task IS NOT NULL;
CREATE INDEX data_param_by_party_one ON "data_param" ("party_one", "number");
CREATE INDEX data_param_by_party_two ON "data_param" ("party_two", "number");
CREATE TABLE "data_chunk" (
  "number" bigint NOT NULL,
  "data" bigint NOT NULL,
  "offset" bigint NOT NULL,
  "digest" bytea NOT NULL,
  "bytes" bytea NOT NULL,
  "cipher" bytea,
  PRIMARY KEY ("number"),
  UNIQUE ("data", "offset"),
  CONSTRAINT data_chunk_rule_1 CHECK ("offset" >= 0),
  CONSTRAINT data_chunk_rule_2 CHECK (length(bytes) BETWEEN 1 AND 262144)
);
CREATE TABLE "negotiation" (
  "number" bigint NOT NULL,
  "task" text NOT NULL,
  "kind" text NOT NULL,
  "publisher" text NOT NULL,
  "executor" text NOT NULL,
  "state" text NOT NULL,
  "changed_at" bigint NOT NULL,
  "terms" text NOT NULL,
  "digest" bytea NOT NULL,
  "turns" bytea NOT NULL,
  "cipher" bytea,
  PRIMARY KEY ("number"),
  UNIQUE ("task", "kind")
);
CREATE INDEX negotiation_open ON "negotiation" ("changed_at", "number") WHERE state = 'open';
CREATE INDEX negotiation_by_publisher ON "negotiation" ("publisher", "number");
CREATE INDEX negotiation_by_executor ON "negotiation" ("executor", "number");
CREATE TABLE "team" (
  "number" bigint NOT NULL,
  "task" text NOT NULL,
  "changed_at" bigint NOT NULL,
  "digest" bytea NOT NULL,
  "team" bytea NOT NULL,
  "cipher" bytea,
  "publisher" text,
  PRIMARY KEY ("number"),
  UNIQUE ("task")
);
CREATE INDEX team_by_publisher ON "team" ("publisher", "number");
CREATE TABLE "document" (
  "number" bigint NOT NULL,
  "kind" text NOT NULL,
  "name" text NOT NULL,
  "digest" bytea NOT NULL,
  "body" bytea NOT NULL,
  "cipher" bytea,
  PRIMARY KEY ("number"),
  UNIQUE ("kind", "name")
);
CREATE TABLE "observation" (
  "number" bigint NOT NULL,
  "digest" bytea NOT NULL,
  "body" bytea NOT NULL,
  "cipher" bytea,
  PRIMARY KEY ("number")
);
CREATE TABLE "push_config" (
  "number" bigint NOT NULL,
  "task" text NOT NULL,
  "owner" text NOT NULL,
  "id" text NOT NULL,
  "digest" bytea NOT NULL,
  "config" bytea NOT NULL,
  "cipher" bytea,
  PRIMARY KEY ("number"),
  UNIQUE ("task", "owner", "id")
);
CREATE TABLE "cursor" (
  "id" bytea NOT NULL,
  "name" bytea NOT NULL,
  "sequence" bigint NOT NULL,
  "digest" bytea NOT NULL,
  "cipher" bytea,
  PRIMARY KEY ("id")
);
CREATE TABLE "registration" (
  "name" text NOT NULL,
  "place" bytea NOT NULL,
  "digest" bytea NOT NULL,
  PRIMARY KEY ("name")
);
CREATE TABLE "team_candidate" (
  "agent" text NOT NULL,
  "task" text NOT NULL,
  PRIMARY KEY ("agent", "task")
);
CREATE INDEX team_candidate_by_task ON "team_candidate" ("task");
CREATE TABLE "log" (
  "sequence" bigint NOT NULL,
  "time" bigint NOT NULL,
  "kind" text NOT NULL,
  "body" bytea NOT NULL,
  "digest" bytea NOT NULL,
  "erased" bytea,
  "cipher" bytea,
  PRIMARY KEY ("sequence")
);
CREATE TABLE "head" (
  "one" bigint NOT NULL,
  "sequence" bigint NOT NULL,
  "time" bigint NOT NULL,
  "chain" bytea NOT NULL,
  "tasks" bigint NOT NULL,
  "open" bigint NOT NULL,
  "exchanges" bigint NOT NULL,
  "data" bigint NOT NULL,
  "digest" bytea NOT NULL,
  "generation" bigint NOT NULL,
  "cipher" bytea,
  PRIMARY KEY ("one"),
  CONSTRAINT head_rule_1 CHECK (one = 1)
);
CREATE TABLE "seal" (
  "one" bigint NOT NULL,
  "sequence" bigint NOT NULL,
  "time" bigint NOT NULL,
  "chain" bytea NOT NULL,
  "tasks" bigint NOT NULL,
  "open" bigint NOT NULL,
  "exchanges" bigint NOT NULL,
  "data" bigint NOT NULL,
  "digest" bytea NOT NULL,
  "signature" bytea NOT NULL,
  PRIMARY KEY ("one"),
  CONSTRAINT seal_rule_1 CHECK (one = 1)
);
CREATE TABLE "checkpoint" (
  "one" bigint NOT NULL,
  "sequence" bigint NOT NULL,
  "chain" bytea NOT NULL,
  "time" bigint NOT NULL,
  "ended_by" bigint NOT NULL,
  "tasks" bigint NOT NULL,
  "exchanges" bigint NOT NULL,
  "data" bigint NOT NULL,
  "digest" bytea NOT NULL,
  "signature" bytea NOT NULL,
  PRIMARY KEY ("one"),
  CONSTRAINT checkpoint_rule_1 CHECK (one = 1)
);
CREATE TABLE "erasure" (
  "task" text NOT NULL,
  "time" bigint NOT NULL,
  "exchanges" bigint NOT NULL,
  "data" bigint NOT NULL,
  "entries" bigint NOT NULL,
  "digest" bytea NOT NULL,
  "signature" bytea NOT NULL,
  PRIMARY KEY ("task")
);
CREATE TABLE "data_key" (
  "number" bigint NOT NULL,
  "master" text NOT NULL,
  "wrapped" bytea NOT NULL,
  "whole" bigint NOT NULL,
  "digest" bytea NOT NULL,
  PRIMARY KEY ("number"),
  CONSTRAINT data_key_rule_1 CHECK (whole IN (0, 1))
);
CREATE TABLE "period" (
  "number" bigint NOT NULL,
  "data_key" bigint NOT NULL,
  "salt" bytea NOT NULL,
  "digest" bytea NOT NULL,
  PRIMARY KEY ("number")
);
CREATE TABLE "attestation" (
  "number" bigint NOT NULL,
  "kind" text NOT NULL,
  "time" bigint NOT NULL,
  "sequence" bigint NOT NULL,
  "chain" bytea NOT NULL,
  "detail" text NOT NULL,
  "digest" bytea NOT NULL,
  "signature" bytea NOT NULL,
  PRIMARY KEY ("number")
);
