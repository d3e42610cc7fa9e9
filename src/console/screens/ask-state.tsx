/** How an ask stands now, beside the form that decides it: who is at it, or who has decided. It is asked for anew while somebody looks. */
import type { Ask } from "../../asks/ask.js";
import { askClosed } from "../../asks/ask-sentence.js";
import { claimOf, deferralFault, deferralOf } from "../../asks/claim.js";
import { Button, Choice, Form, Time } from "../parts.js";
import type { Names, Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { pollSeconds } from "./inbox-list.js";
import { nameOf } from "./who.js";

export function AskState({ visit, ask, names }: { readonly visit: Visit; readonly ask: Ask; readonly names: Names }) {
  const now = visit.services.now();
  const [claim, deferred] = [claimOf(ask, now), deferralOf(ask, now)];
  const isMine = claim?.by.id === visit.actor.id;
  return (
    <div
      id={`state-${ask.askId}`}
      class="state"
      data-poll={pollSeconds}
      data-claimed={claim === undefined ? undefined : isMine ? "mine" : "other"}
      data-open={ask.status === "open" ? "" : undefined}
      role="status"
    >
      {ask.status !== "open" ? (
        <p class="notice">
          <Text inline text={closedInWords(ask, names)} /> <Time at={ask.closedAt} />
        </p>
      ) : claim === undefined ? (
        <Form label="Claim">
          <Button does="claim" kind="quiet" shortcut="c">
            Claim
          </Button>
          <span class="hint">For ten minutes nobody else decides it. Writing claims it too.</span>
        </Form>
      ) : isMine ? (
        <Form label="Claim">
          <span>
            You are at it. It runs out <Time at={claim.until} />
          </span>
          <Button does="release" kind="quiet">
            Give back
          </Button>
        </Form>
      ) : (
        <Form label="Claim">
          <span>
            <Text inline text={nameOf(claim.by, names)} /> is at it. It runs out <Time at={claim.until} />
          </span>
          <Button does="takeOver" kind="quiet">
            Take over
          </Button>
        </Form>
      )}
      {ask.status !== "open" || (claim !== undefined && !isMine) ? undefined : deferred === undefined ? (
        <PutOff visit={visit} ask={ask} />
      ) : (
        <Form label="Bring back">
          <span>
            <Text inline text={nameOf(deferred.by, names)} /> has put it off until <Time at={deferred.until} />
          </span>
          <Button does="bringBack" kind="quiet" shortcut="d">
            Bring back
          </Button>
        </Form>
      )}
    </div>
  );
}

const hourMs = 3_600_000;
const times = [
  [hourMs, "1 hour"],
  [4 * hourMs, "4 hours"],
  [24 * hourMs, "1 day"],
  [7 * 24 * hourMs, "1 week"],
] as const;

/** For a time that ends before its deadline. */
function PutOff({ visit, ask }: { readonly visit: Visit; readonly ask: Ask }) {
  const now = visit.services.now();
  const options = times.filter(([ms]) => deferralFault(ask, new Date(now + ms).toISOString(), now) === undefined);
  if (options.length === 0) return undefined;
  return (
    <Form label="Put off">
      <Choice
        visit={visit}
        name="for"
        label="Put off for"
        options={options.map(([ms, words]) => [String(ms), words] as const)}
      />
      <Button does="defer" kind="quiet" shortcut="d">
        Put off
      </Button>
    </Form>
  );
}

/** The sentence of it, with the person's name in place of their id. */
function closedInWords(ask: Ask, names: Names): string {
  const { closedBy } = ask;
  const name = closedBy && names.get(closedBy.id);
  const sentence = askClosed(ask);
  return closedBy === undefined || name === undefined
    ? sentence
    : sentence.replace(`${closedBy.kind} ${closedBy.id}`, () => name);
}
