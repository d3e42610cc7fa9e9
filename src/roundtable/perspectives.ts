/** Perspectives for the seats of a debate that needs some and was given none: a model names them, or a plain list does. */
import { z } from "zod";
import { modeNamed } from "./modes/table.js";
import type { Perspective } from "./panel.js";
import { type DebatePorts, type LoadedPanel, scoped } from "./ports.js";
import { askForJson } from "./structured-answer.js";
import { superviseHop } from "./supervised-texts.js";
import { readAs } from "./written-answer.js";

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

/** Whether its mode needs some and nobody gave any. */
export function needsPerspectives({ mode, seats }: LoadedPanel): boolean {
  return modeNamed(mode).perspectives === true && seats.every(({ perspective }) => perspective === undefined);
}

/** The panel with the perspectives that were made for its seats. */
export function withPerspectives(panel: LoadedPanel, perspectives: readonly Perspective[] | undefined): LoadedPanel {
  if (perspectives === undefined) return panel;
  return { ...panel, seats: panel.seats.map((seat, index) => ({ ...seat, perspective: perspectives[index] })) };
}

/** One for each seat. @throws {Parked} while a person reviews them */
export async function makePerspectives(topic: string, panel: LoadedPanel, ports: DebatePorts): Promise<Perspective[]> {
  const count = panel.seats.length;
  const system = `You prepare a panel of ${count} experts. Name ${count} perspectives from which the topic has to be judged, as different as they can be. Answer with this JSON alone: {"perspectives": [{"name": "…", "description": "what it looks at, in a sentence"}]}`;
  const { read } = await askForJson(
    {
      models: panel.models.analyst,
      prompt: [
        { role: "system", content: system },
        { role: "user", content: topic },
      ],
      replyId: "perspectives",
      read: readAs(writtenSchema),
    },
    panel,
    scoped(ports, "agent"),
  );
  const written = read.ok ? distinctOf(read.value.perspectives).slice(0, count) : [];
  if (written.length < count) return plain.slice(0, count);
  // They are shown to the caller: the plain ones stand in for what supervision doesn't let pass as it is to be told apart.
  const texts = written.flatMap(({ name, description }) => [name, description]);
  const passed = await superviseHop(texts, { from: "analyst", to: "panel" }, scoped(ports, "shown"));
  if (passed.action === "block" || passed.texts.length !== texts.length) return plain.slice(0, count);
  return written.map((_, at) => ({ name: passed.texts[2 * at] ?? "", description: passed.texts[2 * at + 1] ?? "" }));
}

function distinctOf(written: readonly Perspective[]): Perspective[] {
  const named = written
    .map(({ name, description }) => ({ name: name.trim(), description: description.trim().slice(0, 2_000) }))
    .filter(({ name }) => name !== "");
  return [...new Map(named.map((one) => [one.name.toLowerCase(), { ...one, name: one.name.slice(0, 200) }])).values()];
}
