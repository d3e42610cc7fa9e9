/** The acts on asks, in the order in which the document lists them. */
import { answerAsk } from "./answer-ask.js";
import { answerAsks } from "./answer-asks.js";
import { answerStaffAsks } from "./ask-view.js";
import { cancelAsk } from "./cancel-ask.js";
import { claimAsk, deferAsk, releaseAsk } from "./claim-ask.js";
import { countAsks, readInboxRevision } from "./count-asks.js";
import { declineAsk } from "./decline-ask.js";
import { listAsks } from "./list-asks.js";
import { readAsk } from "./read-ask.js";
import { reportAsks } from "./report-asks.js";

export const askActs = [
  ...[listAsks, countAsks, reportAsks, answerAsks, readAsk, answerAsk, claimAsk, releaseAsk, deferAsk, cancelAsk],
  ...[answerStaffAsks, readInboxRevision, declineAsk],
];
