/** What a limit says now: used, reserved, what is left. */
import { z } from "zod";
import { itemName } from "../../conversation/names.js";
import { ownValue } from "../../conversation/own-value.js";
import { problem } from "../../conversation/problem.js";
import { demandOf, type LimitFacts, scopeOf } from "../../tenancy/limits/demand.js";
import { limitStateSchema } from "../../tenancy/limits/limit.js";
import { act } from "../act.js";
import { findLimit, limitTag } from "./manage-limits.js";
import { asksIn } from "./work-limits.js";

export const readLimitState = act("readLimitState", {
  role: "admin",
  route: {
    method: "get",
    path: "/v1/limits/{name}/state",
    tag: limitTag,
    summary: "What is used and reserved of a limit now, for one of those that it is counted apart for (admins)",
    answer: "Its state",
  },
  input: () => {
    const id = z.string().max(500).optional();
    return z.object({ name: itemName, subject: id, keyId: id, agent: id, sessionId: id, conversation: id });
  },
  output: () => limitStateSchema(),
  run: async (actor, { name, ...asked }, services) => {
    const limit = { ...(await findLimit(actor, { name }, services)), ofDeployment: false };
    const { match = {}, per } = limit;
    // What the limit holds for alone needn't be said again.
    const facts: LimitFacts = {
      tenantId: actor.tenantId,
      ...asked,
      keyId: asked.keyId ?? match.keyId,
      subject: asked.subject ?? match.subject,
      agent: asked.agent ?? match.agent,
    };
    const scope = scopeOf(limit, facts);
    if (scope === undefined) {
      const path = ownValue<string>({ tenant: "name", key: "keyId", session: "sessionId" }, String(per)) ?? per;
      const errors = [{ path, message: `the limit is counted for each ${per}: say which, one that it holds for` }];
      throw problem("invalid", `Say whose state is meant: ?${path}=…`, { errors });
    }
    const demand = demandOf(limit, scope, 0, services.now());
    if (limit.measure !== "openAsks") return services.budgets.state(actor.tenantId, demand);
    // They are counted where they are.
    const used = await asksIn(scope, facts, { openAsks: (...of) => services.limits.openAsks(...of) });
    return { used, reserved: 0, max: demand.max, remaining: Math.max(0, demand.max - used), unsettled: 0 };
  },
});
