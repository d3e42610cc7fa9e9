/** Examples of connections to chat platforms, by the name of the shape or the operation. */
const at = "2026-11-22T09:30:00.000Z";

const settings = {
  kind: "slack",
  agent: "clerk",
  reviewers: { conversation: "C0STAFF" },
  sessionPer: "thread",
  listenTo: "mentions",
  commands: { anew: "/new", person: "/person", bot: "/bot" },
};

export const channelExamples: Readonly<Record<string, unknown>> = {
  NewChannel: {
    kind: "slack",
    agent: "clerk",
    reviewers: { conversation: "C0STAFF" },
    credentials: { signingSecret: "8f742231b10e8888abcd99yyyzzz85a5", botToken: "xoxb-…" },
  },
  Channel: {
    name: "team-chat",
    channelId: "chn_01m817hww1q09m40a5mj0x2bs9",
    address: "/webhooks/slack/5d0c2b7a9e4f4c1d8a6b3e2f7c9d0a1b2c3d4e5f60718293",
    ...settings,
    credentials: { signingSecret: "[hidden]", botToken: "[hidden]" },
    health: { lastEventAt: at, lastFailure: { at, detail: "Slack: channel_not_found" }, parked: 1 },
    createdAt: at,
    updatedAt: at,
  },
  ChannelDelivery: {
    deliveryId: "dlv_01m817hww1q09m40a5mj0x2bsa",
    conversation: "C0SHOP:1700000001.000100",
    status: "parked",
    attempts: 1,
    failure: "Slack: channel_not_found",
    createdAt: at,
    updatedAt: at,
  },
  GenericMessage: {
    conversation: "room-1",
    messageId: "m-17",
    user: { id: "ada", name: "Ada" },
    text: "When do you open?",
    direct: true,
  },
};
