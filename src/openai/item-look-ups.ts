/** Items that stand for others: references to what was put out before, and compactions of a conversation. */
import { readResponse } from "../application/openai/read-response.js";
import type { Services } from "../application/services.js";
import type { Actor } from "../tenancy/actor.js";
import { openCompaction } from "./compaction.js";
import { OpenAiError } from "./errors.js";
import type { InputItem, ToldItem } from "./response-items.js";
import { type OutputItem, responseOf, responseOfItem } from "./response-object.js";
import { headOf } from "./stored-response.js";

/** So many responses may be referred to in one request. */
const maxReferred = 100;

/** The items, each standing for itself. @throws {OpenAiError} where one stands for nothing */
export async function lookUpItems(items: readonly InputItem[], actor: Actor, services: Services): Promise<ToldItem[]> {
  const outputs = new Map<string, Promise<readonly OutputItem[]>>();
  const outputOf = (id: string): Promise<readonly OutputItem[]> => {
    const known = outputs.get(id) ?? readOutput(id, actor, services);
    outputs.set(id, known);
    return known;
  };
  return Promise.all(
    items.map(async (item, at): Promise<ToldItem> => {
      if (item.type === "compaction") {
        const summary = await openCompaction(actor, item.encrypted_content, services);
        if (summary === undefined) throw wrongItem(at, "encrypted_content", "It is no compaction of yours.");
        return { type: "message", role: "user", content: summary };
      }
      if (item.type !== "item_reference") return item;
      const responseId = responseOfItem(item.id);
      if (responseId !== undefined && !outputs.has(responseId) && outputs.size >= maxReferred) {
        throw wrongItem(at, "id", `Items of at most ${maxReferred} responses can be referred to.`);
      }
      const found =
        responseId === undefined ? undefined : (await outputOf(responseId)).find(({ id }) => id === item.id);
      if (found === undefined) throw wrongItem(at, "id", `There is no item "${item.id}" that was stored.`);
      return found;
    }),
  );
}

async function readOutput(id: string, actor: Actor, services: Services): Promise<readonly OutputItem[]> {
  const stored = await readResponse(actor, id, services);
  const head = stored.ok ? headOf(stored.value) : undefined;
  return stored.ok && head !== undefined ? responseOf(head, stored.value.turn).output : [];
}

function wrongItem(at: number, field: string, detail: string): OpenAiError {
  return new OpenAiError(400, "invalid_value", detail, `input[${at}].${field}`);
}
