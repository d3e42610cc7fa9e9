/** The shapes that the OpenAPI document names. Each stands in it once, under its name, and is referred to everywhere else. */

import type { z } from "zod";
import {
  agentSchema,
  modelAgentSchema,
  panelAgentSchema,
  storedToolSchema,
  teamAgentSchema,
} from "../agent/definition.js";
import { usageSchema } from "../agent/work.js";
import { auditConsistencySchema, auditProofSchema, auditSealSchema } from "../application/audit/prove-audit.js";
import { configPlanSchema, documentedConfig } from "../application/config/config-plan.js";
import { supervisorComparisonSchema } from "../application/evidence/compare-supervisors.js";
import { newDrawSchema } from "../application/evidence/draw-items.js";
import { experimentViewSchema } from "../application/evidence/experiment-records.js";
import { erasureView } from "../application/restores/ledger.js";
import { restoreView } from "../application/restores/list-restores.js";
import { restoreTarget } from "../application/restores/restore-root.js";
import { newSecretSchema, secretSchema } from "../application/secrets/manage-secrets.js";
import { newLabelSchema } from "../application/supervision/label-decision.js";
import { wholeDecisionSchema } from "../application/supervision/read-decision.js";
import { newReplayShape, replaySchema } from "../application/supervision/replay-decisions.js";
import { decisionReportSchema } from "../application/supervision/report-decisions.js";
import { suggestionsSchema } from "../application/supervision/suggest-changes.js";
import { newTrialShape, trialSchema } from "../application/supervision/trial-schemas.js";
import { answerSchema } from "../asks/answer.js";
import { askSchema } from "../asks/ask.js";
import { queuesSchema } from "../asks/queues.js";
import { webhookDeliverySchema, webhookSchema, webhookViewSchema } from "../catalogues/webhooks.js";
import { channelDeliverySchema, channelSchema, connectionSchema } from "../channels/connection.js";
import {
  contextChangeSchema,
  contextItemSchema,
  contextVersionSchema,
  contextViewSchema,
  sessionContextSchema,
} from "../chat/context.js";
import { effectiveContextSchema } from "../chat/effective-context.js";
import { feedbackSchema } from "../chat/feedback.js";
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
import { comparisonSchema } from "../evidence/comparison.js";
import { datasetViewSchema } from "../evidence/dataset.js";
import { answererSchema, evalSchema, itemResultSchema } from "../evidence/evaluation.js";
import { newExperimentSchema } from "../evidence/experiment.js";
import { experimentReportSchema } from "../evidence/experiment-report.js";
import { expectedSchema, itemSchema } from "../evidence/item.js";
import { promptSchema } from "../memory/prompts.js";
import { tokenUsageSchema } from "../model/port.js";
import { clarificationSchema } from "../routing/clarifications.js";
import { workerResultSchema } from "../routing/routing-input.js";
import { newRunSchema, runSchema, runSummarySchema } from "../routing/run.js";
import { routerSchema, teamSchema } from "../routing/team.js";
import { routingDecisionSchema, runTraceSchema, tracedEventSchema, turnTraceSchema } from "../routing/trace.js";
import { decisionSchema } from "../supervision/decisions.js";
import { supervisorSchema } from "../supervision/kinds/table.js";
import { contextChangesSchema, passSubjectSchema, shownStepSchema } from "../supervision/state.js";
import { editOperationSchema } from "../supervision/structural-edit.js";
import { hookSummarySchema, supervisionSummarySchema } from "../supervision/summary.js";
import { actSubjectSchema, auditEntrySchema } from "../tenancy/audit.js";
import { grantSchema } from "../tenancy/grant.js";
import {
  deploymentLimitSchema,
  deploymentLimitViewSchema,
  limitSchema,
  limitStateSchema,
  limitViewSchema,
  raiseSchema,
} from "../tenancy/limits/limit.js";
import { overviewLineSchema } from "../tenancy/overview.js";
import { invitationSchema, newPersonSchema, personChangeSchema, personSchema } from "../tenancy/person.js";
import { holdSchema, holdViewSchema, subjectJobSchema } from "../tenancy/subjects.js";
import {
  keySchema,
  newKeySchema,
  newTenantSchema,
  settingsSchema,
  tenantChangeSchema,
  tenantSchema,
} from "../tenancy/tenant.js";
import { usageLineSchema, usageSumSchema } from "../tenancy/usage.js";
import { memoryShapes } from "./document/memory-shapes.js";
import { roundtableShapes } from "./document/roundtable-shapes.js";
import { eventMessages, rootEvents } from "./events.js";
import { problemSchema } from "./problems.js";
import { uiChatSchema } from "./routes/ui-chat.js";
import { named } from "./routing.js";
import { uiAskSchema, uiChunkSchema, uiMessageSchema } from "./ui-chat/chunks.js";

// A shape that has a default in some places and may be absent in others has no name: a name has one default, or none, everywhere.
const components: Readonly<Record<string, z.ZodType>> = {
  Problem: problemSchema,
  Actor: actorRecordSchema,
  Config: documentedConfig(),
  ConfigPlan: configPlanSchema,
  Ask: askSchema,
  Answer: answerSchema,
  AskQueue: queuesSchema().element,
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
  Feedback: feedbackSchema(),
  MessageEdit: messageEditSchema(),
  EditOperation: editOperationSchema(),
  MessageVersion: messageVersionSchema,
  Usage: usageSchema,
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
  AuditEntry: auditEntrySchema,
  AuditSeal: auditSealSchema(),
  AuditProof: auditProofSchema(),
  AuditConsistency: auditConsistencySchema(),
  AuditSubject: actSubjectSchema,
  PassSubject: passSubjectSchema,
  NewDecisionLabel: newLabelSchema(),
  Decision: wholeDecisionSchema(),
  DecisionSummary: decisionSchema(),
  DecisionReport: decisionReportSchema(),
  SupervisorSuggestions: suggestionsSchema(),
  TokenUsage: tokenUsageSchema,
  NewTrial: newTrialShape(),
  Trial: trialSchema(),
  NewReplay: newReplayShape(),
  Replay: replaySchema(),
  Dataset: datasetViewSchema(),
  DatasetItem: itemSchema(),
  ExpectedResult: expectedSchema(),
  NewDraw: newDrawSchema(),
  Eval: evalSchema(),
  AnsweringCandidate: answererSchema(),
  EvalResult: itemResultSchema(),
  Comparison: comparisonSchema(),
  SupervisorComparison: supervisorComparisonSchema(),
  Experiment: experimentViewSchema(),
  NewExperiment: newExperimentSchema(),
  ExperimentReport: experimentReportSchema(),
  ContextItem: contextItemSchema,
  Tool: storedToolSchema,
  Prompt: promptSchema,
  Team: teamSchema,
  Router: routerSchema,
  NewRun: newRunSchema,
  Run: runSchema,
  RunSummary: runSummarySchema,
  RunTrace: runTraceSchema,
  TurnTrace: turnTraceSchema,
  TracedEvent: tracedEventSchema,
  RoutingDecision: routingDecisionSchema,
  WorkerResult: workerResultSchema,
  Clarification: clarificationSchema,
  ...roundtableShapes,
  ...memoryShapes,
  NewTenant: newTenantSchema,
  Tenant: tenantSchema,
  TenantSettings: settingsSchema,
  RestoreTarget: restoreTarget(),
  Restore: restoreView(),
  Erasure: erasureView(),
  NewKey: newKeySchema,
  NewSecret: newSecretSchema(),
  Secret: secretSchema(),
  TenantChange: tenantChangeSchema,
  Key: keySchema,
  UsageSum: usageSumSchema(),
  UsageLine: usageLineSchema(),
  OverviewLine: overviewLineSchema(),
  Grant: grantSchema(),
  Person: personSchema,
  NewPerson: newPersonSchema,
  PersonChange: personChangeSchema,
  Invitation: invitationSchema,
  ...Object.fromEntries(eventMessages.map(({ name, schema }) => [name, schema])),
  Limit: limitViewSchema(),
  NewLimit: limitSchema(),
  TenantsLimit: deploymentLimitViewSchema(),
  NewTenantsLimit: deploymentLimitSchema(),
  NewRaise: raiseSchema(),
  Hold: holdViewSchema(),
  NewHold: holdSchema(),
  SubjectJob: subjectJobSchema(),
  LimitState: limitStateSchema(),
  NewWebhook: webhookSchema,
  Webhook: webhookViewSchema,
  WebhookDelivery: webhookDeliverySchema,
  NewChannel: connectionSchema(),
  Channel: channelSchema(),
  ChannelDelivery: channelDeliverySchema,
  UiChatRequest: uiChatSchema,
  UiAsk: uiAskSchema,
  UiMessageChunk: uiChunkSchema,
  UiMessage: uiMessageSchema(),
  SessionEvent: rootEvents.session,
  RunEvent: rootEvents.run,
  RoundtableEvent: rootEvents.roundtable,
  MemoryEvent: rootEvents.memory,
  LimitEvent: rootEvents.limits,
};

for (const [id, schema] of Object.entries(components)) named(id, schema);
