/** `request_context`: a seat asks whoever called the debate for what the debate doesn't hold. It never waits. */
import type { AgentTool, ToolOutput } from "../agent/tools.js";
import { activeAtHop } from "../supervision/as-hop.js";
import { supervise } from "../supervision/supervise.js";
import { contextItem, contextPriorities, labelOf, readRequest, requestLengths } from "./context-request.js";
import { renderContext } from "./context-text.js";
import type { DebatePorts } from "./ports.js";
import { type Asked, askedSchema } from "./request-book.js";
import { joinParts, splitParts } from "./supervised-parts.js";
import { roundtableServer } from "./take-position.js";

export function requestContextTool(
  { seat, round }: { readonly seat: string; readonly round: number },
  ports: DebatePorts,
): AgentTool {
  return {
    ref: { server: roundtableServer, tool: "request_context" },
    name: "request_context",
    description:
      "Ask whoever called this debate for information that isn't in it: a document, a figure, a fact, a preference. The answer is there in a later round, for everybody; what is known already is given at once. You still take your position in this round.",
    parameters: {
      type: "object",
      properties: {
        query: {
          type: "string",
          maxLength: requestLengths.query,
          description: "What information is needed, complete in itself",
        },
        reason: { type: "string", maxLength: requestLengths.reason, description: "Why the debate needs it" },
        priority: {
          type: "string",
          enum: [...contextPriorities],
          description: "required (the default): no meaningful position without it; optional: it would help",
        },
      },
      required: ["query", "reason"],
    },
    timeoutMs: 10_000,
    execution: "durable",
    async run(args, { callId, journal }): Promise<ToolOutput> {
      const read = readRequest(args);
      if (!read.ok) return { content: `Not asked: ${read.problem}`, isError: true };
      const { query, reason, priority } = read.asked;
      const passed = await supervise(
        { hook: "hop", from: seat, to: "caller", content: joinParts([query, reason]) },
        // It leaves the system: whoever supervises what does sees it first.
        activeAtHop(ports.supervisors, ["response", "hop"]),
        journal.scope("query"),
        { ...ports.supervise, source: { ...ports.supervise.source, agent: seat } },
      );
      ports.noteDegraded(passed.degraded);
      if (passed.action === "block") {
        return { content: `Not asked: it was blocked. ${passed.reasons.join("; ")}`, isError: true };
      }
      const { content } = passed.subject;
      const [asks = "", why = ""] = splitParts(content, 2) ?? [content, ""];
      const asker = { seat, round, query: asks, reason: why, priority };
      const asked = await journal.step(
        { id: "asked", kind: "ask", schema: askedSchema, interrupted: "again" },
        async () => ports.book.ask(callId, asker),
      );
      ports.book.restore(asker, asked);
      return replyTo(asked);
    },
  };
}

/** Of an answer that is given to a seat as it asks, in characters. */
const longestReply = 12_000;

/** What a seat is told at once; nobody waits for anything within a round. */
function replyTo(asked: Asked): ToolOutput {
  switch (asked.kind) {
    case "new":
      return {
        content:
          "Noted: it was passed on. Go on and take your position with what you know now; the answer reaches later rounds.",
      };
    case "open":
      return {
        content: `Noted: this is asked for already, as ${labelOf(asked.request)} ("${asked.request.query}"). Go on and take your position with what you know now; the answer reaches later rounds.`,
      };
    case "known": {
      const { request, match } = asked;
      const what =
        match === "words"
          ? "This was asked for before."
          : "Something much like this was asked for before; if you need something else, ask for just that, naming what tells it apart.";
      return { content: `${what}\n\n${renderContext([contextItem(request)], longestReply)}` };
    }
    case "refused":
      return {
        content: `Not asked: ${asked.why}. Go on with what you know, and say what you assume.`,
        isError: true,
      };
  }
}
