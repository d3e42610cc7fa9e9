/** Calls that keep nothing, under an `Idempotency-Key`: what dies in between, and who comes again, makes no second turn. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { defined } from "../../src/conversation/defined.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { crash } from "../support/objects.js";
import { assistant, storedSessions, user } from "./support.js";

/** An agent that charges before it answers; the charge has a server of its own. */
async function charging() {
  const tenant = await newTenant();
  const shop = await tenant.agent("shop");
  await tenant.put("tools", "charge", {
    server: "shop",
    description: "Charges.",
    parameters: { type: "object", properties: {} },
    http: { method: "POST", url: shop.hookURL },
  });
  const tools = [
    { server: "shop", tool: "charge" },
    { server: "conclave", tool: "ask_human" },
  ];
  const model = await tenant.agent("assistant", { tools });
  await shop.reply({ body: { charged: 5 }, repeat: true });
  return { tenant, model, shop };
}
const charge = { toolCalls: [{ name: "charge", arguments: {} }] };
const asks = { toolCalls: [{ name: "ask_human", arguments: { question: "Which card?" } }] };

const faces = [
  ["a chat completion", "/v1/chat/completions", { messages: [user("Charge me.")] }],
  ["a streamed chat completion", "/v1/chat/completions", { messages: [user("Charge me.")], stream: true }],
  ["a response that isn't stored", "/v1/responses", { input: "Charge me.", store: false }],
  ["a response that is stored", "/v1/responses", { input: "Charge me." }],
] as const;

it.each(faces)(
  "%s that comes again after a crash, while it is under way, is the same one",
  async (_face, path, body) => {
    const { tenant, model, shop } = await charging();
    await model.reply(charge, { text: "never heard", hold: "first" }, { text: "Charged!" });
    const send = () => tenant.call("POST", path, { model: "assistant", ...body }, { "idempotency-key": "k" });
    const first = send();
    await model.until({ requests: 2, open: 1 });
    await crash();
    await first.then(
      ({ status }) => expect(status).toBe(500),
      (error) => expect(String(error)).toContain("disconnected"),
    );
    const answers = await Promise.all([send(), send()]);
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(JSON.stringify(answer.body)).toContain("Charged!");
    }
    expect(await shop.requests()).toHaveLength(1);
    await eventually(async () => expect((await send()).headers.get("idempotent-replay")).toBe("true"));
  },
);

it("is left to its caller until the answer is kept, and then nothing of it stays", async () => {
  const { tenant, model } = await charging();
  await model.reply({ text: "Hello." });
  const body = { model: "assistant", messages: [user("Hi.")] };
  const send = () => tenant.call("POST", "/v1/chat/completions", body, { "idempotency-key": "k" });
  const first = await send();
  await eventually(async () => expect(await storedSessions(tenant)).toEqual([]));
  expect((await send()).body).toEqual(first.body);
  expect(await model.requests()).toHaveLength(1);
});

/** As after a crash between the work and its answer. */
const loseAnswers = ({ tenantId }: TestTenant) =>
  env.DB.prepare("DELETE FROM idempotency WHERE scope = ?").bind(tenantId).run();

it.each([true, false])(
  "an answer to a response's question is given once, whatever the turn has come to since (store: %s)",
  async (store) => {
    const { tenant, model, shop } = await charging();
    await model.reply(asks, charge, { text: "Charged!" }, { text: "A turn of its own." });
    const respond = (fields: object, key?: string) =>
      tenant.call(
        "POST",
        "/v1/responses",
        { model: "assistant", store, ...fields },
        {
          ...defined({ "idempotency-key": key }),
        },
      );
    const question = await respond({ input: "Charge me." });
    const answer = () => respond({ input: "The blue one.", previous_response_id: question.body.id }, "k");
    const one = await answer();
    // A response that isn't stored goes once its answer is kept.
    if (store) await loseAnswers(tenant);
    const two = await answer();
    expect(JSON.stringify(one.body)).toContain("Charged!");
    expect(two.body.output).toEqual(one.body.output);
    expect(await shop.requests()).toHaveLength(1);
    expect(await model.requests()).toHaveLength(3);
  },
);

it("an answer in a conversation is given once, though its question is closed by then", async () => {
  const { tenant, model, shop } = await charging();
  await model.reply(asks, charge, { text: "Charged!" }, { text: "A turn of its own." });
  const session = await tenant.session();
  const complete = (messages: readonly object[], key?: string) =>
    tenant.call(
      "POST",
      "/v1/chat/completions",
      { model: "assistant", messages },
      { "x-conclave-session": session, ...defined({ "idempotency-key": key }) },
    );
  const question = await complete([user("Charge me.")]);
  const messages = [user("Charge me."), assistant(question.body.choices[0].message.content), user("The blue one.")];
  const first = await complete(messages, "k");
  await loseAnswers(tenant);
  const again = await complete(messages, "k");
  expect(first.body.choices[0].message.content).toContain("Charged!");
  expect(again.body.choices).toEqual(first.body.choices);
  expect(await shop.requests()).toHaveLength(1);
  expect(await model.requests()).toHaveLength(3);
});
