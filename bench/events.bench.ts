/** How long the events of a long session take that are asked for from the first on (without `Last-Event-ID`). Runs in workerd. */
import { expect, it } from "vitest";
import { newTenant, send } from "../tests/support/conclave.js";

const short = 50;
const long = 400;

it("takes as long for an event of a long session as for one of a short one", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Noted. Your parcel leaves the warehouse tomorrow and arrives on Friday.", repeat: true });
  const session = await tenant.session();
  const say = async (from: number, to: number): Promise<void> => {
    for (let number = from; number < to; number++) await tenant.say(session, `Message ${number}: where is my parcel?`);
  };
  const listen = async (): Promise<{ events: number; ms: number; bytes: number }> => {
    const times: number[] = [];
    let text = "";
    for (let run = 0; run < 5; run++) {
      const began = performance.now();
      const { body } = await send("GET", `/v1/sessions/${session}/events?lingerMs=0`, {
        key: tenant.key,
        headers: { accept: "text/event-stream" },
      });
      text = await new Response(body).text();
      times.push(performance.now() - began);
    }
    const events = text.split("\n").filter((line) => line.startsWith("id:")).length;
    return { events, bytes: text.length, ms: times.sort((a, b) => a - b)[2] ?? 0 };
  };
  await say(0, short);
  const early = await listen();
  await say(short, long);
  const late = await listen();
  console.log(`BENCH ${JSON.stringify({ early, late })}`);
  expect(late.ms / late.events / (early.ms / early.events)).toBeLessThan(1.5);
});
