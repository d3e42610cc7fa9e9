/** Makes supervisors out of what tenants store, and gives their kinds the ports they need: models, a network, a breaker. */
import { type CallOrigin, callContext, noOrigin } from "../agent/call-context.js";
import type { ModelPort } from "../model/port.js";
import { withCancelSignal } from "../platform/clock.js";
import { hmacSha256Hex } from "../platform/digest.js";
import { type OutgoingPolicy, sendOutgoing } from "../platform/outgoing.js";
import { breaker, type HealthStore } from "../supervision/breaker.js";
import { buildSupervisor } from "../supervision/definition.js";
import type { SendPort } from "../supervision/kinds/ports.js";
import { givesOrders } from "../supervision/orders-in-data.js";
import type { RulesConfig } from "../supervision/rules/config.js";
import { type CompiledRules, compileRules } from "../supervision/rules/engine.js";
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
    /** By the config of a stored version, which never changes: gone when the store forgets the version. */
    private readonly compiled = new WeakMap<RulesConfig, CompiledRules>(),
    /** Of references, likewise: whether they give orders. */
    private readonly ordering = new WeakMap<object, boolean>(),
  ) {}

  /** The same for work that knows its models and providers itself. */
  with(ports: Pick<SupervisorBuilderPorts, "model" | "provider">): SupervisorBuilder {
    return new SupervisorBuilder({ ...this.ports, ...ports }, this.compiled, this.ordering);
  }

  /** @param work the session or run that it supervises; what can't fail and calls nobody needs none. */
  build(
    tenantId: string,
    { name, version, body }: ResourceVersion<"supervisors">,
    { health, origin = noOrigin }: SupervisedWork = {},
  ): Supervisor {
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
    return buildSupervisor(name, body, {
      compileRules: (config) => this.compile(config),
      agent: { model: () => model(tenantId), now, validateArguments, withDeadline: withCancelSignal },
      http: { now, send: sendSigned, sign: hmacSha256Hex },
      moderation: { send, provider: (wanted) => provider(tenantId, wanted) },
      ...(health === undefined ? {} : { health: breaker({ name, version }, health, now) }),
    });
  }

  /** Whether the stored version of a reference gives orders to whoever reads it: looked at once for each version. */
  givesOrders(reference: { readonly text: string }): boolean {
    const known = this.ordering.get(reference);
    if (known !== undefined) return known;
    const found = givesOrders(reference.text);
    this.ordering.set(reference, found);
    return found;
  }

  private compile(config: RulesConfig): CompiledRules {
    const known = this.compiled.get(config);
    if (known !== undefined) return known;
    const rules = compileRules(config);
    this.compiled.set(config, rules);
    return rules;
  }
}
