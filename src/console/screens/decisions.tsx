/** Blocked and changed: what supervisors didn't let pass, the text singly and on record, whether that was right, and the way to the rule. */
import { labelDecision } from "../../application/supervision/label-decision.js";
import { listDecisions } from "../../application/supervision/list-decisions.js";
import { readDecision } from "../../application/supervision/read-decision.js";
import { reportDecisions } from "../../application/supervision/report-decisions.js";
import { defined } from "../../conversation/defined.js";
import type { Decision } from "../../supervision/decisions.js";
import { Badge, Choice, Field, More, Time } from "../parts.js";
import { perform, query, type Screen, sentIn, type View, type Visit } from "../screen.js";
import { One } from "./decision-detail.js";
import { actionTones, actionWords, decisionsPath, hookWords, labelTones } from "./decision-words.js";

const path = decisionsPath;

const filters = ["supervisor", "rule", "action", "hook", "agent", "subject", "mode", "label"] as const;

/** The filters of the address, as they go on to the next page. */
function filtersOf(visit: Visit): Record<string, string> {
  const given = filters.flatMap((name) => {
    const value = query(visit, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

/** Which page of the list is open stays with its items: what is opened, labelled or next stands beside the same page. */
function pageOf(visit: Visit): Record<string, string> {
  const cursor = query(visit, "cursor");
  return { ...filtersOf(visit), ...defined({ cursor }) };
}

const searchOf = (given: Record<string, string>): string => {
  const search = new URLSearchParams(given).toString();
  return search === "" ? "" : `?${search}`;
};

async function show(visit: Visit): Promise<View> {
  const open = visit.params.decisionId;
  const given = filtersOf(visit);
  const [list, report, decision] = await Promise.all([
    perform(visit, listDecisions, { ...given, cursor: query(visit, "cursor") }),
    perform(visit, reportDecisions, {}),
    open === undefined ? undefined : perform(visit, readDecision, { decisionId: open }),
  ]);
  const search = searchOf(pageOf(visit));
  const next = open === undefined ? undefined : await nextOf(visit, open, list);
  return {
    title: "Blocked and changed",
    wide: true,
    body: (
      <div class={open === undefined ? "beside" : "beside open"}>
        <section aria-label="List" class="list">
          <Filters visit={visit} given={given} />
          <Report {...report} />
          <List items={list.items} open={open} search={search} />
          <More visit={visit} cursor={list.nextCursor} />
        </section>
        <section aria-label="Decision" class="one">
          {decision === undefined ? (
            <p class="empty">Open one to see its text and say whether it was right.</p>
          ) : (
            <One visit={visit} decision={decision} search={search} next={next} names={await visit.names()} />
          )}
        </section>
      </div>
    ),
  };
}

/** Where the decision behind the open one is: on the next page, behind the last of this one. */
async function nextOf(
  visit: Visit,
  open: string,
  { items, nextCursor }: { readonly items: readonly Decision[]; readonly nextCursor: string | null },
): Promise<string | undefined> {
  const at = items.findIndex(({ decisionId }) => decisionId === open);
  const next = items[at + 1];
  if (next !== undefined) return `${path}/${next.decisionId}${searchOf(pageOf(visit))}`;
  if (nextCursor === null) return undefined;
  const given = { ...filtersOf(visit), cursor: nextCursor };
  const [first] = (await perform(visit, listDecisions, { ...given, limit: 1 })).items;
  return first && `${path}/${first.decisionId}${searchOf(given)}`;
}

function Filters({ visit, given }: { readonly visit: Visit; readonly given: Record<string, string> }) {
  const any = ["", "any"] as const;
  const isSet = Object.keys(given).length > 0;
  return (
    <details class="panel" open={isSet}>
      <summary>Filter</summary>
      <form method="get" action={path} aria-label="Filter">
        <div class="row">
          <Field visit={visit} name="supervisor" label="Supervisor" stored={given.supervisor ?? ""} />
          <Field visit={visit} name="agent" label="Agent" stored={given.agent ?? ""} />
          <Field visit={visit} name="subject" label="Customer" stored={given.subject ?? ""} />
          <Choice
            visit={visit}
            name="action"
            label="What it did"
            stored={given.action}
            options={[
              any,
              ["block", "blocked"],
              ["review", "held"],
              ["modify", "changed"],
              ["allow", "passed, and labelled"],
            ]}
          />
          <Choice
            visit={visit}
            name="label"
            label="Label"
            stored={given.label}
            options={[any, ["none", "none yet"], ["wrong", "wrong"], ["right", "right"], ["unsure", "unsure"]]}
          />
          <Choice
            visit={visit}
            name="mode"
            label="Took effect"
            stored={given.mode}
            options={[any, ["enforce", "yes"], ["shadow", "no, it only watched (shadow)"]]}
          />
        </div>
        <div class="actions">
          <button type="submit">Filter</button>
          {isSet ? (
            <a class="button" href={path}>
              Show all
            </a>
          ) : undefined}
        </div>
      </form>
    </details>
  );
}

function Report({ items }: Awaited<ReturnType<typeof reportDecisions>>) {
  if (items.length === 0) return undefined;
  return (
    <details class="panel">
      <summary>False alarms in 30 days</summary>
      <ul class="lines">
        {items.map(({ supervisor, summary, falseAlarms, rules }) => (
          <li>
            <a href={`${path}?supervisor=${supervisor}&label=wrong`}>{supervisor}</a>
            {`: ${summary}`}
            {falseAlarms === undefined ? undefined : (
              <span class="dim">
                {` (${percent(falseAlarms.share)}; between ${percent(falseAlarms.low)} and ${percent(falseAlarms.high)})`}
              </span>
            )}
            {rules
              .filter(({ wrong }) => wrong > 0)
              .map(({ rule, summary: ofRule }) => (
                <div class="dim">
                  {"rule "}
                  <bdi>{rule}</bdi>
                  {`: ${ofRule}`}
                </div>
              ))}
          </li>
        ))}
      </ul>
    </details>
  );
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function List({
  items,
  open,
  search,
}: {
  readonly items: readonly Decision[];
  readonly open: string | undefined;
  readonly search: string;
}) {
  if (items.length === 0) return <p class="empty">Nothing was blocked, held or changed here.</p>;
  return (
    <ul class="rows">
      {items.map(({ decisionId, action, supervisor, rules = [], hook, at, label, mode, subject, agent, reasons }) => (
        <li>
          <a href={`${path}/${decisionId}${search}`} aria-current={decisionId === open ? "page" : undefined}>
            <span class="head">
              <Badge tone={actionTones[action]}>{actionWords[action]}</Badge>
              {mode === "shadow" ? <Badge>shadow</Badge> : undefined}
              {label === undefined ? undefined : <Badge tone={labelTones[label]}>{label}</Badge>}
              <Time at={at} />
            </span>
            <span class="what">
              <bdi>{supervisor === "" ? "Nobody" : supervisor}</bdi>
              {rules.length === 0 ? undefined : (
                <span class="dim">
                  {" · rule "}
                  <bdi>{rules.join(", ")}</bdi>
                </span>
              )}
            </span>
            <span class="dim cut">
              <bdi>{reasons[0] ?? hookWords[hook]}</bdi>
            </span>
            <span class="dim cut">
              {`${hookWords[hook]} · `}
              <bdi>{agent ?? ""}</bdi>
              {subject === undefined ? undefined : (
                <>
                  {" · "}
                  <bdi>{subject}</bdi>
                </>
              )}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

async function label(visit: Visit): Promise<string> {
  const { decisionId = "" } = visit.params;
  const note = sentIn(visit, "note");
  const given = { label: sentIn(visit, "do"), ...(note === "" ? {} : { note }) };
  await perform(visit, labelDecision, { decisionId, label: given });
  return `${path}/${decisionId}${searchOf({ ...pageOf(visit), done: "saved" })}`;
}

export const decisions: Screen = {
  path: "/decisions",
  nav: { label: "Blocked and changed", group: "Work" },
  needs: listDecisions,
  show,
};

export const decision: Screen = {
  path: "/decisions/:decisionId",
  needs: readDecision,
  show,
  posts: { right: label, wrong: label, unsure: label },
};
