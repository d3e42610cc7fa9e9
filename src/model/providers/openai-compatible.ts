/** Any server that speaks OpenAI's chat completions, through the `openai` package. One attempt a call: retries are ours. */
import OpenAI from "openai";
import { ModelError } from "../port.js";
import type { ModelProvider } from "../provider.js";
import { attemptWithin, type ProviderDeadline } from "./deadline.js";
import { requestFailure } from "./failures.js";
import { chatCompletionParams, type OutputLimitField } from "./openai-request.js";
import { readStreamed, readWhole } from "./openai-response.js";
import { StreamPieces } from "./stream-pieces.js";

/** Where the server is and how to talk to it. */
export interface OpenAiCompatibleOptions {
  /** May be empty, for servers that want none: then no Authorization header is sent. */
  readonly apiKey: string;
  /** Up to and including the `/v1`; OpenAI's own if left out. */
  readonly baseURL?: string;
  readonly outputLimitField: OutputLimitField;
}

/** What calls over HTTP need of the platform. */
export interface HttpPorts {
  readonly withDeadline: ProviderDeadline;
  /** Replaces the global `fetch`, e.g. by one that refuses private addresses. */
  readonly fetch?: typeof fetch;
  /** Milliseconds since the epoch; only for `Retry-After` dates of servers that don't tell their own time. */
  readonly now?: () => number;
}

/** A provider behind a chat-completions API. */
export function openAiCompatible(options: OpenAiCompatibleOptions, ports: HttpPorts): ModelProvider {
  const now = ports.now ?? Date.now;
  const pieces = new StreamPieces(ports.withDeadline);
  let client: OpenAI | undefined;

  return {
    attempt: (model, request, { listener, signal }) => {
      const reply = attemptWithin(ports.withDeadline, request.timeoutMs, signal, async (abort) => {
        client ??= createClient(options, ports);
        const { outputLimitField } = options;
        const params = chatCompletionParams(model, request, { stream: listener !== undefined, outputLimitField });
        let response: Response;
        try {
          response = await client.chat.completions.create(params, { signal: abort }).asResponse();
        } catch (error) {
          throw requestFailure(error, now());
        }
        return listener === undefined
          ? readWhole(response, request)
          : readStreamed(response, request, listener, pieces);
      });
      return pieces.watch(reply);
    },
  };
}

function createClient(options: OpenAiCompatibleOptions, ports: HttpPorts): OpenAI {
  const baseURL = options.baseURL ?? "https://api.openai.com/v1";
  if (!URL.canParse(baseURL)) throw new ModelError("bad_request", "the base URL of the provider is not a URL");
  const keyless = options.apiKey === "";
  const client = new OpenAI({
    apiKey: keyless ? "none" : options.apiKey,
    baseURL,
    // Null, not left out: the package would take them from the environment, and send them to whatever server this is.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    // Its log lines may hold bodies.
    logLevel: "off",
    // A POST that is redirected would carry the conversation to another host.
    fetchOptions: { redirect: "manual" },
    ...(keyless ? { defaultHeaders: { Authorization: null } } : {}),
  });
  // Calls end by our deadline: the package's own would be one more timer and listener for each.
  const send = ports.fetch ?? fetch;
  client.fetchWithTimeout = (url, init) => send(url, init);
  return client;
}
