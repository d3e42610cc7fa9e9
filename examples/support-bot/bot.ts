// A small shop's support bot in Slack: three workers, a memory for each customer, and refunds that staff looks at in a channel of its
// own. Runs against a Worker on this machine (CONCLAVE_URL, and CONCLAVE_KEY of role operator or admin), without a network or a model's key.
import { z } from "zod";
import { LocalSlack } from "./slack.js";

const url = process.env.CONCLAVE_URL ?? "http://127.0.0.1:8787";
const key = process.env.CONCLAVE_KEY ?? "";
const signingSecret = "8f742231b10e8888abcd99yyyzzz85a5";
const staff = "C0STAFF";

const answerSchema = z.looseObject({ vaultId: z.string().default(""), address: z.string().default("") });

async function call(method: string, path: string, body: unknown): Promise<z.infer<typeof answerSchema>> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answerSchema.parse(await answer.json());
}

/** Who does what, and what the shop says about it. */
const workers = [
  {
    id: "orders",
    skills: ["parcel", "delivery", "order"],
    knows: "A parcel takes two working days. Delivery is on weekdays between eight and six.",
  },
  {
    id: "returns",
    skills: ["return", "refund", "money back"],
    knows: "You get a refund of your money when a shirt comes back within 14 days.",
  },
  {
    id: "advice",
    skills: ["size", "colour", "material"],
    knows: "The size of a shirt runs small: take one size more. The material is cotton.",
  },
];

async function storeTheShop(apiBaseUrl: string): Promise<string> {
  for (const { id, knows } of workers) await call("PUT", `/v1/references/${id}-page`, { text: knows });
  await call("PUT", "/v1/supervisors/refunds", {
    kind: "rules",
    hooks: ["response"],
    config: {
      rules: [{ match: { type: "phrases", phrases: ["refund"] }, action: "review", reason: "Staff looks at refunds." }],
    },
  });
  await call("PUT", "/v1/teams/shop", {
    supervisor: { strategy: "skill-based", fallbackWorker: "advice" },
    workers: workers.map(({ id, skills }) => ({
      id,
      description: `Answers questions about: ${skills.join(", ")}.`,
      capabilities: { skills },
      model: "offline",
      systemPrompt: "You help customers of a small shop.",
    })),
  });
  await call("PUT", "/v1/agents/support", {
    kind: "team",
    team: "shop",
    supervisors: ["refunds"],
    references: workers.map(({ id }) => `${id}-page`),
  });
  const { vaultId } = await call("POST", "/v1/vaults", { title: "Customers" });
  const { address } = await call("PUT", "/v1/channels/shop-chat", {
    kind: "slack",
    agent: "support",
    memory: { vaultId },
    reviewers: { conversation: staff },
    credentials: { signingSecret, botToken: "xoxb-example", apiBaseUrl },
  });
  return url + address;
}

const slack = new LocalSlack(signingSecret);
try {
  const address = await storeTheShop(await slack.start());
  const isAnswer = ({ text }: { text: string }) => !text.startsWith("…") && !text.startsWith("A person");

  console.log("ana: How long does delivery of a parcel take?");
  await slack.message(address, "ANA", "How long does delivery of a parcel take?");
  console.log(`bot: ${(await slack.until("DANA", isAnswer)).text}`);

  console.log("ben: When do I get a refund of my money?");
  await slack.message(address, "BEN", "When do I get a refund of my money?");
  const review = await slack.until(staff, ({ buttons }) => "Accept" in buttons);
  console.log(`to staff: ${review.text.replaceAll("\n", " ")}`);
  await slack.press(address, "EVE", staff, review.buttons.Accept ?? "");
  console.log(`bot: ${(await slack.until("DBEN", isAnswer)).text}`);
  const closed = await slack.until(staff, ({ text }) => text.includes("Answered by"));
  console.log(`to staff: ${closed.text.replaceAll("\n", " ")}`);
} finally {
  slack.stop();
}
