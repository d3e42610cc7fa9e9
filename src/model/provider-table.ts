/**
 * The providers that a deployment may have: a file in `providers` that makes a `ModelProvider`, its module and an entry here, each.
 * What a tenant may name, the answer to a name that isn't there, and `default` follow.
 */
import { defined } from "../conversation/defined.js";
import { loaded } from "../text/lazily.js";
import type { ModelProvider } from "./provider.js";
import type { HttpPorts } from "./providers/openai-compatible.js";
import type { AiBinding } from "./providers/workers-ai.js";
import type { RetryPorts } from "./retry.js";

/** What the providers need of the platform. */
export interface ModelPorts extends RetryPorts, HttpPorts {}

/** The secrets and bindings of a deployment that its providers are made of; an empty text is none. */
export interface ModelEnvironment {
  readonly OPENAI_API_KEY?: string | undefined;
  /** Up to and including the `/v1`. */
  readonly OPENAI_BASE_URL?: string | undefined;
  readonly AI?: AiBinding | undefined;
}

interface DeploymentProvider {
  /** What stands before the slash of its models' names. */
  readonly name: string;
  /** What it would take, where the deployment hasn't got it. */
  readonly takes: string;
  /** What `default` means, where this is the first that the deployment has. */
  readonly defaultModel: string;
  /** A `DEFAULT_MODEL` without a provider is a model of this one. */
  readonly ownsBareNames?: true;
  /** How it is made; `undefined` where the deployment hasn't got it. */
  setUp(env: ModelEnvironment): ((ports: ModelPorts) => Promise<ModelProvider>) | undefined;
}

/** Each is evaluated with the first call of a model of its. */
export const providerModules = {
  offline: loaded(() => import("./providers/offline.js")),
  openAiCompatible: loaded(() => import("./providers/openai-compatible.js")),
  workersAi: loaded(() => import("./providers/workers-ai.js")),
};

/** In the order in which `default` chooses one. */
export const deploymentProviders: readonly DeploymentProvider[] = [
  {
    name: "openai",
    takes: "it takes the deployment's OPENAI_API_KEY",
    defaultModel: "gpt-5-mini",
    ownsBareNames: true,
    setUp({ OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL }) {
      if (!apiKey) return undefined;
      const options = {
        apiKey,
        ...defined({ baseURL: baseURL || undefined }),
        outputLimitField: "max_completion_tokens",
      } as const;
      return async (ports) => (await providerModules.openAiCompatible()).openAiCompatible(options, ports);
    },
  },
  {
    name: "workers-ai",
    takes: "it takes the binding AI, which a local Worker has not",
    defaultModel: "@cf/meta/llama-3.3-70b-instruct-fp8-fast",
    setUp: ({ AI }) => AI && (async (ports) => (await providerModules.workersAi()).workersAi(AI, ports)),
  },
];

/** What `default` means: a model of the first provider that the deployment has, or what its operator named in full. */
export function meaningOfDefault(env: ModelEnvironment, defaultModel: string | undefined): string {
  if (defaultModel?.includes("/")) return defaultModel;
  const first = deploymentProviders.find(({ setUp }) => setUp(env) !== undefined);
  if (first === undefined) return "offline";
  return `${first.name}/${(first.ownsBareNames ? defaultModel : undefined) ?? first.defaultModel}`;
}

/** The names of those that a deployment has. */
export function configuredProviders(env: ModelEnvironment): string[] {
  return deploymentProviders.filter(({ setUp }) => setUp(env) !== undefined).map(({ name }) => name);
}

/** What models of a provider would take that isn't there. */
export function whatProviderTakes(provider: string): string {
  const known = deploymentProviders.find(({ name }) => name === provider);
  return known?.takes ?? `the tenant's settings name no provider "${provider}"`;
}
