import { runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { SqlJournal } from "../../../durable-objects/kit/journal.js";
import type { StepSpec } from "../../../src/agent/journal.js";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { crash, ringAlarm, rowsOf } from "../../support/objects.js";
import type { UpstreamModel } from "../../support/upstream-client.js";
import { httpTool, supervisingAgent, toolCalls } from "../supervision/support.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** When in a step an object dies: its work is done and not stored, or it is stored. */
type Moment = "worked" | "stored";

/**
 * Notes the steps of a session's object that do their work, and lets nothing go on at one moment of the n-th: all that is left to do
 * then is to kill the object. Without a moment it only notes. Objects of other tests may still be at work beside it.
 */
async function stopAt({ tenant, session }: Scene, wanted?: { step: number; moment: Moment }) {
  const steps: string[] = [];
  const commits = new Set<string>();
  let reached = false;
  const at = async (step: number, moment: Moment): Promise<void> => {
    if (reached || wanted?.step !== step || wanted.moment !== moment) return;
    reached = true;
    await new Promise(() => {});
  };
  const own = await runInDurableObject(tenant.object(session), (_instance, { storage }) => storage);
  const isOwn = (journal: SqlJournal): boolean => Reflect.get(Reflect.get(journal, "ports"), "storage") === own;
  const original = SqlJournal.prototype.step;
  const watched = async function <T>(this: SqlJournal, spec: StepSpec<T>, work: () => Promise<T>): Promise<T> {
    if (!isOwn(this)) return original.call<SqlJournal, [StepSpec<T>, typeof work], Promise<T>>(this, spec, work);
    let step: number | undefined;
    const noted = async (): Promise<T> => {
      step = steps.push(`${Reflect.get(this, "prefix")}${spec.id}`) - 1;
      const done = await work();
      await at(step, "worked");
      return done;
    };
    const result = await original.call<SqlJournal, [StepSpec<T>, typeof noted], Promise<T>>(this, spec, noted);
    if (step !== undefined) await at(step, "stored");
    return result;
  };
  vi.spyOn(SqlJournal.prototype, "step").mockImplementation(watched);
  const { commit } = SqlJournal.prototype;
  // A commit has no moment between its work and its result: whoever would die there dies after it.
  vi.spyOn(SqlJournal.prototype, "commit").mockImplementation(async function (this: SqlJournal, id, onDone, options) {
    const name = `${Reflect.get(this, "prefix")}${id}`;
    if (!isOwn(this) || Reflect.get(this, "steps").find(name)?.result !== undefined)
      return commit.call(this, id, onDone, options);
    await commit.call(this, id, onDone, options);
    const step = steps.push(name) - 1;
    commits.add(name);
    await at(step, "worked");
    await at(step, "stored");
  });
  return { steps, commits, reached: () => reached };
}

interface Scene {
  readonly tenant: TestTenant;
  readonly session: string;
  readonly upstreams: readonly UpstreamModel[];
}

/** A turn with everything in it: an agent and an agent that supervises it at each hook, a tool, two rounds. */
async function scene(lost?: string): Promise<Scene> {
  const tenant = await newTenant();
  const guard = await supervisingAgent(tenant, "guard", { hooks: ["request", "tool_call", "tool_result", "response"] });
  await guard.reply({ ...toolCalls(["allow_message", {}]), repeat: true });
  const tool = await httpTool(tenant, "pay", { idempotent: true });
  await tool.reply({ body: { paid: true }, repeat: true });
  const model = await tenant.agent("assistant", { tools: [{ server: "shop", tool: "pay" }], supervisors: ["guard"] });
  // The reply that is lost with the object is given again.
  const rounds = { "agent/model/0": toolCalls(["pay", { text: "7" }]), "agent/model/1": { text: "Paid." } };
  await model.reply(...Object.entries(rounds).flatMap(([step, reply]) => (step === lost ? [reply, reply] : [reply])));
  return { tenant, session: await tenant.session(), upstreams: [model, tool, guard] };
}

async function requestsOf({ upstreams }: Scene): Promise<number[]> {
  return Promise.all(upstreams.map(async (upstream) => (await upstream.requests()).length));
}

it.each([
  ["before its result is stored: what was called in it is called once more", "worked", 1],
  ["after its result is stored: nothing is called again", "stored", 0],
] as const)(
  "a turn dies at any step, %s; it ends once, and nobody asks again",
  async (_what, moment, repeated) => {
    const calm = await scene();
    const { steps, commits } = await stopAt(calm);
    expect((await calm.tenant.say(calm.session, "Pay.")).status).toBe("completed");
    const once = await requestsOf(calm);
    vi.restoreAllMocks();
    expect(steps).toEqual(expect.arrayContaining(["setup", "request/pass", "message", "agent/model/1"]));

    for (const [step, id] of steps.entries()) {
      const here = await scene(moment === "worked" ? id : undefined);
      const { tenant, session } = here;
      const { reached } = await stopAt(here, { step, moment });
      await tenant.say(session, "Pay.", { waitMs: 0 });
      await eventually(() => expect(reached(), id).toBe(true));
      await crash();
      await ringAlarm(tenant.object(session));

      const [turn] = await eventually(async () => {
        const rows = await rowsOf(tenant.object(session), "SELECT turn_id FROM turns WHERE status = 'completed'");
        expect(rows, id).toHaveLength(1);
        return rows;
      });
      expect(await tenant.turn(session, String(turn?.turn_id), 0), id).toMatchObject({
        reply: { modelReply: { turns: [{ toolCalls: [{ tool: "pay" }] }, { message: "Paid." }] } },
      });
      const ends = await rowsOf(tenant.object(session), "SELECT 1 FROM events WHERE type = 'turn.completed'");
      expect(ends, id).toHaveLength(1);
      expect((await tenant.call("GET", `/v1/sessions/${session}/messages`)).body.items, id).toHaveLength(2);
      const more = (await requestsOf(here)).map((requests, at) => requests - (once[at] ?? 0));
      const isCall = /(model\/\d+|call)$/.test(id);
      // A commit goes to the disk with what follows it in the same section: who is stopped there has the call before it to do again.
      if (commits.has(id)) {
        expect(more[1], id).toBe(0);
        expect(Math.max(...more), id).toBeLessThanOrEqual(1);
      } else expect([...more].sort(), id).toEqual([0, 0, isCall ? repeated : 0]);
      vi.restoreAllMocks();
      vi.useRealTimers();
    }
  },
  120_000,
);
