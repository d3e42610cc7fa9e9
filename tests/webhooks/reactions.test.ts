/** A reaction at a reply in a chat is feedback on its turn. */
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { connect, type Platform, platforms } from "../support/chat-platforms.js";
import { newTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";

/** What each platform sends of a reaction; without a sign it was taken away. */
const reactions: readonly (readonly [Platform, (to: string, sign: string | undefined, id: number) => object])[] = [
  [
    platforms.whatsapp,
    (to, sign = "", id) => {
      return { from: "4911", id: `wamid.r${id}`, type: "reaction", reaction: { message_id: to, emoji: sign } };
    },
  ],
  [
    platforms.telegram,
    (to, sign, id) => {
      const new_reaction = sign === undefined ? [] : [{ type: "emoji", emoji: sign }];
      const message_reaction = { chat: { id: 100, type: "private" }, message_id: Number(to), user: { id: 1 } };
      return { update_id: 900 + id, message_reaction: { ...message_reaction, new_reaction } };
    },
  ],
  [
    platforms.slack,
    (to, sign, id) => {
      const type = sign === undefined ? "reaction_removed" : "reaction_added";
      const item = { type: "message", channel: "D100", ts: to };
      const reaction = sign === "👎🏽" ? "-1::skin-tone-4" : "-1";
      return { type: "event_callback", event: { type, user: "U1", reaction, item, event_ts: `17.${id}` } };
    },
  ],
];

describe.each(reactions)("$kind", (platform, reactionOf) => {
  it("counts a reaction under the name of who reacted, and forgets one that is taken away", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "We open at nine." });
    const channel = await connect(tenant, platform);
    await channel.say(1, "When do you open?");
    const to = await eventually(async () => {
      const query = "SELECT message_id FROM posts WHERE post_key LIKE 'turn:%' AND status = 'delivered'";
      const [row] = await runInDurableObject(channel.conversation(), (_instance, { storage }) =>
        storage.sql.exec(query).toArray(),
      );
      expect(row?.message_id).toBeTruthy();
      return String(row?.message_id);
    });
    const listed = async () => (await tenant.call("GET", "/v1/feedback")).body.items;
    await channel.deliver(await platform.raw(reactionOf(to, "👎🏽", 1)));
    await eventually(async () => expect(await listed()).toMatchObject([{ score: -1, by: { kind: "channel" } }]));
    await channel.deliver(await platform.raw(reactionOf(to, undefined, 2)));
    await eventually(async () => expect(await listed()).toMatchObject([{ score: 0 }]));
    expect(await model.requests()).toHaveLength(1);
  });
});
