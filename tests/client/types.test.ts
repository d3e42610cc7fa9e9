/** The shapes that the client writes by hand, against those of the API. Checked when it is compiled. */
import { describe, expect, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import { answerSchema } from "../../src/asks/answer.js";
import type { askSchema } from "../../src/asks/ask.js";
import type { EventData } from "../../src/catalogues/events.js";
import { newSessionSchema, type Session, sendMessageSchema, type Turn } from "../../src/chat/session.js";
import type * as client from "../../src/client/index.js";
import type { ChatMessage } from "../../src/conversation/message.js";
import { continueSchema, newRoundtableSchema, type Roundtable } from "../../src/roundtable/roundtable.js";
import { newRunSchema, type Run } from "../../src/routing/run.js";

type Writable<T> = T extends readonly (infer Item)[]
  ? Writable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Writable<T[Key]> }
    : T;

/** What is proposed is typed by the document, where the domain takes anything. */
type Untyped<T> = T extends readonly (infer Item)[]
  ? Untyped<Item>[]
  : T extends object
    ? { [Key in keyof T as Key extends "proposal" ? never : Key]: Untyped<T[Key]> }
    : T;

describe("what the client reads", () => {
  it("is what the API sends", () => {
    expectTypeOf<Session>().toExtend<client.Session>();
    expectTypeOf<Untyped<Turn>>().toExtend<client.Turn>();
    expectTypeOf<ChatMessage>().toExtend<client.ChatMessage>();
    expectTypeOf<Untyped<z.infer<typeof askSchema>>>().toExtend<client.Ask>();
    expectTypeOf<Untyped<Run>>().toExtend<client.Run>();
    expectTypeOf<Untyped<Roundtable>>().toExtend<client.Roundtable>();
    expectTypeOf<{ [Type in keyof client.EventData]: Untyped<EventData<Type>> }>().toExtend<client.EventData>();
  });
});

describe("what the client sends", () => {
  it("is what the API takes", () => {
    expectTypeOf<Writable<client.NewSession>>().toExtend<z.input<typeof newSessionSchema>>();
    expectTypeOf<Writable<client.NewMessage>>().toExtend<z.input<typeof sendMessageSchema>>();
    expectTypeOf<Writable<client.NewRoundtable>>().toExtend<z.input<typeof newRoundtableSchema>>();
    expectTypeOf<Writable<client.ContinueRoundtable>>().toExtend<z.input<typeof continueSchema>>();
    expectTypeOf<Writable<client.Answer>>().toExtend<z.input<typeof answerSchema>>();
    const session: Required<client.NewSession> = {
      agent: "assistant",
      subject: "ada",
      externalId: "17",
      supervisors: ["guard"],
      metadata: { plan: "gold" },
      whileWaiting: "answer",
      memory: { memoryId: "mem_1" },
    };
    const run: Required<client.NewRun> = {
      team: "desk",
      input: "Help.",
      subject: "ada",
      externalId: "17",
      metadata: { plan: "gold" },
      memory: ["subject", { externalId: "house" }],
    };
    const message: Required<client.NewMessage> = { content: "Hi!", speaker: "Ada", metadata: { seat: 3 } };
    const answers: client.Answer[] = [
      { response: "Yes." },
      { result: "Found.", source: "the shelf" },
      { decision: "once" },
      { decision: "edit", content: "Better." },
    ];
    const roundtable: client.NewRoundtable = {
      topic: "Ship it?",
      mode: "delphi",
      seats: [{ id: "ada" }, { id: "bo" }],
      rounds: 2,
      exitOnConsensus: false,
      waiting: "asker",
      supervisors: ["guard"],
      subject: "ada",
      externalId: "17",
      metadata: { plan: "gold" },
    };
    const goOn: Required<client.ContinueRoundtable> = {
      focusQuestion: "When?",
      skipPending: true,
      rerun: "requesters",
      contextResults: [{ requestId: "ask_1", result: "Friday.", source: "the plan" }],
    };
    expect(newRoundtableSchema.parse(roundtable)).toMatchObject({
      topic: "Ship it?",
      seats: [{ id: "ada" }, { id: "bo" }],
    });
    expect(continueSchema.parse(goOn)).toMatchObject(goOn);
    expect(newSessionSchema.parse(session)).toMatchObject(session);
    expect(newRunSchema.parse(run)).toMatchObject(run);
    expect(sendMessageSchema.parse(message)).toMatchObject(message);
    for (const answer of answers) expect(answerSchema.parse(answer)).toEqual(answer);
  });
});
