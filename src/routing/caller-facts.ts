/** What a team's prompts show of the end user: by which names, and what supervision left of it. */
import type { AboutUser } from "../agent/call-context.js";
import { type CallerText, clearedText } from "../supervision/caller-text.js";
import type { LoadedTeam } from "./ports.js";

/** What the team, its workers and the teams among them list of the end user: `subject`, `metadata.<key>`. */
export function factNames(team: LoadedTeam): string[] {
  const { context = [], workers } = team.definition;
  const ofWorkers = workers.flatMap((worker) => {
    const nested = team.nested(worker.id);
    return [...(worker.context ?? []), ...(nested === undefined ? [] : factNames(nested))];
  });
  return [...new Set([...context, ...ofWorkers])];
}

/** The end user as supervision left what is known of them. */
export function clearedUser({ subject, metadata = {} }: Partial<AboutUser>, beside: readonly CallerText[]): AboutUser {
  const cleared = Object.entries(metadata).map(([key, value]): [string, string | number | boolean] => {
    const text = clearedText(beside, `metadata.${key}`, String(value));
    return [key, text === String(value) ? value : text];
  });
  return {
    ...(subject === undefined ? {} : { subject: clearedText(beside, "subject", subject) }),
    metadata: Object.fromEntries(cleared),
  };
}
