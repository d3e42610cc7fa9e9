/** What a remote MCP server lists, and what of it can be taken. */
import type { Client } from "@modelcontextprotocol/client";
import type { RemoteTool } from "../agent/remote-tool.js";
import { schemaProblem } from "../agent/schema-limits.js";

/** What a server offers, and what of it can't be used. */
export interface RemoteList {
  readonly tools: readonly RemoteTool[];
  readonly leftOut: readonly { readonly tool: string; readonly problem: string }[];
}

const maxTools = 200;
const maxPages = 10;
/** All schemas of a list together: it is stored in one row. */
const maxListCharacters = 500_000;
const maxDescription = 4_000;

type Listed = Awaited<ReturnType<Client["listTools"]>>["tools"];

/** The tools that a server lists, page by page. */
export async function listTools(client: Client, signal: AbortSignal): Promise<Listed> {
  const found: Listed = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages && found.length <= maxTools; page++) {
    const answer = await client.listTools(cursor === undefined ? {} : { cursor }, { signal });
    found.push(...answer.tools);
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return found;
}

/** What can be taken of a list. What can't is left out, and said. */
export function usableOf(found: Listed): RemoteList {
  const tools: RemoteTool[] = [];
  const leftOut: { tool: string; problem: string }[] = [];
  let characters = 0;
  for (const { name, description, inputSchema, annotations } of found) {
    const size = JSON.stringify(inputSchema).length;
    const problem = problemOf(name, description, inputSchema) ?? tooMuch(tools.length + 1, characters + size);
    if (problem !== undefined) {
      leftOut.push({ tool: name.slice(0, 100), problem });
      continue;
    }
    characters += size;
    tools.push({
      name,
      description: description ?? name,
      parameters: { ...inputSchema },
      readOnly: annotations?.readOnlyHint === true || annotations?.idempotentHint === true,
      cacheable: annotations?.readOnlyHint === true,
    });
  }
  return { tools, leftOut: leftOut.slice(0, maxTools) };
}

function tooMuch(tools: number, characters: number): string | undefined {
  if (tools > maxTools) return `a server may have ${maxTools} tools`;
  if (characters <= maxListCharacters) return undefined;
  return `the schemas of a server's tools may have ${maxListCharacters} characters together`;
}

function problemOf(name: string, description: string | undefined, schema: Readonly<Record<string, unknown>>) {
  if (name.length > 100) return "its name has more than 100 characters";
  if (description !== undefined && description.length > maxDescription) {
    return `its description has ${description.length} characters, of at most ${maxDescription}`;
  }
  const problem = schemaProblem({ ...schema });
  return problem === undefined ? undefined : `its schema can't be taken: ${problem}`;
}
