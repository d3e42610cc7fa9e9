/** The tools by which a supervising agent reads and changes what is in force: rules, references, tools and tool servers. */
import { z } from "zod";
import type { Journal } from "../../agent/journal.js";
import type { ToolOutput } from "../../agent/tools.js";
import { itemName } from "../../conversation/names.js";
import { coverageOf } from "../../text/overlap.js";
import {
  type ChangeOutcome,
  type ContextAuthor,
  type ContextChange,
  type ContextEditor,
  type ContextEntry,
  type ContextKind,
  contextKinds,
} from "../environment.js";
import { mayModifyContext, mayModifyStored } from "../supervisor.js";
import { type PassToolkit, problem, type ReasonSchema, type SupervisionTool, supervisionTool } from "./toolkit.js";

interface Names {
  readonly kind: ContextKind;
  /** As in `get_rule`, `list_rules`. */
  readonly one: string;
  readonly many: string;
  /** As in a sentence. */
  readonly label: string;
}

const kinds: readonly Names[] = [
  { kind: "rules", one: "rule", many: "rules", label: "rule" },
  { kind: "references", one: "reference", many: "references", label: "reference" },
  { kind: "tools", one: "tool", many: "tools", label: "tool" },
  { kind: "toolServers", one: "tool_server", many: "tool_servers", label: "tool server" },
];

const storable = (kind: ContextKind): kind is "rules" | "references" => kind === "rules" || kind === "references";

/** The names of all of them. */
export const contextToolNames: readonly string[] = kinds.flatMap(({ kind, one, many }) => [
  `list_${many}`,
  `search_${many}`,
  `get_${one}`,
  `include_${one}`,
  `exclude_${one}`,
  ...(storable(kind) ? [`store_${one}`, `delete_${one}`] : []),
]);

export interface ContextToolPorts {
  readonly editor: ContextEditor;
  readonly supervisor: string;
  /** What a reason is; it goes on record, as it may be read. */
  readonly reason: ReasonSchema;
  readonly sanitizeReason: (words: string) => Promise<string>;
  readonly changed: (change: ContextChange) => void;
}

const maxListed = 100;
const maxFound = 10;

export function contextTools(kit: PassToolkit, ports: ContextToolPorts): SupervisionTool[] {
  return [
    ...kinds.flatMap((names) => [...readingTools(kit, names, ports.editor), ...changingTools(kit, names, ports)]),
    ...kinds.filter(({ kind }) => storable(kind)).flatMap((names) => storingTools(kit, names, ports)),
  ];
}

function readingTools(kit: PassToolkit, names: Names, editor: ContextEditor): SupervisionTool[] {
  const { kind, one, many, label } = names;
  return [
    supervisionTool(kit, {
      name: `list_${many}`,
      description: `List the ${label}s there are, and whether they are in force here.`,
      schema: z.object({}),
      run: async (_args, context) => ({
        content:
          (await contextEntries(editor, kind, context.journal)).slice(0, maxListed).map(line).join("\n") || "None.",
      }),
    }),
    supervisionTool(kit, {
      name: `search_${many}`,
      description: `Find ${label}s that are like a text.`,
      schema: z.object({ query: z.string().min(1).max(1_000) }),
      run: async ({ query }, context) => {
        const likeness = coverageOf(query);
        const found = (await contextEntries(editor, kind, context.journal))
          .map((entry) => ({
            entry,
            score: likeness(`${entry.name} ${entry.description ?? ""} ${entry.text ?? ""}`),
          }))
          .filter(({ score }) => score > 0)
          .sort((a, b) => b.score - a.score)
          .slice(0, maxFound);
        return { content: found.map(({ entry }) => line(entry)).join("\n") || "None is like that." };
      },
    }),
    supervisionTool(kit, {
      name: `get_${one}`,
      description: `Read a ${label}.`,
      schema: nameSchema(kind),
      run: async ({ name }, context) => {
        const found = (await contextEntries(editor, kind, context.journal)).find((entry) => entry.name === name);
        return found === undefined
          ? problem(`There is no ${label} "${name}"; list_${many} shows what there is.`)
          : { content: `${line(found)}${found.text === undefined ? "" : `\n${found.text}`}` };
      },
    }),
  ];
}

function changingTools(kit: PassToolkit, names: Names, ports: ContextToolPorts): SupervisionTool[] {
  const { kind, one, label } = names;
  return (["include", "exclude"] as const).map((act) =>
    supervisionTool(kit, {
      name: `${act}_${one}`,
      description:
        act === "include"
          ? `Put a ${label} in force in this conversation, from now on.`
          : `Take a ${label} out of force in this conversation, from now on${kind === "tools" || kind === "toolServers" ? ": it can't be called any more" : ""}.`,
      schema: changeSchema(kind, ports.reason),
      permitted: mayModifyContext,
      run: async ({ name, reason }, { journal }) => {
        const change = { act, kind, name };
        const outcome = await ports.editor.change(change, await by(ports, reason), journal);
        if (outcome.ok && outcome.changed) ports.changed(change);
        return answered(outcome, `The ${label} "${change.name}" is ${act === "include" ? "in" : "out of"} force`);
      },
    }),
  );
}

/** The reason as it may be read: it goes on record. */
async function by({ supervisor, sanitizeReason }: ContextToolPorts, reason: string): Promise<ContextAuthor> {
  return { supervisor, reason: await sanitizeReason(reason) };
}

/** Changing what a tenant has stored touches all its sessions, so it needs full control. */
function storingTools(kit: PassToolkit, { kind, one, label }: Names, ports: ContextToolPorts): SupervisionTool[] {
  if (!storable(kind)) return [];
  return [
    supervisionTool(kit, {
      name: `store_${one}`,
      description: `Store a ${label} of the tenant, for all its conversations; one of that name is replaced.`,
      schema: z.object({
        name: itemName,
        text: z.string().min(1).max(50_000),
        description: z.string().max(1_000).optional(),
        priority: z.int().min(0).max(999).default(500),
        include: z.enum(["always", "manual", "auto"]).default("manual"),
        reason: ports.reason,
      }),
      permitted: mayModifyStored,
      run: async ({ name, reason, ...body }, { journal }) =>
        answered(
          await ports.editor.store({ kind, name, body }, await by(ports, reason), journal),
          `The ${label} "${name}" is stored`,
        ),
    }),
    supervisionTool(kit, {
      name: `delete_${one}`,
      description: `Delete a stored ${label} of the tenant, for all its conversations.`,
      schema: z.object({ name: itemName, reason: ports.reason }),
      permitted: mayModifyStored,
      run: async ({ name, reason }, { journal }) =>
        answered(
          await ports.editor.store({ kind, name, body: undefined }, await by(ports, reason), journal),
          `The ${label} "${name}" is deleted`,
        ),
    }),
  ];
}

/** What there is of a kind. Journalled, so that a supervisor that is entered again reads what it read. */
export function contextEntries(
  editor: ContextEditor,
  kind: ContextKind,
  journal: Journal,
): Promise<readonly ContextEntry[]> {
  return journal.step({ id: "read", kind: "load", schema: entriesSchema, interrupted: "again" }, async () => [
    ...(await editor.list(kind)),
  ]);
}

const entriesSchema = z.array(
  z.object({
    kind: z.enum(contextKinds),
    name: z.string(),
    description: z.string().optional(),
    text: z.string().optional(),
    inForce: z.boolean(),
  }),
);

const toolName = { server: itemName, tool: z.string().min(1).max(100) };

/** Tools are named by server and tool, everything else by its name. */
function nameSchema(kind: ContextKind): z.ZodType<{ name: string }> {
  return kind === "tools"
    ? z.object(toolName).transform(({ server, tool }) => ({ name: `${server}/${tool}` }))
    : z.object({ name: itemName });
}

function changeSchema(kind: ContextKind, why: ReasonSchema): z.ZodType<{ name: string; reason: string }> {
  return kind === "tools"
    ? z
        .object({ ...toolName, reason: why })
        .transform(({ server, tool, reason }) => ({ name: `${server}/${tool}`, reason }))
    : z.object({ name: itemName, reason: why });
}

function line({ name, description, inForce }: ContextEntry): string {
  return `- ${name}${inForce ? " (in force)" : ""}${description === undefined ? "" : `: ${description}`}`;
}

function answered(outcome: ChangeOutcome, what: string): ToolOutput {
  if (!outcome.ok) return problem(`Not done: ${outcome.detail}`);
  if (outcome.would !== undefined) return { content: `This is a trial. It would ${outcome.would}.` };
  return { content: outcome.changed ? `${what}; the context is at version ${outcome.version}.` : `${what} already.` };
}
