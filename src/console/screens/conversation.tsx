/** A conversation: what was said and what supervision made of it; taken over, written in and handed back by who is signed in. */

import { replaySession } from "../../application/evidence/replay-turns.js";
import { holdSession, releaseSession } from "../../application/sessions/hold-session.js";
import { readConversation } from "../../application/sessions/read-conversation.js";
import { readSession } from "../../application/sessions/read-session.js";
import { writeAsStaff } from "../../application/sessions/write-as-staff.js";
import { labelDecision } from "../../application/supervision/label-decision.js";
import { listDecisions } from "../../application/supervision/list-decisions.js";
import { authorize } from "../../tenancy/authority.js";
import { Badge, Button, Facts, Field, Form, Time } from "../parts.js";
import { type Names, perform, query, type Screen, searchWith, sentIn, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { Bubbles } from "./bubbles.js";
import { Going } from "./watched.js";
import { Who } from "./who.js";

type Session = Awaited<ReturnType<typeof readSession>>;

export const conversation: Screen = {
  path: "/conversations/:sessionId",
  needs: readConversation,
  show: async (visit) => {
    const sessionId = visit.params.sessionId ?? "";
    const [session, { items, earlier }, names] = await Promise.all([
      perform(visit, readSession, { sessionId }),
      perform(visit, readConversation, { sessionId, before: query(visit, "before") }),
      visit.names(),
    ]);
    const from = items.find(({ message }) => message.createdAt !== undefined)?.message.createdAt;
    const decisions = await perform(visit, listDecisions, { sessionId, from, limit: "200" });
    const asks = items.flatMap((item) => item.asks).filter(({ status }) => status === "open");
    const isReplayed = authorize(visit.actor, replaySession).ok;
    return {
      title: "Conversation",
      body: (
        <>
          <Facts
            facts={[
              ["Agent", <Text inline text={session.agent} />],
              ["Customer", <Text inline text={session.subject ?? "not named"} />],
              ["Began", <Time at={session.createdAt} />],
              ["Who answers", <Answering session={session} visit={visit} names={names} />],
            ]}
          />
          {earlier === null ? undefined : (
            <p class="more">
              <a href={`?before=${earlier}`}>What was said before</a>
            </p>
          )}
          <div id="said-here" data-poll="5">
            {asks.map(({ askId, question }) => (
              <p class="notice">
                <a href={`/console/inbox/${askId}`}>
                  <Text inline text={question} />
                </a>
              </p>
            ))}
            <Bubbles
              items={items}
              names={names}
              at={`/console/conversations/${sessionId}`}
              decisions={decisions.items}
              isReplayed={isReplayed}
            />
            {session.lastTurn?.status !== "running" || query(visit, "before") !== undefined ? undefined : (
              <Going
                visit={visit}
                kind="session"
                at={`/console/conversations/${sessionId}/turns/${session.lastTurn.turnId}`}
              />
            )}
          </div>
          {isReplayed && session.lastTurn !== undefined ? (
            <p>
              <a href={`/console/conversations/${sessionId}/replay`}>Replay it with others</a>
            </p>
          ) : undefined}
          {authorize(visit.actor, writeAsStaff).ok ? <TakingOver visit={visit} session={session} /> : undefined}
        </>
      ),
    };
  },
  posts: {
    hold: async (visit) => {
      await perform(visit, holdSession, { sessionId: visit.params.sessionId });
      return `${pathOf(visit)}?done=taken#write`;
    },
    write: async (visit) => {
      const message = { content: sentIn(visit, "content") };
      await perform(visit, writeAsStaff, { sessionId: visit.params.sessionId, message });
      return `${pathOf(visit)}?done=said#write`;
    },
    right: label,
    wrong: label,
    unsure: label,
    release: async (visit) => {
      await perform(visit, releaseSession, { sessionId: visit.params.sessionId });
      return `${pathOf(visit)}?done=returned`;
    },
    leave: async (visit) => {
      await perform(visit, releaseSession, { sessionId: visit.params.sessionId, answer: "false" });
      return `${pathOf(visit)}?done=returned`;
    },
  },
};

/** Says whether a verdict was right, and stays where it is shown. */
async function label(visit: Visit): Promise<string> {
  const given = { decisionId: sentIn(visit, "decision"), label: { label: sentIn(visit, "do") } };
  await perform(visit, labelDecision, given);
  return `${pathOf(visit)}${searchWith(visit, { done: "saved" })}`;
}

function pathOf({ params }: Visit): string {
  return `/console/conversations/${params.sessionId ?? ""}`;
}

function Answering({
  session: { hold },
  visit,
  names,
}: {
  readonly session: Session;
  readonly visit: Visit;
  readonly names: Names;
}) {
  if (hold === undefined) return <>The agent</>;
  if (hold.state === "asked")
    return (
      <>
        <Badge tone="bad">A person is wanted</Badge> since <Time at={hold.since} />
      </>
    );
  const isMine = hold.by?.id === visit.me.actor.id;
  return (
    <>
      <Badge tone="warn">{isMine ? "You" : "A person"}</Badge> {isMine ? undefined : <Who by={hold.by} names={names} />}{" "}
      since <Time at={hold.since} />
    </>
  );
}

/** Who takes over writes; who doesn't reads on. */
function TakingOver({ visit, session: { hold } }: { readonly visit: Visit; readonly session: Session }) {
  if (hold?.state !== "taken") {
    return (
      <Form label="Take over" plain>
        <p class="hint">
          While you have it, the agent answers nothing here, and what the customer writes waits for you.
        </p>
        <div class="actions">
          <Button does="hold" kind="primary" shortcut="t">
            Take over
          </Button>
          {hold === undefined ? undefined : <Button does="release">Let the agent answer</Button>}
        </div>
      </Form>
    );
  }
  const isMine = hold.by?.id === visit.me.actor.id;
  return (
    <Form label="Write to the customer">
      <div id="write">
        <Field
          visit={visit}
          name="content"
          label="Write to the customer"
          hint="Your rules look at it. It reaches the customer wherever they write, as the words of staff."
          lines={4}
        />
      </div>
      <div class="actions">
        <Button does="write" kind="primary">
          Send
        </Button>
        <Button does="release">Hand back</Button>
        <Button does="leave" kind="quiet">
          Hand back, leave it unanswered
        </Button>
        {isMine ? undefined : <Button does="hold">Take it over from them</Button>}
      </div>
    </Form>
  );
}
