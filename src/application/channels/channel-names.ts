/** Names of people and conversations of a channel, as long as ids may be: unlike ones stay unlike. */
import { externalIdOf, personOf } from "../../channels/inbound.js";
import { sha256Hex } from "../../platform/digest.js";

/** The most characters of a subject and of an externalId. */
const longestName = 200;

export function personName(kind: string, userId: string): Promise<string> {
  return fitting(personOf(kind, userId));
}

export function conversationName(channelId: string, conversation: string, generation: number): Promise<string> {
  return fitting(externalIdOf(channelId, conversation, generation));
}

/** What is too long ends in the digest of the whole, and alone has the full length: nobody's own name can be spelled like it. */
async function fitting(name: string): Promise<string> {
  if (name.length < longestName) return name;
  const digest = await sha256Hex(name);
  return `${name.slice(0, longestName - 1 - digest.length)}~${digest}`;
}
