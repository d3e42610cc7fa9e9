/** The acts on asks, in the order in which the document lists them. */
import { answerAsk } from "./answer-ask.js";
import { answerStaffAsks } from "./ask-view.js";
import { cancelAsk } from "./cancel-ask.js";
import { listAsks } from "./list-asks.js";
import { readAsk } from "./read-ask.js";

export const askActs = [listAsks, readAsk, answerAsk, cancelAsk, answerStaffAsks];
