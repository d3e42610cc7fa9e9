/** What the document says of each operation beside its one-line summary, and of each tag. */
import { type ResourceKind, resourceKinds, resourceNoun } from "../../tenancy/resources.js";

const aboutKinds: Readonly<Record<ResourceKind, string>> = {
  agents: "What sessions talk to: a model with instructions and tools, or a team.",
  supervisors:
    "What looks at requests, responses, tool calls, their results and hops, and allows, changes, holds or stops them.",
  rules: "Texts that prompts hold as rules to follow.",
  references: "Texts that prompts hold as something to answer from.",
  tools: "What agents may call: HTTP endpoints, and the servers of MCP tools.",
  prompts: "The tenant's own texts in place of the prompts of the memory.",
  teams: "Workers, and the strategy that routes work to them.",
  panels: "Seats that debate a topic in rounds, and how they do.",
};

export const tagDescriptions: Readonly<Record<string, string>> = {
  System: "Whether the deployment works, and what it can do.",
  Secrets:
    "What tools, webhooks, channels and providers name in place of a secret of their own: stored once, never shown, exchanged by its name.",
  Configuration: "A tenant's resources and settings as a whole, as files of a repository hold them.",
  "Tenants and keys": "Tenants and their keys, for who runs the deployment.",
  "A tenant's own administration": "The tenant's settings, keys and usage, for its admin.",
  People: "Who signs in to the console, and what they may.",
  Tokens: "What end users' browsers and apps come with in place of a key.",
  ...Object.fromEntries(resourceKinds.map((kind) => [capital(kind), aboutKinds[kind]])),
  Sessions: "Conversations with an agent: what is in force in them, what happened, and what supervision decided.",
  Turns: "A message and what comes of it: the agent's reply, a refusal, or something that is waited for.",
  Messages: "What was said, as supervision left it, and its versions.",
  "Routing runs": "Teams at work on one input, outside of a session.",
  Roundtables: "Panels at a topic: rounds, positions, what their seats ask for, and what a debate comes to.",
  Asks: "What waits for an answer: questions, missing context, approvals of calls, reviews of texts.",
  OpenAI:
    "What OpenAI's own clients call, once their base URL is this deployment's `/v1`: an agent's name is a model's name.",
  "Personal data": "What is kept of an end user: counted, handed out, erased; and what holds keep in spite of that.",
  Limits: "What a tenant, its keys, end users, agents and conversations may use, and what they have used.",
  Webhooks: "Addresses of the tenant that hear of events, and what became of what was sent to them.",
  Channels: "Chat platforms where an agent answers, and where people are asked.",
  "UI chat": "Sessions for pages made with the AI SDK: what `useChat` sends and reads.",
  Grants: "Programs that people have let in at `/mcp`.",
  Decisions: "What single supervisors changed, held or stopped, and whether people say that it was right.",
  "Datasets and evals":
    "Texts with what should come of them, and what supervisors make of these: before a change counts.",
  Experiments: "For a share of end users another stored agent answers, until it is shown whether it is better.",
  Feedback: "What people and programs say of turns and messages.",
  Audit: "What was decided in the tenant, by supervisors and by people.",
  Memory: "Vaults, memories, threads of messages, the entries made of them, and the contexts written from those.",
};

export const descriptions: Readonly<Record<string, string>> = {
  getHealth: "Needs no key. A 503 says which check failed.",
  getOpenApiDocument: "This document. Needs no key.",
  getReferencePage:
    "The site's first page, whose side bar leads to all others; with `q`, what is found in them. Without a script. The reference of this document stands at `/docs/api`.",
  getDocumentationPage:
    "As a page for a browser, and as Markdown for anything that doesn't ask for HTML. The `type` of a problem leads here.",
  getDocumentationFile:
    "`jobs` and `pictures` hold what they are called, `api` a page for each family of operations, `shapes` one for each shape.",

  createAdminTenant: "The key has the role `admin`. It is not stored and can't be shown again.",
  listAdminTenants: "Newest first, a page at a time.",
  getAdminTenant: "Its name and settings. Of providers the addresses are shown and never the credentials.",
  updateAdminTenant: "What is left out stays as it is. The settings hold from the next turn on.",
  deleteAdminTenant: "Its keys are refused at once; sessions, runs, memories and resources are erased after it.",
  createAdminTenantKey: "The key is not stored and can't be shown again. Without a role it is one of an operator.",
  listAdminTenantKeys: "Ids, roles and when they were made.",
  deleteAdminTenantKey: "Requests with the key are refused from the next one on.",

  putExperiment:
    "What is left of the shares is the control's, the agent as it is. While it runs shares can be raised, which takes from the control alone; nothing else changes.",
  listExperiments: "Drafts, those that run, and those that ended.",
  getExperiment: "What it is, and what became of it: phases, pinned versions, variants that a guard has stopped.",
  deleteExperiment: "Sessions that are in it are answered by their own agent from the next turn on.",
  stopExperiment: "What was counted stays, and can be read and promoted.",
  putDataset: "Made again it is the same, with the description that was sent.",
  listDatasets: "A copy of what they hold, a moment behind them.",
  getDataset: "How many items it has, how many of them are labelled, and which version that is.",
  deleteDataset: "Evals that run are ended.",
  deleteDatasetItem: "What candidates said of it goes too.",
  listEvals: "A copy of how far they are, a moment behind them.",
  getEval: "Its progress, what it has taken, and why it stopped where it did.",
  cancelEval: "Results that are there stay, and can be compared.",
  retryEval: "What was decided stays as it is; the same dataset, version and candidates.",
  resumeEval: "`maxTokens` is for all of it, what was taken before included.",

  getTenant: "As who runs the deployment sees it: of providers the addresses, and never the credentials.",
  updateTenant: "What is left out stays as it is. The settings hold from the next turn on.",
  createKey: "The key is not stored and can't be shown again. Its role has to be named.",
  listKeys: "Ids, roles, labels and when they were made.",
  getTenantSigningSecret:
    "Receivers check with it that a call is the tenant's. Resources with a secret of their own sign with that.",
  pinTool: "Until then agents get the tools as they were pinned: what a server changes by itself reaches no model.",

  ...Object.fromEntries(resourceKinds.flatMap((kind) => Object.entries(ofKind(kind, resourceNoun(kind))))),

  createSession: "Needs a stored agent. What the session includes counts beside what the agent and the tenant include.",
  listSessions: "A copy of what the sessions hold, a moment behind them. One session by its id is always current.",
  getSession: "With its status as it is at this moment.",
  deleteSession: "Its turns end, its open asks are cancelled, and its messages, events and records are erased.",
  getSessionSupervision:
    "One state for each pass: the hook, what was judged, the decision with its reasons, and a step for each supervisor with hashes of the text before and after it. Operators read whole reasons, why a supervisor failed, which tools it called, and the texts that no message keeps.",
  getSessionContext: "The context that holds now, and the changes that led to it, newest first.",
  restoreSessionContext: "Nothing is lost: the versions between stay in the history.",
  listSessionMessages:
    "Oldest first. Texts are those that supervision let through; what was said at first stands in the versions.",
  getSessionTurn: "Without `waitMs` it answers at once. A turn that waits for an ask counts as ended here.",
  getSessionTurnTrace:
    "For operators: passes with who decided, calls of tools, what was asked and answered, and in a team the routing with its reasons. Texts of a turn go when a message of it is erased.",
  cancelSessionTurn: "A turn that has ended stays as it is.",

  sendUiChatMessage:
    "The first message begins the session. While a question to the user is open, a message answers it; one sent twice under its id is one message. Going away cancels nothing.",
  listUiChatMessages:
    "For a page that is opened again: the newest messages, as its streams brought them, without what was void. Texts are those of the transcript; a message whose verdict isn't in has no parts yet. A page may have up to ten more than `limit`, so that it begins with a user's message.",
  resumeUiChatStream:
    "For a page that was loaded anew, or lost its connection. Of a turn that an answer was given in, what came since.",

  getRun: "Without `waitMs` it answers at once.",
  getRunTrace:
    "The decisions with their reasons, calls of tools, workers and their results, in the order in which they happened.",
  cancelRun: "A run that has ended stays as it is.",

  createRoundtable:
    "The panel is stored, or a mode with a number of seats says what it is; seats sent along need the operator role. The answer is there after the first round, or earlier as a 202.",
  listRoundtables: "A copy of what the roundtables hold, a moment behind them. One by its id is always current.",
  getRoundtable: "Without `waitMs` it answers at once.",
  continueRoundtable:
    "One more round; or, after the last, the closing pass of those who asked for something in it. While a required request is open it returns `needs_context` again, and costs no round.",
  contextRoundtable: "Results are taken at any time, also while a round runs; each item has an outcome of its own.",
  getRoundtableRound: "With all positions, and what was asked in it.",
  getRoundtableConsensus: "As it was computed when the round ended.",
  getRoundtableThought: "What one seat held in each round, and how sure it was.",
  listRoundtableCitations: "Each source once, with those who rest on it.",
  listRoundtableRequests: "Everything that was asked for, whatever became of it.",
  getRoundtableExport: "The whole debate, for somebody who wasn't there.",
  synthesisRoundtable: "Written once for each state of the debate.",
  controlRoundtable: "`answerNow` ends the debate with what was said until now, and returns its synthesis.",
  forkRoundtable:
    "The rounds up to this one, and what was answered in them, in a roundtable of its own. What seats did with tools until now isn't done again there.",

  getAsk: "Always current. What is proposed, and the answer, are shown to those who may answer.",
  deleteAskClaim: "Whoever is next finds it free at once. A claim that isn't given back runs out by itself.",
  cancelAsk: "The work that waits goes on as if nobody had answered in time: what isn't approved isn't done.",

  putLimit:
    "All limits that an act falls under have to have room. Of money without a price for a model, its calls are refused: `warnings` says so.",
  getLimit: "With the raises that hold now.",
  getSubjectJob: "With `files` once an export has ended, and with `receipt`, which grows kind by kind.",
  getSubjectJobFile: "Of an export that has ended: `sessions`, `runs`, `roundtables`, `memories`, `asks`.",
  getHold: "With all that it names.",
  listHolds: "Each with what it names and why.",
  listLimits: "Those that the deployment sets for the tenant aren't among them.",
  deleteLimit: "What is reserved under it is settled all the same.",
  getLimitState: "What is reserved and never settled counts as used after 15 minutes.",
  listLimitEvents: "Each once in a window, for 30 days. Webhooks are told the same.",
  raiseLimit: "It ends by itself. Who raised it, by how much and why stands in the audit.",
  putAdminLimit: "Each tenant is counted by itself; the tenant's own limits hold beside it.",
  getAdminLimit: "With the raises that hold now.",
  listAdminLimits: "Of all tenants, and of single ones.",
  deleteAdminLimit: "The tenants' own limits stay.",
  raiseAdminLimit:
    "For all tenants that the limit holds for. It stands in the audit of the tenant that `match.tenantId` names.",
  putWebhook:
    "What is sent is signed as Standard Webhooks say. Another secret signs beside the old one for 24 hours; a secret that is made here is shown this once.",
  getWebhook: "`disabled` when its receiver answered 410, or it came with an import: another PUT switches it on again.",
  listWebhooks: "With when each receiver last took something, and last failed.",
  deleteWebhook: "Deliveries that wait aren't sent.",
  listWebhookDeliveries: "Ids and outcomes, no texts. Settled ones are kept for 30 days.",
  retryWebhookDelivery: "Also of one that was delivered. The growing waits begin anew.",
  testWebhook: "Waits up to 10 seconds for the receiver's answer. A failure is told, and not tried again.",
  putChannel:
    "What is written replaces all that was, credentials too. The kind stays. The address is entered at the platform: docs/channels.md says where.",
  listChannels: "With when each last heard from its platform, and what went wrong last.",
  getChannel: "Its credentials are hidden. `parked` counts the messages that wait for somebody to try again.",
  deleteChannel:
    "The address is unknown at once. Sessions that it led to stay, and can be read and deleted as any other.",
  rotateChannel: "For an address that has become known. Conversations and sessions go on.",
  listChannelDeliveries:
    "Messages that were delivered at the first try aren't in it. A parked one waits until somebody sends it again.",
  retryChannelDelivery: "What was parked is sent again at once, and from then on as any other message.",
  receivePlatformEvents:
    "Each platform sends what it sends, signed in its own way. The body shown here is that of kind `generic`, signed as Standard Webhooks say; answers go to its `replyUrl` as {conversation, inReplyTo?, text, ask?}. A message is stored when this answers, and handled once however often it is sent.",

  listModels: "Agents by name, as far as the caller may talk to them.",
  getModel: "A name that is no agent's is a 404 in OpenAI's own form.",

  createVault: "A vault holds memories that belong together.",
  listVaults: "Newest first, a page at a time.",
  getVault: "Its title and description.",
  deleteVault: "With all its memories.",
  createVaultMemory:
    "A memory belongs to its vault for good. Messages reach it through threads, entries also directly.",
  listVaultMemories: "Newest first, a page at a time.",
  getMemory: "Its title, type and description.",
  updateMemory: "What isn't named stays. A new subject, or a new model, is put on record.",
  deleteMemory: "With its threads, entries, vectors and contexts.",
  startMemoryThread: "What is known goes into a prompt: the context, then the entries that came after it.",
  listMemoryThreads: "Threads of sessions too, which have the name of their session unless they were given another.",
  deleteMemoryThread: "What a context says of other threads stays: contexts that rest on this one are written anew.",
  endMemoryThread: "Answers at once; the context follows. To wait for it, use `await-consistency`.",
  getMemoryThread: "Its control state, and how far it is stored, indexed and covered by the context.",
  awaitMemoryConsistency:
    "Answers with `reached: false` when the time is over, and says what failed, if something did.",
  listMemoryDeadLetters: "Jobs of the memory that failed again and again, with the error of the last attempt.",
  retryMemoryDeadLetter: "The job is queued once more. Done twice it does no harm.",
  createMemoryEntry: "An entry states something and holds from `occurredAt` on, or from now.",
  listMemoryEntries: "`asOf` shows those that held at another time. All filters have to fit.",
  getMemoryEntry: "An entry that was corrected says which one holds in its place.",
  updateMemoryEntry: "All tags at once: those that aren't named are gone.",
  deleteMemoryEntry: "Not a correction: nothing of the text is left. Contexts that rest on it are written anew.",
  createMemoryEntryCorrection: "Both stay: searches of an earlier time find the old one.",
  searchMemory: "By words, by tags, by time and, where the tenant has embeddings, by meaning.",
  listMemoryEvents: "By ids alone, for 30 days. Webhooks are told the same.",
  searchMemories: "In one call what a call for each memory would find.",
  getMemoryContext: "What the memory knows, in one text for a prompt.",
  putMemoryContext: "Messages that come later are taken into it as into any version.",
  listMemoryContexts: "Without their texts' sources; `sources` of a version lists these.",
  getMemoryContextVersion: "Versions never change. One that rests on an entry that was erased is gone.",
  listMemoryContextSources: "For whoever wants to know where a statement comes from.",
  getMemoryContextDiff: "Line by line, from the first to the second.",
  restoreMemoryContext: "Nothing is lost: the versions between stay.",
};

function ofKind(kind: ResourceKind, one: string): Record<string, string> {
  const name = capital(one);
  return {
    [`put${name}`]: `The same body again changes nothing. With \`If-Match\` it is stored only if the ${one} is still that version.`,
    [`get${name}`]: "With its version, and without the secrets that it was stored with.",
    [`list${capital(kind)}`]: "Each as it counts now, a page at a time.",
    [`list${name}Versions`]: "A version never changes; what nobody is known for has no author.",
    [`get${name}Version`]: "Without the secrets that it was stored with.",
    [`get${name}VersionDiff`]: "Line by line, from the first to the second; secrets are hidden in both.",
    [`restore${name}Version`]:
      "Nothing is lost: the versions between stay. Restoring what counts already changes nothing.",
    [`delete${name}`]: "What names it goes on without it, or is refused when it can't.",
  };
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
