/** The inbox: what waits for a person, and one of them with all that deciding it takes. */
import { answerAsk } from "../../application/asks/answer-ask.js";
import { claimAsk, deferAsk, releaseAsk } from "../../application/asks/claim-ask.js";
import { countAsks, readInboxRevision } from "../../application/asks/count-asks.js";
import { listAsks } from "../../application/asks/list-asks.js";
import { readAsk } from "../../application/asks/read-ask.js";
import { readConversation } from "../../application/sessions/read-conversation.js";
import { changeSettings, readSettings } from "../../application/tenants/own-settings.js";
import type { Ask } from "../../asks/ask.js";
import { longestDeferralMs } from "../../asks/claim.js";
import { heldCall, heldText, reviewedAs } from "../../asks/proposal.js";
import { defined } from "../../conversation/defined.js";
import { attempt } from "../../conversation/problem.js";
import { perform, query, type Screen, searchWith, sentIn, type View, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { About, Decide, Drafts, titleOf } from "./ask-decision.js";
import { Kind } from "./ask-parts.js";
import { AskState } from "./ask-state.js";
import { Bubbles } from "./bubbles.js";
import { argsSent } from "./call-form.js";
import { inboxPath, List, waiting } from "./inbox-list.js";

const shownAtOnce = 30;
const minute = 60_000;

async function openAsks(visit: Visit) {
  const names = ["kind", "audience", "subject", "show", "queue"];
  const [kind, audience, subject, show, queue] = names.map((name) => query(visit, name));
  return perform(visit, listAsks, {
    ...{ kind, audience, subject, queue },
    // What is overdue is shown although somebody has put it off.
    ...(show !== "overdue" && { deferred: String(show === "later") }),
    ...(show === "mine" && { claimedBy: "me" }),
    ...(show === "overdue" && { overdue: "true" }),
    status: "open",
    sort: "inbox",
    limit: shownAtOnce,
    cursor: query(visit, "cursor"),
  });
}

/** What waits, in numbers and rows, and what people are called. */
async function loadList(visit: Visit) {
  const [page, counts, names] = await Promise.all([
    openAsks(visit),
    countAsks(visit.actor, {}, visit.services),
    visit.names(),
  ]);
  return { page, counts, names };
}

/** What is shown changes with what is in the inbox, and once a minute with the time: claims run out, and asks become overdue. */
async function revision({ actor, services }: Visit): Promise<string> {
  return `${await readInboxRevision(actor, {}, services)}.${Math.floor(services.now() / minute)}`;
}

async function showList(visit: Visit): Promise<View> {
  const list = await loadList(visit);
  return {
    title: "Inbox",
    count: waiting(list.counts),
    wide: true,
    body: (
      <div class="inbox">
        <List visit={visit} {...list} />
        <section class="open" aria-label="What is open">
          <p class="empty">
            {list.page.items.length === 0
              ? "Nothing waits for a person. What does next will appear here."
              : "Choose one of them, or press j."}
          </p>
        </section>
      </div>
    ),
  };
}

/** @param isSure of a call that is to be pressed twice: it was pressed once */
async function showOne(visit: Visit, isSure = false): Promise<View> {
  const askId = visit.params.askId ?? "";
  const [list, ask] = await Promise.all([loadList(visit), perform(visit, readAsk, { askId })]);
  const isOpen = ask.status === "open";
  return {
    title: "Inbox",
    count: waiting(list.counts),
    wide: true,
    ...(isSure && { notice: "This tool is asked about each time. Press again, and it is called." }),
    body: (
      <div class="inbox one">
        <List visit={visit} {...list} current={askId} />
        <section class="open" aria-label="What is open">
          <p class="back">
            <a href={inboxPath}>All that waits</a>
          </p>
          <h2>
            <Kind ask={ask} /> <Text inline text={titleOf(ask)} />
          </h2>
          <AskState visit={visit} ask={ask} names={list.names} />
          {visit.isPoll === true ? undefined : (
            <>
              <About ask={ask} />
              {isOpen ? <Decide visit={visit} ask={ask} isSure={isSure} /> : <Drafts visit={visit} ask={ask} />}
              {await conversationOf(visit, ask)}
            </>
          )}
        </section>
      </div>
    ),
  };
}

async function conversationOf(visit: Visit, { from: { sessionId } }: Ask) {
  if (sessionId === undefined) return undefined;
  const said = await attempt(() => perform(visit, readConversation, { sessionId, limit: "10" }));
  if (!said.ok) return undefined;
  return (
    <>
      <h3>
        Conversation <a href={`/console/conversations/${sessionId}`}>open it</a>
      </h3>
      <Bubbles items={said.value.items} names={await visit.names()} />
    </>
  );
}

/** Answers it, and goes on. */
function decide(visit: Visit, answerOf: (ask: Ask) => object): Promise<string> {
  return goOn(visit, "decided", async (askId) => {
    const ask = await perform(visit, readAsk, { askId });
    await perform(visit, answerAsk, { askId, answer: { ...answerOf(ask), ...why(visit) } });
  });
}

/** Does it, and goes to the next that waits and that nobody else is at. */
async function goOn(visit: Visit, done: string, does: (askId: string) => Promise<unknown>): Promise<string> {
  const askId = visit.params.askId ?? "";
  // Looked up before: what is done goes off the list.
  const { items } = await openAsks(visit);
  const at = items.findIndex((one) => one.askId === askId);
  await does(askId);
  const others = [...items.slice(Math.max(at, 0)), ...items.slice(0, Math.max(at, 0))];
  const next = others.find(
    ({ askId: id, claim }) => id !== askId && (claim?.by.id ?? visit.actor.id) === visit.actor.id,
  );
  return `${inboxPath}${next === undefined ? "" : `/${next.askId}`}${searchWith(visit, { done })}`;
}

/** Why it was decided so, as far as something was written. */
function why(visit: Visit): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ["message", "note"].flatMap((name) => (sentIn(visit, name) === "" ? [] : [[name, sentIn(visit, name)]])),
  );
}

/** Accepted as it stands in the field: what was written there is never thrown away. */
const reviewed = (visit: Visit) =>
  decide(visit, (ask) => reviewedAs(ask, visit.sent?.get("content") ?? heldText(ask)?.proposed ?? ""));

const decideAs = (decision: string) => (visit: Visit) => decide(visit, () => ({ decision }));

/** Made with the arguments that stand in the fields. A tool that is asked about each time is pressed twice. */
const approved = (decision: "once" | "session") => async (visit: Visit) => {
  const ask = await perform(visit, readAsk, { askId: visit.params.askId ?? "" });
  const call = heldCall(ask);
  const args = call && argsSent(visit, call);
  if (ask.status === "open" && call?.approval === "always" && sentIn(visit, "sure") !== decision)
    return showOne(visit, true);
  return decide(visit, () => ({ decision, ...(args !== undefined && { args }) }));
};

/** The search that holds becomes a queue. */
async function keep(visit: Visit): Promise<string> {
  const { settings } = await perform(visit, readSettings, {});
  const [name, kind, audience, subject] = [
    sentIn(visit, "name"),
    ...["kind", "audience", "subject"].map((field) => query(visit, field)),
  ];
  const queues = [...(settings.queues ?? []), { name, ...defined({ kind, audience, subject }) }];
  await perform(visit, changeSettings, { change: { settings: { queues } } });
  return `${inboxPath}?queue=${encodeURIComponent(name)}&done=saved`;
}

/** Until when it is put off: so many milliseconds from now. */
function putOff(visit: Visit) {
  const ms = Number(sentIn(visit, "for"));
  return { until: ms > 0 && ms <= longestDeferralMs ? new Date(visit.services.now() + ms).toISOString() : "" };
}

/** Stays on the ask. */
function claiming(change: (visit: Visit, askId: string) => Promise<unknown>) {
  return async (visit: Visit): Promise<string> => {
    const askId = visit.params.askId ?? "";
    await change(visit, askId);
    return `${inboxPath}/${askId}${searchWith(visit)}`;
  };
}

export const inbox: Screen = {
  path: "/inbox",
  nav: { label: "Inbox", group: "Work" },
  needs: readConversation,
  show: showList,
  revision,
  posts: { keep },
};

export const ask: Screen = {
  path: "/inbox/:askId",
  needs: readConversation,
  show: (visit) => showOne(visit),
  revision,
  posts: {
    accept: reviewed,
    reject: decideAs("reject"),
    edit: reviewed,
    once: approved("once"),
    session: approved("session"),
    deny: decideAs("deny"),
    respond: (visit) => decide(visit, () => ({ response: sentIn(visit, "response") })),
    claim: claiming((visit, askId) => perform(visit, claimAsk, { askId, claim: {} })),
    takeOver: claiming((visit, askId) => perform(visit, claimAsk, { askId, claim: { takeOver: true } })),
    defer: (visit) => goOn(visit, "deferred", (askId) => perform(visit, deferAsk, { askId, deferral: putOff(visit) })),
    bringBack: claiming((visit, askId) => perform(visit, deferAsk, { askId, deferral: { until: null } })),
    release: claiming((visit, askId) => perform(visit, releaseAsk, { askId })),
  },
};
