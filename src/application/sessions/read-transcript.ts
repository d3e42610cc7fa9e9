/** Read the effective transcript of a session, oldest message first. */
import { z } from "zod";
import { chatMessageSchema } from "../../conversation/message.js";
import { need } from "../../conversation/problem.js";
import { act } from "../act.js";
import { listOf, pageInput, readNumberedPage } from "../page.js";
import { ownSession, sessionInput } from "./own-session.js";
import { messageFor } from "./turn-for.js";

export const readTranscript = act("readTranscript", {
  role: "client",
  ofSubject: true,
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/sessions/{sessionId}/messages",
    tag: "Messages",
    summary: "The effective transcript: what supervision made of what was said",
    answer: "A page of messages",
  },
  input: () => z.object({ ...sessionInput(), ...pageInput() }),
  output: () => listOf(chatMessageSchema),
  run: async (actor, { sessionId, ...query }, services) => {
    need(await ownSession(actor, sessionId, services));
    const read = async (after: number, limit: number) => {
      const page = need(await services.sessions.messages(actor.tenantId, sessionId, after, limit));
      return { ...page, items: page.items.map((message) => messageFor(actor, message)) };
    };
    return readNumberedPage(query, read);
  },
});
