/** The inbox: what waits for a person, and one of them with all that deciding it takes. */
import { answerAsk } from "../../application/asks/answer-ask.js";
import { listAsks } from "../../application/asks/list-asks.js";
import { readAsk } from "../../application/asks/read-ask.js";
import { readConversation } from "../../application/sessions/read-conversation.js";
import { type Ask, askKinds } from "../../asks/ask.js";
import { heldText, reviewedAs } from "../../asks/proposal.js";
import { attempt } from "../../conversation/problem.js";
import { Choice, Field, More, Time } from "../parts.js";
import { perform, query, type Screen, searchWith, sentIn, type View, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { About, Closed, Decide, titleOf } from "./ask-decision.js";
import { Bubbles, Kind, kindWords, previewOf } from "./ask-parts.js";

const path = "/console/inbox";
/** How often the list is asked for anew, in seconds. */
const pollSeconds = 5;
const shownAtOnce = 30;

/** The filters that hold, as the address has them. */
const filterNames = ["kind", "audience", "subject"] as const;

async function openAsks(visit: Visit) {
  const filters = Object.fromEntries(filterNames.map((name) => [name, query(visit, name)]));
  return perform(visit, listAsks, {
    ...filters,
    status: "open",
    sort: "priority",
    limit: shownAtOnce,
    cursor: query(visit, "cursor"),
  });
}

/** The address of an ask, with the filters that hold. */
function addressOf(visit: Visit, askId: string): string {
  return `${path}/${askId}${searchWith(visit)}`;
}

async function showList(visit: Visit): Promise<View> {
  const page = await openAsks(visit);
  return {
    title: "Inbox",
    count: page.items.length,
    wide: true,
    body: (
      <div class="inbox">
        <List visit={visit} {...page} current={undefined} />
        <section class="open" aria-label="What is open">
          <p class="empty">
            {page.items.length === 0
              ? "Nothing waits for a person. What does next will appear here."
              : "Choose one of them, or press j."}
          </p>
        </section>
      </div>
    ),
  };
}

function List({
  visit,
  items,
  nextCursor,
  current,
}: {
  readonly visit: Visit;
  readonly items: readonly Ask[];
  readonly nextCursor: string | null;
  readonly current: string | undefined;
}) {
  const at = items.findIndex(({ askId }) => askId === current);
  const keyOf = (index: number): string | undefined =>
    index === at + 1 ? "j" : at > 0 && index === at - 1 ? "k" : undefined;
  return (
    <section class="list" id="asks" data-poll={pollSeconds} aria-label="What waits">
      <form method="get" action={path} class="row" data-filter="">
        <Choice
          visit={visit}
          name="kind"
          label="Kind"
          stored={query(visit, "kind")}
          options={[["", "All"], ...askKinds.map((kind) => [kind, kindWords[kind]] as const)]}
        />
        <Choice
          visit={visit}
          name="audience"
          label="For"
          stored={query(visit, "audience")}
          options={[
            ["", "Anybody"],
            ["staff", "Staff"],
            ["user", "Customers"],
          ]}
        />
        <Field visit={visit} name="subject" label="Customer" stored={query(visit, "subject") ?? ""} type="search" />
        <button type="submit">Show</button>
      </form>
      {items.length === 0 ? (
        <p class="empty">Nothing waits.</p>
      ) : (
        <ol>
          {items.map((ask, index) => (
            <li>
              <a
                href={addressOf(visit, ask.askId)}
                id={ask.askId}
                data-key={keyOf(index)}
                aria-current={ask.askId === current ? "true" : undefined}
              >
                <span class="head">
                  <Kind ask={ask} /> <Text inline text={ask.from.agent ?? ask.from.team ?? ""} />
                  <Time at={ask.openedAt} />
                </span>
                <span class="preview">
                  <Text inline text={previewOf(ask)} />
                </span>
                {ask.deadline === undefined ? undefined : (
                  <span class="dim">
                    due <Time at={ask.deadline} />
                  </span>
                )}
              </a>
            </li>
          ))}
        </ol>
      )}
      <More visit={visit} cursor={nextCursor} />
    </section>
  );
}

async function showOne(visit: Visit): Promise<View> {
  const askId = visit.params.askId ?? "";
  const [page, ask] = await Promise.all([openAsks(visit), perform(visit, readAsk, { askId })]);
  const { sessionId } = ask.from;
  const said =
    sessionId === undefined
      ? undefined
      : await attempt(() => perform(visit, readConversation, { sessionId, limit: "10" }));
  return {
    title: "Inbox",
    count: page.items.length,
    wide: true,
    body: (
      <div class="inbox one">
        <List visit={visit} {...page} current={askId} />
        <section class="open" aria-label="What is open">
          <p class="back">
            <a href={path}>All that waits</a>
          </p>
          <h2>
            <Kind ask={ask} /> <Text inline text={titleOf(ask)} />
          </h2>
          <About ask={ask} />
          {ask.status === "open" ? <Decide visit={visit} ask={ask} /> : <Closed visit={visit} ask={ask} />}
          {sessionId === undefined || said?.ok !== true ? undefined : (
            <>
              <h3>
                Conversation <a href={`/console/conversations/${sessionId}`}>open it</a>
              </h3>
              <Bubbles items={said.value.items} />
            </>
          )}
        </section>
      </div>
    ),
  };
}

/** Answers it, and goes on to the next that waits. */
function deciding(answerOf: (visit: Visit, ask: Ask) => object) {
  return async (visit: Visit): Promise<string> => {
    const askId = visit.params.askId ?? "";
    const [{ items }, ask] = await Promise.all([openAsks(visit), perform(visit, readAsk, { askId })]);
    const at = items.findIndex((ask) => ask.askId === askId);
    await perform(visit, answerAsk, { askId, answer: answerOf(visit, ask) });
    const next = items.filter((ask) => ask.askId !== askId).at(Math.max(at, 0));
    return `${path}${next === undefined ? "" : `/${next.askId}`}${searchWith(visit, { done: "decided" })}`;
  };
}

/** Why it was decided so, as far as something was written. */
function why(visit: Visit): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ["message", "note"].flatMap((name) => (sentIn(visit, name) === "" ? [] : [[name, sentIn(visit, name)]])),
  );
}

/** Accepted as it stands in the field: what was written there is never thrown away. */
const reviewed = deciding((visit, ask) => ({
  ...reviewedAs(ask, visit.sent?.get("content") ?? heldText(ask)?.proposed ?? ""),
  ...why(visit),
}));

const decide = (decision: string) => deciding((visit) => ({ decision, ...why(visit) }));

export const inbox: Screen = {
  path: "/inbox",
  nav: { label: "Inbox", group: "Work" },
  needs: readConversation,
  show: showList,
};

export const ask: Screen = {
  path: "/inbox/:askId",
  needs: readConversation,
  show: showOne,
  posts: {
    accept: reviewed,
    reject: decide("reject"),
    edit: reviewed,
    once: decide("once"),
    session: decide("session"),
    deny: decide("deny"),
    respond: deciding((visit) => ({ response: sentIn(visit, "response") })),
  },
};
