/** Cloudflare Access in front of the console: whose team vouches for a tenant's people, and for which of its applications. */
import { z } from "zod";
import { lazily } from "../text/lazily.js";

export const accessSchema = lazily(() =>
  z.strictObject({
    teamDomain: z
      .string()
      .max(300)
      .regex(/^(?:https?:\/\/)?[\w.:-]+(?:\/[\w/-]*)?$/, "it has to be a host, such as acme.cloudflareaccess.com")
      .describe("The team's domain: `acme.cloudflareaccess.com`."),
    audience: z
      .string()
      .regex(/^[\w-]{20,200}$/, "it has to be the application's AUD tag")
      .describe("The AUD tag of the Access application that stands before `/console`."),
  }),
);

/** Who signs for a team, as its tokens name it. @example issuerOf("acme.cloudflareaccess.com") // "https://acme.cloudflareaccess.com" */
export function issuerOf(teamDomain: string): string {
  const address = teamDomain.includes("://") ? teamDomain : `https://${teamDomain}`;
  return address.endsWith("/") ? address.slice(0, -1) : address;
}

/** What Access says of who is at the door, as far as it matters here; of programs (service tokens) it names no address. */
export const accessClaimsSchema = lazily(() =>
  z.object({
    iss: z.string(),
    aud: z.union([z.string().transform((one) => [one]), z.array(z.string()).max(20)]),
    email: z.string().max(254).toLowerCase(),
    exp: z.number(),
    nbf: z.number().optional(),
  }),
);
export type AccessClaims = z.infer<ReturnType<typeof accessClaimsSchema>>;

/** Clocks differ by this much at most, in milliseconds. */
const leewayMs = 60_000;

export function accessCounts({ exp, nbf = 0 }: AccessClaims, now: number): boolean {
  return exp * 1_000 > now - leewayMs && nbf * 1_000 < now + leewayMs;
}
