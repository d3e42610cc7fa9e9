/** Calls of `/v1/responses`, as its clients send them. Every answer and every event is held against the published schema. */
import { expect } from "vitest";
import { type Answer, type Fields, send, type TestTenant } from "../support/conclave.js";
import { expectPublished } from "./published-schema.js";

export async function respond(
  tenant: TestTenant,
  input: unknown,
  fields: Fields = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await tenant.call("POST", "/v1/responses", { model: "assistant", input, ...fields }, headers);
  if (answer.status === 200) expectPublished("ResponseResource", answer.body);
  return answer;
}

export async function retrieve(tenant: TestTenant, id: string): Promise<Answer> {
  const answer = await tenant.call("GET", `/v1/responses/${id}`);
  if (answer.status === 200) expectPublished("ResponseResource", answer.body);
  return answer;
}

// Tests look into events of many shapes; what they expect of them is the assertion.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Event = any;

export interface StreamedResponse {
  readonly events: readonly Event[];
  readonly types: readonly string[];
  readonly text: string;
  readonly refusal: string;
  /** Of the last event that has one. */
  readonly response: Event;
  readonly raw: string;
}

export async function streamed(tenant: TestTenant, input: unknown, fields: Fields = {}): Promise<StreamedResponse> {
  const body = { model: "assistant", input, stream: true, ...fields };
  const answer = await send("POST", "/v1/responses", { key: tenant.key, body });
  const raw = await answer.text();
  expect(raw.endsWith("data: [DONE]\n\n")).toBe(true);
  const blocks = raw.split("\n\n").filter((block) => block.startsWith("event: "));
  const events = blocks.map((block): Event => {
    const [name = "", data = ""] = block.split("\n");
    const event = JSON.parse(data.slice("data: ".length));
    expect(name).toBe(`event: ${event.type}`);
    return event;
  });
  return { ...checkedEvents(events), raw };
}

/** Events in their order, each as it is published. */
export function checkedEvents(events: readonly Event[]): Omit<StreamedResponse, "raw"> {
  for (const event of events) expectPublished("StreamingEvent", event);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_event, index) => index));
  return {
    events,
    types: events.map(({ type }) => type),
    text: deltas(events, "response.output_text.delta"),
    refusal: deltas(events, "response.refusal.delta"),
    response: events.findLast(({ response }) => response !== undefined)?.response,
  };
}

function deltas(events: readonly Event[], type: string): string {
  return events.flatMap((event) => (event.type === type ? [event.delta] : [])).join("");
}

export const userItem = (content: string) => ({ type: "message", role: "user", content });
export const assistantItem = (content: string) => ({ type: "message", role: "assistant", content });

export const weatherTool = {
  type: "function",
  name: "get_weather",
  description: "The weather of a place.",
  parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
};
