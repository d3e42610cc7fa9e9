/** Ten seats over ten rounds: what their prompts hold, how much of each a provider has seen before, and what the debate stores. Runs in workerd, where the object can be looked into. */
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { z } from "zod";
import { newTenant } from "../tests/support/conclave.js";
import { goOn, newPanel, startTable, tableObject, takes } from "../tests/support/roundtables.js";

const charactersPerToken = 4;

const requestSchema = z.object({
  messages: z.array(z.looseObject({ content: z.string().nullish() })),
  tools: z.array(z.unknown()).default([]),
});

it("keeps ten seats' prompts within their room over ten rounds, and stores as much for a late round as for an early one", async () => {
  // All positions together would be some 14,000 tokens a round.
  const large = await play({ seats: 10, rounds: 10, words: [90, 290], promptTokens: 4_000 });
  const usual = await play({ seats: 5, rounds: 5, words: [20, 80], promptTokens: 12_000 });
  const { promptTokens, largest, stored, positions } = large;
  const growth = stored.slice(1).map((bytes, at) => bytes - (stored[at] ?? 0));
  const early = mean(growth.slice(0, 3));
  const late = mean(growth.slice(-3));
  const { betweenSeats, betweenRounds } = usual;
  console.log(
    `BENCH ${JSON.stringify({ promptTokens, largest: largest.map(Math.round), early, late, positions, shared: { betweenSeats, betweenRounds }, sharedOfLarge: large.betweenSeats })}`,
  );
  expect(Math.max(...largest)).toBeLessThanOrEqual(promptTokens);
  expect(late / early).toBeLessThan(1.2);
  expect(Math.min(...betweenSeats.slice(1), ...large.betweenSeats.slice(1))).toBeGreaterThan(0.75);
  expect(Math.min(...betweenRounds.slice(1))).toBeGreaterThan(0.5);
});

interface Measured {
  readonly promptTokens: number;
  /** The largest prompt of each round, in tokens, without tools. */
  readonly largest: readonly number[];
  /** The part of a prompt that is that of the seat before from the beginning on, by round. */
  readonly betweenSeats: readonly number[];
  /** The same against the seat's own prompt of the round before, from round 2 on. */
  readonly betweenRounds: readonly number[];
  /** Bytes of the object after each round. */
  readonly stored: readonly number[];
  /** Characters of the last round's positions. */
  readonly positions: number;
}

async function play(debate: {
  seats: number;
  rounds: number;
  words: readonly [number, number];
  promptTokens: number;
}): Promise<Measured> {
  const { rounds, words, promptTokens } = debate;
  const tenant = await newTenant();
  const panel = newPanel(
    Array.from({ length: debate.seats }, (_, at) => `seat-${at + 1}`),
    { limits: { promptTokens } },
  );
  for (const [id, model] of Object.entries(panel.models)) {
    const text = (count: number) => Array.from({ length: count }, (_, at) => `${id} word${at}`).join(" ");
    await model.reply({ ...takes(text(words[0]), { reasoning: text(words[1]) }), repeat: true });
  }
  const stored: number[] = [];
  let table = await startTable(tenant, panel, { rounds });
  stored.push(await sizeOf(tenant, table.sessionId));
  for (let round = 2; round <= rounds; round++) {
    table = await goOn(tenant, table);
    stored.push(await sizeOf(tenant, table.sessionId));
  }
  expect(table).toMatchObject({ status: "completed", currentRound: rounds });
  const prompts = await Promise.all(
    Object.values(panel.models).map(async (model) => (await model.requests()).map(promptOf)),
  );
  const byRound = Array.from({ length: rounds }, (_, round) => prompts.map((of) => of[round] ?? none));
  return {
    promptTokens,
    largest: byRound.map((of) => Math.max(...of.map(({ messages }) => messages.length / charactersPerToken))),
    betweenSeats: byRound.map((of) => rounded(mean(of.slice(1).map((prompt, at) => shared(of[at], prompt))))),
    betweenRounds: byRound
      .slice(1)
      .map((of, at) => rounded(mean(of.map((prompt, seat) => shared(byRound[at]?.[seat], prompt))))),
    stored,
    positions: table.responses.reduce((sum, held) => sum + held.position.length + held.reasoning.length, 0),
  };
}

interface Prompt {
  readonly tools: string;
  readonly messages: string;
}
const none: Prompt = { tools: "", messages: "" };

/** Tools stand before messages in what providers cache. */
function promptOf({ body }: { readonly body: unknown }): Prompt {
  const { messages, tools } = requestSchema.parse(body);
  return { tools: JSON.stringify(tools), messages: messages.map(({ content }) => content ?? "").join("\n") };
}

/** The part of a prompt that begins like another. */
function shared(one: Prompt = none, other: Prompt): number {
  const [before, now] = [one, other].map(({ tools, messages }) => tools + messages);
  if (before === undefined || now === undefined) return 0;
  let end = 0;
  while (end < now.length && before[end] === now[end]) end += 1;
  return end / now.length;
}

function rounded(share: number): number {
  return Math.round(share * 100) / 100;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** Bytes of the values that the object's tables hold. */
async function sizeOf(tenant: Awaited<ReturnType<typeof newTenant>>, sessionId: string): Promise<number> {
  return runInDurableObject(tableObject(tenant, { sessionId }), (_instance, { storage: { sql } }) => {
    const tables = sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'",
      )
      .toArray();
    return tables.reduce((sum, { name }) => {
      const rows = sql.exec(`SELECT * FROM "${name}"`).toArray();
      return sum + rows.reduce((bytes, row) => bytes + JSON.stringify(row).length, 0);
    }, 0);
  });
}
