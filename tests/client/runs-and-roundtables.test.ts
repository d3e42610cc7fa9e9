/** The typed client with runs and roundtables, against the running Worker. */
import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { Conclave, type ConclaveEvent, ReplyText } from "../../src/client/index.js";
import { newTenant, origin } from "../support/conclave.js";
import { newPanel, requests, seat, takes } from "../support/roundtables.js";
import { modelOf, newTeam, routesTo } from "../support/teams.js";

const clientFor = (token: string) =>
  new Conclave({ baseUrl: origin, token, fetch: (input, init) => exports.default.fetch(new Request(input, init)) });

it("shows the response of a run while it is written, as far as it counts", async () => {
  const tenant = await newTenant();
  const team = newTeam({ billing: {} });
  await tenant.put("teams", "desk", team.definition);
  await team.supervisor.reply(routesTo("billing"));
  const text = "Your invoice is paid since Monday.";
  const chunks = ["Your invoice ", "is paid ", "since Monday."];
  await modelOf(team, "billing").reply({ chunks, text, hold: { name: "h", afterChunks: 2 } });
  const response = new ReplyText();
  const shown: string[] = [];
  const events: ConclaveEvent[] = [];
  const conclave = clientFor((await tenant.withRole("client")).key);
  for await (const event of conclave.runs.stream({ team: "desk", input: "Is it paid?" })) {
    events.push(event);
    shown.push(response.after(event));
    // The model says the rest once its beginning is shown.
    if (event.event === "run.delta") await modelOf(team, "billing").release("h");
  }
  const deltas = events.flatMap((event) => (event.event === "run.delta" ? [event.data.text] : []));
  expect(deltas.length).toBeGreaterThan(1);
  expect(deltas.join("")).toBe(text);
  expect(shown.at(-1)).toBe(text);
  expect(events.at(-1)).toMatchObject({ event: "run.completed", data: { status: "completed", response: text } });
});

it("carries a debate from its start over what its seats ask for to its export, and follows it", async () => {
  const tenant = await newTenant();
  const panel = newPanel(["a", "b"], { rounds: 2 });
  await tenant.put("panels", "board", panel.fields);
  await seat(panel, "a").reply(requests("What is the budget?"), takes("A waits."), takes("A: ship it."));
  await seat(panel, "b").reply(takes("B: ship it."), takes("B: ship it now."));
  const { roundtables, asks } = clientFor((await tenant.withRole("client")).key);

  const begun = await roundtables.start({ topic: "Do we ship?", panel: "board", subject: "ada" });
  expect(begun).toMatchObject({ status: "needs_context", blocking: true, currentRound: 1 });
  const { sessionId } = begun;
  const [request] = begun.contextRequests ?? [];
  expect(request).toMatchObject({ query: "What is the budget?", agentIds: ["a"] });
  // The same question stands in the inbox.
  expect(await asks.get(request?.requestId ?? "")).toMatchObject({
    kind: "context",
    from: { roundtableId: sessionId },
  });
  const given = await roundtables.giveContext(sessionId, [
    { requestId: request?.requestId ?? "", result: "5 million", source: "the CFO" },
  ]);
  expect(given).not.toHaveProperty("blocking", true);
  expect(await roundtables.continue(sessionId)).toMatchObject({ status: "completed", currentRound: 2 });
  const seen = await roundtables.get(sessionId, { waitMs: 10_000 });
  expect(seen.responses.map(({ position }) => position)).toEqual(["A: ship it.", "B: ship it now."]);
  expect(await roundtables.export(sessionId)).toContain("5 million");
  await expect.poll(async () => (await roundtables.list({ subject: "ada" })).items).toMatchObject([{ sessionId }]);

  const events: ConclaveEvent[] = [];
  for await (const event of roundtables.events(sessionId, { untilIdle: true })) events.push(event);
  const positions = events.flatMap(({ event, data }) => (event === "position.taken" ? [data.position] : []));
  expect(positions).toHaveLength(4);
  expect(events.at(-1)).toMatchObject({ event: "roundtable.completed", data: { sessionId, status: "completed" } });
});
