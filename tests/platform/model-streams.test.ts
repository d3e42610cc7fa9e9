/** How replies of models are read in the real runtime: over HTTP, from bodies of its own kind. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { createModelPort } from "../../src/model/directory.js";
import { sleep, withDeadline } from "../../src/platform/clock.js";
import { upstreamFor } from "../support/upstream-client.js";

/** Pieces of a streamed reply: deltas that are told in one synchronous section came in one. */
async function piecesOf(call: (delta: (text: string) => void) => Promise<unknown>): Promise<string[]> {
  const pieces: string[] = [];
  let isOpen = false;
  await call((text) => {
    if (isOpen) pieces.push(`${pieces.pop() ?? ""}${text}`);
    else pieces.push(text);
    isOpen = true;
    queueMicrotask(() => {
      isOpen = false;
    });
  });
  return pieces;
}

it("a streamed reply comes in one piece while nobody follows it, once its server was seen to end a stream, else as it is written", async () => {
  const upstream = upstreamFor(env.TEST_UPSTREAM);
  const words = ["Your ", "parcel ", "left ", "on ", "Monday."];
  await upstream.reply({ text: words.join(""), chunks: words, repeat: true });
  const providers = { acme: { baseURL: upstream.baseURL, apiKey: "key" } };
  const model = createModelPort({ providers }, { sleep, withDeadline, random: () => 0 });
  const ask = (isFollowed: boolean) =>
    piecesOf((delta) =>
      model.call(
        { models: [`acme/${upstream.model}`], messages: [{ role: "user", content: "Hello" }], timeoutMs: 30_000 },
        { listener: { delta, retract: () => {}, isFollowed: () => isFollowed } },
      ),
    );

  expect((await ask(false)).length).toBeGreaterThan(1);
  // What its stream ends with is read behind the reply.
  await expect.poll(() => ask(false)).toEqual([words.join("")]);
  expect((await ask(true)).length).toBeGreaterThan(1);
});
