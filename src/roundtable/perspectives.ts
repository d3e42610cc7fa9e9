/** Perspectives for the seats of a debate that needs some and was given none: a model names them, or a plain list does. */
import { z } from "zod";
import { defaultAgentLimits } from "../agent/budget.js";
import { runAgent } from "../agent/loop.js";
import { openGuard } from "../agent/tools.js";
import { activeAtHop } from "../supervision/as-hop.js";
import { supervise } from "../supervision/supervise.js";
import { jsonObjectsIn } from "../text/written-json.js";
import type { Perspective } from "./panel.js";
import type { DebatePorts, LoadedPanel } from "./ports.js";
import { joinParts, splitParts } from "./supervised-parts.js";

const writtenSchema = z.object({
  perspectives: z.array(
    z.union([
      z.string().transform((name) => ({ name, description: "" })),
      z.object({ name: z.string(), description: z.string().default("") }),
    ]),
  ),
});

const plain: readonly Perspective[] = [
  { name: "Technical", description: "Whether and how it works, and what it takes to build and run it." },
  { name: "Economic", description: "What it costs and brings, for whom, and when." },
  { name: "Risk and security", description: "What can go wrong or be abused, and how bad that is." },
  { name: "People who are affected", description: "What it means for those who use it or have to live with it." },
  { name: "Law and ethics", description: "What is allowed, what is fair, who answers for it." },
  { name: "Operations", description: "What it takes day by day, and who does it." },
  { name: "Strategy", description: "What it opens or closes in the long run." },
  { name: "Evidence", description: "What is known, how well, and what would have to be found out." },
  { name: "History", description: "How the like has gone before." },
  { name: "Alternatives", description: "What else could be done, and what doing nothing means." },
];

/** One for each seat. @throws {Parked} while a person reviews them */
export async function makePerspectives(topic: string, panel: LoadedPanel, ports: DebatePorts): Promise<Perspective[]> {
  const count = panel.seats.length;
  const outcome = await runAgent(
    {
      models: panel.models.analyst,
      prompt: () => [
        {
          role: "system",
          content: `You prepare a panel of ${count} experts. Name ${count} perspectives from which the topic has to be judged, as different as they can be. Answer with this JSON alone: {"perspectives": [{"name": "…", "description": "what it looks at, in a sentence"}]}`,
        },
        { role: "user", content: topic },
      ],
      tools: () => [],
      limits: { ...defaultAgentLimits, maxToolRounds: 0, modelTimeoutMs: panel.limits.modelTimeoutMs },
      replyId: "perspectives",
    },
    { ...ports, journal: ports.journal.scope("agent"), guard: openGuard, observer: {} },
  );
  const written = outcome.kind === "answered" ? readPerspectives(outcome.text) : [];
  const cleared = written.length < count ? undefined : await clear(written.slice(0, count), ports);
  return cleared ?? plain.slice(0, count);
}

function readPerspectives(text: string): Perspective[] {
  for (const value of jsonObjectsIn(text)) {
    const read = writtenSchema.safeParse(value);
    if (!read.success) continue;
    const distinct = new Map(
      read.data.perspectives
        .filter(({ name }) => name.trim() !== "")
        .map(({ name, description }) => [
          name.trim().toLowerCase(),
          { name: name.trim().slice(0, 200), description: description.trim().slice(0, 2_000) },
        ]),
    );
    return [...distinct.values()];
  }
  return [];
}

/** They are shown to the caller: nothing if supervision doesn't let them pass as they are to be told apart. */
async function clear(written: readonly Perspective[], ports: DebatePorts): Promise<Perspective[] | undefined> {
  const texts = written.flatMap(({ name, description }) => [name, description]);
  const passed = await supervise(
    { hook: "hop", from: "analyst", to: "panel", content: joinParts(texts) },
    activeAtHop(ports.supervisors, ["response", "hop"]),
    ports.journal.scope("shown"),
    ports.supervise,
  );
  ports.noteDegraded(passed.degraded);
  if (passed.action === "block") return undefined;
  const parts = splitParts(passed.subject.content, texts.length);
  return parts && written.map((_, at) => ({ name: parts[2 * at] ?? "", description: parts[2 * at + 1] ?? "" }));
}
