/** How people and conversations of a channel are called in the tenant, however long their ids are. */
import { describe, expect, it } from "vitest";
import { conversationName, personName } from "../../src/application/channels/channel-names.js";
import { externalIdSchema, subjectSchema } from "../../src/conversation/names.js";

const channelId = "chn_01m817hww1q09m40a5mj0x2bs9";
const room = `https://rooms.example/${"r".repeat(78)}`;
const user = `https://idp.example/${"t".repeat(78)}`;

describe("what is too long for an id", () => {
  it("is shortened so that conversations which differ at their ends stay apart, a later one of theirs too", async () => {
    const names = await Promise.all([
      conversationName(channelId, `${room}:user:${user}1`, 1),
      conversationName(channelId, `${room}:user:${user}2`, 1),
      conversationName(channelId, `${room}:user:${user}2`, 2),
    ]);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(externalIdSchema.safeParse(name).success).toBe(true);
  });

  it("is shortened so that people stay apart, and whoever spells their id like a shortened one is no one else", async () => {
    const percents = "%E5".repeat(33);
    const names = await Promise.all([personName("generic", `${percents}A`), personName("generic", `${percents}B`)]);
    const [first = ""] = names;
    const long = await personName("generic", `${"y z".repeat(66)}A`);
    expect(new Set([...names, long, await personName("generic", first.slice("generic:".length))]).size).toBe(4);
    expect(await personName("generic", long.slice("generic:".length))).not.toBe(long);
    for (const name of [...names, long]) expect(subjectSchema.safeParse(name).success).toBe(true);
  });
});

it("what fits is as it was spelled", async () => {
  expect(await conversationName("chn_1", "C1:17.4", 1)).toBe("chn_1:C1:17.4");
  expect(await personName("slack", "U0 1")).toBe("slack:U0%201");
});
