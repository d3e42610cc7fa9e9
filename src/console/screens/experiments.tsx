/** Experiments: which of several agents answers a share of end users, how it stands in one sentence, and the way to the winner. */

import { z } from "zod";
import {
  deleteExperiment,
  listExperiments,
  promoteExperiment,
  putExperiment,
  readExperiment,
  readExperimentReport,
  startExperiment,
  stopExperiment,
} from "../../application/evidence/manage-experiments.js";
import { ownValue } from "../../conversation/own-value.js";
import { metrics } from "../../evidence/experiment.js";
import type { ExperimentReport } from "../../evidence/experiment-report.js";
import { authorize } from "../../tenancy/authority.js";
import { lazily } from "../../text/lazily.js";
import {
  Badge,
  Button,
  Choice,
  Confirm,
  Facts,
  Field,
  Form,
  FormPanel,
  More,
  Table,
  Time,
  type Tone,
} from "../parts.js";
import { perform, query, type Screen, sentIn, type View, type Visit } from "../screen.js";
import { shareWords } from "./comparison-parts.js";
import { Faults } from "./trial-results.js";

const countSchema = lazily(() =>
  z.object({
    units: z.int(),
    share: z.object({ share: z.number(), low: z.number(), high: z.number() }).optional(),
  }),
);

const path = "/console/experiments";
/** Each is counted for its sentence. */
const atOnce = 20;
type Experiment = Awaited<ReturnType<typeof readExperiment>>;
const tones: Readonly<Record<Experiment["status"], Tone>> = {
  ...{ draft: "plain", running: "good", stopped: "warn", promoted: "good" },
};

async function showList(visit: Visit): Promise<View> {
  const { items, nextCursor } = await perform(visit, listExperiments, {
    limit: atOnce,
    cursor: query(visit, "cursor"),
  });
  const rows = await Promise.all(
    items.map(async ({ name, agent, status, variants, updatedAt }) => [
      <a href={`${path}/${name}`}>
        <bdi>{name}</bdi>
      </a>,
      <bdi>{agent}</bdi>,
      <bdi>{variants.map((one) => `${one.name} ${percent(one.share)} %`).join(", ")}</bdi>,
      <Badge tone={tones[status]}>{status}</Badge>,
      status === "draft" ? "" : (await perform(visit, readExperimentReport, { name })).summary,
      <Time at={updatedAt} />,
    ]),
  );
  return {
    title: "Experiments",
    body: (
      <>
        {authorize(visit.actor, putExperiment).ok ? (
          <FormPanel summary="Make one" label="Make an experiment" open={visit.refused !== undefined}>
            <Faults visit={visit} />
            <Field visit={visit} name="name" label="Name" required hint="Letters, digits, - and _." />
            <Fields visit={visit} />
            <Button does="make" kind="primary">
              Make it
            </Button>
          </FormPanel>
        ) : undefined}
        <Table
          label="Experiments"
          heads={["Name", "Agent", "Variants", "Status", "How it stands", "Changed"]}
          rows={rows}
          empty="None yet. An experiment has another agent answer a share of end users."
        />
        <More visit={visit} cursor={nextCursor} />
      </>
    ),
  };
}

const percent = (share: number): number => Math.round(share * 10_000) / 100;

function Fields({ visit, known }: { readonly visit: Visit; readonly known?: Experiment }) {
  const lines = known?.variants.map(({ name, agent, share }) => `${name}, ${agent}, ${percent(share)} %`);
  return (
    <>
      <Field visit={visit} name="experiment.agent" label="Agent" required stored={known?.agent ?? ""} />
      <Field
        visit={visit}
        name="experiment.variants"
        label="Variants, one a line"
        lines={3}
        required
        stored={lines?.join("\n") ?? ""}
        hint="Its name, the stored agent that answers, and its share: short, shop-short, 10 %. The rest stays with the agent."
      />
      <Choice
        visit={visit}
        name="experiment.unit"
        label="Who stays with a variant"
        stored={known?.unit}
        options={[
          ["subject", "Each end user"],
          ["session", "Each conversation"],
        ]}
      />
      <Field
        visit={visit}
        name="experiment.guards"
        label="Stop a variant that is worse in"
        stored={known?.guards.map(({ metric }) => metric).join(", ") ?? "failed"}
        hint={`${metrics.join(", ")}: half as much again as without it, shown to 1 in 100.`}
      />
    </>
  );
}

const partsOf = (text: string): string[] => text.split(",").map((part) => part.trim());

/** What the form doesn't show of guards stays as it is. */
function put(visit: Visit, name: string, known?: Experiment) {
  const lines = sentIn(visit, "experiment.variants").split("\n");
  const variants = lines
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [variant, agent, share = ""] = partsOf(line);
      return { name: variant, agent, share: Math.round(Number(share.replace("%", "")) * 100) / 10_000 };
    });
  const guards = partsOf(sentIn(visit, "experiment.guards"))
    .filter((metric) => metric !== "")
    .map((metric) => known?.guards.find((guard) => guard.metric === metric) ?? { metric });
  const experiment = {
    agent: sentIn(visit, "experiment.agent"),
    unit: sentIn(visit, "experiment.unit"),
    variants,
    guards,
  };
  return perform(visit, putExperiment, { name, experiment });
}

export const experiments: Screen = {
  path: "/experiments",
  nav: { label: "Experiments", group: "Evidence" },
  needs: listExperiments,
  show: showList,
  posts: {
    make: async (visit) => {
      const name = sentIn(visit, "name");
      await put(visit, name);
      return `${path}/${name}?done=saved`;
    },
  },
};

async function showOne(visit: Visit): Promise<View> {
  const { name = "" } = visit.params;
  const known = await perform(visit, readExperiment, { name });
  const report = known.status === "draft" ? undefined : await perform(visit, readExperimentReport, { name });
  const { agent, status, unit, startedAt, endedAt, winner } = known;
  return {
    title: name,
    body: (
      <>
        <p>
          <a href={path}>Experiments</a>
          {" · "}
          <Badge tone={tones[status]}>{status}</Badge>
        </p>
        <div id="state" data-poll={status === "running" ? "5" : undefined}>
          {report === undefined ? <p>Nobody is in it yet: start it.</p> : <Report report={report} />}
          <Facts
            facts={[
              ["Agent", <bdi>{agent}</bdi>],
              ["Who stays with a variant", unit === "subject" ? "each end user" : "each conversation"],
              ["Began", <Time at={startedAt} />],
              ...(endedAt === undefined ? [] : ([["Ended", <Time at={endedAt} />]] as const)),
              ...(winner === undefined ? [] : ([["Became the agent", <bdi>{winner}</bdi>]] as const)),
            ]}
          />
        </div>
        {authorize(visit.actor, putExperiment).ok ? <Further visit={visit} known={known} /> : undefined}
      </>
    ),
  };
}

function Report({ report: { summary, verdict, variants, evidence } }: { readonly report: ExperimentReport }) {
  return (
    <>
      <p class={verdict === "broken_split" ? "notice bad" : "notice"}>{summary}</p>
      <Table
        label="Variants"
        heads={["Variant", "Conversations or people", ...metrics]}
        rows={variants.map((one) => [
          <>
            <bdi>{one.variant}</bdi>
            {one.stopped === undefined ? undefined : <Badge tone="bad">{`stopped: ${one.stopped.metric}`}</Badge>}
          </>,
          one.units.toLocaleString("en"),
          ...metrics.map((metric) => counted(one, metric)),
        ])}
        empty="Nobody yet."
      />
      <details class="panel">
        <summary>How strongly it speaks for a difference</summary>
        <p class="hint">Over 20 it is no chance, however often you look.</p>
        <Facts facts={metrics.map((metric) => [metric, String(ownValue(evidence, metric) ?? 0)] as const)} />
      </details>
    </>
  );
}

function counted(variant: object, metric: string): string {
  const found = countSchema().parse(new Map(Object.entries(variant)).get(metric));
  return found.share === undefined ? String(found.units) : `${found.units}: ${shareWords(found.share)}`;
}

function Further({ visit, known }: { readonly visit: Visit; readonly known: Experiment }) {
  const { status, variants } = known;
  const isOpen = status === "draft" || status === "running";
  return (
    <>
      {isOpen ? (
        <FormPanel
          summary={status === "draft" ? "Change it" : "Raise shares"}
          label="Change the experiment"
          open={visit.refused !== undefined}
        >
          <Faults visit={visit} />
          <Fields visit={visit} known={known} />
          <Button does="save">Store</Button>
        </FormPanel>
      ) : undefined}
      <Form label="The experiment">
        {status === "draft" ? (
          <Button does="start" kind="primary">
            Start it
          </Button>
        ) : undefined}
        {status === "running" ? (
          <Confirm label="Stop it" does="stop">
            Whoever is in it keeps the variant; nobody new comes in.
          </Confirm>
        ) : undefined}
        {status === "running" || status === "stopped" ? (
          <>
            <Choice
              visit={visit}
              name="variant"
              label="The winner"
              options={variants.map(({ name }) => [name, name] as const)}
            />
            <Confirm label="Make it the agent" does="promote">
              The variant's definition becomes the agent's next version, and the experiment ends.
            </Confirm>
          </>
        ) : undefined}
        <Confirm label="Delete it" does="delete">
          What was counted is gone, and everybody is answered by the agent itself.
        </Confirm>
      </Form>
    </>
  );
}

export const experiment: Screen = {
  path: "/experiments/:name",
  needs: readExperiment,
  show: showOne,
  posts: {
    save: async (visit) => {
      const { name = "" } = visit.params;
      await put(visit, name, await perform(visit, readExperiment, { name }));
      return `${path}/${name}?done=saved`;
    },
    start: async (visit) => {
      await perform(visit, startExperiment, visit.params);
      return `${visit.url.pathname}?done=saved`;
    },
    stop: async (visit) => {
      await perform(visit, stopExperiment, visit.params);
      return `${visit.url.pathname}?done=saved`;
    },
    promote: async (visit) => {
      await perform(visit, promoteExperiment, { ...visit.params, winner: { variant: sentIn(visit, "variant") } });
      return `${visit.url.pathname}?done=saved`;
    },
    delete: async (visit) => {
      await perform(visit, deleteExperiment, visit.params);
      return `${path}?done=deleted`;
    },
  },
};
