import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Kit } from "../../../durable-objects/kit/kit.js";
import { Parked, type StepSpec, Superseded } from "../../../src/agent/journal.js";
import { Clock, kitIn, withKitTables } from "./support.js";

const text = z.string();
const spec = { id: "s", kind: "model", schema: text, interrupted: "again" } as const;
const answerer = { by: { kind: "key", id: "key_1", role: "client" }, asStaff: false } as const;
const question = { kind: "human", question: "?", source: {} } as const;

function withJournal(test: (kit: Kit, state: DurableObjectState) => Promise<void>): Promise<void> {
  return withKitTables((state) => test(kitIn(state, new Clock()), state));
}
const always = () => true;
const dies = async (): Promise<never> => {
  throw new Error("the object dies here");
};

describe("a step", () => {
  it("that is done is never done again, in this journal or the next", () =>
    withJournal(async (kit) => {
      const work = vi.fn(async () => "result");
      expect(await kit.journal("w", always).step(spec, work)).toBe("result");
      expect(await kit.journal("w", always).step(spec, work)).toBe("result");
      expect(work).toHaveBeenCalledTimes(1);
    }));

  it("stores the shorter form of its result, where there is one, and gives the whole each time", () =>
    withJournal(async (kit, state) => {
      const repeated = z.tuple([text, z.int()]).transform(([word, times]) => Array.from({ length: times }, () => word));
      const onDone = vi.fn();
      const short: StepSpec<string[]> = {
        id: "s",
        kind: "load",
        interrupted: "again",
        schema: repeated,
        onDone,
        stored: (words) => [words[0], words.length],
      };
      const words = ["yes", "yes", "yes"];
      expect(await kit.journal("w", always).step(short, async () => words)).toEqual(words);
      expect(await kit.journal("w", always).step(short, dies)).toEqual(words);
      expect(onDone.mock.calls).toEqual([[words]]);
      const rows = state.storage.sql.exec("SELECT result FROM journal").toArray();
      expect(rows).toEqual([{ result: '["yes",3]' }]);
    }));

  it("is one of its work and its scope", () =>
    withJournal(async (kit) => {
      const journal = kit.journal("w", always);
      await journal.step(spec, async () => "1");
      await journal.scope("a").step(spec, async () => "2");
      await journal
        .scope("a")
        .scope("b")
        .step(spec, async () => "3");
      await kit.journal("other", always).step(spec, async () => "4");
      const read = [journal, journal.scope("a"), journal.scope("a").scope("b"), kit.journal("other", always)];
      expect(await Promise.all(read.map((one) => one.step(spec, dies)))).toEqual(["1", "2", "3", "4"]);
    }));

  it("that was begun and never ended is done again where that is harmless", () =>
    withJournal(async (kit) => {
      await expect(kit.journal("w", always).step(spec, dies)).rejects.toThrow("dies here");
      expect(await kit.journal("w", always).step(spec, async () => "second try")).toBe("second try");
    }));

  it("that was begun and never ended has an unknown outcome where that isn't harmless", () =>
    withJournal(async (kit) => {
      const once = { ...spec, interrupted: () => "unknown" };
      await expect(kit.journal("w", always).step(once, dies)).rejects.toThrow("dies here");
      const work = vi.fn(async () => "twice!");
      expect(await kit.journal("w", always).step(once, work)).toBe("unknown");
      expect(await kit.journal("w", always).step(once, work)).toBe("unknown");
      expect(work).not.toHaveBeenCalled();
    }));

  it("tells of its beginning once, and of its end in the very write of its result", () =>
    withJournal(async (kit, state) => {
      const onBegin = vi.fn();
      const seen: unknown[] = [];
      const onDone = vi.fn(() => {
        seen.push(state.storage.sql.exec("SELECT result FROM journal").toArray());
      });
      const told = { ...spec, onBegin, onDone };
      await expect(kit.journal("w", always).step(told, dies)).rejects.toThrow();
      await kit.journal("w", always).step(told, async () => "x");
      await kit.journal("w", always).step(told, dies);
      expect([onBegin.mock.calls.length, onDone.mock.calls.length]).toEqual([1, 1]);
      expect(seen).toEqual([[{ result: '"x"' }]]);
    }));

  it("has no result when what goes with its result can't be written", () =>
    withJournal(async (kit, state) => {
      const failing = {
        ...spec,
        onDone: () => {
          state.storage.sql.exec("INSERT INTO events (type, at, data) VALUES ('x', 0, '{}')");
          throw new Error("no room");
        },
      };
      await expect(kit.journal("w", always).step(failing, async () => "x")).rejects.toThrow("no room");
      expect(state.storage.sql.exec("SELECT * FROM events").toArray()).toEqual([]);
      expect(await kit.journal("w", always).step(spec, async () => "y")).toBe("y");
    }));

  it("gives what is stored, so that a replay can't differ from the first time", () =>
    withJournal(async (kit) => {
      const schema = z.object({ a: z.number(), b: z.string().optional() });
      const loose = { id: "s", kind: "load", schema, interrupted: "again" } as const;
      const first = await kit.journal("w", always).step(loose, async () => ({ a: 1, b: undefined, extra: true }));
      expect(first).toEqual({ a: 1 });
      expect(await kit.journal("w", always).step(loose, dies)).toEqual(first);
    }));

  it("whose stored result isn't what it was is refused rather than guessed at", () =>
    withJournal(async (kit) => {
      await kit.journal("w", always).step(spec, async () => "x");
      await expect(kit.journal("w", always).step({ ...spec, schema: z.number() }, async () => 1)).rejects.toThrow(
        z.ZodError,
      );
    }));
});

describe("steps that may be written with the next", () => {
  const load = { ...spec, kind: "load", writtenWithNext: true } as const;
  const rows = (state: DurableObjectState) => state.storage.sql.exec("SELECT step, result FROM journal").toArray();

  it("are one write and one row with the step that follows, and each of them is found again", () =>
    withJournal(async (kit, state) => {
      const journal = kit.journal("w", always);
      const order: string[] = [];
      await journal.step({ ...load, id: "a" }, async () => "1");
      await journal.scope("b").step({ ...load, onDone: () => void order.push("b") }, async () => "2");
      expect([rows(state), order]).toEqual([[], []]);
      await journal.commit("c", () => order.push("c"));
      expect(rows(state)).toEqual([{ step: "a", result: '"1"' }]);
      expect(order).toEqual(["b", "c"]);

      const next = kitIn(state, new Clock()).journal("w", always);
      expect(await next.step({ ...load, id: "a" }, dies)).toBe("1");
      expect(await next.scope("b").step(load, dies)).toBe("2");
      await next.commit("c", () => order.push("again"));
      expect(order).toEqual(["b", "c"]);
    }));

  it("are written before anything is called or asked, and when the work waits", () =>
    withJournal(async (kit, state) => {
      const journal = kit.journal("w", always);
      await journal.step({ ...load, id: "a" }, async () => "1");
      await journal.step({ ...spec, id: "call" }, async () => {
        expect(rows(state)).toEqual([{ step: "call", result: null }]);
        expect(
          await kitIn(state, new Clock())
            .journal("w", always)
            .step({ ...load, id: "a" }, dies),
        ).toBe("1");
        return "2";
      });
      await journal.step({ ...load, id: "b" }, async () => "3");
      expect(() => journal.ask("q", question)).toThrow(Parked);
      expect(rows(state)).toContainEqual({ step: "b", result: '"3"' });
      await journal.step({ ...load, id: "c" }, async () => "4");
      // Nothing comes after it: the work waits for something outside.
      await state.storage.sync();
      expect(rows(state)).toContainEqual({ step: "c", result: '"4"' });
    }));

  it("stay with the row of a call that they went along with, whatever goes along with it later", () =>
    withJournal(async (kit, state) => {
      const journal = kit.journal("w", always);
      const text = `it's "1", [2] and ]`;
      await journal.step({ ...load, id: "a" }, async () => text);
      await journal.commit("b", () => {}, { writtenWithNext: true });
      const call = { ...spec, id: "call", writtenWithNext: true };
      await journal.step(call, async () => "called");
      await journal.step({ ...load, id: "c" }, async () => text);
      await journal.step({ ...spec, id: "next" }, async () => "done");
      expect(rows(state)).toEqual([
        { step: "call", result: '"called"' },
        { step: "next", result: '"done"' },
      ]);
      const later = kitIn(state, new Clock()).journal("w", always);
      for (const [id, result] of [
        ["a", text],
        ["call", "called"],
        ["c", text],
        ["next", "done"],
      ] as const)
        expect(await later.step({ ...load, id }, dies)).toBe(result);
      const again = vi.fn();
      await later.commit("b", again);
      expect(again).not.toHaveBeenCalled();
    }));

  it("and go along with a call that is begun once more, are lost with nothing of it", () =>
    withJournal(async (kit, state) => {
      const first = kit.journal("w", always);
      await first.step({ ...load, id: "a" }, async () => "1");
      void first.step({ ...spec, id: "call" }, () => new Promise<string>(() => {}));
      const second = kitIn(state, new Clock()).journal("w", always);
      await second.step({ ...load, id: "b" }, async () => "2");
      await second.step({ ...spec, id: "call" }, async () => "called");
      expect(state.storage.sql.exec("SELECT step, attempts FROM journal").toArray()).toEqual([
        { step: "call", attempts: 2 },
      ]);
      const third = kitIn(state, new Clock()).journal("w", always);
      expect(await third.step({ ...load, id: "a" }, dies)).toBe("1");
      expect(await third.step({ ...load, id: "b" }, dies)).toBe("2");
    }));

  it("have rows of their own where they are long, so that no row comes to more than the platform takes", () =>
    withJournal(async (kit, state) => {
      const journal = kit.journal("w", always);
      const call = { ...spec, writtenWithNext: true };
      const long = "x".repeat(90_000);
      const reply = "y".repeat(900_000);
      for (const id of ["a", "b", "c"]) await journal.step({ ...load, id }, async () => long);
      await journal.step({ ...call, id: "call" }, async () => reply);
      for (const id of ["d", "e", "f"]) await journal.step({ ...load, id }, async () => reply);
      await journal.step({ ...spec, id: "next" }, async () => reply);
      const size = "SELECT MAX(COALESCE(length(result), 0) + COALESCE(length(also), 0)) AS size FROM journal";
      expect(state.storage.sql.exec<{ size: number }>(size).one().size).toBeLessThan(1_200_000);
      const later = kitIn(state, new Clock()).journal("w", always);
      for (const id of ["a", "b", "c"]) expect(await later.step({ ...load, id }, dies)).toBe(long);
      for (const id of ["call", "d", "e", "f", "next"]) expect(await later.step({ ...load, id }, dies)).toBe(reply);
    }));

  it("fail with what comes after them, and are done again then", () =>
    withJournal(async (kit, state) => {
      const journal = kit.journal("w", always);
      await journal.step({ ...load, id: "a" }, async () => "1");
      const fails = (): never => {
        throw new Error("no room");
      };
      await expect(journal.commit("b", fails)).rejects.toThrow("no room");
      expect(rows(state)).toEqual([]);
      expect(await journal.step({ ...load, id: "a" }, async () => "2")).toBe("2");
    }));

  it("leave no row where the work ends with them: what goes with them is in the write of its end", () =>
    withJournal(async (kit, state) => {
      const journal = kit.journal("w", always);
      const model = { model: "m", usage: { inputTokens: 3, outputTokens: 2 } };
      const step = {
        id: "model",
        kind: "model",
        schema: z.unknown(),
        interrupted: "again",
        writtenWithNext: true,
      } as const;
      await journal.step(step, async () => model);
      const order: string[] = [];
      await journal.step({ ...load, id: "pass", onDone: () => void order.push("pass") }, async () => "ok");
      const ended = { kind: "turn", outcome: "completed", since: 0, agent: "a" } as const;
      kit.end("w", ended, (usage) => order.push(`end after ${usage.modelCalls} call, ${usage.inputTokens} tokens`));
      expect(order).toEqual(["pass", "end after 1 call, 3 tokens"]);
      expect(rows(state)).toEqual([]);
    }));
});

describe("a commit", () => {
  it("writes once, in the very write of its step", () =>
    withJournal(async (kit, state) => {
      const seen: unknown[] = [];
      const onDone = vi.fn(() => void seen.push(state.storage.sql.exec("SELECT step, result FROM journal").toArray()));
      await kit.journal("w", always).scope("a").commit("s", onDone);
      await kit.journal("w", always).scope("a").commit("s", onDone);
      expect(onDone).toHaveBeenCalledTimes(1);
      expect(seen).toEqual([[{ step: "a/s", result: "true" }]]);
    }));

  it("that may go with the next write is in the one that begins a call, and stands alone where none comes", () =>
    withJournal(async (kit, state) => {
      const transactions = vi.spyOn(state.storage, "transactionSync");
      const journal = kit.journal("w", always);
      const onDone = vi.fn();
      await journal.commit("s", onDone, { writtenWithNext: true });
      expect(onDone).not.toHaveBeenCalled();
      await journal.step({ ...spec, id: "call" }, async () => {
        expect(onDone).toHaveBeenCalledTimes(1);
        expect(transactions).toHaveBeenCalledTimes(1);
        return "called";
      });
      const alone = vi.fn();
      await journal.commit("t", alone, { writtenWithNext: true });
      await state.storage.sync();
      expect(alone).toHaveBeenCalledTimes(1);
    }));

  it("that may go with the next write is stored before anything is loaded, which may call whoever it likes", () =>
    withJournal(async (kit) => {
      const journal = kit.journal("w", always);
      const onDone = vi.fn();
      await journal.commit("message", onDone, { writtenWithNext: true });
      await journal.scope("context").step({ ...spec, id: "recall", kind: "load" }, async () => {
        expect(onDone).toHaveBeenCalledTimes(1);
        return "recalled";
      });
      expect(onDone).toHaveBeenCalledTimes(1);
    }));

  it("of work that died before is stored at once, whatever it may go with", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      await kitIn(state, clock).attempts.begin("w");
      const kit = kitIn(state, clock);
      expect(await kit.attempts.begin("w")).toBe("go");
      const onDone = vi.fn();
      void kit.journal("w", always).commit("s", onDone, { writtenWithNext: true });
      expect(onDone).toHaveBeenCalledTimes(1);
    }));

  it("isn't done when its write fails, and is done then by who comes next", () =>
    withJournal(async (kit, state) => {
      const fails = (): never => {
        state.storage.sql.exec("INSERT INTO events (type, at, data) VALUES ('x', 0, '{}')");
        throw new Error("no room");
      };
      await expect(kit.journal("w", always).commit("s", fails)).rejects.toThrow("no room");
      expect(state.storage.sql.exec("SELECT * FROM events").toArray()).toEqual([]);
      const onDone = vi.fn();
      await kit.journal("w", always).commit("s", onDone);
      expect(onDone).toHaveBeenCalledTimes(1);
    }));

  it("that an earlier version began as a step of two writes is completed", () =>
    withJournal(async (kit, state) => {
      const begun = "INSERT INTO journal (work, step, kind, attempts, begun_at) VALUES ('w', 's', 'commit', 1, 0)";
      state.storage.sql.exec(begun);
      const onDone = vi.fn();
      await kit.journal("w", always).commit("s", onDone);
      await kit.journal("w", always).commit("s", onDone);
      expect(onDone).toHaveBeenCalledTimes(1);
    }));

  it("of work that was cancelled writes nothing", () =>
    withJournal(async (kit, state) => {
      const onDone = vi.fn();
      await expect(kit.journal("w", () => false).commit("s", onDone)).rejects.toThrow(Superseded);
      expect(onDone).not.toHaveBeenCalled();
      expect(state.storage.sql.exec("SELECT * FROM journal").toArray()).toEqual([]);
    }));
});

describe("work that was cancelled or taken over", () => {
  it("begins nothing and stores nothing any more, but reads what is done", () =>
    withJournal(async (kit, state) => {
      let holds = true;
      const journal = kit.journal("w", () => holds);
      await journal.step({ ...spec, id: "done" }, async () => "kept");
      const during = journal.step(spec, async () => {
        holds = false;
        return "too late";
      });
      await expect(during).rejects.toThrow(Superseded);
      await expect(journal.step({ ...spec, id: "next" }, dies)).rejects.toThrow(Superseded);
      expect(() => journal.ask("q", question)).toThrow(Superseded);
      expect(await journal.step({ ...spec, id: "done" }, dies)).toBe("kept");
      const rows = state.storage.sql.exec("SELECT step, result FROM journal ORDER BY step").toArray();
      expect(rows).toEqual([
        { step: "done", result: '"kept"' },
        { step: "s", result: null },
      ]);
    }));

  it("leaves no steps behind once it is forgotten", () =>
    withJournal(async (kit, state) => {
      await kit.journal("w", always).step(spec, async () => "x");
      await kit.journal("v", always).step(spec, async () => "x");
      kit.forgetSteps("w");
      expect(state.storage.sql.exec("SELECT work FROM journal").toArray()).toEqual([{ work: "v" }]);
    }));
});

describe("an ask of the journal", () => {
  it("is opened once, parks the work until it is closed, and then gives the answer", () =>
    withJournal(async (kit) => {
      const ask = (): unknown => kit.journal("w", always).scope("deep").ask("q", question);
      expect(ask).toThrow(Parked);
      expect(ask).toThrow(Parked);
      const [open, ...others] = kit.asks.openOfWork("w");
      expect(others).toEqual([]);
      kit.asks.answer(open?.askId ?? "", { response: "yes" }, answerer);
      expect(ask()).toMatchObject({ status: "answered", answer: { response: "yes" } });
    }));
});
