/** Whoever answers under a model's name: teams and panels too, and agents whose tools have to be approved. */
import { describe, expect, it } from "vitest";
import { newTenant } from "../support/conclave.js";
import { newPanel, requests, seat, takes } from "../support/roundtables.js";
import { asksHuman, modelOf, newTeam, promptText, routesTo } from "../support/teams.js";
import { assistant, complete, stream, user } from "./support.js";

describe("a team under a model's name", () => {
  it("answers whole and streamed, and what its supervisor asks is the answer until it is answered", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
    await tenant.put("teams", "desk", team.definition);
    await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
    await team.supervisor.reply(routesTo("billing"));
    await modelOf(team, "billing").reply({ text: "Invoice 7 is paid.", repeat: true });
    expect((await stream(tenant, [user("Is invoice 7 paid?")])).text).toBe("Invoice 7 is paid.");

    await team.supervisor.reply(asksHuman("Which invoice?"), routesTo("billing"));
    const asked = (await complete(tenant, [user("Is it paid?")])).body.choices[0].message.content;
    expect(asked).toMatch(/^Which invoice\?\n(.*\n)*\[ask_/);
    const answer = await complete(tenant, [user("Is it paid?"), assistant(asked), user("Number 7.")]);
    expect(answer.body.choices[0]).toMatchObject({ message: { content: "Invoice 7 is paid." }, finish_reason: "stop" });
  });
});

describe("a panel under a model's name", () => {
  it("debates the message and answers with its synthesis", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 1 });
    await tenant.put("panels", "board", panel.fields);
    await tenant.put("agents", "assistant", { kind: "panel", panel: "board" });
    await seat(panel, "a").reply(takes("A: ship."));
    await seat(panel, "b").reply(takes("B: wait."));
    const synthesis = { conclusion: "The panel would ship.", recommendation: "Ship on Monday.", confidence: 0.7 };
    const rest = { commonGround: [], keyDifferences: [], evolution: "", citations: [] };
    await panel.analyst.reply({ text: JSON.stringify({ ...synthesis, ...rest }) });
    const { text, finish } = await stream(tenant, [user("Do we ship?")]);
    expect(text).toContain("The panel would ship.");
    expect(finish).toBe("stop");
  });

  it("asks for what a seat requires, and the next message is the answer", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 2 });
    await tenant.put("panels", "board", panel.fields);
    await tenant.put("agents", "assistant", { kind: "panel", panel: "board" });
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A1."), takes("A2."));
    await seat(panel, "b").reply(takes("B1."), takes("B2."));
    await panel.analyst.reply({ text: JSON.stringify({ conclusion: "The panel would ship." }) });
    const asked = (await complete(tenant, [user("Do we ship?")])).body.choices[0].message.content;
    expect(asked).toContain("What is the budget?");
    const answer = await complete(tenant, [user("Do we ship?"), assistant(asked), user("5 million")]);
    expect(answer.body.choices[0].message.content).toContain("The panel would ship.");
    expect(promptText((await seat(panel, "b").requests())[1])).toContain("5 million");
  });
});

describe("a tool that a person has to approve", () => {
  async function paying(settings = {}) {
    const tenant = await newTenant(settings);
    const hook = await tenant.agent("hook-holder");
    await tenant.put("tools", "pay", {
      server: "bank",
      description: "Pays.",
      approval: "always",
      http: { url: hook.hookURL },
      parameters: { type: "object", properties: { amount: { type: "number" } } },
    });
    await hook.reply({ body: "paid", repeat: true });
    const model = await tenant.agent("assistant", { tools: ["bank/pay"] });
    await model.reply({ toolCalls: [{ name: "pay", arguments: { amount: 5 } }] }, { text: "Paid." });
    const client = await tenant.withRole("client");
    const asked = (await complete(client, [user("Pay 5.")])).body.choices[0].message.content;
    const answerWith = async (word: string) =>
      (await complete(client, [user("Pay 5."), assistant(asked), user(word)])).body.choices[0].message.content;
    return { tenant, hook, asked: String(asked), answerWith };
  }

  it("is approved by the next message where its user may, and by no other word than those it names", async () => {
    const { hook, asked, answerWith } = await paying({ approvals: { audience: "user" } });
    expect(asked).toContain("Answer once, session or deny.");
    expect(await answerWith("What is that?")).toBe(asked);
    expect(await hook.requests()).toEqual([]);
    expect(await answerWith("Once.")).toBe("Paid.");
    expect(await hook.requests()).toHaveLength(1);
  });

  it("is approved by staff alone where staff is asked, whatever the caller's user says", async () => {
    const { tenant, hook, asked, answerWith } = await paying();
    expect(asked).toContain("Somebody of the staff decides");
    expect(await answerWith("once")).toBe(asked);
    expect(await hook.requests()).toEqual([]);
    const askId = /\[(ask_\w+)\]/.exec(asked)?.[1];
    expect((await tenant.call("POST", `/v1/asks/${askId}/answer`, { decision: "once" })).status).toBe(200);
    expect(await answerWith("And?")).toBe("Paid.");
    expect(await hook.requests()).toHaveLength(1);
  });
});
