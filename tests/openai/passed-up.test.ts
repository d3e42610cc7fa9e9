/** What of a caller's request reaches the model's provider as it came, and what an agent refuses or leaves out. */
import { describe, expect, it } from "vitest";
import { type Fields, newTenant, type TestTenant } from "../support/conclave.js";
import { newTeam, routesTo } from "../support/teams.js";
import { assistant, complete, user, weather } from "./support.js";

const hello = [user("Hello?")];
const system = { role: "system", content: "Say hello." };

async function sentUp(fields: Record<string, unknown>, path?: string): Promise<unknown> {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "{}" });
  const answer =
    path === undefined
      ? await complete(tenant, hello, fields)
      : await tenant.call("POST", path, { model: "assistant", input: "Hello?", ...fields });
  expect(answer.status).toBe(200);
  return (await model.requests())[0]?.body;
}

describe("a request's way of answering", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "string" } },
    required: ["a"],
    additionalProperties: false,
  };
  const format = { type: "json_schema", json_schema: { name: "a", schema, strict: true } };

  it.each([
    [{ response_format: { type: "json_object" } }, { response_format: { type: "json_object" } }],
    [{ response_format: format }, { response_format: format }],
    [
      { tools: [{ ...weather, function: { ...weather.function, strict: true } }] },
      { tools: [{ function: { name: "get_weather", strict: true } }] },
    ],
    [{ reasoning_effort: "high" }, { reasoning_effort: "high" }],
    [{ verbosity: "low" }, { verbosity: "low" }],
    [{ logit_bias: { 50256: -100 } }, { logit_bias: { 50256: -100 } }],
  ])("goes up as it came: %j", async (fields, body) => {
    expect(await sentUp(fields)).toMatchObject(body);
  });

  it("of a response, too", async () => {
    const fields = { reasoning: { effort: "low" }, text: { verbosity: "high", format: { type: "json_object" } } };
    expect(await sentUp(fields, "/v1/responses")).toMatchObject({
      reasoning_effort: "low",
      verbosity: "high",
      response_format: { type: "json_object" },
    });
  });

  it("says no more than was said", async () => {
    const body = await sentUp({ tools: [weather], logit_bias: {} });
    expect(JSON.stringify(body)).not.toMatch(/strict|logit_bias|reasoning_effort|verbosity|response_format/);
  });

  it("with allowed_tools offers those alone", async () => {
    const other = { type: "function", function: { name: "other" } };
    const allowed = [{ type: "function", function: { name: "get_weather" } }];
    const choice = { type: "allowed_tools", allowed_tools: { mode: "required", tools: allowed } };
    const body = await sentUp({ tools: [weather, other], tool_choice: choice });
    expect(body).toMatchObject({ tools: [{ function: { name: "get_weather" } }], tool_choice: "required" });
    expect(JSON.stringify(body)).not.toContain('"other"');
  });
});

describe("what can't be done", () => {
  const cases: [string, Fields[]][] = [
    ["the beginning of the answer", [...hello, assistant("Hel")]],
    ["a system message alone", [system]],
  ];

  async function agentThat(unsupported?: "refuse" | "ignore"): Promise<TestTenant> {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", unsupported === undefined ? {} : { unsupported });
    await model.reply({ text: "Hello!" });
    return tenant;
  }

  it.each(cases)("is refused with its place: %s", async (_what, messages) => {
    for (const setting of [undefined, "refuse"] as const) {
      const answer = await complete(await agentThat(setting), messages);
      expect(answer).toMatchObject({ status: 400, body: { error: { param: "messages" } } });
    }
  });

  it.each(cases)("is left out where the agent says so: %s", async (_what, messages) => {
    const answer = await complete(await agentThat("ignore"), messages);
    expect(answer.body.choices[0].message.content).toBe("Hello!");
  });

  it("of a response is its input's end", async () => {
    const body = { model: "assistant", input: [user("Hello?"), assistant("Hel")] };
    const refused = await (await agentThat()).call("POST", "/v1/responses", body);
    expect(refused).toMatchObject({ status: 400, body: { error: { param: "input" } } });
    expect((await (await agentThat("ignore")).call("POST", "/v1/responses", body)).status).toBe(200);
  });

  it("is a team's model's effort, which nobody of it takes", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: { model: "offline" } });
    await team.supervisor.reply({ ...routesTo("a"), repeat: true });
    await tenant.put("teams", "desk", team.definition);
    await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
    const ask = () => complete(tenant, hello, { reasoning_effort: "high" });
    expect(await ask()).toMatchObject({ status: 400, body: { error: { param: "reasoning_effort" } } });
    await tenant.put("agents", "assistant", { kind: "team", team: "desk", unsupported: "ignore" });
    expect((await ask()).status).toBe(200);
  });
});
