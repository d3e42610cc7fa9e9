/** Which provider a model's name stands for, and the model port made of them. */
import { ModelError, type ModelPort, type ModelRequest } from "./port.js";
import type { ModelProvider } from "./provider.js";
import {
  configuredProviders,
  deploymentProviders,
  type ModelEnvironment,
  type ModelPorts,
  providerModules,
  whatProviderTakes,
} from "./provider-table.js";
import { callWithFailover, defaultRetryPolicy, RestingModels, type RetryPolicy } from "./retry.js";

/** Which providers there are. A tenant's own keys make a configuration of their own. */
export interface ModelConfig {
  readonly deployment?: ModelEnvironment;
  /** OpenAI-compatible servers beside the deployment's, by the name that stands before the slash. */
  readonly providers?: Readonly<Record<string, { readonly baseURL: string; readonly apiKey: string }>>;
  /** What `default` means: a full name such as `acme/large`, or a model of OpenAI. */
  readonly defaultModel?: string;
  readonly retry?: Partial<RetryPolicy>;
}

/** The name that a deployment resolves by what it has been given. */
const defaultModel = "default";

/** Makes the port through which everything else calls models. */
export function createModelPort(config: ModelConfig, ports: ModelPorts): ModelPort {
  const resolve = directory(config, ports);
  const resting = new RestingModels(ports.now ?? Date.now);
  const policy = { ...defaultRetryPolicy, ...config.retry };
  return {
    call: (request, options = {}) =>
      callWithFailover(
        request.models,
        options,
        async (name, attemptOptions) => {
          const { provider, model, fullName } = resolve(name);
          const reply = await provider.attempt(model, request, attemptOptions);
          return name === defaultModel ? { ...reply, metadata: { ...reply.metadata, defaultModel: fullName } } : reply;
        },
        policy,
        { ...ports, resting },
      ),
  };
}

/** What can be asked for under this configuration: `offline`, `openai/<model>`, … */
export function availableModels(config: ModelConfig): readonly string[] {
  return [
    defaultModel,
    "offline",
    ...configuredProviders(config.deployment ?? {}).map((name) => `${name}/<model>`),
    ...Object.keys(config.providers ?? {}).map((name) => `${name}/<model>`),
  ];
}

interface Resolved {
  readonly provider: ModelProvider;
  readonly model: string;
  readonly fullName: string;
}

function directory(config: ModelConfig, ports: ModelPorts): (name: ModelRequest["models"][number]) => Resolved {
  const { deployment = {}, providers: own = {} } = config;
  const offline = onDemand(async () => (await providerModules.offline()).offlineModel());
  const providers = new Map<string, ModelProvider>([["offline", offline]]);
  for (const [name, server] of Object.entries(own)) {
    const options = { ...server, outputLimitField: "max_tokens" } as const;
    const load = async () => (await providerModules.openAiCompatible()).openAiCompatible(options, ports);
    providers.set(name, onDemand(load));
  }
  for (const { name, setUp } of deploymentProviders) {
    const make = setUp(deployment);
    if (make !== undefined)
      providers.set(
        name,
        onDemand(() => make(ports)),
      );
  }

  const find = (fullName: string): Resolved | undefined => {
    const slash = fullName.indexOf("/");
    const name = slash < 0 ? fullName : fullName.slice(0, slash);
    const model = slash < 0 ? "" : fullName.slice(slash + 1);
    const provider = providers.get(name);
    // Only the offline model goes by its provider's name alone.
    return provider === undefined || (model === "") !== (name === "offline")
      ? undefined
      : { provider, model, fullName };
  };

  const meaningOfDefault = (): string => {
    const { defaultModel } = config;
    if (defaultModel !== undefined && find(defaultModel) !== undefined) return defaultModel;
    const first = deploymentProviders.find(({ setUp }) => setUp(deployment) !== undefined);
    if (first === undefined) return "offline";
    return `${first.name}/${(first.ownsBareNames ? defaultModel : undefined) ?? first.defaultModel}`;
  };

  return (name) => {
    const found = find(name === defaultModel ? meaningOfDefault() : name);
    if (found !== undefined) return found;
    const available = availableModels(config).join(", ");
    throw new ModelError("unknown_model", `no such model here${missing(name, providers)}; available: ${available}`, {
      model: name,
    });
  };
}

/** A provider that is evaluated with its first call. */
function onDemand(load: () => Promise<ModelProvider>): ModelProvider {
  let provider: ModelProvider | undefined;
  return {
    attempt: async (...call) => {
      provider ??= await load();
      return provider.attempt(...call);
    },
  };
}

/** What a model of this name would take, where its provider isn't there. */
function missing(fullName: string, providers: ReadonlyMap<string, ModelProvider>): string {
  const slash = fullName.indexOf("/");
  const provider = fullName.slice(0, Math.max(slash, 0));
  return provider === "" || providers.has(provider) ? "" : `: ${whatProviderTakes(provider)}`;
}
