/** Which provider a model's name stands for, and the model port made of them. */
import { loaded } from "../text/lazily.js";
import { ModelError, type ModelPort, type ModelRequest } from "./port.js";
import { type ModelProvider, whatProviderTakes } from "./provider.js";
import type { HttpPorts, OpenAiCompatibleOptions } from "./providers/openai-compatible.js";
import type { AiBinding } from "./providers/workers-ai.js";
import { callWithFailover, defaultRetryPolicy, type RetryPolicy, type RetryPorts } from "./retry.js";

/** Which providers there are. A tenant's own keys make a configuration of their own. */
export interface ModelConfig {
  readonly openai?: { readonly apiKey: string; readonly baseURL?: string };
  readonly workersAi?: AiBinding;
  /** Further OpenAI-compatible servers, by the name that stands before the slash. */
  readonly providers?: Readonly<Record<string, { readonly baseURL: string; readonly apiKey: string }>>;
  /** What `default` means: a full name such as `acme/large`, or a model of OpenAI. */
  readonly defaultModel?: string;
  readonly retry?: Partial<RetryPolicy>;
}

/** What the providers need of the platform. */
export interface ModelPorts extends RetryPorts, HttpPorts {}

const defaultOpenaiModel = "gpt-5-mini";
const defaultWorkersAiModel = "@cf/meta/llama-3.3-70b-instruct-fp8-fast";

/** The name that a deployment resolves by what it has been given. */
const defaultModel = "default";

/** Each is evaluated with the first call of a model of its. */
export const providerModules = {
  offline: loaded(() => import("./providers/offline.js")),
  openAiCompatible: loaded(() => import("./providers/openai-compatible.js")),
  workersAi: loaded(() => import("./providers/workers-ai.js")),
};

/** Makes the port through which everything else calls models. */
export function createModelPort(config: ModelConfig, ports: ModelPorts): ModelPort {
  const resolve = directory(config, ports);
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
        ports,
      ),
  };
}

/** What can be asked for under this configuration: `offline`, `openai/<model>`, … */
export function availableModels(config: ModelConfig): readonly string[] {
  return [
    defaultModel,
    "offline",
    ...(config.openai === undefined ? [] : ["openai/<model>"]),
    ...(config.workersAi === undefined ? [] : ["workers-ai/<model>"]),
    ...Object.keys(config.providers ?? {}).map((name) => `${name}/<model>`),
  ];
}

interface Resolved {
  readonly provider: ModelProvider;
  readonly model: string;
  readonly fullName: string;
}

function directory(config: ModelConfig, ports: ModelPorts): (name: ModelRequest["models"][number]) => Resolved {
  const compatible = (options: OpenAiCompatibleOptions): ModelProvider =>
    onDemand(async () => (await providerModules.openAiCompatible()).openAiCompatible(options, ports));
  const offline = onDemand(async () => (await providerModules.offline()).offlineModel());
  const providers = new Map<string, ModelProvider>([["offline", offline]]);
  for (const [name, { apiKey, baseURL }] of Object.entries(config.providers ?? {})) {
    providers.set(name, compatible({ apiKey, baseURL, outputLimitField: "max_tokens" }));
  }
  const { workersAi } = config;
  if (workersAi !== undefined) {
    const load = async () => (await providerModules.workersAi()).workersAi(workersAi, ports);
    providers.set("workers-ai", onDemand(load));
  }
  if (config.openai !== undefined) {
    providers.set("openai", compatible({ ...config.openai, outputLimitField: "max_completion_tokens" }));
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
    if (config.openai !== undefined) return `openai/${defaultModel ?? defaultOpenaiModel}`;
    return config.workersAi === undefined ? "offline" : `workers-ai/${defaultWorkersAiModel}`;
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
