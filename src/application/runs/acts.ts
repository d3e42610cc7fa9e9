/** The acts on runs, in the order in which the document lists them. */
import { cancelRun } from "./cancel-run.js";
import { listRuns } from "./list-runs.js";
import { readRun } from "./read-run.js";
import { readTrace } from "./read-trace.js";
import { sendTeam, startRun } from "./start-run.js";

export const runActs = [startRun, sendTeam, listRuns, readRun, readTrace, cancelRun];
