/** The last day at a glance: how work ended, what waits, what it took, how near limits are, and whether what is sent arrives. */
import type { Child } from "hono/jsx";
import { readOverview } from "../../application/usage/read-overview.js";
import type { Overview } from "../../tenancy/overview.js";
import { Badge, Table, Time, type Tone } from "../parts.js";
import { perform, type Screen } from "../screen.js";

type Usage = NonNullable<Overview["usage"]>;
type Limit = NonNullable<Overview["limits"]>[number];

export const overview: Screen = {
  path: "/overview",
  nav: { label: "Overview", group: "Work" },
  needs: readOverview,
  show: async (visit) => {
    const { from, complete, ended, waiting, usage, limits, channels, webhooks, records } = await perform(
      visit,
      readOverview,
      {},
    );
    return {
      title: "Overview",
      body: (
        <div id="overview" data-poll="60">
          <h2>Now</h2>
          <dl class="figures">
            <Figure name="wait for staff" value={waiting.staff} to="/console/inbox?audience=staff" />
            <Figure
              name="overdue"
              value={waiting.overdue}
              tone={waiting.overdue > 0 ? "bad" : "plain"}
              to="/console/inbox?show=overdue"
            />
            <Figure
              name="oldest"
              value={waiting.oldest === undefined ? "none" : <Time at={waiting.oldest.openedAt} />}
              to={waiting.oldest && `/console/inbox/${waiting.oldest.askId}`}
            />
            <Figure name="wait for customers" value={waiting.user} to="/console/inbox?audience=user" />
            <Figure name="half waited less than" value={inWords(waiting.medianMs)} />
          </dl>
          <h2>
            {complete ? "The last 24 hours" : "Since "}
            {complete ? undefined : <Time at={from} />}
          </h2>
          <dl class="figures">
            <Figure name="answered" value={ended.completed} />
            <Figure name="blocked" value={ended.blocked} to="/console/decisions?action=block" />
            <Figure name="failed" value={ended.failed} tone={ended.failed > 0 ? "bad" : "plain"} />
            <Figure name="degraded" value={ended.degraded} tone={ended.degraded > 0 ? "warn" : "plain"} />
            <Figure name="cancelled" value={ended.cancelled} />
            {usage === undefined ? undefined : (
              <>
                <Figure name="tokens" value={usage.total.tokens} />
                <Figure name="cost" value={money(usage.total, usage)} />
              </>
            )}
          </dl>
          {usage === undefined ? undefined : (
            <div class="two">
              <Lines lines={usage.byAgent} usage={usage} label="By agent" head="Agent" />
              <Lines lines={usage.bySubject} usage={usage} label="By customer" head="Customer" />
            </div>
          )}
          {limits === undefined || limits.length === 0 ? undefined : <Limits limits={limits} usage={usage} />}
          <h2>What is sent</h2>
          <Sent channels={channels} webhooks={webhooks} />
          <Records records={records} />
        </div>
      ),
    };
  },
};

function Figure({
  name,
  value,
  to,
  tone = "plain",
}: {
  readonly name: string;
  readonly value: Child;
  readonly to?: string | undefined;
  readonly tone?: Tone;
}) {
  const shown = typeof value === "number" ? value.toLocaleString("en") : value;
  return (
    <div>
      <dt>{to === undefined ? name : <a href={to}>{name}</a>}</dt>
      <dd class={tone}>{shown}</dd>
    </div>
  );
}

/** Each once, where it is fullest: of the agent or the customer who has used most of it. */
function Limits({ limits, usage }: { readonly limits: readonly Limit[]; readonly usage: Usage | undefined }) {
  const amount = ({ measure }: Limit, of: number): string =>
    measure === "money" ? `${of.toFixed(2)} ${usage?.currency ?? ""}` : of.toLocaleString("en");
  const fullest = limits.filter(({ limit }, at) => at === limits.findIndex((one) => one.limit === limit));
  const rows = fullest.map((one) => [
    <bdi>{one.limit}</bdi>,
    one.of === undefined ? <span class="dim">all</span> : <bdi>{one.of}</bdi>,
    <span class="num">
      <meter value={Math.min(1, one.share).toFixed(3)} low={0.8} high={0.999} optimum={0} aria-label="Used" />{" "}
      {`${Math.floor(one.share * 100)} %`}
      {one.share < 1 ? undefined : " "}
      {one.share >= 1 ? <Badge tone="bad">{one.enforced ? "reached" : "over, not enforced"}</Badge> : undefined}
    </span>,
    <span class="num">{`${amount(one, one.used + one.reserved)} of ${amount(one, one.max)}`}</span>,
    one.resetsAt === undefined ? "" : <Time at={one.resetsAt} />,
  ]);
  return (
    <>
      <h2>Limits</h2>
      <Table label="Limits" heads={["Limit", "Of", "Used", "How much", "Begins anew"]} rows={rows} empty="" />
    </>
  );
}

function Lines({
  lines,
  usage,
  label,
  head,
}: {
  readonly lines: Usage["byAgent"];
  readonly usage: Usage;
  readonly label: string;
  readonly head: string;
}) {
  const rows = lines.map((line) => [
    <bdi>{line.name}</bdi>,
    <span class="num">{line.works.toLocaleString("en")}</span>,
    <span class="num">{line.tokens.toLocaleString("en")}</span>,
    <span class="num">{money(line, usage)}</span>,
  ]);
  return (
    <section>
      <h2>{label}</h2>
      <Table label={label} heads={[head, "Answers", "Tokens", "Cost"]} rows={rows} empty="Nothing yet." />
    </section>
  );
}

/** Calls without a price are said, not counted as free. */
function money({ money: sum, unpriced }: Usage["total"], { currency }: Usage): string {
  const known = `${sum.toFixed(2)}${currency === undefined ? "" : ` ${currency}`}`;
  return unpriced > 0 ? `${known} + ${unpriced.toLocaleString("en")} unpriced` : known;
}

function Sent({ channels, webhooks }: Pick<Overview, "channels" | "webhooks">) {
  const given = (parked: number) => (parked > 0 ? <Badge tone="bad">{String(parked)}</Badge> : "0");
  const channelRows = channels.map(({ name, kind, lastEventAt, lastFailure, parked }) => [
    <a href={`/console/channels/${name}`}>
      <bdi>{name}</bdi>
    </a>,
    kind,
    <Time at={lastEventAt} />,
    <Time at={lastFailure?.at} />,
    given(parked),
  ]);
  const webhookRows = webhooks.map(({ name, status, lastSuccessAt, lastFailure, parked }) => [
    <a href={`/console/webhooks/${name}`}>
      <bdi>{name}</bdi>
    </a>,
    status === "active" ? "webhook" : <Badge tone="bad">switched off</Badge>,
    <Time at={lastSuccessAt} />,
    <Time at={lastFailure?.at} />,
    given(parked),
  ]);
  return (
    <Table
      label="What is sent"
      heads={["To", "Kind", "Last worked", "Last failure", "Given up"]}
      rows={[...channelRows, ...webhookRows]}
      empty="There are no channels and no webhooks."
    />
  );
}

/** Copies, usage and audit that lag behind: the work itself holds them, and tries again each day. */
function Records({ records: { parked, works } }: Pick<Overview, "records">) {
  if (parked === 0) return undefined;
  return (
    <section aria-label="Records that lag">
      <p class="notice bad">{`${parked} records could not be delivered: lists, usage and the audit lag behind by them.`}</p>
      <Table
        label="Records that lag"
        heads={["Of", "Given up", "Since"]}
        rows={works.map(({ id, parked: n, since }) => [
          <a href={`/console/${placeOf(id)}/${id}`}>
            <code>{id}</code>
          </a>,
          String(n),
          <Time at={since} />,
        ])}
        empty=""
      />
    </section>
  );
}

function placeOf(id: string): string {
  if (id.startsWith("run_")) return "runs";
  return id.startsWith("rt_") ? "roundtables" : "conversations";
}

function inWords(ms: number | undefined): string {
  if (ms === undefined) return "none";
  const minutes = ms / 60_000;
  if (minutes < 1) return `${Math.ceil(ms / 1_000)} s`;
  return minutes < 120 ? `${Math.round(minutes)} min` : `${Math.round(minutes / 60)} h`;
}
