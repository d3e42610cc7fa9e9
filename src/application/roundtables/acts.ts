/** The acts on roundtables, in the order in which the document lists them. */
import { continueRoundtable } from "./continue-roundtable.js";
import { controlRoundtable } from "./control-roundtable.js";
import { forkRoundtable } from "./fork-roundtable.js";
import { giveContext } from "./give-context.js";
import { listRoundtables } from "./list-roundtables.js";
import { readRoundtable } from "./read-roundtable.js";
import { sendPanel, startRoundtable } from "./start-roundtable.js";
import { synthesizeRoundtable } from "./synthesize-roundtable.js";

export const roundtableActs = [
  startRoundtable,
  sendPanel,
  listRoundtables,
  readRoundtable,
  continueRoundtable,
  giveContext,
  synthesizeRoundtable,
  controlRoundtable,
  forkRoundtable,
];
