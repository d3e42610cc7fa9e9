import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ResourceStore } from "../../../src/stores/resource-store.js";
import { newTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { rowsOf } from "../../support/objects.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const review = { match: { type: "phrases", phrases: ["refund"] }, action: "review", reason: "money" };

describe("a turn that is cancelled after its last step, while its end is worked out", () => {
  it("stays cancelled: it ends once, and has no reply", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    await tenant.rules("guard", [review], { hooks: ["response"] });
    await model.reply({ text: "A refund it is." });
    const session = await tenant.session();
    const { turnId, asks } = await tenant.say(session, "Money, please.");

    // The reviewer's text is looked at once more; just then the turn is cancelled.
    const digest = crypto.subtle.digest.bind(crypto.subtle);
    let cancelled = false;
    await runInDurableObject(tenant.object(session), (instance) => {
      vi.spyOn(crypto.subtle, "digest").mockImplementation((algorithm, data) => {
        if (!cancelled && new TextDecoder().decode(data).includes("Edited by hand")) {
          cancelled = true;
          void instance.cancelTurn(turnId, { kind: "system", id: "test" });
        }
        return digest(algorithm, data);
      });
    });
    const answer = { decision: "edit", content: "Edited by hand." };
    await tenant.call("POST", `/v1/asks/${asks[0]?.askId}/answer`, answer);
    await eventually(() => expect(cancelled).toBe(true));
    await model.reply({ text: "Hello again." });
    expect((await tenant.say(session, "Hello?")).status).toBe("completed");

    expect(await tenant.turn(session, turnId)).toMatchObject({ status: "cancelled" });
    const ends = "SELECT 1 FROM events WHERE type = 'turn.completed' AND work = ?";
    expect(await rowsOf(tenant.object(session), ends, turnId)).toHaveLength(1);
    expect(JSON.stringify((await tenant.call("GET", `/v1/sessions/${session}/messages`)).body)).not.toContain("Edited");
  });
});

describe("a turn that is cancelled while a supervisor changes the context", () => {
  it("leaves the context as it is", async () => {
    const tenant = await newTenant();
    const watcher = await tenant.agent("watcher");
    await tenant.put("rules", "calm", { text: "Stay calm." });
    await tenant.put("supervisors", "changer", {
      kind: "agent",
      hooks: ["request"],
      permissions: "full_control",
      config: { model: `openai/${watcher.model}`, instructions: "Change it." },
    });
    await tenant.agent("assistant", { supervisors: ["changer"] });
    await watcher.reply({
      toolCalls: [{ name: "include_rule", arguments: { name: "calm", reason: "why not" } }],
      hold: "thinking",
    });
    const session = await tenant.session();
    const { turnId } = await tenant.say(session, "hello", { waitMs: 0 });
    await watcher.until({ open: 1 });

    const pins = ResourceStore.prototype.pins;
    const cancelled = vi.fn();
    await runInDurableObject(tenant.object(session), (instance) => {
      vi.spyOn(ResourceStore.prototype, "pins").mockImplementation(function (this: ResourceStore, tenantId, wanted) {
        if (tenantId === tenant.tenantId && wanted.some(({ name }) => name === "calm"))
          cancelled(instance.cancelTurn(turnId, { kind: "system", id: "test" }));
        return pins.call(this, tenantId, wanted);
      });
    });
    await watcher.release("thinking");
    await eventually(() => expect(cancelled).toHaveBeenCalledOnce());
    await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "" });
    expect((await tenant.say(session, "Hello?")).status).toBe("completed");

    expect((await tenant.call("GET", `/v1/sessions/${session}/context`)).body.version).toBe(1);
  });
});
