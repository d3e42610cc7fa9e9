/** What a trial came to, and what was wrong with what was sent. */
import type { Child } from "hono/jsx";
import type { Replay } from "../../application/supervision/replay-decisions.js";
import type { ShownTrial } from "../../application/supervision/trial-schemas.js";
import { Badge, Facts } from "../parts.js";
import type { Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { actionTones, actionWords } from "./decision-words.js";

/** What a trial came to, and on labelled decisions. */
export interface Tried {
  readonly trial: ShownTrial;
  readonly replay?: Replay | undefined;
}

/** What is wrong with what was sent, with its place: fields of their own say it only for some. */
export function Faults({ visit: { refused } }: { readonly visit: Visit }) {
  if (refused?.errors === undefined) return undefined;
  return (
    <ul class="lines" role="alert">
      {refused.errors.map(({ path, message }) => (
        <li class="fault">
          <code>{path}</code>: {message}
        </li>
      ))}
    </ul>
  );
}

export function Results({ tried: { trial, replay } }: { readonly tried: Tried }) {
  const [one] = trial.alone;
  if (one === undefined) return undefined;
  const facts: (readonly [string, Child])[] = [
    [
      "On this text",
      one.skipped !== undefined || one.failed !== undefined ? (
        <Badge>not judged</Badge>
      ) : (
        <Badge tone={actionTones[one.action]}>{actionWords[one.action]}</Badge>
      ),
    ],
    ...one.reasons.map((reason): readonly [string, Child] => ["Because", <Text text={reason} inline />]),
    ...(one.matched === undefined ? [] : ([["Rules that matched", <bdi>{one.matched.join(", ")}</bdi>]] as const)),
    ...(one.text === undefined ? [] : ([["It becomes", <Text text={one.text} />]] as const)),
    ...(one.skipped === undefined ? [] : ([["It wasn't asked", <Text text={one.skipped} inline />]] as const)),
    ...(one.failed === undefined ? [] : ([["It failed", <Text text={one.failed} inline />]] as const)),
  ];
  return (
    <section class="panel" id="tried" aria-label="What it would do">
      <h2>What it would do</h2>
      <Facts facts={facts} />
      {replay === undefined ? undefined : (
        <p>
          {replay.items.length === 0
            ? "No labelled decision of it could be tried, so it was tried on this text alone."
            : `Of what was labelled it would free ${replay.wrong.freed} of ${replay.wrong.tried} false alarms, and miss ${replay.right.missed} of ${replay.right.tried} that were right.`}
        </p>
      )}
    </section>
  );
}
