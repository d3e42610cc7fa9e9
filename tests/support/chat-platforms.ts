/** Chat platforms as tests play them: events that are signed as theirs, and what was sent to their APIs. Runs in workerd. */
import { env, exports } from "cloudflare:workers";
import { signWebhook } from "../../src/platform/webhook-signature.js";
import { origin, type TestTenant } from "./conclave.js";
import { type SeenRequest, type UpstreamModel, upstreamFor } from "./upstream-client.js";

/** A request of a platform, ready to be sent as often as it likes. */
export interface PlatformEvent {
  readonly method?: string;
  readonly query?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A connection that a test has stored, and the platform behind it. */
export class TestChannel {
  constructor(
    readonly tenant: TestTenant,
    readonly name: string,
    readonly address: string,
    readonly channelId: string,
    /** What the platform was asked. */
    readonly platform: UpstreamModel,
  ) {}

  async deliver(event: PlatformEvent): Promise<Response> {
    const { method = "POST", query = "", headers, body } = event;
    return exports.default.fetch(`${origin}${this.address}${query}`, {
      method,
      headers,
      ...(method === "GET" ? {} : { body }),
    });
  }

  conversation(conversation: string) {
    return env.CHANNEL_CONVERSATION.getByName(`${this.tenant.tenantId}/${this.channelId}/${conversation}`);
  }

  calls(): Promise<readonly SeenRequest[]> {
    return this.platform.requests();
  }
}

export async function connect(
  tenant: TestTenant,
  name: string,
  kind: string,
  credentials: Readonly<Record<string, string>>,
  more: Readonly<Record<string, unknown>> = {},
): Promise<TestChannel> {
  const platform = upstreamFor(env.TEST_UPSTREAM);
  const base = `${env.TEST_UPSTREAM}/platform/${kind}/${platform.model}`;
  const own = kind === "generic" ? { replyUrl: `${base}/replies` } : { apiBaseUrl: base };
  const body = { kind, agent: "assistant", credentials: { ...own, ...credentials }, ...more };
  const answer = await tenant.put("channels", name, body);
  return new TestChannel(tenant, name, answer.body.address, answer.body.channelId, platform);
}

export const genericSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** A message of the channel of our own. */
export async function genericMessage(
  message: Readonly<Record<string, unknown>>,
  { at = Date.now(), secret = genericSecret }: { readonly at?: number; readonly secret?: string } = {},
): Promise<PlatformEvent> {
  const body = JSON.stringify({ conversation: "room-1", user: { id: "ada", name: "Ada" }, ...message });
  return { body, headers: { ...(await signWebhook({ id: `evt-${message.messageId}`, at, body }, [secret])) } };
}
