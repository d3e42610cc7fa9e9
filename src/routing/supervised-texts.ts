/** Texts between a team's agents, and in its record, as supervision leaves them. */
import { activeAtHop } from "../supervision/as-hop.js";
import { passStep } from "../supervision/pass.js";
import { supervise } from "../supervision/supervise.js";
import { sourceOf, type TeamContext } from "./team-context.js";

export type Hop = { readonly ok: true; readonly content: string } | { readonly ok: false; readonly reasons: string };

/** Has what passes between two agents supervised; what comes out is what arrives. */
export async function hop(run: TeamContext, from: string, to: string, content: string, scope: string): Promise<Hop> {
  const { supervisors, journal, supervise: ports, noteDegraded } = run.ports;
  const place = (name: string): string => [...run.command.path, name].join("/");
  const subject = { hook: "hop", from: place(from), to: place(to), content } as const;
  const asSource = { ...ports, source: sourceOf(run, from) };
  const passed = await supervise(subject, supervisors, journal.scope(scope), asSource);
  noteDegraded(passed.degraded);
  return passed.action === "block"
    ? { ok: false, reasons: reasonsOf(passed) }
    : { ok: true, content: passed.subject.content };
}

export function reasonsOf({ reasons }: { readonly reasons: readonly string[] }): string {
  return reasons.join("; ") || "no reason was given";
}

/**
 * A text as the work's record shows it, where that keeps texts: who asks for a run reads its decisions, results and trace. The work
 * itself goes on with the text as it was.
 * @param hopSeen the supervisors of hops have seen it already.
 */
export function sanitized(run: TeamContext, text: string, scope: string, hopSeen = false): Promise<string> {
  return run.ports.observer.keepsTexts ? redactForRecord(run, text, scope, hopSeen) : Promise.resolve(text);
}

/**
 * What models and workers wrote beside the response, why something failed above all, as everybody may read it: it passes the
 * supervisors of responses. Nobody is asked for a review here, because the response is going to be reviewed: such a text is withheld.
 * @param hopSeen the supervisors of hops have seen it already.
 */
export async function redactForRecord(run: TeamContext, text: string, scope: string, hopSeen = false): Promise<string> {
  const { journal: around, supervisors, supervise: ports, noteDegraded } = run.ports;
  const unseen = hopSeen ? supervisors.filter(({ hooks }) => !hooks.has("hop")) : supervisors;
  const active = activeAtHop(unseen, ["response", "hop"]);
  if (active.length === 0 || text === "") return text;
  const journal = around.scope(scope);
  const subject = { hook: "hop", from: run.command.path.join("/"), to: "record", content: text } as const;
  const pass = await passStep(
    subject,
    active,
    { ...ports, journal },
    { onDone: ({ state, subject: after }) => ports.decided(state, subject, after) },
  );
  noteDegraded(pass.state.degraded);
  const passes = pass.state.decision === "allow" || pass.state.decision === "modify";
  return passes && pass.subject.hook === "hop" ? pass.subject.content : "[withheld by supervision]";
}
