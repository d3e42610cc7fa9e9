/** Connections to chat platforms: their health, and messages that could not be delivered. They are made with their credentials over the API. */
import { deleteChannel, retryChannelDelivery } from "../../application/channels/change-channels.js";
import { listChannelDeliveries, listChannels, readChannel } from "../../application/channels/read-channels.js";
import type { Channel } from "../../channels/connection.js";
import { Badge, Button, Confirm, Facts, Form, More, Table, Time } from "../parts.js";
import { perform, query, type Screen, sentIn } from "../screen.js";
import { Text } from "../visible-text.js";

const path = "/console/channels";

function health({ lastFailure, parked }: Channel["health"]) {
  if (parked > 0) return <Badge tone="bad">{`${parked} given up`}</Badge>;
  if (lastFailure !== undefined) return <Badge tone="warn">failed lately</Badge>;
  return <Badge tone="good">good</Badge>;
}

export const channels: Screen = {
  path: "/channels",
  nav: { label: "Channels", group: "Administration" },
  needs: listChannels,
  show: async (visit) => {
    const { items, nextCursor } = await perform(visit, listChannels, { cursor: query(visit, "cursor") });
    const rows = items.map((channel) => [
      <a href={`${path}/${encodeURIComponent(channel.name)}`}>{channel.name}</a>,
      channel.kind,
      channel.agent,
      health(channel.health),
      <Time at={channel.health.lastEventAt} />,
    ]);
    return {
      title: "Channels",
      body: (
        <>
          <Table
            label="Channels"
            heads={["Name", "Platform", "Agent", "Health", "Last message"]}
            rows={rows}
            empty="None yet. A channel is made with its platform's credentials: PUT /v1/channels/{name}."
          />
          <More visit={visit} cursor={nextCursor} />
        </>
      ),
    };
  },
};

export const channel: Screen = {
  path: "/channels/:name",
  needs: readChannel,
  show: async (visit) => {
    const name = visit.params.name ?? "";
    const [found, { items, nextCursor }] = await Promise.all([
      perform(visit, readChannel, { name }),
      perform(visit, listChannelDeliveries, { name, cursor: query(visit, "cursor") }),
    ]);
    const { lastFailure } = found.health;
    const rows = items.map(({ deliveryId, createdAt, conversation, status, attempts, failure }) => [
      <Time at={createdAt} />,
      <Text inline text={conversation} />,
      <Badge tone={status === "parked" ? "bad" : status === "pending" ? "warn" : "good"}>{status}</Badge>,
      String(attempts),
      failure === undefined ? undefined : <Text inline text={failure} />,
      status !== "parked" ? undefined : (
        <Form label={`Send ${deliveryId} again`}>
          <input type="hidden" name="deliveryId" value={deliveryId} />
          <Button does="retry">Send again</Button>
        </Form>
      ),
    ]);
    return {
      title: found.name,
      body: (
        <>
          <Facts
            facts={[
              ["Platform", found.kind],
              ["Agent", found.agent],
              ["Address for the platform", <code>{found.address}</code>],
              ["Health", health(found.health)],
              ["Last message", <Time at={found.health.lastEventAt} />],
              ["Last failure", lastFailure === undefined ? "none" : <Text text={`${lastFailure.detail}`} />],
              ["Changed", <Time at={found.updatedAt} />],
            ]}
          />
          <Form label="Delete the channel">
            <Confirm label="Delete" does="delete">
              Nobody is answered there any more. Its conversations are forgotten; their sessions stay.
            </Confirm>
          </Form>
          <h2>Deliveries that failed at first</h2>
          <Table
            label="Deliveries"
            heads={["When", "Conversation", "State", "Tries", "Why", ""]}
            rows={rows}
            empty="None."
          />
          <More visit={visit} cursor={nextCursor} />
        </>
      ),
    };
  },
  posts: {
    retry: async (visit) => {
      await perform(visit, retryChannelDelivery, {
        name: visit.params.name,
        deliveryId: sentIn(visit, "deliveryId"),
      });
      return `${visit.url.pathname}?done=sent`;
    },
    delete: async (visit) => {
      await perform(visit, deleteChannel, { name: visit.params.name });
      return `${path}?done=deleted`;
    },
  },
};
