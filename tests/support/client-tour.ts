/** The client once through, as it runs wherever its package does: Node, browsers, Workers, Deno and Bun print the same lines of it. */
import { Conclave, ConclaveError, type ConnectionOptions, ReplyText, replyText } from "../../src/client/index.js";

/** @param agent one that answers by itself. @returns what held */
export async function tour(options: ConnectionOptions, agent: string): Promise<string[]> {
  const conclave = new Conclave(options);
  const { sessionId } = await conclave.sessions.create({ agent, subject: "ada" });
  const turn = await conclave.sessions.send(sessionId, { content: "Hello." });
  const reply = new ReplyText();
  let shown = "";
  for await (const event of conclave.sessions.stream(sessionId, { content: "And now?" })) shown = reply.after(event);
  const ids: number[] = [];
  for await (const { id } of conclave.sessions.events(sessionId, { untilIdle: true }))
    if (id !== undefined) ids.push(id);
  const leaving = new AbortController();
  const left = await (async () => {
    for await (const _ of conclave.sessions.events(sessionId, { signal: leaving.signal })) leaving.abort();
  })().then(
    () => "ended",
    (error: unknown) => (error instanceof Error ? error.name : "thrown"),
  );
  const refused = await conclave.sessions.get("ses_none").catch((error: unknown) => error);
  return [
    `sent: ${turn.status} ${replyText(turn) !== ""}`,
    `streamed: ${shown !== "" && reply.state?.status === "completed"}`,
    `events in order: ${ids.length >= 4 && ids.every((id, at) => id > (ids[at - 1] ?? 0))}`,
    `left: ${left}`,
    `every operation: ${(await conclave.api.sessions.listSessions({ limit: 1 })).items.length}`,
    `refused: ${refused instanceof ConclaveError && refused.code}`,
  ];
}

export const toured: readonly string[] = [
  ...["sent: completed true", "streamed: true", "events in order: true", "left: AbortError", "every operation: 1"],
  "refused: not_found",
];
