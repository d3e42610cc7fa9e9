/** What an agent asks staff, and what staff answers: who reads it, in whichever way a reply or a run is shown. */
import { beforeAll, expect, it } from "vitest";
import { type Fields, newTenant, send, TestTenant } from "../support/conclave.js";
import { asksHuman, getRun, newTeam, routesTo, startRun } from "../support/teams.js";

const question = "Is this customer on the fraud list?";
const answer = "She is, since March.";

let tenant: TestTenant;
let user: TestTenant;
let client: TestTenant;
let operator: TestTenant;

beforeAll(async () => {
  tenant = await newTenant({ questions: { audience: "staff" } });
  const token = (await tenant.call("POST", "/v1/tokens", { subject: "ada" })).body.token;
  user = new TestTenant(tenant.tenantId, token);
  client = await tenant.withRole("client");
  operator = await tenant.withRole("operator");
});

const readText = async ({ key }: TestTenant, path: string): Promise<string> => {
  const response = await send("GET", `/v1/${path}`, { key });
  expect(response.status).toBe(200);
  return response.text();
};

/** Of these paths those behind which a reader finds a text. */
async function foundBehind(reader: TestTenant, paths: readonly string[], text: string): Promise<string[]> {
  const texts = await Promise.all(paths.map((path) => readText(reader, path)));
  return paths.filter((_path, index) => texts[index]?.includes(text));
}

/** A turn of Ada's chat that waits for staff. */
async function waitingForStaff(agent: string, chat: string) {
  const session = await tenant.session({ agent, subject: "ada", externalId: chat });
  const turn = await tenant.say(session, "Can I pay later?");
  expect(turn).toMatchObject({ status: "waiting", asks: [{ question, audience: "staff" }] });
  return { session, turnId: turn.turnId, askId: turn.asks[0]?.askId };
}

const answered = async (askId: string | undefined) =>
  expect((await operator.call("POST", `/v1/asks/${askId}/answer`, { response: answer })).status).toBe(200);

const mayAnswer = (acts: readonly string[]) => tenant.call("PATCH", "/v1/tenant", { settings: { clientMay: acts } });

it("an end user reads neither in a turn that waits nor in one that ended, a client's key what its right lets it", async () => {
  const model = await tenant.agent("clerk", { tools: ["conclave/ask_human"] });
  await model.reply({ ...asksHuman(question), text: "One moment." }, { text: "I'm afraid not." });
  const { session, turnId, askId } = await waitingForStaff("clerk", "alone");
  const turn = `sessions/${session}/turns/${turnId}`;
  const events = `sessions/${session}/events?lingerMs=0`;

  expect(await foundBehind(user, [turn, events, "ui-chat/alone/stream"], question)).toEqual([]);
  expect(await foundBehind(client, [turn, events], question)).toEqual([turn, events]);

  await answered(askId);
  await tenant.turn(session, turnId);
  const shown = [turn, `sessions/${session}/messages`, events];

  expect(await foundBehind(user, shown, question)).toEqual([]);
  expect(await foundBehind(user, shown, answer)).toEqual([]);
  expect(await foundBehind(user, shown, "ask_human")).toEqual(shown);
  const versions = `sessions/${session}/messages/${(await tenant.turn(session, turnId)).reply?.messageId}/versions`;
  const ofClient = [...shown, versions];
  expect(await foundBehind(client, ofClient, question)).toEqual(ofClient);
  expect(await foundBehind(client, ofClient, answer)).toEqual([]);
  expect(await foundBehind(operator, ofClient, answer)).toEqual(ofClient);
  await mayAnswer(["answerStaffAsks"]);
  expect(await foundBehind(client, [turn, `sessions/${session}/messages`, versions], answer)).toHaveLength(3);
  await mayAnswer([]);
});

it("a client that edits a reply is shown no answer of staff's in what comes of it, nor in what is different by that", async () => {
  const model = await tenant.agent("editable", { tools: ["conclave/ask_human"] });
  await model.reply(asksHuman(question), { text: "I'm afraid not." });
  const { session, turnId, askId } = await waitingForStaff("editable", "edited");
  await answered(askId);
  const { reply } = await tenant.turn(session, turnId);
  const [asking, ending] = reply?.modelReply.turns ?? [];
  const versions = `/v1/sessions/${session}/messages/${reply?.messageId}/versions`;
  const edit = async (operation: Fields) => {
    const { hash } = (await operator.call("GET", versions)).body.items.at(-1);
    const body = { operations: [operation], baseHash: hash };
    const { status, body: made } = await client.call("POST", versions.replace("versions", "edits"), body);
    expect(status).toBe(200);
    return made;
  };

  await mayAnswer(["editMessage", "restoreMessage"]);
  const edited = await edit({ type: "modify_turn", turnId: ending?.turnId, content: "Sorry, no." });
  const without = await edit({ type: "remove_turn", turnId: asking?.turnId });
  const restored = await client.call("POST", `${versions}/1/restore`);
  expect(restored.status).toBe(200);
  await mayAnswer([]);

  expect(JSON.stringify([edited, without, restored.body])).not.toContain(answer);
  expect(edited.message.modelReply.turns.at(-1).message).toBe("Sorry, no.");
  expect(without.message.modelReply.turns).toHaveLength(1);
});

it("of a team's questions to staff an end user reads nothing in its reply either", async () => {
  const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
  await team.supervisor.reply(asksHuman(question), routesTo("billing"));
  await team.workers.billing?.reply({ text: "Not this time." });
  await tenant.put("teams", "desk", team.definition);
  await tenant.put("agents", "desk", { kind: "team", team: "desk" });
  const { session, turnId, askId } = await waitingForStaff("desk", "team");
  await answered(askId);
  await tenant.turn(session, turnId);
  const shown = [`sessions/${session}/turns/${turnId}`, `sessions/${session}/messages`];

  for (const text of [question, answer]) expect(await foundBehind(user, shown, text)).toEqual([]);
  expect(await foundBehind(client, shown, answer)).toEqual([]);
  expect(await foundBehind(operator, shown, answer)).toEqual(shown);
});

it("a run tells who may answer staff's questions what staff answered", async () => {
  const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
  await team.supervisor.reply(asksHuman(question), routesTo("billing"));
  await team.workers.billing?.reply({ text: "Not this time." });
  const run = await startRun(operator, team.definition, "May she pay later?");
  await answered(run.asks[0]?.askId);
  await getRun(operator, run.runId);
  const shown = [`runs/${run.runId}`, `runs/${run.runId}/events?lingerMs=0`];

  expect(await foundBehind(client, shown, answer)).toEqual([]);
  expect(await foundBehind(client, shown, question)).toEqual(shown);
  expect((await foundBehind(operator, shown, answer)).length).toBe(2);
});

it("a run that is cancelled shows whoever cancels it what staff answered by then, if they may answer themselves", async () => {
  const cancelledBy = async (reader: TestTenant) => {
    const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
    await team.supervisor.reply(asksHuman(question), routesTo("billing"));
    await team.workers.billing?.reply({ text: "Never heard.", hold: "for ever" });
    const { runId, asks } = await startRun(operator, team.definition, "May she pay later?");
    await answered(asks[0]?.askId);
    const { status, body } = await reader.call("POST", `/v1/runs/${runId}/cancel`);
    expect([status, body.status]).toEqual([200, "cancelled"]);
    return JSON.stringify(body);
  };
  const [toClient, toOperator] = [await cancelledBy(client), await cancelledBy(operator)];
  for (const shown of [toClient, toOperator]) expect(shown).toContain(question);
  expect(toClient).not.toContain(answer);
  expect(toOperator).toContain(answer);
});

it("a model that goes on from a stored response knows what staff answered, whoever asks it to", async () => {
  const model = await tenant.agent("teller", { tools: ["conclave/ask_human"] });
  for (const reader of [user, client]) {
    await model.reply(asksHuman(question), { text: "I'm afraid not." }, { text: "As I said." });
    const first = (await reader.call("POST", "/v1/responses", { model: "teller", input: "Can I pay later?" })).body;
    const path = `/v1/responses/${first.id}`;
    const waiting = JSON.stringify((await reader.call("GET", path)).body);
    expect(waiting).toContain("Staff is asked.");
    expect(waiting).not.toContain(question);
    await answered(first.metadata.conclave_ask_id);
    await expect.poll(async () => (await reader.call("GET", path)).body.status).toBe("completed");
    const next = { model: "teller", previous_response_id: first.id, input: "Really?" };
    expect((await reader.call("POST", "/v1/responses", next)).status).toBe(200);
    const shown = JSON.stringify((await model.requests()).at(-1)?.body);
    expect(shown).toContain(question);
    expect(shown).toContain(answer);
  }
});

it("clients of OpenAI's API are told that staff is asked, not what", async () => {
  const model = await tenant.agent("cashier", { tools: ["conclave/ask_human"] });
  const body = { model: "cashier", messages: [{ role: "user", content: "Can I pay later?" }] };
  for (const reader of [user, client]) {
    await model.reply(asksHuman(question));
    const { content } = (await reader.call("POST", "/v1/chat/completions", body)).body.choices[0].message;
    expect(content).toContain("Staff is asked.");
    expect(content).not.toContain(question);
  }
  await model.reply(asksHuman(question));
  const told = await operator.call("POST", "/v1/chat/completions", body);
  expect(told.body.choices[0].message.content).toContain(question);
});
