/** The acts on evidence, in the order in which the document lists them. */
import { compareSupervisors } from "./compare-supervisors.js";
import { drawItems } from "./draw-items.js";
import { deleteDataset, listDatasets, putDataset, readDataset } from "./manage-datasets.js";
import {
  cancelEval,
  listEvalItems,
  listEvals,
  readComparison,
  readEval,
  resumeEval,
  retryEval,
  startEval,
} from "./manage-evals.js";
import {
  deleteExperiment,
  listExperiments,
  promoteExperiment,
  putExperiment,
  readExperiment,
  readExperimentReport,
  startExperiment,
  stopExperiment,
} from "./manage-experiments.js";
import { addItems, eraseItem, labelItem, listItems } from "./manage-items.js";
import { replaySession, replaySessions } from "./replay-turns.js";

export const evidenceActs = [
  putDataset,
  listDatasets,
  readDataset,
  deleteDataset,
  addItems,
  drawItems,
  listItems,
  labelItem,
  eraseItem,
  startEval,
  replaySession,
  replaySessions,
  listEvals,
  readEval,
  listEvalItems,
  readComparison,
  cancelEval,
  retryEval,
  resumeEval,
  compareSupervisors,
  putExperiment,
  listExperiments,
  readExperiment,
  deleteExperiment,
  startExperiment,
  stopExperiment,
  promoteExperiment,
  readExperimentReport,
];
