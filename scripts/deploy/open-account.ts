/** Who deploys, and into which account. */
import { z } from "zod";
import { Account } from "./account.js";
import { Refusal } from "./options.js";
import type { Ports } from "./ports.js";

/** As whom the environment says, or who has signed in with `wrangler login`. */
export async function openAccount({ environment, fetch: send, wrangler }: Ports): Promise<Account> {
  const apiUrl = environment.CLOUDFLARE_API_BASE_URL ?? "https://api.cloudflare.com/client/v4";
  const token = environment.CLOUDFLARE_API_TOKEN ?? (await loginToken(wrangler));
  if (!token) throw new Refusal("nobody is signed in: npx wrangler login, or set CLOUDFLARE_API_TOKEN.");
  const accountId = environment.CLOUDFLARE_ACCOUNT_ID ?? (await onlyAccount(apiUrl, token, send));
  return new Account({ fetch: send, apiUrl, token, accountId });
}

/** Wrangler renews it where it has expired. */
async function loginToken(wrangler: Ports["wrangler"]): Promise<string | undefined> {
  const { status, output } = await wrangler(["auth", "token", "--json"]);
  if (status !== 0) return undefined;
  const json = output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1);
  return z.object({ token: z.string() }).safeParse(JSON.parse(json || "{}")).data?.token;
}

async function onlyAccount(apiUrl: string, token: string, send: typeof fetch): Promise<string> {
  const response = await send(`${apiUrl}/accounts?per_page=50`, { headers: { authorization: `Bearer ${token}` } });
  const listed = z
    .object({ result: z.array(z.object({ id: z.string(), name: z.string() })) })
    .safeParse(await response.json().catch(() => undefined));
  const accounts = listed.data?.result ?? [];
  const [first] = accounts;
  if (first !== undefined && accounts.length === 1) return first.id;
  throw new Refusal(
    accounts.length === 0
      ? `the token shows no account (${response.status}). Sign in again with npx wrangler login, or set CLOUDFLARE_ACCOUNT_ID.`
      : `there are several accounts; set CLOUDFLARE_ACCOUNT_ID to one of ${accounts.map(({ id, name }) => `${id} (${name})`).join(", ")}.`,
  );
}
