/** A person who uses everything: talks, is remembered, is asked, writes in a chat, calls by a token, and leaves words of their own everywhere. */
import { env } from "cloudflare:workers";
import { connect, genericMessage, platforms } from "./chat-platforms.js";
import { type Fields, TestTenant as Tenant, type TestTenant } from "./conclave.js";
import { eventually } from "./eventually.js";
import { newTeam, routesTo, startRun } from "./teams.js";

/** Where a person's words stand, each place with a word of its own. */
export interface Person {
  readonly subject: string;
  /** Nobody else says these. */
  readonly words: readonly string[];
  readonly sessions: readonly string[];
  readonly runId: string;
  readonly roundtableId: string;
  readonly memoryId: string;
}

/** What several people share: an agent, a vault, a channel. */
export interface Place {
  readonly tenant: TestTenant;
  readonly vaultId: string;
  readonly channel: Awaited<ReturnType<typeof connect>>;
}

export async function newPlace(tenant: TestTenant): Promise<Place> {
  await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Answer." });
  const { vaultId } = (await tenant.call("POST", "/v1/vaults", { title: "People" })).body;
  const channel = await connect(tenant, platforms.generic);
  await channel.api.reply({ status: 200, body: "{}", repeat: true });
  return { tenant, vaultId, channel };
}

const said = (word: string): string => `My ${word} is ${word}, and I like it. Remember ${word}.`;

/** @param name ends in letters that ids don't have: `anaquorzifu` */
export async function newPerson({ tenant, vaultId, channel }: Place, name: string): Promise<Person> {
  const word = (what: string): string => `${what}${name}`;
  const memory = { title: `About ${word("memory")}`, model: "offline", subject: name };
  const { memoryId } = (await tenant.call("POST", `/v1/vaults/${vaultId}/memories`, memory)).body;

  // Nobody's own. What one person's replies recall of it of another, nobody finds: each has one.
  const nobodys = { title: "Of the house", model: "offline" };
  const { memoryId: sharedMemory } = (await tenant.call("POST", `/v1/vaults/${vaultId}/memories`, nobodys)).body;

  const { body: minted } = await tenant.call("POST", "/v1/tokens", { subject: name });
  const own = new Tenant(tenant.tenantId, minted.token);
  const sessionId = await own.session({});
  await own.say(sessionId, said(word("token")), {}, { "idempotency-key": `${word("key")}-1` });

  const remembered = await tenant.session({ subject: name, memory: { memoryId }, metadata: { about: word("meta") } });
  await tenant.say(remembered, said(word("memory")));
  const elsewhere = await tenant.session({ subject: name, memory: { memoryId: sharedMemory } });
  await tenant.say(elsewhere, said(word("shared")));
  for (const [id, threadId] of [
    [memoryId, remembered],
    [sharedMemory, elsewhere],
  ]) {
    await eventually(async () => {
      const { body } = await tenant.call("GET", `/v1/memories/${id}/entries?threadId=${threadId}`);
      if ((body.items ?? []).length < 2) throw new Error(`no entries yet: ${JSON.stringify(body)}`);
    });
  }

  const team = newTeam({ clerk: {} });
  await team.supervisor.reply(routesTo("clerk"));
  await team.workers.clerk?.reply({ text: `Noted: ${word("result")}.` });
  const { runId } = await startRun(tenant, team.definition, said(word("input")), { subject: name });

  const seats = ["a", "b"].map((id) => ({ id, name: id, model: "offline" }));
  const panel = { topic: said(word("topic")), seats, rounds: 1, subject: name };
  const { body: table } = await tenant.call("POST", "/v1/roundtables", panel);

  const stored = { model: "assistant", input: said(word("response")), user: name };
  await tenant.call("POST", "/v1/responses", stored);

  const text = said(word("chat"));
  const user = { id: name, name: word("display") };
  await channel.deliver(
    await genericMessage({ conversation: `dm-${name}`, messageId: `m-${name}`, text, user, direct: true }),
  );
  const sessions = await eventually(async () => {
    const { body } = await tenant.call("GET", `/v1/sessions?subject=${name}`);
    if (body.items.length < 4)
      throw new Error(`sessions: ${JSON.stringify(body.items.map((one: Fields) => one.metadata))}`);
    return body.items.map((one: { sessionId: string }) => one.sessionId);
  });
  const words = ["token", "key", "memory", "shared", "meta", "input", "result", "topic", "response", "chat", "display"];
  return { subject: name, words: words.map(word), sessions, runId, roundtableId: table.sessionId, memoryId };
}

/** The object of a job on somebody's data. */
export function jobObject({ tenantId }: TestTenant, jobId: string) {
  return env.SUBJECT_JOB.getByName(`${tenantId}/${jobId}`);
}
