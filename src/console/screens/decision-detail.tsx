/** One decision: why, the text that was judged, whether that was right, and the way to its rule. */
import { putResource } from "../../application/resources/put-resource.js";
import type { readDecision } from "../../application/supervision/read-decision.js";
import { authorize } from "../../tenancy/authority.js";
import { Badge, Button, Facts, Field, Form, Time } from "../parts.js";
import type { Names, Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { actionWords, hookWords, labelTones, decisionsPath as path } from "./decision-words.js";
import { Who } from "./who.js";

type Whole = Awaited<ReturnType<typeof readDecision>>;

export function One({
  visit,
  decision,
  search,
  next,
  names,
}: {
  readonly visit: Visit;
  readonly decision: Whole;
  readonly search: string;
  /** Where the next one is. */
  readonly next: string | undefined;
  readonly names: Names;
}) {
  const {
    decisionId,
    action,
    supervisor,
    version,
    rules = [],
    hook,
    mode,
    at,
    reasons,
    texts,
    agent,
    subject,
  } = decision;
  const mine = decision.labels.find(({ by }) => by.id === visit.me.actor.id);
  return (
    <>
      <p class="actions narrow">
        <a class="button" href={`${path}${search}`}>
          Back to the list
        </a>
      </p>
      <h2>
        {supervisor === "" ? "This passed" : `A ${hookWords[hook]} was ${actionWords[action]}`}
        {mode === "shadow" ? " by a shadow, without effect" : ""}
      </h2>
      {reasons.map((reason) => (
        <p>
          <Text text={reason} inline />
        </p>
      ))}
      {texts === undefined ? (
        <p class="empty">Its text is not there: it was erased, or it is of a run or a roundtable.</p>
      ) : (
        <>
          <h3>What was said</h3>
          <div class="quote">
            <Text text={texts.before} />
          </div>
          {texts.after === undefined ? undefined : (
            <>
              <h3>What became of it</h3>
              <div class="quote">
                <Text text={texts.after} />
              </div>
            </>
          )}
          <p class="hint">That you read this is on record.</p>
        </>
      )}
      <Form label="Label" action={`${path}/${decisionId}${search}`}>
        <h3>Was that right?</h3>
        <Field
          visit={visit}
          name="note"
          label="Note"
          hint="For colleagues; it may stay empty."
          stored={mine?.note ?? ""}
        />
        <div class="actions">
          <Button does="wrong" shortcut="w">
            {action === "allow" ? "Wrong: should have been stopped" : "Wrong: a false alarm"}
          </Button>
          <Button does="right" shortcut="r">
            Right
          </Button>
          <Button does="unsure" shortcut="u">
            Unsure
          </Button>
          {next === undefined ? undefined : (
            <a class="button" href={next} data-key="n">
              Next <kbd>n</kbd>
            </a>
          )}
        </div>
      </Form>
      {decision.labels.length === 0 ? undefined : (
        <ul class="lines">
          {decision.labels.map(({ label, note, by, at: when }) => (
            <li>
              <Badge tone={labelTones[label]}>{label}</Badge> <Who by={by} names={names} me={visit.me.actor.id} />{" "}
              <Time at={when} />
              {note === undefined ? undefined : (
                <div>
                  <Text text={note} inline />
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {supervisor === "" || !authorize(visit.actor, putResource).ok ? undefined : (
        <p>
          <a class="button" href={`/console/supervisors/${supervisor}?decision=${decisionId}`} data-key="o">
            Open the rule <kbd>o</kbd>
          </a>
        </p>
      )}
      <h3>About it</h3>
      <Facts
        facts={[
          ["Supervisor", <bdi>{`${supervisor}${version === undefined ? "" : `, version ${version}`}`}</bdi>],
          ["Rule", <bdi>{rules.join(", ")}</bdi>],
          ["The whole pass", actionWords[decision.decision]],
          ["Agent", <bdi>{agent ?? ""}</bdi>],
          ["Customer", <bdi>{subject ?? ""}</bdi>],
          ["When", <Time at={at} />],
          [
            "Conversation",
            decision.sessionId === undefined ? (
              <code>{decision.runId ?? decision.roundtableId}</code>
            ) : (
              <a href={`/console/conversations/${decision.sessionId}`}>Read it</a>
            ),
          ],
        ]}
      />
    </>
  );
}
