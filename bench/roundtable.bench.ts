/** Ten seats over ten rounds: what their prompts hold, and what the debate stores. Runs in workerd, where the object can be looked into. */
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { z } from "zod";
import { newTenant } from "../tests/support/conclave.js";
import { goOn, newPanel, startTable, tableObject, takes } from "../tests/support/roundtables.js";

const seats = Array.from({ length: 10 }, (_, at) => `seat-${at + 1}`);
const rounds = 10;
const promptTokens = 4_000;
const charactersPerToken = 4;

const requestSchema = z.object({ messages: z.array(z.looseObject({ content: z.string().nullish() })) });

it("keeps ten seats' prompts within their room over ten rounds, and stores as much for a late round as for an early one", async () => {
  const tenant = await newTenant();
  const panel = newPanel(seats, { limits: { promptTokens } });
  for (const [id, model] of Object.entries(panel.models)) {
    // All positions together would be some 14,000 tokens a round.
    const words = (count: number) => Array.from({ length: count }, (_, at) => `${id} word${at}`).join(" ");
    await model.reply({ ...takes(words(90), { reasoning: words(290) }), repeat: true });
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
    Object.values(panel.models).map(async (model) =>
      (await model.requests()).map(({ body }) => {
        const { messages } = requestSchema.parse(body);
        return messages.reduce((sum, { content }) => sum + (content ?? "").length, 0) / charactersPerToken;
      }),
    ),
  );
  const largest = Array.from({ length: rounds }, (_, round) => Math.max(...prompts.map((of) => of[round] ?? 0)));
  const growth = stored.slice(1).map((bytes, at) => bytes - (stored[at] ?? 0));
  const early = mean(growth.slice(0, 3));
  const late = mean(growth.slice(-3));
  const positions = table.responses.reduce((sum, held) => sum + held.position.length + held.reasoning.length, 0);
  console.log(`BENCH ${JSON.stringify({ promptTokens, largest: largest.map(Math.round), early, late, positions })}`);
  expect(Math.max(...largest)).toBeLessThanOrEqual(promptTokens);
  expect(late / early).toBeLessThan(1.2);
});

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
