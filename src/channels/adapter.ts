/** What each channel brings: how its events are verified and read, and how a message is rendered and sent there. */
import type { DeliveryOutcome } from "../conversation/delivery.js";
import type { InboundEvent, Target } from "./inbound.js";

/** A request of a platform, as it came. */
export interface PlatformRequest {
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a platform is answered at once. */
export interface Acknowledgement {
  readonly status?: number;
  readonly type?: string;
  readonly body?: string;
}

export type Received =
  /** Not signed as it should be, or too old: nothing is done. */
  | { readonly kind: "unsigned" }
  /** Signed, and nothing that a session is concerned with; or a handshake. */
  | { readonly kind: "answered"; readonly answer: Acknowledgement; readonly unreadable?: string }
  | {
      readonly kind: "events";
      readonly events: readonly InboundEvent[];
      readonly answer: Acknowledgement;
      /** Why a part of it couldn't be read, for the health of the channel; nothing that a user wrote. */
      readonly unreadable?: string | undefined;
      /** A button that asks for a form: it is opened while the platform waits for its answer. */
      readonly form?: FormRequest;
    };

export interface FormRequest {
  /** Where the button stood. */
  readonly event: InboundEvent;
  /** The value of the button. */
  readonly value: string;
}

/** A form to edit a text in. */
export interface Form {
  readonly value: string;
  readonly title: string;
  readonly text: string;
}

export interface Button {
  readonly value: string;
  readonly label: string;
  readonly style?: "primary" | "danger" | undefined;
}

/** One message to a platform: already split, so that it fits. */
export interface Post {
  /**
   * `working`: that an answer is on its way. `notice`: to the one who pressed, where the platform can. `word`: our own answer to a
   * message, such as that it began a new session. `noted`: that there is none, for platforms that wait for one.
   */
  readonly kind: "reply" | "question" | "working" | "notice" | "word" | "noted";
  /** Markdown; empty for `working` where the platform shows that somebody types. */
  readonly text: string;
  readonly buttons?: readonly Button[] | undefined;
  /** For programs that read along. */
  readonly ask?:
    | {
        readonly askId: string;
        readonly question: string;
        readonly suggestions?: readonly string[] | undefined;
        readonly status: string;
      }
    | undefined;
}

export interface Sending {
  readonly post: Post;
  readonly target: Target;
  /** The platform's id of the message that this one takes the place of. */
  readonly edits?: string | undefined;
  /** The same over all tries, for platforms that know a repetition by it. */
  readonly key: string;
}

/** How a try ended. That it is uncertain, because an answer was lost, is seen by who calls: an adapter says `failed` then. */
export type SendOutcome =
  | { readonly kind: "delivered" /** The platform's id of it. */; readonly messageId?: string | undefined }
  | Extract<DeliveryOutcome, { readonly kind: "failed" | "refused" }>;

/** A call of a platform's API; it never throws for what the platform answers. */
export type PlatformCall = (call: {
  readonly url: string;
  readonly method?: "POST" | "PATCH" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}) => Promise<PlatformAnswer>;

export interface PlatformAnswer {
  /** 0 where there is none. */
  readonly status: number;
  readonly text: string;
  /** Whether it was asked, and nobody knows what it did. */
  readonly isLost: boolean;
  /** From its `Retry-After`. */
  readonly retryAfterMs?: number | undefined;
}

export interface ChannelAdapter<Credentials> {
  /** The most characters of Markdown that are sent as one message. */
  readonly maxCharacters: number;
  /** Whether a message that was sent can be changed. */
  readonly edits: boolean;
  /** Whether {@link openForm} is there; otherwise an edited text is sent as a reply. */
  readonly forms: boolean;
  /** How long after its first try the platform knows by its key what is sent again, in milliseconds; an edit it always knows. */
  readonly repeatableMs: number;
  /** How soon the sign that somebody types has to be shown again, in milliseconds: before the platform lets it lapse. Nothing where it stays. */
  readonly typingLapsesMs?: number;
  /** @param call for what a request doesn't say itself */
  receive(request: PlatformRequest, credentials: Credentials, now: number, call: PlatformCall): Promise<Received>;
  /** Opens a form, or says what the platform is answered so that it does. */
  openForm?(form: Form, request: FormRequest, credentials: Credentials, call: PlatformCall): Promise<Acknowledgement>;
  send(sending: Sending, credentials: Credentials, call: PlatformCall): Promise<SendOutcome>;
}

/** How far a signed time may lie from ours, in milliseconds: what is older may be a replay. */
export const replayWindowMs = 300_000;

/** A channel with the connection that it is used for. */
export interface BoundChannel
  extends Pick<ChannelAdapter<unknown>, "maxCharacters" | "edits" | "forms" | "repeatableMs" | "typingLapsesMs"> {
  readonly kind: string;
  /** Where the console is, as `https://host`. */
  readonly origin?: string | undefined;
  receive(request: PlatformRequest, now: number, call: PlatformCall): Promise<Received>;
  openForm(form: Form, request: FormRequest, call: PlatformCall): Promise<Acknowledgement | undefined>;
  send(sending: Sending, call: PlatformCall): Promise<SendOutcome>;
}
