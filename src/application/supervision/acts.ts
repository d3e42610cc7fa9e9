/** The acts on supervision as a whole: trying supervisors, and what they decided. The report's path comes before those of single decisions. */
import { labelDecision, labelMessage } from "./label-decision.js";
import { listDecisions } from "./list-decisions.js";
import { readDecision } from "./read-decision.js";
import { replayDecisions } from "./replay-decisions.js";
import { reportDecisions } from "./report-decisions.js";
import { suggestChanges } from "./suggest-changes.js";
import { sendSupervisor } from "./tried-supervisors.js";
import { trySupervision } from "./try-supervisors.js";

export const supervisionActs = [
  trySupervision,
  sendSupervisor,
  listDecisions,
  reportDecisions,
  replayDecisions,
  readDecision,
  labelDecision,
  labelMessage,
  suggestChanges,
];
