/** The list of the inbox: what waits, whoever is at it, and the filters that hold. */
import type { countAsks } from "../../application/asks/count-asks.js";
import { changeSettings } from "../../application/tenants/own-settings.js";
import { type Ask, askKinds } from "../../asks/ask.js";
import { claimOf, deferralOf } from "../../asks/claim.js";
import { authorize } from "../../tenancy/authority.js";
import { Badge, Button, Choice, Field, Form, More, Time } from "../parts.js";
import { type Names, query, searchWith, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { Kind, kindWords, previewLine } from "./ask-parts.js";
import { nameOf } from "./who.js";

export const inboxPath = "/console/inbox";
/** How often the list is asked for anew, in seconds. */
export const pollSeconds = 5;

export type Counts = Awaited<ReturnType<typeof countAsks>>;

export interface Page {
  readonly items: readonly Ask[];
  readonly nextCursor: string | null;
}

/** The address of an ask, with the filters that hold. */
function addressOf(visit: Visit, askId: string): string {
  return `${inboxPath}/${askId}${searchWith(visit)}`;
}

/** What waits now: what is put off waits too, but later. */
export function waiting({ open, deferred }: Counts): number {
  return Math.max(0, open - deferred);
}

/** The parts of it that have a name, each at its address. */
function Queues({ visit, counts }: { readonly visit: Visit; readonly counts: Counts }) {
  if (counts.byQueue.length === 0) return undefined;
  const here = query(visit, "queue");
  return (
    <nav class="rounds" aria-label="Queues">
      <a href={inboxPath} aria-current={here === undefined ? "page" : undefined}>
        All
      </a>
      {counts.byQueue.map(({ queue, open, more }) => (
        <a href={`${inboxPath}?queue=${encodeURIComponent(queue)}`} aria-current={queue === here ? "page" : undefined}>
          <Text inline text={queue} />
          <span class="dim">{more ? ` ${Math.min(open, 99)}+` : ` ${open}`}</span>
        </a>
      ))}
    </nav>
  );
}

function Filters({ visit }: { readonly visit: Visit }) {
  const queue = query(visit, "queue");
  return (
    <form method="get" action={inboxPath} class="row" data-filter="">
      {queue === undefined ? undefined : <input type="hidden" name="queue" value={queue} />}
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
      <Choice
        visit={visit}
        name="show"
        label="Show"
        stored={query(visit, "show")}
        options={[
          ["", "Whatever waits"],
          ["mine", "Claimed by me"],
          ["overdue", "Overdue"],
          ["later", "Put off"],
        ]}
      />
      <Field
        visit={visit}
        name="subject"
        label="Customer"
        stored={query(visit, "subject") ?? ""}
        type="search"
        shortcut="/"
      />
      <button type="submit">Show</button>
    </form>
  );
}

/** The search that holds, kept under a name for everybody. */
function Keep({ visit }: { readonly visit: Visit }) {
  const isSearch = ["kind", "audience", "subject"].some((name) => query(visit, name) !== undefined);
  if (!isSearch || query(visit, "queue") !== undefined || !authorize(visit.actor, changeSettings).ok) return undefined;
  return (
    <details class="panel" open={visit.refused !== undefined}>
      <summary>Keep this search as a queue</summary>
      <Form label="Keep this search as a queue" action={`${inboxPath}${searchWith(visit)}`}>
        <Field visit={visit} name="name" label="Its name, for everybody" required />
        <Button does="keep">Keep it</Button>
      </Form>
    </details>
  );
}

export function List({
  visit,
  page: { items, nextCursor },
  counts,
  names,
  current,
}: {
  readonly visit: Visit;
  readonly page: Page;
  readonly counts: Counts;
  readonly names: Names;
  readonly current?: string;
}) {
  const at = items.findIndex(({ askId }) => askId === current);
  const keyOf = (index: number): string | undefined =>
    index === at + 1 ? "j" : at > 0 && index === at - 1 ? "k" : undefined;
  return (
    <section class="list" id="asks" data-poll={pollSeconds} aria-label="What waits">
      <p class="counts">
        <strong>{waiting(counts)}</strong> {waiting(counts) === 1 ? "waits" : "wait"}
        {counts.overdue > 0 && (
          <>
            {" · "}
            <a href={`${inboxPath}?show=overdue`}>{`${counts.overdue} overdue`}</a>
          </>
        )}
        {counts.mine > 0 && (
          <>
            {" · "}
            <a href={`${inboxPath}?show=mine`}>{`${counts.mine} claimed by you`}</a>
          </>
        )}
        {counts.deferred > 0 && (
          <>
            {" · "}
            <a href={`${inboxPath}?show=later`}>{`${counts.deferred} put off`}</a>
          </>
        )}
      </p>
      <Queues visit={visit} counts={counts} />
      {counts.byKind.review + counts.byKind.approval > 1 && (
        <p>
          <a href={`${inboxPath}/several`}>Decide several</a>
        </p>
      )}
      <Filters visit={visit} />
      <Keep visit={visit} />
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
                <Row ask={ask} names={names} visit={visit} />
              </a>
            </li>
          ))}
        </ol>
      )}
      <More visit={visit} cursor={nextCursor} />
    </section>
  );
}

function Row({ ask, names, visit }: { readonly ask: Ask; readonly names: Names; readonly visit: Visit }) {
  const now = visit.services.now();
  const claim = claimOf(ask, now);
  const deferred = deferralOf(ask, now);
  const isOverdue = ask.overdueAt !== undefined && Date.parse(ask.overdueAt) <= now;
  return (
    <>
      <span class="head">
        <Kind ask={ask} /> <Text inline text={ask.from.agent ?? ask.from.team ?? ""} />
        <Time at={ask.openedAt} />
      </span>
      <span class="preview">
        <Text inline text={previewLine(ask)} />
      </span>
      {claim === undefined && deferred === undefined && !isOverdue && ask.deadline === undefined ? undefined : (
        <span class="marks">
          {isOverdue && <Badge tone="warn">overdue</Badge>}
          {claim !== undefined && (
            <Badge tone={claim.by.id === visit.actor.id ? "good" : "plain"}>
              <Text inline text={claim.by.id === visit.actor.id ? "yours" : nameOf(claim.by, names)} />
            </Badge>
          )}
          {deferred !== undefined && (
            <span class="dim">
              put off until <Time at={deferred.until} />
            </span>
          )}
          {ask.deadline !== undefined && (
            <span class="dim">
              due <Time at={ask.deadline} />
            </span>
          )}
        </span>
      )}
    </>
  );
}
