/** The fifth hook: what one agent hands to another. Its sources are teams and panels; what a verdict does to it is the same. */
import { describe, expect, it } from "vitest";
import { Parked } from "../../../src/agent/journal.js";
import type { Environment } from "../../../src/supervision/environment.js";
import { canonicalText } from "../../../src/supervision/subject.js";
import { supervise } from "../../../src/supervision/supervise.js";
import { agent, call, deadline, KeptJournal, type Said, scripted } from "./support.js";

function handed(rounds: readonly Said[], environment: Environment = {}) {
  return supervise(
    { hook: "hop", from: "triage", to: "billing", content: "Refund Ada." },
    [agent(scripted(rounds))],
    new KeptJournal(),
    {
      now: () => 0,
      hash: async (subject) => canonicalText(subject),
      withDeadline: deadline,
      strict: false,
      environment,
      decided: () => {},
      review: {},
      source: {},
    },
  );
}

describe("a hop between two agents", () => {
  const reason = "because";

  it("is allowed", async () => {
    expect(await handed([[call("allow_message")]])).toMatchObject({
      action: "allow",
      subject: { content: "Refund Ada." },
    });
  });

  it("is modified", async () => {
    const modified = await handed([[call("modify_message", { content: "Refund [name].", reason })]]);
    expect(modified).toMatchObject({
      action: "modify",
      subject: { from: "triage", to: "billing", content: "Refund [name]." },
    });
  });

  it("is blocked", async () => {
    expect(await handed([[call("block_message", { reason })]])).toMatchObject({ action: "block", reasons: [reason] });
  });

  it("waits for a review", async () => {
    await expect(handed([[call("request_review", { reason })]])).rejects.toBeInstanceOf(Parked);
  });
});
