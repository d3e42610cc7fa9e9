/** A run's response while it is written: shown as far as supervision has cleared it. */
import { describe, expect, it } from "vitest";
import { newTenant, parseEvents, readStream, type StreamEvent, send, type TestTenant } from "../../support/conclave.js";
import { modelOf, newTeam, routesTo, type TestTeam } from "../../support/teams.js";

async function stream(tenant: TestTenant, team: TestTeam) {
  const body = { team: team.definition, input: "Is it paid?" };
  const answer = await tenant.call("POST", "/v1/runs", body, { accept: "text/event-stream" });
  const events = parseEvents(answer.body);
  const last = events.findLast(({ event }) => event === "run.retracted")?.data.attempt ?? 0;
  const deltas = events.filter(({ event, data }) => event === "run.delta" && data.attempt === last);
  return { events, raw: String(answer.body), shown: deltas.map(({ data }) => data.text).join("") };
}

describe("the response of a run, streamed", () => {
  it("is shown piece by piece, and is what the run completes with", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} });
    await team.supervisor.reply({ ...routesTo("billing"), text: "I'd say billing." });
    const text = "Your invoice is paid since Monday.";
    const chunks = ["Your invoice ", "is paid ", "since Monday."];
    await modelOf(team, "billing").reply({ chunks, text, hold: { name: "h", afterChunks: 2 } });
    const body = { team: team.definition, input: "Is it paid?" };
    const headers = { accept: "text/event-stream" };
    const following = readStream(await send("POST", "/v1/runs", { key: tenant.key, body, headers }));
    const deltasIn = (events: readonly StreamEvent[]) => events.filter(({ event }) => event === "run.delta");
    await following.until((events) => deltasIn(events).length > 0);
    // The model says the rest once its beginning is shown.
    await modelOf(team, "billing").release("h");
    const raw = await following.until(() => false);
    const events = parseEvents(raw);
    const shown = deltasIn(events)
      .map(({ data }) => data.text)
      .join("");
    expect(deltasIn(events).length).toBeGreaterThan(1);
    expect(shown).toBe("Your invoice is paid since Monday.");
    expect(events.at(-1)).toMatchObject({ event: "run.completed", data: { response: shown } });
    expect(raw).not.toContain("I'd say");
  });

  it("holds no forbidden byte, however it is split, and takes back what was shown of one that is blocked", async () => {
    const tenant = await newTenant();
    await tenant.rules("no-treasure", [
      { match: { type: "phrases", phrases: ["crown jewels"] }, action: "block", reason: "no treasure" },
    ]);
    const team = newTeam({ billing: {} }, {}, { supervisors: ["no-treasure"] });
    await team.supervisor.reply(routesTo("billing"));
    const chunks = ["It is quite a long story, and they lie there. ", "The cro", "wn je", "wels are in the tower."];
    await modelOf(team, "billing").reply({ chunks, text: chunks.join("") });
    const { events, shown, raw } = await stream(tenant, team);
    expect(raw).not.toMatch(/crown jewels|cro"|wn je|tower/);
    expect(events.at(-1)).toMatchObject({ event: "run.completed", data: { status: "blocked" } });
    expect(shown).toBe("");
    expect(events.map(({ event }) => event)).toContain("run.retracted");
  });
});
