/** Agents, supervisors, tools, teams, panels, rules and references: as they are, in versions, changed and tried. */
import { listResources } from "../../application/resources/list-resources.js";
import { putResource } from "../../application/resources/put-resource.js";
import { readResource } from "../../application/resources/read-resource.js";
import { restoreResource } from "../../application/resources/resource-versions.js";
import { readDecision } from "../../application/supervision/read-decision.js";
import { replayDecisions } from "../../application/supervision/replay-decisions.js";
import { trySupervision } from "../../application/supervision/try-supervisors.js";
import { ProblemError, problem, attempt as tryTo } from "../../conversation/problem.js";
import { hooks } from "../../supervision/verdict.js";
import { resourceNoun } from "../../tenancy/resources.js";
import { isRecord, readJson } from "../../text/json.js";
import { Badge, Button, Choice, Field, Form, More, Table, Time } from "../parts.js";
import { perform, query, type Screen, sentIn, type View, type Visit } from "../screen.js";
import { beginnings, labels, type ShownKind } from "./resource-kinds.js";
import { bodyFrom, RuleFields, rulesOf } from "./supervisor-form.js";
import { Faults, Results, type Tried } from "./trial-results.js";
import { Versions, versionsOf } from "./versions.js";

const shownKinds: readonly ShownKind[] = ["agents", "supervisors", "tools", "teams", "panels", "rules", "references"];

export const resources: readonly Screen[] = shownKinds.flatMap((kind) => [listScreen(kind), oneScreen(kind)]);

function listScreen(kind: ShownKind): Screen {
  const path = `/${kind}`;
  return {
    path,
    nav: { label: labels[kind], group: "Set up" },
    needs: putResource,
    show: async (visit) => {
      const { items, nextCursor } = await perform(visit, listResources, { kind, cursor: query(visit, "cursor") });
      const rows = items.map((item) => [
        <a href={`/console${path}/${item.name}`}>
          <bdi>{item.name}</bdi>
        </a>,
        <span class="cut">
          <bdi>{aboutOf(item)}</bdi>
        </span>,
        String(item.version),
        <Time at={item.updatedAt} />,
      ]);
      return {
        title: labels[kind],
        body: (
          <>
            <form method="get" action={`/console${path}/new`} class="row" aria-label="Make one">
              <Field
                visit={visit}
                name="name"
                label={`A new ${resourceNoun(kind)}`}
                hint="Letters, digits, - and _."
                required
              />
              <button type="submit">Begin</button>
            </form>
            <Table
              label={labels[kind]}
              heads={["Name", "What it is", "Version", "Stored"]}
              rows={rows}
              empty="There is none yet."
            />
            <More visit={visit} cursor={nextCursor} />
          </>
        ),
      };
    },
  };
}

/** One line that tells it from others. */
function aboutOf(item: object): string {
  const fields = new Map(Object.entries(item));
  const said = ["description", "instructions", "text", "kind", "mode"].map((name) => fields.get(name)).find(Boolean);
  const shadow = fields.get("mode") === "shadow" ? "shadow · " : "";
  return shadow + (typeof said === "string" ? said.slice(0, 200) : "");
}

function oneScreen(kind: ShownKind): Screen {
  const isTried = kind === "supervisors";
  return {
    path: `/${kind}/:name`,
    needs: putResource,
    show: (visit) => show(visit, kind),
    posts: {
      store: (visit) => store(visit, kind),
      ...(isTried
        ? {
            try: attempt,
            shadow: (visit: Visit) => store(visit, kind, "shadow"),
            enforce: (visit: Visit) => store(visit, kind, "enforce"),
          }
        : {}),
      restore: async (visit) => {
        const name = nameOf(visit);
        await perform(visit, restoreResource, { kind, name, version: sentIn(visit, "version") });
        return `/console/${kind}/${name}?done=saved`;
      },
    },
  };
}

/** `new` stands for the name that the address says. */
function nameOf(visit: Visit): string {
  const { name = "" } = visit.params;
  return name === "new" ? (query(visit, "name") ?? "") : name;
}

interface Stored {
  /** Without what the server adds. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Of one that isn't there yet there is none. */
  readonly version?: number;
  readonly updatedAt?: string;
  readonly warnings: readonly { readonly path: string; readonly message: string }[];
}

async function storedOf(visit: Visit, kind: ShownKind): Promise<Stored> {
  const name = nameOf(visit);
  const read = () => perform(visit, readResource, { kind, name });
  // A name that is taken shows what has it: nothing is overwritten unseen.
  const found = visit.params.name === "new" ? await tryTo(read) : undefined;
  if (found?.ok === false) {
    if (!["not_found", "invalid"].includes(found.problem.code)) throw new ProblemError(found.problem);
    return { body: { ...beginnings[kind] }, warnings: [] };
  }
  const { name: _, version, updatedAt, warnings = [], pinned: __, ...body } = found?.value ?? (await read());
  return { body, version, updatedAt, warnings };
}

async function show(visit: Visit, kind: ShownKind, tried?: Tried): Promise<View> {
  const name = nameOf(visit);
  const { body, version, updatedAt, warnings } = await storedOf(visit, kind);
  const rules = kind === "supervisors" ? rulesOf(body) : undefined;
  const decisionId = query(visit, "decision");
  const decision = decisionId === undefined ? undefined : await perform(visit, readDecision, { decisionId });
  const matched = tried?.trial.alone[0]?.matched ?? decision?.rules ?? [];
  const json = JSON.stringify(body, undefined, 2);
  const isMode = "mode" in body && kind === "supervisors";
  return {
    title: name,
    body: (
      <>
        <p>
          <a href={`/console/${kind}`}>{labels[kind]}</a>
          {isMode ? " · " : ""}
          {isMode ? (
            <Badge tone={body.mode === "shadow" ? "plain" : "good"}>
              {body.mode === "shadow" ? "shadow: judges without effect" : "enforced"}
            </Badge>
          ) : undefined}
        </p>
        {version === undefined ? undefined : (
          <p class="dim">
            {`Version ${version}, stored `}
            <Time at={updatedAt} />
            {kind === "supervisors" ? (
              <>
                {" · "}
                <a href={`/console/supervisors/${name}/comparison`}>Compare with…</a>
              </>
            ) : undefined}
          </p>
        )}
        {warnings.length === 0 ? undefined : (
          <ul class="lines">
            {warnings.map(({ path, message }) => (
              <li>
                <Badge tone="warn">check</Badge> <code>{path}</code> {message}
              </li>
            ))}
          </ul>
        )}
        <Form label={`Change ${name}`}>
          <input type="hidden" name="readAs" value={version === undefined ? "" : String(version)} />
          {tried === undefined ? undefined : <Results tried={tried} />}
          <Faults visit={visit} />
          {rules === undefined ? (
            <Field visit={visit} name="body" label="As JSON" lines={lines(json)} stored={json} />
          ) : (
            <>
              <RuleFields visit={visit} rules={rules} matched={matched} />
              <details>
                <summary>All of it, as JSON</summary>
                <pre class="quote">{json}</pre>
                <Field
                  visit={visit}
                  name="body"
                  label="Another body"
                  hint="Filled in, it counts in place of the fields above."
                  lines={6}
                />
              </details>
            </>
          )}
          {kind === "supervisors" ? (
            <fieldset>
              <legend>Try it</legend>
              <Field
                visit={visit}
                name="text"
                label="On this text"
                lines={4}
                stored={decision?.texts?.before ?? ""}
                hint="Nothing is changed. A model that it asks reads the text, and its tokens count."
              />
              <Choice
                visit={visit}
                name="hook"
                label="As a"
                stored={decision?.hook ?? "request"}
                options={hooks.map((hook) => [hook, hook.replace("_", " ")])}
              />
              <div class="actions">
                <Button does="try" kind="primary" shortcut="t">
                  Try
                </Button>
                <Button does="shadow">Store as a shadow</Button>
                <Button does="enforce">Store, and it counts</Button>
              </div>
            </fieldset>
          ) : (
            <div class="actions">
              <Button does="store" kind="primary">
                Store
              </Button>
            </div>
          )}
        </Form>
        {version === undefined ? undefined : (
          <Versions visit={visit} {...(await versionsOf(visit, kind, name, version))} />
        )}
      </>
    ),
  };
}

/** As many lines as a text has, within what a window shows. */
function lines(text: string): number {
  return Math.min(30, text.split("\n").length + 1);
}

async function attempt(visit: Visit): Promise<View> {
  const name = nameOf(visit);
  const { body: before, version } = await storedOf(visit, "supervisors");
  const body = { ...changedBody(visit, before), name };
  const on = { text: sentIn(visit, "text"), hook: sentIn(visit, "hook") };
  const trial = await perform(visit, trySupervision, { trial: { supervisors: [body], on } });
  const replay =
    // Rules cost nothing; a model would be asked for each of the labelled texts.
    version === undefined || rulesOf(before) === undefined
      ? undefined
      : await perform(visit, replayDecisions, { replay: { supervisor: body, of: name } });
  return show(visit, "supervisors", { trial, replay });
}

async function store(visit: Visit, kind: ShownKind, mode?: "shadow" | "enforce"): Promise<string> {
  const name = nameOf(visit);
  const { body: before } = await storedOf(visit, kind);
  const body = changedBody(visit, before);
  const readAs = sentIn(visit, "readAs");
  const expected = readAs === "" ? {} : { expected: `"${readAs}"` };
  await perform(visit, putResource, { kind, name, body: mode === undefined ? body : { ...body, mode }, ...expected });
  return `/console/${kind}/${name}?done=saved`;
}

function changedBody(visit: Visit, before: Stored["body"]): Readonly<Record<string, unknown>> {
  if (rulesOf(before) !== undefined) return bodyFrom(visit, before);
  const { value } = readJson(sentIn(visit, "body"));
  if (isRecord(value)) return value;
  throw problem("invalid", "That is no JSON object.", {
    errors: [{ path: "body", message: "It isn't a JSON object." }],
  });
}
