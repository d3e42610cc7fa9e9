/** The shapes that the OpenAPI document names. Each stands in it once, under its name, and is referred to everywhere else. */
import type { z } from "zod";
import {
  agentSchema,
  modelAgentSchema,
  panelAgentSchema,
  storedToolSchema,
  teamAgentSchema,
} from "../agent/definition.js";
import { plainContextSchema, searchResultSchema, searchSchema } from "../application/memory/memory-search.js";
import { answerSchema, askSchema } from "../asks/ask.js";
import {
  contextChangeSchema,
  contextItemSchema,
  contextVersionSchema,
  contextViewSchema,
  sessionContextSchema,
} from "../chat/context.js";
import { effectiveContextSchema } from "../chat/effective-context.js";
import { messageEditSchema, messageVersionSchema } from "../chat/message-version.js";
import { newSessionSchema, passViewSchema, sendMessageSchema, sessionSchema, turnSchema } from "../chat/session.js";
import { actorRecordSchema } from "../conversation/actor-record.js";
import {
  assistantMessageSchema,
  chatMessageSchema,
  modelReplySchema,
  plainMessageSchema,
  replyTurnSchema,
  toolCallRequestSchema,
  toolCallResultSchema,
} from "../conversation/message.js";
import { toolRefSchema } from "../conversation/names.js";
import { deadLetterSchema } from "../memory/dead-letter.js";
import { entrySchema, newEntrySchema, tagsSchema } from "../memory/entry.js";
import {
  contextSchema,
  invocationSchema,
  memorySchema,
  newMemorySchema,
  newMessageSchema,
  newVaultSchema,
  threadMessageSchema,
  threadSchema,
  vaultSchema,
} from "../memory/memory.js";
import { promptSchema } from "../memory/prompts.js";
import { consensusSchema, minorityViewSchema } from "../roundtable/consensus/schema.js";
import { contextRequestViewSchema } from "../roundtable/context-request.js";
import { contextResultSchema, resultOutcomeSchema } from "../roundtable/context-results.js";
import { debateExportSchema } from "../roundtable/debate-record.js";
import { panelSchema, seatSchema } from "../roundtable/panel.js";
import { layeredAnswerSchema } from "../roundtable/reading/layered-answer.js";
import { thoughtsSchema } from "../roundtable/reading/thoughts.js";
import { shownCitationSchema, shownRoundSchema } from "../roundtable/record-views.js";
import {
  newRoundtableSchema,
  roundtableSchema,
  roundtableSummarySchema,
  shownPositionSchema,
} from "../roundtable/roundtable.js";
import { synthesisSchema } from "../roundtable/synthesis.js";
import { clarificationSchema } from "../routing/clarifications.js";
import { workerResultSchema } from "../routing/routing-input.js";
import { newRunSchema, runSchema, runSummarySchema } from "../routing/run.js";
import { teamSchema } from "../routing/team.js";
import { routingDecisionSchema, runTraceSchema, tracedEventSchema, turnTraceSchema } from "../routing/trace.js";
import { supervisorSchema } from "../supervision/definition.js";
import { contextChangesSchema, shownStepSchema } from "../supervision/state.js";
import { editOperationSchema } from "../supervision/structural-edit.js";
import { hookSummarySchema, supervisionSummarySchema } from "../supervision/summary.js";
import { keySchema, newKeySchema, newTenantSchema, settingsSchema, tenantSchema } from "../tenancy/tenant.js";
import { eventMessages, rootEvents } from "./events.js";
import { problemSchema } from "./problems.js";
import { uiChatSchema } from "./routes/ui-chat.js";
import { named } from "./routing.js";
import { uiChunkSchema } from "./ui-chat/chunks.js";

// A shape that has a default in some places and may be absent in others has no name: a name has one default, or none, everywhere.
const components: Readonly<Record<string, z.ZodType>> = {
  Problem: problemSchema,
  Actor: actorRecordSchema,
  Ask: askSchema,
  Answer: answerSchema,
  NewSession: newSessionSchema,
  Session: sessionSchema,
  SessionContext: sessionContextSchema,
  SessionContextChange: contextChangeSchema,
  SessionContextVersion: contextVersionSchema,
  SessionContextView: contextViewSchema,
  EffectiveSessionContext: effectiveContextSchema,
  NewChatMessage: sendMessageSchema,
  ChatMessage: chatMessageSchema,
  PlainMessage: plainMessageSchema,
  AssistantMessage: assistantMessageSchema,
  ModelReply: modelReplySchema,
  ReplyTurn: replyTurnSchema,
  ToolCallRequest: toolCallRequestSchema,
  ToolCallResult: toolCallResultSchema,
  MessageEdit: messageEditSchema,
  EditOperation: editOperationSchema,
  MessageVersion: messageVersionSchema,
  Turn: turnSchema,
  Supervision: supervisionSummarySchema,
  HookSummary: hookSummarySchema,
  SupervisionState: passViewSchema,
  SupervisionStep: shownStepSchema,
  ContextChanges: contextChangesSchema,
  ToolRef: toolRefSchema,
  Agent: agentSchema,
  ModelAgent: modelAgentSchema,
  TeamAgent: teamAgentSchema,
  PanelAgent: panelAgentSchema,
  Supervisor: supervisorSchema,
  ContextItem: contextItemSchema,
  Tool: storedToolSchema,
  Prompt: promptSchema,
  Team: teamSchema,
  NewRun: newRunSchema,
  Run: runSchema,
  RunSummary: runSummarySchema,
  RunTrace: runTraceSchema,
  TurnTrace: turnTraceSchema,
  TracedEvent: tracedEventSchema,
  RoutingDecision: routingDecisionSchema,
  WorkerResult: workerResultSchema,
  Clarification: clarificationSchema,
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
  NewVault: newVaultSchema,
  Vault: vaultSchema,
  NewMemory: newMemorySchema,
  Memory: memorySchema,
  NewThreadMessage: newMessageSchema,
  ThreadMessage: threadMessageSchema,
  Thread: threadSchema,
  Invocation: invocationSchema,
  NewEntry: newEntrySchema,
  Entry: entrySchema,
  Tags: tagsSchema,
  MemoryContext: contextSchema,
  MemoryContextVersion: plainContextSchema,
  MemorySearch: searchSchema,
  MemorySearchResult: searchResultSchema,
  DeadLetter: deadLetterSchema,
  NewTenant: newTenantSchema,
  Tenant: tenantSchema,
  TenantSettings: settingsSchema,
  NewKey: newKeySchema,
  Key: keySchema,
  ...Object.fromEntries(eventMessages.map(({ name, schema }) => [name, schema])),
  UiChatRequest: uiChatSchema,
  UiMessageChunk: uiChunkSchema,
  SessionEvent: rootEvents.session,
  RunEvent: rootEvents.run,
  RoundtableEvent: rootEvents.roundtable,
};

for (const [id, schema] of Object.entries(components)) named(id, schema);
