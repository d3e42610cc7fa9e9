/** `memory_write`: a note in the memory that the work writes. Held only where an agent, a worker or a panel names it: `*` doesn't bring it. */
import { z } from "zod";
import { type AgentTool, builtInServer, type ToolRef } from "../tools.js";

const memoryWriteRef = { server: builtInServer, tool: "memory_write" } as const;

export function isMemoryWrite({ server, tool }: ToolRef): boolean {
  return server === memoryWriteRef.server && tool === memoryWriteRef.tool;
}

/** A note that is there, or why it isn't. */
export type Noted = { readonly ok: true } | { readonly ok: false; readonly why: string };

export interface MemoryWritePort {
  /** @param key the same note again, under the same key, is there once */
  writeMemory(memoryId: string, text: string, key: string): Promise<Noted>;
}

const writeArguments = z.object({
  text: z
    .string()
    .trim()
    .min(1)
    .max(4_000)
    .describe("What to remember, complete in itself: a later reader sees nothing else"),
});

/** Writes to the first memory of the session, run or roundtable, and to no other. */
export function memoryWriteTool(port: MemoryWritePort, memoryId: string | undefined): AgentTool {
  return {
    timeoutMs: 30_000,
    execution: "idempotent",
    ref: memoryWriteRef,
    name: memoryWriteRef.tool,
    description: "Write down something that is to be remembered in later conversations. One fact a call.",
    parameters: z.toJSONSchema(writeArguments, { io: "input" }),
    async run(args, { callId }) {
      const { text } = writeArguments.parse(args);
      if (memoryId === undefined) return notWritten("no memory is bound to the session, run or roundtable (`memory`).");
      const noted = await port.writeMemory(memoryId, text, callId);
      return noted.ok ? { content: "Noted." } : notWritten(noted.why);
    },
  };
}

function notWritten(why: string) {
  return { content: `Nothing was written: ${why}`, isError: true, effect: "none" } as const;
}
