/**
 * What OAuth hands to programs: registrations, codes and tokens. Each is a sealed text that says what it is for, so that nobody makes or
 * changes one and nothing is kept of what nobody uses; what counts once or can be taken back names a grant, which has a row.
 */
import { z } from "zod";
import type { Sealer } from "../../platform/secrets.js";
import { readJson } from "../../text/json.js";
import { lazily } from "../../text/lazily.js";

interface OfGrant {
  readonly tenantId: string;
  readonly grantId: string;
  /** The digest of the program's id: what was given to one isn't another's. */
  readonly client: string;
  /** What it opens, and nothing else: `https://host/mcp`. */
  readonly audience: string;
}

export interface Claims {
  /** A program's registration. */
  cnc: { readonly name: string; readonly redirectUris: readonly string[]; readonly expiresAt: number };
  code: OfGrant & {
    readonly redirectUri: string;
    readonly challenge: string;
    readonly scope: string;
    readonly expiresAt: number;
  };
  /** A refresh token. `count` is how often tokens had been given out when it was made. */
  cnr: OfGrant & { readonly count: number; readonly scope: string };
  /** An access token. */
  cno: OfGrant & { readonly issuedAt: number; readonly expiresAt: number };
}

const shapes = lazily((): { [K in keyof Claims]: z.ZodType<Claims[K]> } => {
  const ofGrant = { tenantId: z.string(), grantId: z.string(), client: z.string(), audience: z.string() };
  const expiresAt = z.number();
  return {
    cnc: z.object({ name: z.string(), redirectUris: z.array(z.string()), expiresAt }),
    code: z.object({ ...ofGrant, redirectUri: z.string(), challenge: z.string(), scope: z.string(), expiresAt }),
    cnr: z.object({ ...ofGrant, count: z.int(), scope: z.string() }),
    cno: z.object({ ...ofGrant, issuedAt: z.int(), expiresAt }),
  };
});

/** The longest that anybody sends, in characters. */
const longest = 8_000;

/** @param kind its prefix too, so that it is known by sight when it leaks: `cno_…` */
export async function sealClaims<K extends keyof Claims>(kind: K, claims: Claims[K], sealer: Sealer): Promise<string> {
  return `${kind}_${await sealer.seal(`oauth ${kind} ${JSON.stringify(claims)}`)}`;
}

/** What a text says; nothing where it is none of ours of that kind. Whether it counts still is another question. */
export async function openClaims<K extends keyof Claims>(
  kind: K,
  text: string,
  sealer: Sealer,
): Promise<Claims[K] | undefined> {
  if (!text.startsWith(`${kind}_`) || text.length > longest) return undefined;
  const opened = await sealer.open(text.slice(kind.length + 1)).catch(() => "");
  const intro = `oauth ${kind} `;
  if (!opened.startsWith(intro)) return undefined;
  return shapes()[kind].safeParse(readJson(opened.slice(intro.length)).value).data;
}
