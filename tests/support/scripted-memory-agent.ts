/**
 * A model that remembers: it notes each entry that it is shown, two in an item, keeps what the context held, and takes out what was
 * corrected. It cites what each item comes from, or it cites nothing.
 */
import type { ScriptedReply } from "./upstream-client.js";

export type MemoryAgentManner = "cites" | "cites nothing";

export function memoryAgentReply(body: unknown, manner: MemoryAgentManner): ScriptedReply {
  const prompt = JSON.stringify(body).includes("CONTEXT_SYNTHESIS") ? promptOf(body) : undefined;
  const [name, args] =
    prompt === undefined
      ? ["add_entry", { summary: "Something was said." }]
      : ["put_context", { content: `## Facts\n${itemsOf(prompt, manner).join("\n")}` }];
  return { toolCalls: [{ name, arguments: args }] };
}

function promptOf(body: unknown): string {
  const { messages } = body as { messages: { role: string; content: string }[] };
  return messages.find(({ role }) => role === "user")?.content ?? "";
}

function itemsOf(prompt: string, manner: MemoryAgentManner): string[] {
  const from = (...labels: string[]): string => (manner === "cites" ? ` [from ${labels.join(", ")}]` : "");
  const session = prompt.slice(prompt.indexOf("<session>"));
  const corrected = [...session.matchAll(/\(corrects what was said \[[^\]]*\]: (.*)\)/g)].map(([, old = ""]) => old);
  const known = [...prompt.matchAll(/^- (.*) \[(c\d+)(, a person's)?\]$/gm)].flatMap(
    ([, text = "", label = "", byHand]) => {
      if (byHand !== undefined) return [`- ${text}${from(label)}`];
      const left = corrected.reduce((rest, old) => rest.replaceAll(old, "").trim(), text);
      return left === "" ? [] : [`- ${left}${from(label)}`];
    },
  );
  const said = [...session.matchAll(/^\[(\d+)\] \[[^\]]*\] \w+: (.*)\n(\(corrects .*\n)?(\(corrected since\))?/gm)]
    .filter(([, , , , superseded]) => superseded === undefined)
    .map(([, label = "", text = ""]) => ({ label, text }));
  const fresh = said.filter(({ text }) => !known.some((item) => item.includes(text)));
  const pairs = Array.from({ length: Math.ceil(fresh.length / 2) }, (_, at) => fresh.slice(2 * at, 2 * at + 2));
  return [
    ...known,
    ...pairs.map((pair) => `- ${pair.map(({ text }) => text).join(" ")}${from(...pair.map(({ label }) => label))}`),
  ];
}
