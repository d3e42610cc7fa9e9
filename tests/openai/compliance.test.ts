import { expect, it } from "vitest";
import { newTenant } from "../support/conclave.js";
import { type Scenario, scenarios } from "./compliance-scenarios.js";
import { expectPublished } from "./published-schema.js";
import { respond, streamed } from "./response-support.js";

it.each(scenarios)("does what the public suite asks as $id", async (scenario) => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  const call = { toolCalls: [{ name: "get_weather", arguments: { location: "San Francisco, CA" } }] };
  const calls = scenario.output?.includes("function_call") === true || scenario.id === "function-call-roundtrip";
  await model.reply(...(calls ? [call] : []), { text: "Hello there, Alice.", repeat: true });
  const { status = 200, output = [], events = [] } = scenario;
  if (scenario.path === "/compact") {
    const answer = await tenant.call("POST", "/v1/responses/compact", { model: "assistant", ...scenario.body });
    expect(answer.status).toBe(status);
    if (status !== 200) return;
    expectPublished("CompactResource", answer.body);
    expect(typesOf(answer.body)).toEqual(output);
    return;
  }
  const { response, types } = await run(scenario.body, scenario.isStream);
  expect(types).toEqual(expect.arrayContaining([...events]));
  const last = scenario.next === undefined ? response : (await run(scenario.next(response))).response;
  expect(last.status).toBe("completed");
  expect(typesOf(last)).toEqual(output);

  async function run(body: Scenario["body"], isStream = false) {
    const { input, ...fields } = body;
    if (isStream) return streamed(tenant, input, fields);
    const answer = await respond(tenant, input, fields);
    expect(answer.status).toBe(200);
    return { response: answer.body, types: [] };
  }
});

function typesOf({ output }: { readonly output: readonly { readonly type: string }[] }): string[] {
  return output.map(({ type }) => type);
}
