import { describe, expect, it } from "vitest";
import { type Ask, askSchema } from "../../src/asks/ask.js";
import { connectionSchema } from "../../src/channels/connection.js";
import { conversationOf, externalIdOf, personOf, speakerOf } from "../../src/channels/inbound.js";
import { answerOfButton, answerOfText, closedPost, questionPost, readButton } from "../../src/channels/questions.js";
import { externalIdSchema, speakerSchema } from "../../src/conversation/names.js";

const ask = (fields: Partial<Ask>): Ask =>
  askSchema.parse({
    askId: "ask_1",
    kind: "human",
    question: "Which size?",
    priority: "normal",
    audience: "user",
    status: "open",
    from: { about: { message: "A shirt." } },
    openedAt: "2026-11-22T09:00:00.000Z",
    ...fields,
  });
const token = "0123456789abcdef0123";

describe("a question in a chat", () => {
  it("has a button for each suggestion, which fits into 64 bytes and stands for it", () => {
    const sizes = ask({ suggestions: ["small", "large"] });
    const { buttons = [] } = questionPost(sizes, token);
    expect(buttons.map(({ label }) => label)).toEqual(["small", "large"]);
    expect(buttons.every(({ value }) => value.length <= 64)).toBe(true);
    const { choice = "" } = readButton(buttons[1]?.value ?? "") ?? {};
    expect(answerOfButton(sizes, choice)).toEqual({ response: "large" });
    expect(answerOfButton(sizes, "s9")).toBeUndefined();
    expect(answerOfButton(sizes, "accept")).toBeUndefined();
  });

  it("shows a review with its difference, and never more of a text than a message takes", () => {
    const diff = [{ same: "You get " }, { removed: "100" }, { added: "40" }, { same: " euros." }];
    const proposal = { hook: "response", original: "You get 100 euros.", proposed: "You get 40 euros.", diff };
    const review = ask({ kind: "review", audience: "staff", question: "May this response pass?", proposal });
    expect(questionPost(review, token).text).toContain("You get [-100-]{+40+} euros.");
    // Staff finds its page; end users have none.
    expect(questionPost(review, token, "https://a.example").text).toMatch(
      /\n\nhttps:\/\/a\.example\/console\/inbox\/ask_/,
    );
    expect(questionPost(ask({}), token, "https://a.example").text).not.toContain("/console/");
    expect(questionPost(review, token).text).not.toContain("/console/");
    const long = { ...proposal, diff: undefined, original: "x".repeat(100_000) };
    expect(questionPost({ ...review, proposal: long }, token).text.length).toBeLessThan(5_000);
  });

  it("takes a reply as its answer; of a review any other text is what shall stand there", () => {
    const review = ask({ kind: "review" });
    expect(answerOfText(review, "Accept")).toEqual({ decision: "accept" });
    expect(answerOfText(review, "Say it nicely.")).toEqual({ decision: "edit", content: "Say it nicely." });
    expect(answerOfText(ask({ kind: "approval" }), "once")).toEqual({ decision: "once" });
    expect(answerOfText(ask({ kind: "approval" }), "hm")).toBeUndefined();
    expect(answerOfText(ask({}), "large")).toEqual({ response: "large" });
  });

  it("says what became of it, and by whom", () => {
    const closed = { status: "answered", answer: { response: "large" } } as const;
    expect(closedPost(ask({ ...closed, closedBy: { kind: "channel", id: "slack:U1" } })).text).toContain(
      "Answered by slack:U1: large",
    );
    expect(closedPost(ask({ ...closed, closedBy: { kind: "person", id: "per_1" } }), "Ada").text).toContain(
      "Answered by Ada: large",
    );
    expect(closedPost(ask({ status: "expired" })).text).toContain("Nobody answered in time.");
    expect(closedPost(ask(closed)).buttons).toBeUndefined();
  });
});

describe("a conversation", () => {
  const event = { target: { chat: "C1", thread: "17.4" }, user: { id: "U1" } };

  it("is a thread, a chat or a user in one, as the connection says; where staff is asked it is one", () => {
    expect(conversationOf(event, { sessionPer: "thread" })).toBe("C1:17.4");
    expect(conversationOf(event, { sessionPer: "chat" })).toBe("C1");
    expect(conversationOf(event, { sessionPer: "user" })).toBe("C1:user:U1");
    expect(conversationOf(event, { sessionPer: "thread", reviewers: { conversation: "C1" } })).toBe("C1");
  });

  it("has an externalId that sessions take, unlike for unlike names", () => {
    const names = ["room 1", "room%201", "Räume", "a:b", `${"x".repeat(150)}`];
    const ids = names.map((name) => externalIdOf("chn_01m817hww1q09m40a5mj0x2bs9", name, 1));
    expect(ids.every((id) => externalIdSchema.safeParse(id).success)).toBe(true);
    expect(new Set(ids).size).toBe(names.length);
    expect(externalIdOf("chn_1", "C1", 2)).toBe("chn_1:C1#2");
  });

  it("knows who writes by a name of one line", () => {
    expect(speakerSchema.safeParse(speakerOf({ id: "U1", name: `Ada\n${"x".repeat(300)}` })).success).toBe(true);
    expect(speakerOf({ id: "U1", name: " " })).toBe("U1");
    expect(personOf("telegram", "42")).toBe("telegram:42");
  });
});

describe("a connection", () => {
  it("needs what its platform gives out, and nothing else", () => {
    const slack = { kind: "slack", agent: "clerk", credentials: { signingSecret: "s", botToken: "xoxb-1" } };
    expect(connectionSchema().parse(slack)).toMatchObject({ sessionPer: "thread", listenTo: "mentions" });
    for (const wrong of [
      { ...slack, kind: "irc" },
      { ...slack, extra: 1 },
      { ...slack, credentials: { signingSecret: "s" } },
      { ...slack, credentials: { ...slack.credentials, signingSecret: "[hidden]" } },
      { kind: "discord", agent: "clerk", credentials: { publicKey: "zz", applicationId: "1", botToken: "t" } },
    ]) {
      expect(connectionSchema().safeParse(wrong).success).toBe(false);
    }
  });
});
