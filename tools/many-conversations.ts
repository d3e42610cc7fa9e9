// A message in each of many conversations of a chat channel at once, against a running Worker: are all answered, and how fast?
//   CONCLAVE_URL=http://127.0.0.1:8787 CONCLAVE_KEY=cnk_… tsx tools/many-conversations.ts 1000
// It stores an agent of the offline model and a channel of kind `generic`, whose answers it receives itself.
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { z } from "zod";

const url = process.env.CONCLAVE_URL ?? "http://127.0.0.1:8787";
const key = process.env.CONCLAVE_KEY ?? "";
const many = Number(process.argv[2] ?? 1_000);
const run = randomBytes(4).toString("hex");
const secret = randomBytes(24).toString("base64");

/** The ids of a conversation's answers: the same id again is a try that was repeated, another one a second answer. */
const answered = new Map<string, Set<string>>();
let repeatedTries = 0;
/** Answers other than 202, and how often each came. */
const refusals = new Map<string, number>();
const maxTries = 60;
const receiver = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { conversation } = z.looseObject({ conversation: z.string() }).parse(JSON.parse(body));
  const id = String(request.headers["webhook-id"]);
  const ids = answered.get(conversation) ?? new Set();
  if (ids.has(id)) repeatedTries++;
  // What an earlier run left behind comes here too: the channel has its name.
  if (conversation.startsWith(run)) answered.set(conversation, ids.add(id));
  response.writeHead(200).end("{}");
});
receiver.listen(0, "127.0.0.1");
await once(receiver, "listening");
const place = receiver.address();
const port = typeof place === "object" && place !== null ? place.port : 0;

async function put(path: string, body: unknown): Promise<{ address: string }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(url + path, { method: "PUT", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return z.looseObject({ address: z.string().default("") }).parse(await answer.json());
}

async function send(address: string, conversation: string): Promise<number> {
  const body = JSON.stringify({
    conversation,
    messageId: "m1",
    user: { id: "ada" },
    text: `Hello from ${conversation}.`,
  });
  const began = performance.now();
  // As a platform does: what isn't taken is sent again, each time with the time of that try.
  for (let tries = 1; ; tries++) {
    const { status, said } = await post(address, signed(`evt-${conversation}`, body), body);
    if (status === 202) return performance.now() - began;
    const refusal = `${status} ${said.slice(0, 300).replaceAll(/(?:req|[0-9a-f]{8}-)[_0-9a-z]+/g, "…")}`;
    refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
    if ((status > 0 && status < 500) || tries === maxTries) throw new Error(`${conversation}: ${refusal}`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

function signed(id: string, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac("sha256", Buffer.from(secret, "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

/** Status 0: there was no answer. */
async function post(address: string, headers: Record<string, string>, body: string) {
  try {
    const answer = await fetch(address, { method: "POST", headers, body });
    return { status: answer.status, said: await answer.text() };
  } catch (error) {
    return { status: 0, said: error instanceof Error ? error.message : String(error) };
  }
}

await put("/v1/agents/many", { kind: "model", model: "offline", instructions: "Help." });
const credentials = { secret: `whsec_${secret}`, replyUrl: `http://127.0.0.1:${port}/` };
const { address } = await put("/v1/channels/many", { kind: "generic", agent: "many", credentials });
const began = performance.now();
const waits = await Promise.all(Array.from({ length: many }, (_none, at) => send(url + address, `${run}-${at}`)));
const acknowledged = performance.now() - began;
const deadline = Date.now() + 300_000;
while (answered.size < many && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 100));
const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;
const twice = [...answered.values()].filter(({ size }) => size > 1).length;
console.log(
  `${many} messages acknowledged after ${seconds(acknowledged)}, half of them after ${seconds(waits.toSorted((a, b) => a - b)[Math.floor(many / 2)] ?? 0)}`,
);
for (const [refusal, times] of refusals) console.log(`refused ${times} times, and sent again: ${refusal}`);
console.log(
  `${answered.size} answered after ${seconds(performance.now() - began)}, ${twice} twice; ${repeatedTries} answers were sent again under their id`,
);
receiver.close();
receiver.closeAllConnections();
process.exit(answered.size === many && twice === 0 ? 0 : 1);
