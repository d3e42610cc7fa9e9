/** Signs what leaves the system for a tenant's own endpoints, by the secret of the resource or else by the tenant's. */
import { base64Url } from "../platform/bytes.js";
import { sha256Hex } from "../platform/digest.js";
import { signWebhook } from "../platform/webhook-signature.js";

export interface SignedCall {
  /** As {@link CallSigner.idOf} gives it. */
  readonly id: string;
  readonly body: string;
  /** Sent in a header of its own, signed. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** The resource's own. */
  readonly secret: string | undefined;
}

export class CallSigner {
  constructor(
    /** The signing secrets of a tenant, for resources that have none: each of them signs. */
    private readonly secretsOf: (tenantId: string) => Promise<readonly string[]>,
    private readonly now: () => number,
  ) {}

  /**
   * The id of a call as its receiver knows it. It doesn't tell the tenant's id.
   * @param key of the call within its tenant: the same over redos of it, and of no other
   */
  async idOf(tenantId: string, key: string): Promise<string> {
    return `call_${(await sha256Hex(`${tenantId}.${key}`)).slice(0, 40)}`;
  }

  /** `webhook-id`, `webhook-timestamp`, `webhook-signature`, the same id as `idempotency-key`, and `conclave-context`. */
  async headers(tenantId: string, { id, body, context, secret }: SignedCall): Promise<Record<string, string>> {
    const secrets = secret === undefined ? await this.secretsOf(tenantId) : [secret];
    const at = this.now();
    const signed = { "idempotency-key": id, ...(await signWebhook({ id, at, body }, secrets)) };
    if (context === undefined) return signed;
    const encoded = base64Url(new TextEncoder().encode(JSON.stringify({ callId: id, ...context })));
    const { "webhook-signature": signature } = await signWebhook({ id, at, body: encoded }, secrets);
    return { ...signed, "conclave-context": `${encoded}.${signature}` };
  }
}
