import type { CancelSignal } from "../../model/port.js";

/** Sends one request to a safe address, within limits of time and size. Rejects when it can't be reached. */
export type SendPort = (request: {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: CancelSignal;
}) => Promise<{ readonly status: number; readonly text: string }>;
