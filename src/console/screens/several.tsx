/** Several asks of the inbox, decided the same way: chosen from a list, shown once more line by line, then decided each by itself. */
import {
  answerAsks,
  decisionsTogether,
  kindDecided,
  mostTogether,
  type Together,
} from "../../application/asks/answer-asks.js";
import { listAsks } from "../../application/asks/list-asks.js";
import { readAsk } from "../../application/asks/read-ask.js";
import type { Ask } from "../../asks/ask.js";
import { heldCall, heldText, isRefusal } from "../../asks/proposal.js";
import { ownValue } from "../../conversation/own-value.js";
import { attempt } from "../../conversation/problem.js";
import { oneLine } from "../../text/one-line.js";
import { Button, Field, Form, More, Time } from "../parts.js";
import { perform, problemWords, query, type Screen, sentIn, type View, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { previewLine } from "./ask-parts.js";
import { inboxPath } from "./inbox-list.js";

const words: Readonly<Record<Together, string>> = {
  accept: "Accept",
  reject: "Reject",
  once: "Allow once",
  deny: "Deny",
};

export const several: Screen = {
  path: "/inbox/several",
  needs: answerAsks,
  show: async (visit) => {
    const kind = query(visit, "kind") === "approval" ? "approval" : "review";
    const tool = query(visit, "tool");
    const { items, nextCursor } = await perform(visit, listAsks, {
      ...{ kind, tool, status: "open", audience: "staff", sort: "inbox", limit: "50" },
      cursor: query(visit, "cursor"),
    });
    const chosen = new Set(visit.sent?.getAll("ask") ?? []);
    const tools = [...new Set(items.flatMap(({ from }) => from.tool ?? []))];
    return {
      title: "Decide several",
      body: (
        <>
          <nav class="rounds" aria-label="Which">
            <a href={inboxPath}>One by one</a>
            <a href="?kind=review" aria-current={kind === "review" ? "page" : undefined}>
              Reviews
            </a>
            <a href="?kind=approval" aria-current={kind === "approval" ? "page" : undefined}>
              Approvals
            </a>
            {tools.map((name) => (
              <a
                href={`?kind=approval&tool=${encodeURIComponent(name)}`}
                aria-current={name === tool ? "page" : undefined}
              >
                <Text inline text={name} />
              </a>
            ))}
          </nav>
          {items.length === 0 ? (
            <p class="empty">Nothing of this kind waits for staff.</p>
          ) : (
            <Form label="Decide several">
              <ul class="rows">
                {items.map((ask) => (
                  <li>
                    <label class="line">
                      <input type="checkbox" name="ask" value={ask.askId} checked={chosen.has(ask.askId)} />
                      <Line ask={ask} />
                    </label>
                  </li>
                ))}
              </ul>
              <p class="hint">What you choose is shown once more before it is decided. Calls have to be of one tool.</p>
              <div class="actions">
                {decisionsTogether
                  .filter((decision) => kindDecided[decision] === kind)
                  .map((decision) => (
                    <Button does={decision}>{`${words[decision]} …`}</Button>
                  ))}
              </div>
            </Form>
          )}
          <More visit={visit} cursor={nextCursor} />
        </>
      ),
    };
  },
  posts: Object.fromEntries(decisionsTogether.map((decision) => [decision, (visit: Visit) => decide(visit, decision)])),
};

function Line({ ask }: { readonly ask: Ask }) {
  return (
    <span>
      <Head ask={ask} />
      <Text inline text={heldCall(ask) === undefined ? previewLine(ask) : oneLine(wholeOf(ask), 300)} />
    </span>
  );
}

function Head({ ask }: { readonly ask: Ask }) {
  const call = heldCall(ask);
  return (
    <span class="head">
      <Text inline text={call === undefined ? (ask.from.agent ?? "") : `${call.server}/${call.tool}`} />{" "}
      <Text inline text={ask.from.subject ?? ""} />
      <Time at={ask.openedAt} />
    </span>
  );
}

/** All that one says yes or no to. */
function wholeOf(ask: Ask): string {
  const call = heldCall(ask);
  return call === undefined ? (heldText(ask)?.proposed ?? ask.question) : JSON.stringify(call.args);
}

/** Pressed once it shows all of what was chosen, one by one; pressed there, it decides. */
async function decide(visit: Visit, decision: Together): Promise<string | View> {
  const askIds = visit.sent?.getAll("ask") ?? [];
  const [note, message] = ["note", "message"].map((name) => sentIn(visit, name) || undefined);
  if (sentIn(visit, "sure") !== decision || askIds.length === 0) return confirm(visit, decision, askIds);
  const { decided, refused } = await perform(visit, answerAsks, { answers: { askIds, decision, note, message } });
  if (refused.length === 0) return `${inboxPath}?done=decided`;
  return {
    title: "Not all of them",
    body: (
      <>
        <p>{`${decided.length} were decided, ${refused.length} were not:`}</p>
        <ul>
          {refused.map(({ askId, code }) => (
            <li>
              <a href={`${inboxPath}/${askId}`}>
                <bdi>{askId}</bdi>
              </a>{" "}
              {ownValue(problemWords, code)}
            </li>
          ))}
        </ul>
      </>
    ),
  };
}

async function confirm(visit: Visit, decision: Together, askIds: readonly string[]): Promise<View> {
  const reads = askIds.slice(0, mostTogether).map((askId) => attempt(() => perform(visit, readAsk, { askId })));
  // What is gone meanwhile is left out.
  const asks = (await Promise.all(reads)).flatMap((read) => (read.ok ? [read.value] : []));
  const needsReason = isRefusal(decision);
  return {
    title: `${words[decision]} these ${asks.length}?`,
    body: (
      <Form label={words[decision]}>
        {asks.length === 0 ? <p class="empty">None was chosen.</p> : undefined}
        <ol class="rows">
          {asks.map((ask) => (
            <li>
              <input type="hidden" name="ask" value={ask.askId} />
              <a href={`${inboxPath}/${ask.askId}`}>
                <Head ask={ask} />
              </a>
              <Text text={wholeOf(ask)} />
            </li>
          ))}
        </ol>
        <input type="hidden" name="sure" value={decision} />
        <Field visit={visit} name="message" label="Message" lines={2} hint="The agent or the customer reads it." />
        <Field
          visit={visit}
          name="note"
          label="Note"
          lines={2}
          hint={needsReason ? "Staff reads it. One of both is needed." : "Staff reads it."}
        />
        <div class="actions">
          <Button does={decision} kind={needsReason ? "danger" : "primary"}>
            {`${words[decision]} ${asks.length}`}
          </Button>
          <a class="button" href="/console/inbox/several">
            Choose again
          </a>
        </div>
      </Form>
    ),
  };
}
