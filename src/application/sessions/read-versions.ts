/** Read the versions of a message. The texts of earlier ones are for operators. */
import { z } from "zod";
import { messageVersionSchema, withoutOriginals } from "../../chat/message-version.js";
import { need } from "../../conversation/problem.js";
import { authorize } from "../../tenancy/authority.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { recordRead } from "../audit/record-read.js";
import { sessionInput } from "./own-session.js";
import { readOriginals, versionFor } from "./turn-for.js";

export const messageInput = lazily(() => ({ ...sessionInput(), messageId: z.string().max(100) }));

export const readVersions = act("readVersions", {
  role: "client",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/sessions/{sessionId}/messages/{messageId}/versions",
    tag: "Messages",
    summary: "What a message said at first, what it says now, and all between",
    description:
      "Operators read the texts and what changed in them; others read who changed the message when and why, and the text that holds now. `hash` is the salted digest of a version's text, `chain` the digest of the JSON array of the chain before it, version, author, decision, at and hash.",
    answer: "Its versions, oldest first",
  },
  input: () => z.object(messageInput()),
  output: () => z.object({ items: z.array(messageVersionSchema) }),
  run: async (actor, { sessionId, messageId }, services) => {
    const versions = need(await services.sessions.versions(actor.tenantId, sessionId, messageId));
    if (authorize(actor, readOriginals).ok) {
      const showsEarlier = versions.slice(0, -1).some(({ message }) => message !== undefined);
      if (showsEarlier)
        await recordRead(actor, services, { type: "originals.read", ownerId: sessionId, subject: { messageId } });
      return { items: versions };
    }
    return { items: withoutOriginals(versions).map((version) => versionFor(actor, version)) };
  },
});
