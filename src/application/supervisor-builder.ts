/** Makes supervisors out of what tenants store, and gives their kinds the ports they need: models, a network, a breaker. */
import { type CallOrigin, callContext, noOrigin } from "../agent/call-context.js";
import type { Journal } from "../agent/journal.js";
import { type ModelPort, noTokens, type TokenUsage } from "../model/port.js";
import { withCancelSignal } from "../platform/clock.js";
import { hmacSha256Hex } from "../platform/digest.js";
import { type OutgoingPolicy, sendOutgoing } from "../platform/outgoing.js";
import { breaker, type HealthStore } from "../supervision/breaker.js";
import type { KindPorts, OwnNames, OwnParts, SendPort } from "../supervision/kinds/kind.js";
import { buildSupervisor, type SupervisorDefinition } from "../supervision/kinds/table.js";
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
  /** The tools and references that a supervising agent names for itself. */
  readonly ownParts: (
    of: { readonly tenantId: string; readonly origin: CallOrigin },
    names: OwnNames,
    journal: Journal,
  ) => Promise<OwnParts>;
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

/** The same models, and `taken` hears what each call has taken, failed ones among them. */
export function countedModel(port: ModelPort, taken: (model: string, usage: TokenUsage) => void): ModelPort {
  return {
    call: async (request, options) => {
      const result = await port.call(request, options).catch((error: unknown) => {
        taken("", noTokens);
        throw error;
      });
      // What is paid for is what `default` stands for.
      const { defaultModel = result.model } = result.metadata ?? {};
      taken(String(defaultModel), result.usage);
      return result;
    },
  };
}

export class SupervisorBuilder {
  constructor(
    private readonly ports: SupervisorBuilderPorts,
    /** Those that are pure, by their stored version, which never changes: gone when the store forgets the version. */
    private readonly pure = new WeakMap<SupervisorDefinition, Supervisor>(),
    /** Of references, likewise: whether they give orders. */
    private readonly ordering = new WeakMap<object, boolean>(),
  ) {}

  /** The same for work that knows its models and providers itself, or what its supervisors hold. */
  with(ports: Partial<Pick<SupervisorBuilderPorts, "model" | "provider" | "ownParts">>): SupervisorBuilder {
    return new SupervisorBuilder({ ...this.ports, ...ports }, this.pure, this.ordering);
  }

  /** The same, and `taken` hears what each call of a model has taken, failed ones among them. */
  counting(taken: (model: string, usage: TokenUsage) => void): SupervisorBuilder {
    const { model } = this.ports;
    return this.with({ model: async (tenantId) => countedModel(await model(tenantId), taken) });
  }

  /** @param work the session or run that it supervises; what can't fail and calls nobody needs none. */
  build(
    tenantId: string,
    { name, version, body }: ResourceVersion<"supervisors">,
    { health, origin = noOrigin }: SupervisedWork = {},
  ): Supervisor {
    const known = this.pure.get(body);
    if (known !== undefined) return known;
    const { policy, now, model, provider, signer, ownParts } = this.ports;
    const send: SendPort = (request) => sendOutgoing(request, policy);
    const ports: KindPorts = {
      now,
      validateArguments,
      send,
      withDeadline: withCancelSignal,
      model: () => model(tenantId),
      own: (names, journal) => ownParts({ tenantId, origin }, names, journal),
      provider: (wanted) => provider(tenantId, wanted),
      sign: hmacSha256Hex,
      sendSigned: async (request, { secret, context }) => {
        // The body names the text and where it was said: the same body is the same question.
        const id = await signer.idOf(tenantId, `${name}.${request.body}`);
        const call = { id, body: request.body, context: callContext(origin, context), secret };
        return send({ ...request, headers: { ...request.headers, ...(await signer.headers(tenantId, call)) } });
      },
    };
    const failures = health && breaker({ name, version }, health, now);
    const built = { ...buildSupervisor(name, body, ports, failures), version };
    // It calls nobody and knows nothing of whom it supervises; and making it costs far more than judging a text.
    if (built.pure) this.pure.set(body, built);
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
