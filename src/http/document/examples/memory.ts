/** Examples of vaults, memories and what they hold, by the name of the shape or the operation. */
const vaultId = "vlt_01m817khhq7zafzkwcn1b616qh";
const memoryId = "mem_01m817khhz9k5ms340q7edscm6";
const entryId = "ent_01m817kv7n4qnsa1th6n7wrz8t";
const at = "2026-11-22T09:30:00.000Z";

const entry = {
  entryId,
  memoryId,
  threadId: "main",
  seq: 1,
  role: "user",
  rawEntry: "My cat is called Tom.",
  summary: "The user's cat is called Tom.",
  summarySource: "model",
  tags: { topic: "pets" },
  occurredAt: at,
  recordedAt: at,
  vouchedBy: { kind: "key", id: "key_01m8072f", role: "client" },
};
const version = {
  version: 2,
  document: "The user has a cat called Tom.",
  source: "model",
  createdAt: at,
};
const context = { ...version, coverage: { main: 1 } };
const invocation = { control: "PROCESS_MESSAGE", seq: 1, lastSeq: 1, requestedSeq: 0, coveredSeq: 0 };
const message = { role: "user", content: "My cat is called Tom.", occurredAt: at };

const memory = {
  memoryId,
  vaultId,
  title: "Conversations with Ada",
  memoryType: "conversation",
  model: "default",
  subject: "ada",
  metadata: {},
  entryCount: 1,
  createdAt: at,
};

const hit = {
  entry,
  score: 1.07,
  why: {
    terms: [{ term: "cat", word: "cat", weight: 1 }],
    neighbours: 0,
    session: 0.07,
    speaker: 0,
    date: 0,
    vector: 0,
    form: 0,
    total: 1.07,
  },
  duplicates: [],
};

export const memoryExamples: Readonly<Record<string, unknown>> = {
  NewVault: { title: "Customers" },
  Vault: { vaultId, title: "Customers", createdAt: at },
  NewMemory: { title: "Conversations with Ada", model: "default", subject: "ada" },
  Memory: memory,
  ShownMemory: memory,
  "createMemoryThreadMessage request": message,
  Invocation: invocation,
  "startMemoryThread 200": {
    ...invocation,
    control: "START_SESSION",
    context,
    recentEntries: [entry],
  },
  Thread: {
    threadId: "main",
    memoryId,
    open: true,
    epoch: 1,
    lastSeq: 1,
    requestedSeq: 0,
    indexedSeq: 1,
    coveredSeq: 0,
    degraded: 0,
    state: {
      conversation_history: [],
      to_process: [{ ...message, seq: 1, entryId, control: "PROCESS_MESSAGE", epoch: 1 }],
      tool_history: [],
      control: "PROCESS_MESSAGE",
    },
  },
  "listMemoryThreads 200": { items: [{ threadId: "main", createdAt: at }], nextCursor: null },
  "awaitMemoryConsistency request": { threadId: "main", level: "indexed", timeoutMs: 10_000 },
  "awaitMemoryConsistency 200": {
    reached: true,
    watermarks: { stored: 1, indexed: 1, context: 0 },
    failures: [],
  },
  "readMemoryPrompts 200": {
    prompts: { "entry-capture": "Write one entry …", summary: "Like a telegram.", context: "Keep what lasts …" },
    defaults: { "entry-capture": "Write one entry …", summary: "Say in one sentence …", context: "Keep what lasts …" },
  },
  DeadLetter: {
    deadLetterId: "dlq_01m817kv7n4qnsa1th6n7wrz8u",
    threadId: "main",
    fromSeq: 1,
    toSeq: 1,
    reason: "The model gave no answer that could be read.",
    status: "dead",
    createdAt: at,
  },
  NewEntry: { rawEntry: "My cat is called Tom.", tags: { topic: "pets" }, occurredAt: at },
  Entry: entry,
  "updateMemoryEntry request": { tags: { topic: "pets", certain: true } },
  MemorySearch: { query: "What is the cat called?", topEntries: 5 },
  MemoryEvent: { id: 7, event: "memory.entry_added", data: { memoryId, entryId, threadId: "main" } },
  MemoryFilter: { role: "user", tag: "topic=pets" },
  FoundEntry: hit,
  MemorySearchResult: { entries: [hit], contexts: [{ ...version, score: 0.8 }], latestContext: version },
  "searchMemories request": { subject: "ada", query: "What is the cat called?" },
  SubjectSearchResult: {
    entries: [hit],
    contexts: [{ ...version, score: 0.8, memoryId }],
    latestContexts: [{ ...version, memoryId }],
  },
  MemoryChange: { title: "Conversations with Ada Lovelace", model: "openai/gpt-4o-mini" },
  MemoryContext: context,
  MemoryContextVersion: version,
  "putMemoryContext request": { document: "The user has a cat called Tom." },
  "putMemoryContext 200": { version: 3 },
  "restoreMemoryContext 200": { version: 4 },
  "listMemoryContextSources 200": { items: [{ entryId, since: 1 }], nextCursor: null },
  "getMemoryContextDiff 200": { from: 1, to: 2, diff: "@@ -1 +1 @@\n-\n+The user has a cat called Tom.\n" },
};
