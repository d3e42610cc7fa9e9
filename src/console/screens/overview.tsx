/** The last day at a glance: how turns ended, what they took and cost by agent and user, and whether the channels work. */
import { listChannels } from "../../application/channels/read-channels.js";
import { readUsage } from "../../application/usage/read-usage.js";
import { Badge, Table, Time } from "../parts.js";
import { perform, type Screen } from "../screen.js";

type Usage = Awaited<ReturnType<typeof readUsage>>;

export const overview: Screen = {
  path: "/overview",
  nav: { label: "Overview", group: "Work" },
  needs: readUsage,
  show: async (visit) => {
    const [byStatus, byAgent, bySubject, channels] = await Promise.all([
      perform(visit, readUsage, { groupBy: "status" }),
      perform(visit, readUsage, { groupBy: "agent" }),
      perform(visit, readUsage, { groupBy: "subject" }),
      perform(visit, listChannels, {}),
    ]);
    const health = channels.items.map((channel) => [
      <a href={`/console/channels/${channel.name}`}>
        <bdi>{channel.name}</bdi>
      </a>,
      <Time at={channel.health.lastEventAt} />,
      <Time at={channel.health.lastFailure?.at} />,
      channel.health.parked > 0 ? <Badge tone="bad">{String(channel.health.parked)}</Badge> : "0",
    ]);
    return {
      title: "Overview",
      body: (
        <>
          <p class="dim">The last 24 hours.</p>
          <h2>How work ended</h2>
          <Lines usage={byStatus} label="How it ended" none="still without a status" />
          <h2>By agent</h2>
          <Lines usage={byAgent} label="Agent" none="none" />
          <h2>By user</h2>
          <Lines usage={bySubject} label="Customer" none="none" />
          <h2>Channels</h2>
          <Table
            label="Channels"
            heads={["Channel", "Last heard", "Last failure", "Given up"]}
            rows={health}
            empty="There is none."
          />
        </>
      ),
    };
  },
};

/** At most twenty lines, the dearest first. */
function Lines({
  usage: { items },
  label,
  none,
}: {
  readonly usage: Usage;
  readonly label: string;
  readonly none: string;
}) {
  const rows = items
    .slice(0, 20)
    .map(({ group, turns, runs, modelCalls, inputTokens, outputTokens, money }) => [
      group === "" ? <span class="dim">{none}</span> : <bdi>{group}</bdi>,
      String(turns),
      String(runs),
      String(modelCalls),
      `${inputTokens.toLocaleString("en")} + ${outputTokens.toLocaleString("en")}`,
      money.toFixed(2),
    ]);
  const heads = [label, "Turns", "Runs", "Model calls", "Tokens in + out", "Cost"];
  return <Table label={label} heads={heads} rows={rows} empty="Nothing yet." />;
}
