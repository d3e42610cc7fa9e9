/** What hosts may read beside calling tools: transcripts of sessions and contexts of memories, by address. */
import {
  type McpServer,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { readMemoryContext } from "../application/memory/read-contexts.js";
import { exportDebate } from "../application/roundtables/read-record.js";
import type { Services } from "../application/services.js";
import { readTranscript } from "../application/sessions/read-transcript.js";
import { messageText } from "../conversation/message.js";
import { attempt } from "../conversation/problem.js";
import type { Actor } from "../tenancy/actor.js";

interface Reader {
  readonly actor: Actor;
  readonly services: Services;
}

interface ReadableResource {
  readonly name: string;
  readonly template: string;
  readonly title: string;
  readonly description: string;
  /** @param id what stands in the template's place */
  readonly read: (id: string, reader: Reader) => Promise<string>;
}

/** The most messages that a transcript shows: the newest page is asked for with get_transcript. */
const transcriptMessages = 200;

const resources: readonly ReadableResource[] = [
  {
    name: "transcript",
    template: "conclave://sessions/{id}/transcript",
    title: "Transcript of a session",
    description: `What was said in a session, as supervision let it pass: its first ${transcriptMessages} messages.`,
    read: async (sessionId, { actor, services }) => {
      const { items, nextCursor } = await readTranscript(actor, { sessionId, limit: transcriptMessages }, services);
      const lines = items.map((message) => `**${message.role}**: ${messageText(message)}`);
      const rest = nextCursor === null ? [] : [`(More: get_transcript with cursor ${nextCursor})`];
      return [...lines, ...rest].join("\n\n");
    },
  },
  {
    name: "debate",
    template: "conclave://roundtables/{id}/export",
    title: "Export of a roundtable",
    description:
      "A whole debate for somebody who wasn't there: who held what, what was asked, who moved, what stays open.",
    read: async (roundtableId, { actor, services }) => (await exportDebate(actor, { roundtableId }, services)).markdown,
  },
  {
    name: "context",
    template: "conclave://memories/{id}/context",
    title: "Context of a memory",
    description: "What a memory knows: the newest version of its context document.",
    read: async (memoryId, { actor, services }) => (await readMemoryContext(actor, { memoryId }, services)).document,
  },
];

export function registerResources(server: McpServer, reader: Reader): void {
  for (const { name, template, title, description, read } of resources) {
    const config = { title, description, mimeType: "text/markdown" };
    const place = new ResourceTemplate(template, { list: undefined });
    server.registerResource(name, place, config, async (uri, { id }): Promise<ReadResourceResult> => {
      const text = await attempt(() => read(typeof id === "string" ? id : "", reader));
      if (!text.ok) throw new ResourceNotFoundError(uri.href, `${text.problem.code}: ${text.problem.detail}`);
      return { contents: [{ uri: uri.href, mimeType: "text/markdown", text: text.value }] };
    });
  }
}
