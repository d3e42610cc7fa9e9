/** How the bodies of resources lie in D1: as JSON, with their secrets sealed. */
import { z } from "zod";
import { type Sealer, UnopenedError } from "../platform/secrets.js";
import { type ResourceBody, type ResourceKind, resourceSchemas } from "../tenancy/resources.js";
import { mapSecretsLater, secretsIn } from "../tenancy/secrets.js";

/** Stands before what is sealed. What was stored before secrets were sealed has none, and is read as it is. */
const sealedMark = "sealed:";
/** Stands for a secret that was sealed under a secret that isn't there any more, where it is hidden anyway. */
const unreadable = "[sealed under another secret; store it again]";

const storedBody = z.record(z.string(), z.unknown());

export function parseBody<K extends ResourceKind>(kind: K, body: unknown): ResourceBody<K> {
  return resourceSchemas[kind].parse(body);
}

export class SealedBodies {
  constructor(private readonly sealer: Sealer) {}

  async seal(body: object): Promise<string> {
    return JSON.stringify(await mapSecretsLater(body, async (secret) => sealedMark + (await this.sealer.seal(secret))));
  }

  /** To be used. @throws when a secret can't be opened */
  async open<K extends ResourceKind>(kind: K, name: string, stored: string): Promise<ResourceBody<K>> {
    const opened = await this.opened(stored, () => {
      throw new UnopenedError(
        `The secrets of ${kind}/${name} can't be opened: they are sealed under a secret that this deployment doesn't have. Set SEALING_SECRET_PREVIOUS to that one, or store ${kind}/${name} again.`,
      );
    });
    return parseBody(kind, opened);
  }

  /** To be shown: a secret that can't be opened any more is no obstacle to that. */
  async openForShow<K extends ResourceKind>(kind: K, stored: string): Promise<ResourceBody<K>> {
    return parseBody(kind, await this.opened(stored, () => unreadable));
  }

  /** Whether that is what is stored, and sealed: sealed anew, the same secret reads otherwise. */
  async isStored(body: object, stored: string): Promise<boolean> {
    const text = JSON.stringify(body);
    if (secretsIn(body).length === 0) return stored === text;
    return stored !== text && JSON.stringify(await this.opened(stored, () => unreadable)) === text;
  }

  private opened(stored: string, unopened: () => string): Promise<object> {
    return mapSecretsLater(storedBody.parse(JSON.parse(stored)), async (secret) =>
      secret.startsWith(sealedMark) ? this.sealer.open(secret.slice(sealedMark.length)).catch(unopened) : secret,
    );
  }
}
