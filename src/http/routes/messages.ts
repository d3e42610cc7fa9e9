/** The messages of a session: the effective transcript, and what each message said at other times. */
import { z } from "zod";
import { editMessage } from "../../application/sessions/edit-message.js";
import { eraseMessage } from "../../application/sessions/erase-message.js";
import { readTranscript } from "../../application/sessions/read-transcript.js";
import { readVersions } from "../../application/sessions/read-versions.js";
import { restoreMessage } from "../../application/sessions/restore-message.js";
import { messageEditSchema, messageVersionSchema } from "../../chat/message-version.js";
import { chatMessageSchema } from "../../conversation/message.js";
import { actorOf, unwrap } from "../context.js";
import { json, jsonBody, listOf, newRouter, pageQuery, route } from "../routing.js";
import { sessionParam } from "./sessions.js";

const tags = ["Messages"];
const messageParam = sessionParam.extend({ messageId: z.string().max(100) });

export const messages = newRouter();

messages.openapi(
  route({
    method: "get",
    path: "/v1/sessions/{sessionId}/messages",
    tags,
    summary: "The effective transcript: what supervision made of what was said",
    request: { params: sessionParam, query: pageQuery },
    responses: { 200: json("A page of messages", listOf(chatMessageSchema)) },
  }),
  async (c) => {
    const query = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await readTranscript(actorOf(c), query, c.get("services"))), 200);
  },
);

messages.openapi(
  route({
    method: "get",
    path: "/v1/sessions/{sessionId}/messages/{messageId}/versions",
    tags,
    summary: "What a message said at first, what it says now, and all between",
    description:
      "Operators read the texts and what changed in them; others read who changed the message when and why, and the text that holds now. `hash` is the salted digest of a version's text, `chain` the digest of the JSON array of the chain before it, version, author, decision, at and hash.",
    request: { params: messageParam },
    responses: { 200: json("Its versions, oldest first", z.object({ items: z.array(messageVersionSchema) })) },
  }),
  async (c) => {
    const items = unwrap(await readVersions(actorOf(c), c.req.valid("param"), c.get("services")));
    return c.json({ items }, 200);
  },
);

messages.openapi(
  route({
    method: "post",
    path: "/v1/sessions/{sessionId}/messages/{messageId}/edits",
    tags,
    summary: "Edit a reply by the ids of its parts: all operations or none (operators)",
    description:
      "baseHash is the hash of the version that the operations were made for, as its versions show it; when the message has changed since, nothing is done. Tool calls keep their results, and pending calls survive unless they are dropped by name.",
    request: { params: messageParam, body: jsonBody(messageEditSchema) },
    responses: { 200: json("The new version", messageVersionSchema) },
  }),
  async (c) => {
    const edit = { ...c.req.valid("param"), edit: c.req.valid("json") };
    return c.json(unwrap(await editMessage(actorOf(c), edit, c.get("services"))), 200);
  },
);

messages.openapi(
  route({
    method: "post",
    path: "/v1/sessions/{sessionId}/messages/{messageId}/versions/{version}/restore",
    tags,
    summary: "Let a version of a message hold again, as a new version (operators)",
    description:
      "The rules supervisors of the session look at it once more, as at an edit. What was blocked can't be restored.",
    request: { params: messageParam.extend({ version: z.coerce.number<string>().int().min(1) }) },
    responses: { 200: json("The new version", messageVersionSchema) },
  }),
  async (c) => c.json(unwrap(await restoreMessage(actorOf(c), c.req.valid("param"), c.get("services"))), 200),
);

messages.openapi(
  route({
    method: "post",
    path: "/v1/sessions/{sessionId}/messages/{messageId}/erase",
    tags,
    summary:
      "Erase a message for good: its text in all versions, what was asked about it, and what the memory holds of it (operators)",
    description:
      "Who made which version when, and the chain of their digests, stay. A message whose turn hasn't ended can't be erased. Erased again is erased.",
    request: { params: messageParam },
    responses: { 200: json("The version that says so", messageVersionSchema) },
  }),
  async (c) => c.json(unwrap(await eraseMessage(actorOf(c), c.req.valid("param"), c.get("services"))), 200),
);
