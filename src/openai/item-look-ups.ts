/** Items that stand for others: references to what was put out before, and compactions of a conversation. */
import { isOfAnother, readResponse } from "../application/openai/read-response.js";
import type { Services } from "../application/services.js";
import { attempt } from "../conversation/problem.js";
import type { Actor } from "../tenancy/actor.js";
import { openCompaction } from "./compaction.js";
import { OpenAiError } from "./errors.js";
import type { InputItem, WholeItem } from "./response-items.js";
import { type OutputItem, responseOf, responseOfItem } from "./response-object.js";
import { headOf } from "./stored-response.js";

/** So many responses are read at once; and what they put out may have so many characters. */
const readAtOnce = 8;
const maxCharacters = 1_000_000;

/** Who sends the items, and the end user they are sent for, if one is named. */
interface Sender {
  readonly actor: Actor;
  readonly subject?: string | undefined;
}

/** The items, each standing for itself. @throws {OpenAiError} where one stands for nothing */
export async function lookUpItems(
  items: readonly InputItem[],
  sender: Sender,
  services: Services,
): Promise<WholeItem[]> {
  const outputs = await readOutputs(items, sender, services);
  const resolved: WholeItem[] = [];
  for (const [at, item] of items.entries()) {
    if (item.type === "compaction") {
      const summary = await openCompaction(sender.actor, item.encrypted_content, services);
      if (summary === undefined) throw wrongItem(at, "encrypted_content", "It is no compaction of yours.");
      resolved.push({ type: "message", role: "user", content: summary });
    } else if (item.type === "item_reference") {
      const found = outputs.get(item.id);
      if (found === undefined) throw wrongItem(at, "id", `There is no item "${item.id}" that was stored.`);
      resolved.push({ ...found, isStored: true });
    } else resolved.push(item);
  }
  return resolved;
}

/** What the responses put out that items refer to, by the ids of those items. */
async function readOutputs(
  items: readonly InputItem[],
  sender: Sender,
  services: Services,
): Promise<ReadonlyMap<string, OutputItem>> {
  const ids = items.flatMap((item) => (item.type === "item_reference" ? (responseOfItem(item.id) ?? []) : []));
  const responses = [...new Set(ids)];
  const outputs = new Map<string, OutputItem>();
  let read = 0;
  for (let at = 0; at < responses.length; at += readAtOnce) {
    const page = responses.slice(at, at + readAtOnce);
    const found = (await Promise.all(page.map((id) => readOutput(id, sender, services)))).flat();
    for (const item of found) outputs.set(item.id, item);
    read += JSON.stringify(found).length;
    if (read > maxCharacters) {
      throw new OpenAiError(413, "request_too_large", "The items that are referred to are too long together.", "input");
    }
  }
  return outputs;
}

async function readOutput(id: string, { actor, subject }: Sender, services: Services): Promise<readonly OutputItem[]> {
  const stored = await attempt(() => readResponse(actor, { id }, services));
  if (!stored.ok || isOfAnother(stored.value.session, subject)) return [];
  const head = headOf(stored.value);
  return head !== undefined ? responseOf(head, stored.value.turn).output : [];
}

function wrongItem(at: number, field: string, detail: string): OpenAiError {
  return new OpenAiError(400, "invalid_value", detail, `input[${at}].${field}`);
}
