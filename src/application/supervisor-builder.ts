/** Makes supervisors out of what tenants store, and gives their kinds the ports they need: models, a network, a breaker. */
import { type CallOrigin, callContext, noOrigin } from "../agent/call-context.js";
import type { ModelPort } from "../model/port.js";
import { withCancelSignal } from "../platform/clock.js";
import { hmacSha256Hex } from "../platform/digest.js";
import { type OutgoingPolicy, sendOutgoing } from "../platform/outgoing.js";
import { breaker, type HealthStore } from "../supervision/breaker.js";
import { buildSupervisor, type SupervisorDefinition } from "../supervision/definition.js";
import type { SendPort } from "../supervision/kinds/ports.js";
import { givesOrders } from "../supervision/orders-in-data.js";
import type { Supervisor } from "../supervision/supervisor.js";
import type { ResourceVersion } from "../tenancy/resources.js";
import { validateArguments } from "./argument-check.js";
import type { CallSigner } from "./call-signer.js";

export interface SupervisorBuilderPorts {
  readonly policy: OutgoingPolicy;
  readonly now: () => number;
  readonly signer: CallSigner;
  /** The models that a tenant can call. */
  readonly model: (tenantId: string) => Promise<ModelPort>;
  /** Where an OpenAI-compatible provider is, with its key; for moderation. */
  readonly provider: (
    tenantId: string,
    name: string,
  ) => Promise<{ readonly baseUrl: string; readonly apiKey: string } | undefined>;
}

export interface SupervisedWork {
  /** Where the supervisor's failures are counted. */
  readonly health?: HealthStore;
  readonly origin?: CallOrigin;
}

export class SupervisorBuilder {
  constructor(
    private readonly ports: SupervisorBuilderPorts,
    /** Those of kind rules, by their stored version, which never changes: gone when the store forgets the version. */
    private readonly ofRules = new WeakMap<SupervisorDefinition, Supervisor>(),
    /** Of references, likewise: whether they give orders. */
    private readonly ordering = new WeakMap<object, boolean>(),
  ) {}

  /** The same for work that knows its models and providers itself. */
  with(ports: Pick<SupervisorBuilderPorts, "model" | "provider">): SupervisorBuilder {
    return new SupervisorBuilder({ ...this.ports, ...ports }, this.ofRules, this.ordering);
  }

  /** @param work the session or run that it supervises; what can't fail and calls nobody needs none. */
  build(
    tenantId: string,
    { name, version, body }: ResourceVersion<"supervisors">,
    { health, origin = noOrigin }: SupervisedWork = {},
  ): Supervisor {
    const known = this.ofRules.get(body);
    if (known !== undefined) return known;
    const { policy, now, model, provider, signer } = this.ports;
    const send: SendPort = (request) => sendOutgoing(request, policy);
    const sendSigned: SendPort = async (request) => {
      if (body.kind !== "http") return send(request);
      const { secret, context } = body.config;
      // The body names the text and where it was said: the same body is the same question.
      const id = await signer.idOf(tenantId, `${name}.${request.body}`);
      const call = { id, body: request.body, context: callContext(origin, context), secret };
      return send({ ...request, headers: { ...request.headers, ...(await signer.headers(tenantId, call)) } });
    };
    const built = buildSupervisor(name, body, {
      agent: { model: () => model(tenantId), now, validateArguments, withDeadline: withCancelSignal },
      http: { now, send: sendSigned, sign: hmacSha256Hex },
      moderation: { send, provider: (wanted) => provider(tenantId, wanted) },
      ...(health === undefined ? {} : { health: breaker({ name, version }, health, now) }),
    });
    // It calls nobody and knows nothing of whom it supervises; and making it costs far more than judging a text.
    if (body.kind === "rules") this.ofRules.set(body, built);
    return built;
  }

  /** Whether the stored version of a reference gives orders to whoever reads it: looked at once for each version. */
  givesOrders(reference: { readonly text: string }): boolean {
    const known = this.ordering.get(reference);
    if (known !== undefined) return known;
    const found = givesOrders(reference.text);
    this.ordering.set(reference, found);
    return found;
  }
}
