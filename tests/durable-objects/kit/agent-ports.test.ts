import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { type AgentWork, agentPorts } from "../../../durable-objects/kit/agent-ports.js";
import { saltedHash } from "../../../src/application/salted-hash.js";
import { D1TeamState } from "../../../src/stores/team-state.js";
import type { SupervisionState } from "../../../src/supervision/state.js";
import { settingsSchema } from "../../../src/tenancy/tenant.js";
import { Clock, kitIn, withKitTables } from "./support.js";

const state: SupervisionState = {
  hook: "request",
  decision: "allow",
  reasons: ["fine"],
  contextChanges: {
    addedRules: [],
    removedRules: [],
    addedReferences: [],
    removedReferences: [],
    addedTools: [],
    removedTools: [],
  },
  steps: [],
  degraded: [],
};
const subject = { hook: "request", message: { messageId: "msg_1", role: "user", content: "hello" } } as const;

function withPorts(test: (world: World) => void | Promise<void>): Promise<void> {
  return withKitTables((object) => {
    const clock = new Clock();
    const kit = kitIn(object, clock);
    const abort = new AbortController();
    const keepPass = vi.fn();
    const ports = agentPorts(
      kit,
      {
        now: clock.now,
        teamState: (tenantId) => new D1TeamState(env.DB, tenantId, clock.now),
        callWorker: async () => ({ status: 200, text: "" }),
        limitsOfWork: async () => undefined,
      },
      {
        origin: { metadata: {} },
        tenantId: "ten_1",
        ownerId: "run_1",
        ref: { type: "run", id: "run_1" },
        hash: (subject) => saltedHash("salt", subject),
        signal: abort.signal,
        settings: settingsSchema.parse({ strict: true, reviews: { audience: "user" }, questions: { timeoutMs: 5 } }),
        environment: { statistics: () => ({ turns: 1 }) },
        keepPass,
        reviewPass: vi.fn(),
      },
    );
    return test({ kit, ports, abort, keepPass, sql: object.storage.sql });
  });
}
interface World {
  kit: ReturnType<typeof kitIn>;
  ports: ReturnType<typeof agentPorts>;
  abort: AbortController;
  keepPass: AgentWork["keepPass"];
  sql: SqlStorage;
}

describe("what agents that work in a root are given", () => {
  it("says whose work it is, and who reviews it", () =>
    withPorts(({ ports }) => {
      expect(ports.supervise.review).toMatchObject({ audience: "user" });
      expect(ports.approval).toMatchObject({ audience: "staff" });
      expect(ports.asking?.policy).toEqual({ timeoutMs: 5 });
      expect(ports.supervise).toMatchObject({ strict: true, environment: { ownerId: "run_1", workId: "run_1" } });
      expect(ports.supervise.environment?.statistics?.()).toEqual({ turns: 1 });
    }));

  it("keeps a decision as a pass, as an event and for the audit", () =>
    withPorts(({ kit, ports, keepPass, sql }) => {
      ports.supervise.decided(state, subject, subject);
      expect(keepPass).toHaveBeenCalledExactlyOnceWith(state, subject, subject);
      const [event] = kit.events.read(0, 10);
      expect(event).toMatchObject({ type: "supervision.decided", work: "run_1" });
      expect(JSON.parse(event?.data ?? "")).toMatchObject({ runId: "run_1", decision: "allow", reasons: ["fine"] });
      expect(sql.exec("SELECT topic, entity FROM outbox").toArray()).toEqual([
        { topic: "audit", entity: "audit/run_1" },
      ]);
    }));

  it("knows that the work was cancelled, so that no supervisor is blamed for what was broken off", () =>
    withPorts(({ ports, abort }) => {
      expect(ports.supervise.cancelled?.()).toBe(false);
      abort.abort();
      expect(ports.supervise.cancelled?.()).toBe(true);
    }));
});
