/** A request's body as text, within a limit. */
import { problem } from "../conversation/problem.js";

/** The most that a body may have, in bytes. */
const maxBodyBytes = 1_000_000;

/** @returns the text, without a byte order mark */
export async function readLimited(request: Request): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let size = 0;
  let text = "";
  try {
    // The runtime reads no more than was announced: at once, where that is little enough.
    if (isWithinLimit(request.headers.get("content-length"))) return decoder.decode(await request.arrayBuffer());
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBodyBytes) break;
      text += decoder.decode(chunk, { stream: true });
    }
    if (size <= maxBodyBytes) return text + decoder.decode();
  } catch {
    throw problem("bad_request", "The body isn't valid UTF-8, or ended too early.");
  }
  throw problem("too_large", `A body may have at most ${maxBodyBytes} bytes.`);
}

function isWithinLimit(announced: string | null): boolean {
  return announced !== null && /^\d{1,7}$/.test(announced) && Number(announced) <= maxBodyBytes;
}
