/** The tables of a tenant's budget, besides the kit's. Steps are only ever added. */
import { renewed, type SchemaStep } from "../kit/schema.js";

const steps: readonly SchemaStep[] = [
  {
    name: "tenant budget",
    sql: `
      CREATE TABLE budget (one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL);
      -- What is counted for a limit, in a window that began at a time; of money in millionths.
      CREATE TABLE counters (
        limit_name TEXT NOT NULL, scope TEXT NOT NULL, start INTEGER NOT NULL, ends INTEGER, used INTEGER NOT NULL,
        reserved INTEGER NOT NULL, warned INTEGER NOT NULL, reached INTEGER NOT NULL,
        PRIMARY KEY (limit_name, scope, start)) WITHOUT ROWID;
      CREATE INDEX counters_by_end ON counters (ends);
      -- What is held for work, each reservation by its number in the work.
      CREATE TABLE grants (
        work TEXT NOT NULL, limit_name TEXT NOT NULL, step INTEGER NOT NULL, scope TEXT NOT NULL, start INTEGER NOT NULL,
        measure TEXT NOT NULL, amount INTEGER NOT NULL, at INTEGER NOT NULL, state TEXT NOT NULL, spent INTEGER NOT NULL,
        PRIMARY KEY (work, limit_name, step)) WITHOUT ROWID;
      CREATE INDEX grants_by_state ON grants (state, at);`,
  },
  {
    name: "counters by measure",
    // What a limit counted of another measure is none of this one; without one: of the version before.
    sql: "ALTER TABLE counters ADD COLUMN measure TEXT;",
  },
  {
    name: "what turns come to",
    sql: `
      -- Of each agent's last turns; nothing while nobody has settled one.
      CREATE TABLE turn_costs (
        work TEXT PRIMARY KEY, agent TEXT NOT NULL, at INTEGER NOT NULL, tokens INTEGER, money INTEGER) WITHOUT ROWID;
      CREATE INDEX turn_costs_by_agent ON turn_costs (agent, at);`,
  },
  {
    name: "shards of a hot tenant",
    sql: `
      -- Which shard this is; nothing: the root.
      ALTER TABLE budget ADD COLUMN shard INTEGER;
      -- How often a shard has told its root where it stands.
      ALTER TABLE budget ADD COLUMN renewals INTEGER NOT NULL DEFAULT 0;
      -- Of the root: what each shard has used and keeps, as it said last. \`lost\`: it was never heard of again, and what it kept counts as used.
      CREATE TABLE leases (
        shard INTEGER NOT NULL, limit_name TEXT NOT NULL, scope TEXT NOT NULL, start INTEGER NOT NULL, measure TEXT NOT NULL,
        used INTEGER NOT NULL, kept INTEGER NOT NULL, lost INTEGER NOT NULL, unsettled INTEGER NOT NULL,
        seq INTEGER NOT NULL, at INTEGER NOT NULL,
        PRIMARY KEY (shard, limit_name, scope, start, measure)) WITHOUT ROWID;
      CREATE INDEX leases_by_age ON leases (at);
      -- Of a shard: what it may use in all of a counter.
      CREATE TABLE leased (
        limit_name TEXT NOT NULL, scope TEXT NOT NULL, start INTEGER NOT NULL, measure TEXT NOT NULL, ends INTEGER,
        leased INTEGER NOT NULL, until INTEGER NOT NULL, reported INTEGER NOT NULL,
        PRIMARY KEY (limit_name, scope, start, measure)) WITHOUT ROWID;`,
  },
];

export const tenantBudgetSchema = renewed(
  {
    name: "new budgets",
    sql: `CREATE TABLE budget (one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL, shard INTEGER,
        renewals INTEGER NOT NULL DEFAULT 0)`,
    tables: {
      counters: `CREATE TABLE counters (limit_name TEXT NOT NULL, scope TEXT NOT NULL, start INTEGER NOT NULL, ends INTEGER,
        used INTEGER NOT NULL, reserved INTEGER NOT NULL, warned INTEGER NOT NULL, reached INTEGER NOT NULL, measure TEXT,
        PRIMARY KEY (limit_name, scope, start)) WITHOUT ROWID;
        CREATE INDEX counters_by_end ON counters (ends)`,
      grants: `CREATE TABLE grants (work TEXT NOT NULL, limit_name TEXT NOT NULL, step INTEGER NOT NULL, scope TEXT NOT NULL,
        start INTEGER NOT NULL, measure TEXT NOT NULL, amount INTEGER NOT NULL, at INTEGER NOT NULL, state TEXT NOT NULL,
        spent INTEGER NOT NULL, PRIMARY KEY (work, limit_name, step)) WITHOUT ROWID;
        CREATE INDEX grants_by_state ON grants (state, at)`,
      turn_costs: `CREATE TABLE turn_costs (work TEXT PRIMARY KEY, agent TEXT NOT NULL, at INTEGER NOT NULL, tokens INTEGER,
        money INTEGER) WITHOUT ROWID;
        CREATE INDEX turn_costs_by_agent ON turn_costs (agent, at)`,
      leases: `CREATE TABLE leases (shard INTEGER NOT NULL, limit_name TEXT NOT NULL, scope TEXT NOT NULL, start INTEGER NOT NULL,
        measure TEXT NOT NULL, used INTEGER NOT NULL, kept INTEGER NOT NULL, lost INTEGER NOT NULL, unsettled INTEGER NOT NULL,
        seq INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (shard, limit_name, scope, start, measure)) WITHOUT ROWID;
        CREATE INDEX leases_by_age ON leases (at)`,
      leased: `CREATE TABLE leased (limit_name TEXT NOT NULL, scope TEXT NOT NULL, start INTEGER NOT NULL, measure TEXT NOT NULL, ends INTEGER,
        leased INTEGER NOT NULL, until INTEGER NOT NULL, reported INTEGER NOT NULL,
        PRIMARY KEY (limit_name, scope, start, measure)) WITHOUT ROWID`,
    },
  },
  steps,
);
