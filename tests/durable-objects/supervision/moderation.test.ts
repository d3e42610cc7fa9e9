import { describe, expect, it } from "vitest";
import { newTenant } from "../../support/conclave.js";

describe("a moderation supervisor", () => {
  it.each(["nobody", "constructor", "toString"])("whose provider isn't there says so: %s", async (provider) => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { supervisors: ["moderation"] });
    await model.reply({ text: "Hello." });
    const config = { model: `${provider}/some-model` };
    await tenant.put("supervisors", "moderation", { kind: "moderation", hooks: ["request"], config });
    const session = await tenant.session();
    expect(await tenant.say(session, "hello")).toMatchObject({ supervision: { degraded: ["moderation"] } });
    const { items } = (await tenant.call("GET", `/v1/sessions/${session}/supervision`)).body;
    expect(items[0].steps[0].failed).toContain(`there is no provider "${provider}"`);
  });
});
