/** Asking the person at the terminal, once. */
import { type Options, Refusal } from "./options.js";
import type { Ports } from "./ports.js";

/** @throws {Refusal} without a yes */
export async function consent({ yes }: Pick<Options, "yes">, ports: Ports): Promise<void> {
  if (yes) return;
  const answer = await ports.ask("Do it? [y/N] ");
  if (answer === undefined) throw new Refusal("nobody is there to agree. Look at the plan, then add --yes.");
  if (!/^y(es)?$/i.test(answer.trim())) throw new Refusal("you didn't agree.");
}
