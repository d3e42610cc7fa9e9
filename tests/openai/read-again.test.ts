/** Stored responses that are read again: as events, and what their requests sent. */
import { describe, expect, it } from "vitest";
import { newTenant, send, type TestTenant } from "../support/conclave.js";
import { assistantItem, checkedEvents, respond, userItem, weatherTool } from "./response-support.js";

async function events(tenant: TestTenant, path: string) {
  const raw = await (await send("GET", path, { key: tenant.key })).text();
  return raw.split("\n\n").flatMap((block) => {
    const data = /^data: (\{.*)$/m.exec(block)?.[1];
    return data === undefined ? [] : [JSON.parse(data)];
  });
}

describe("a stored response", () => {
  it("is streamed again to its end, with all that it said", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "It comes tomorrow." });
    const { id } = (await respond(tenant, "Where is my parcel?")).body;
    const read = checkedEvents(await events(tenant, `/v1/responses/${id}?stream=true`));
    expect(read.text).toBe("It comes tomorrow.");
    expect(read.response).toMatchObject({ id, status: "completed" });
    const part = { type: "output_text", text: "It comes tomorrow.", annotations: [], logprobs: [] };
    expect(read.response.output[0].content).toEqual([part]);

    // Who has seen some of it gets no piece twice: the whole text, where it is done.
    const rest = await events(tenant, `/v1/responses/${id}?stream=true&starting_after=5`);
    expect(rest.map(({ type }) => type)).toEqual([
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(rest.map(({ sequence_number }) => sequence_number)).toEqual([6, 7, 8, 9]);
  });

  it("is followed while it is written", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ chunks: ["It comes ", "tomorrow."], hold: "reply" });
    const body = { model: "assistant", input: "Where is my parcel?", stream: true };
    const first = await send("POST", "/v1/responses", { key: tenant.key, body });
    const id = first.headers.get("location")?.split("/").at(-1);
    const second = events(tenant, `/v1/responses/${id}?stream=true`);
    await model.release("reply");
    expect(checkedEvents(await second).text).toBe("It comes tomorrow.");
    expect(await first.text()).toContain("response.completed");
  });

  it("says what its own request sent, as supervision left it", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { supervisors: ["rules"] });
    await tenant.rules("rules", [
      { match: { type: "phrases", phrases: ["4711"] }, action: "redact", replacement: "[number]", reason: "numbers" },
      { match: { type: "phrases", phrases: ["forbidden"] }, action: "block", reason: "forbidden" },
    ]);
    await model.reply({ text: "Yes.", repeat: true });
    const list = async (id: string, query = "") =>
      (await tenant.call("GET", `/v1/responses/${id}/input_items${query}`)).body;
    const texts = async (id: string, query?: string) =>
      (await list(id, query)).data.map((item: { content?: { text: string }[] }) => item.content?.[0]?.text);

    const sent = [userItem("Hello."), assistantItem("Hello, Ana."), userItem("Is it paid?")];
    const { id } = (await respond(tenant, sent)).body;
    expect(await texts(id)).toEqual(["Is it paid?", "Hello, Ana.", "Hello."]);
    const page = await list(id, "?order=asc&limit=2");
    expect(page).toMatchObject({ object: "list", has_more: true, first_id: page.data[0].id, last_id: page.data[1].id });
    expect(await texts(id, `?order=asc&limit=2&after=${page.last_id}`)).toEqual(["Is it paid?"]);

    const next = (await respond(tenant, "Number 4711?", { previous_response_id: id })).body.id;
    expect(await texts(next)).toEqual(["Number [number]?"]);
    const blocked = (await respond(tenant, [userItem("Hello."), userItem("forbidden")])).body.id;
    expect(await texts(blocked)).toEqual([]);
  });

  it("says what came of calls that it was sent", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ toolCalls: [{ name: "get_weather", arguments: { place: "Rome" } }] }, { text: "Sunny." });
    const called = (await respond(tenant, "And Rome?", { tools: [weatherTool] })).body;
    const { call_id } = called.output.find(({ type }: { type: string }) => type === "function_call");
    const output = { type: "function_call_output", call_id, output: "24 degrees" };
    const fields = { previous_response_id: called.id, tools: [weatherTool] };
    const { id } = (await respond(tenant, [output], fields)).body;
    const { data } = (await tenant.call("GET", `/v1/responses/${id}/input_items`)).body;
    expect(data).toMatchObject([output]);
  });

  it("is nobody else's to read in either way, and wrong parameters are named", async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Yes." });
    const { id } = (await respond(tenant, "Hello.", { user: "ada" })).body;
    const { token } = (await tenant.call("POST", "/v1/tokens", { subject: "bob" })).body;
    for (const key of [other.key, token]) {
      for (const rest of ["/input_items", "?stream=true"]) {
        expect((await send("GET", `/v1/responses/${id}${rest}`, { key })).status).toBe(404);
      }
    }
    const wrong = [`/input_items?limit=0`, `/input_items?after=in_none`, "?stream=maybe", "?starting_after=-1", "?x=1"];
    for (const rest of wrong) {
      const answer = await tenant.call("GET", `/v1/responses/${id}${rest}`);
      expect(answer, rest).toMatchObject({ status: 400, body: { error: { type: "invalid_request_error" } } });
    }
  });
});

it.each([
  ["GET", "/v1/files"],
  ["POST", "/v1/embeddings"],
  ["POST", "/v1/conversations"],
  ["POST", "/v1/images/generations"],
  ["GET", "/v1/chat/completions/chatcmpl-1"],
  ["GET", "/v1/models/a/b"],
])("what isn't there is refused in OpenAI's words: %s %s", async (method, path) => {
  const tenant = await newTenant();
  const answered = await tenant.call(method, path, method === "POST" ? {} : undefined);
  expect(answered).toMatchObject({
    status: 404,
    body: { error: { code: "not_found", type: "invalid_request_error" } },
  });
  expect((await send(method, path)).status).toBe(401);
});
