/** The analyst: a model that looks at a round beside what is counted. It can keep a debate from ending, and can't end one. */
import { z } from "zod";
import type { Spent } from "../agent/budget.js";
import { defined } from "../conversation/defined.js";
import { readProbability } from "../text/written-json.js";
import type { Analysis, Consensus } from "./consensus/schema.js";
import type { RoundRecord } from "./debate.js";
import { materialNotice, materialOf } from "./debate-material.js";
import type { DebatePorts, LoadedPanel } from "./ports.js";
import { askStructured } from "./structured-answer.js";
import { listOfTexts, optionalText, type Read, text, unreadable } from "./written-answer.js";

const demand = `Answer with this JSON alone: {"agreementLevel": a number from 0 (they contradict each other) to 1 (they hold the same), "summary": "who holds what, in three sentences at most", "commonGround": ["what all or most hold"], "disagreements": ["what divides them, and who stands where"], "nuances": ["conditions and exceptions that matter"], "groupthinkWarning": "why the agreement may be hollow, or null", "veto": "what has to be settled before the debate may end, or null"}`;

const instructions = [
  "You analyse a round of a debate. You take no side, you add no argument of your own, and you judge by what was said, not by who said it.",
  "Look closely: those who say that they disagree don't agree, and those who use the same words may mean different things. A minority view is as much worth as a majority's; say what it rests on.",
  "Give a veto only if something decisive was left unanswered.",
  materialNotice,
].join("\n\n");

const looseSchema = z.object({
  agreementLevel: z.union([z.number(), z.string()]),
  summary: text(2_000),
  commonGround: listOfTexts,
  disagreements: listOfTexts,
  nuances: listOfTexts,
  groupthinkWarning: optionalText(1_000),
  veto: optionalText(1_000),
});

/** What an analyst wrote, or what is wrong with it in words for the analyst. */
export function readAnalysis(value: object): Read<Analysis> {
  const parsed = looseSchema.safeParse(value);
  if (!parsed.success) return unreadable(parsed.error);
  const { agreementLevel: written, groupthinkWarning, veto, ...rest } = parsed.data;
  const agreementLevel = readProbability(written);
  if (agreementLevel === undefined) {
    return { ok: false, problem: `agreementLevel is a number from 0 to 1, not ${JSON.stringify(written)}.` };
  }
  return { ok: true, value: { agreementLevel, ...rest, ...defined({ groupthinkWarning, veto }) } };
}

export type Analysed = Pick<Consensus, "analysis" | "analysisError">;

/**
 * Has the last of these rounds analysed. An analysis that fails costs the round nothing.
 * @throws {Parked} while a person reviews what the analyst says.
 */
export async function analyseRound(
  id: string,
  debate: { readonly topic: string; readonly rounds: readonly RoundRecord[] },
  panel: LoadedPanel,
  ports: DebatePorts,
): Promise<{ readonly analysed: Analysed; readonly spent: Spent }> {
  const material = materialOf(debate, panel, ports);
  const { analyst: models } = panel.models;
  const answer = await askStructured<Analysis>(
    { from: "analyst", id, models, instructions, material, demand, read: readAnalysis, texts: textsOf, withTexts },
    panel,
    ports,
  );
  const analysed = answer.kind === "answer" ? { analysis: answer.value } : { analysisError: answer.error };
  return { analysed, spent: answer.spent };
}

/** Whether nobody has looked at it yet, in vain or not. */
export function awaitsAnalysis({ consensus }: RoundRecord): boolean {
  return consensus !== undefined && consensus.analysis === undefined && consensus.analysisError === undefined;
}

function textsOf({ summary, commonGround, disagreements, nuances, groupthinkWarning, veto }: Analysis): string[] {
  return [summary, groupthinkWarning ?? "", veto ?? "", ...commonGround, ...disagreements, ...nuances];
}

/** A part that was emptied is gone; an emptied veto is none. */
function withTexts(analysis: Analysis, [summary = "", warning = "", veto = "", ...lists]: readonly string[]): Analysis {
  const { commonGround, disagreements } = analysis;
  const from = (start: number, end?: number) => lists.slice(start, end).filter((one) => one.trim() !== "");
  const split = commonGround.length + disagreements.length;
  return {
    agreementLevel: analysis.agreementLevel,
    summary,
    commonGround: from(0, commonGround.length),
    disagreements: from(commonGround.length, split),
    nuances: from(split),
    ...(warning.trim() === "" ? {} : { groupthinkWarning: warning }),
    ...(veto.trim() === "" ? {} : { veto }),
  };
}
