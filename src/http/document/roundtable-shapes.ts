/** Shapes of panels and their debates, by the names that the document gives them. */
import { consensusSchema, minorityViewSchema } from "../../roundtable/consensus/schema.js";
import { contextRequestViewSchema } from "../../roundtable/context-request.js";
import { contextResultSchema, resultOutcomeSchema } from "../../roundtable/context-results.js";
import { shownCitationSchema, shownRoundSchema } from "../../roundtable/debate-record.js";
import { panelSchema, seatSchema } from "../../roundtable/panel.js";
import { debateExportSchema } from "../../roundtable/reading/json.js";
import { layeredAnswerSchema } from "../../roundtable/reading/layered-answer.js";
import { thoughtsSchema } from "../../roundtable/reading/thoughts.js";
import {
  newRoundtableSchema,
  roundtableSchema,
  roundtableSummarySchema,
  shownPositionSchema,
} from "../../roundtable/roundtable.js";
import { synthesisSchema } from "../../roundtable/synthesis.js";

export const roundtableShapes = {
  Panel: panelSchema,
  NewRoundtable: newRoundtableSchema,
  Roundtable: roundtableSchema,
  RoundtableSummary: roundtableSummarySchema,
  RoundtableRound: shownRoundSchema,
  Position: shownPositionSchema,
  ContextRequest: contextRequestViewSchema,
  ContextResult: contextResultSchema,
  ContextResultOutcome: resultOutcomeSchema,
  Consensus: consensusSchema,
  MinorityView: minorityViewSchema,
  Seat: seatSchema,
  Synthesis: synthesisSchema,
  Thoughts: thoughtsSchema,
  DebateCitation: shownCitationSchema,
  LayeredAnswer: layeredAnswerSchema,
  DebateExport: debateExportSchema,
};
