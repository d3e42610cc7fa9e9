/**
 * What the API sends and takes, as the client types it. The API's document says all of it; a test holds these shapes against it.
 * Answers may get more fields with time.
 */
import type { Schemas } from "./generated/schemas.js";

export type Metadata = Readonly<Record<string, string | number | boolean>>;

export interface NewSession {
  readonly agent: string;
  /** The end user that it belongs to. */
  readonly subject?: string;
  /** What you call it yourself; unique in your tenant. */
  readonly externalId?: string;
  readonly supervisors?: readonly string[];
  readonly metadata?: Metadata;
  /** What becomes of a message that comes while a question is open. `queue`, if nothing is said. */
  readonly whileWaiting?: "queue" | "refuse" | "answer" | "cancel";
  /** What is said is recorded in the first; all are recalled. */
  readonly memory?: MemoryChoice;
}

/** A memory by its id or by your own name for it; `subject`: the subject's own, made if there is none. */
export type NamedMemory =
  | "subject"
  | { readonly memoryId: string; readonly threadId?: string }
  | { readonly externalId: string; readonly threadId?: string };
export type MemoryChoice = NamedMemory | readonly NamedMemory[];

export type TurnStatus = "queued" | "running" | "waiting" | "completed" | "blocked" | "failed" | "cancelled";

export interface Session {
  readonly sessionId: string;
  readonly agent: string;
  readonly status: "idle" | "running" | "waiting";
  readonly subject?: string | undefined;
  readonly externalId?: string | undefined;
  readonly metadata: Metadata;
  /** Made for one turn of a caller of `/v1/chat/completions`. */
  readonly stateless?: true | undefined;
  /** Its end user began it, with a token. */
  readonly begunBy?: "user" | undefined;
  /** While a person has taken it over (`taken`), or was asked to (`asked`). */
  readonly hold?: Hold | undefined;
  readonly lastTurn?: { readonly turnId: string; readonly status: TurnStatus } | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Hold {
  readonly state: "asked" | "taken";
  readonly since: string;
  /** For staff: who took it over, or asked. */
  readonly by?: Author | undefined;
}

/** Who wrote or did something; of staff end users read that it was a person. */
export interface Author {
  readonly kind: string;
  readonly id: string;
}

export interface NewFeedback {
  readonly about: { readonly turnId: string } | { readonly messageId: string };
  /** 0: it is taken back. */
  readonly score: -1 | 0 | 1;
  /** A word of your own to count by: `too-long`. */
  readonly label?: string;
  readonly comment?: string;
}

/** As it is kept. */
export interface Feedback {
  readonly sessionId: string;
  readonly turnId: string;
  readonly messageId?: string | undefined;
  readonly score: -1 | 0 | 1;
  readonly label?: string | undefined;
  readonly comment?: string | undefined;
  readonly by: Author;
  readonly at: string;
}

export interface NewMessage {
  readonly content: string;
  /** Who says it, where several people share a session. */
  readonly speaker?: string;
  readonly metadata?: Metadata;
}

/** A message of a user, of the system, or an error in place of a reply. */
export interface PlainMessage {
  readonly messageId: string;
  readonly role: "user" | "system" | "error";
  readonly content: string;
}

export interface ToolCall {
  readonly toolCallId: string;
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Of a question to a person: whom it is for. Of one to staff only who may answer it reads the `output`. */
  readonly audience?: "user" | "staff" | undefined;
  readonly output?: string | undefined;
  readonly error?: string | undefined;
}

export interface AssistantMessage {
  readonly messageId: string;
  readonly role: "assistant";
  /** The person who wrote it; absent where the agent did. */
  readonly author?: Author | undefined;
  readonly modelReply: {
    readonly timestamp: string;
    readonly turns: readonly {
      readonly turnId: string;
      readonly message?: string | undefined;
      readonly toolCalls?: readonly ToolCall[] | undefined;
    }[];
  };
}
export type ChatMessage = PlainMessage | AssistantMessage;

export interface HookSummary {
  readonly action: "allow" | "modify" | "review" | "block";
  readonly reasons: readonly string[];
}

/** What a turn that is queued or waits is waiting for. */
export interface WaitsFor {
  /** Of a queued turn: the one right before it. */
  readonly turnId?: string | undefined;
  /** The open asks that have to be answered first. */
  readonly askIds: readonly string[];
  /** Who is asked; absent where nobody is. */
  readonly audience?: "user" | "staff" | undefined;
  /** A person has the conversation, or was asked to take it. */
  readonly held?: Hold["state"] | undefined;
}

export interface Turn {
  readonly turnId: string;
  readonly status: TurnStatus;
  /** What was sent, as supervision left it. */
  readonly message?: ChatMessage | undefined;
  readonly reply?: AssistantMessage | undefined;
  /** Why there is no reply, for who reads it. */
  readonly error?: PlainMessage | undefined;
  /** Why it failed, for who runs the application. */
  readonly failure?: string | undefined;
  /** What became of its tool calls, where that isn't told by a reply. */
  readonly calls?: Schemas["Turn"]["calls"];
  readonly usage: Schemas["Usage"];
  readonly supervision: {
    readonly status: "ok" | "degraded";
    readonly request?: HookSummary | undefined;
    readonly response?: HookSummary | undefined;
  };
  readonly asks: readonly Ask[];
  /** Its message is answered together with a later one: the turn whose reply that is. */
  readonly answeredIn?: string | undefined;
  /** While it is queued or waits: for what, and what its end user may be told. */
  readonly waitsFor?: WaitsFor | undefined;
  readonly userMessage?: string | undefined;
  readonly createdAt: string;
  readonly endedAt?: string | undefined;
}

export type AskKind = "human" | "context" | "approval" | "review" | "handover";
export type AskStatus = "open" | "answered" | "expired" | "cancelled";

/** Which answer fits goes by the ask's kind. */
export interface AnswerOf {
  readonly human: { readonly response: string } & Why;
  readonly context: {
    readonly result?: string | undefined;
    readonly error?: string | undefined;
    readonly source?: string | undefined;
  } & Why;
  readonly approval: {
    readonly decision: "once" | "session" | "deny";
    /** What the call is made with instead: typed, as the tool's schema says. */
    readonly args?: Readonly<Record<string, unknown>> | undefined;
  } & Why;
  readonly review: {
    readonly decision: "accept" | "edit" | "reject";
    readonly content?: string | undefined;
  } & Why;
  /** Whether somebody takes the conversation over, or its agent goes on. */
  readonly handover: { readonly decision: "take" | "return" } & Why;
}
export type Answer = AnswerOf[AskKind];

/** Why it was decided so: a note for staff, and a message for the agent that asked or called, or for whoever's text it was. */
interface Why {
  readonly note?: string | undefined;
  readonly message?: string | undefined;
}

export interface Ask {
  readonly askId: string;
  readonly kind: AskKind;
  readonly question: string;
  readonly context?: string | undefined;
  /** Why it was asked. */
  readonly reason?: string | undefined;
  readonly suggestions?: readonly string[] | undefined;
  readonly priority: string;
  readonly audience: "user" | "staff";
  readonly status: AskStatus;
  readonly from: {
    readonly sessionId?: string | undefined;
    readonly runId?: string | undefined;
    readonly roundtableId?: string | undefined;
    readonly turnId?: string | undefined;
    readonly subject?: string | undefined;
    readonly externalId?: string | undefined;
    readonly about: { readonly message?: string | undefined };
  };
  /** What is proposed, for those who may answer: a text, or a call. */
  readonly proposal?: Schemas["ReviewProposal"] | Schemas["ApprovalProposal"] | undefined;
  /** The beginning of what is proposed or asked, for those who may answer. */
  readonly preview?: string | undefined;
  readonly answer?: Answer | undefined;
  /** Who of the staff is at it, and until when if that isn't renewed. */
  readonly claim?: { readonly by: { readonly kind: string; readonly id: string }; readonly until: string } | undefined;
  /** From then on it has waited for too long. */
  readonly overdueAt?: string | undefined;
  readonly deadline?: string | undefined;
  readonly openedAt: string;
  readonly closedAt?: string | undefined;
  readonly closedBy?: { readonly kind: string; readonly id: string; readonly role?: string | undefined } | undefined;
}

export interface AskFilter {
  readonly status?: AskStatus;
  readonly kind?: AskKind;
  readonly audience?: "user" | "staff";
  readonly subject?: string;
  readonly sessionId?: string;
  readonly runId?: string;
  readonly roundtableId?: string;
  readonly sort?: "openedAt" | "priority" | "deadline";
}

export interface NewRun {
  /** A stored team's name; operators may send a whole one. */
  readonly team: string | Readonly<Record<string, unknown>>;
  readonly input: string;
  readonly subject?: string;
  readonly externalId?: string;
  readonly metadata?: Metadata;
  /** What `memory_search` searches. */
  readonly memory?: MemoryChoice;
}

export interface Run {
  readonly runId: string;
  readonly status: "running" | "waiting" | "completed" | "blocked" | "failed" | "cancelled";
  readonly usage: Schemas["Usage"];
  readonly response?: string | undefined;
  readonly error?:
    | { readonly code: string; readonly detail: string; readonly userMessage?: string | undefined }
    | undefined;
  readonly asks: readonly Ask[];
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export interface PageRequest {
  readonly limit?: number;
  readonly cursor?: string;
}
