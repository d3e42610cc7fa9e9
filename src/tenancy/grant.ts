/** Programs that people let in: what a grant reaches, how long what comes of it counts, and where its answers may go. */
import { z } from "zod";
import { itemName } from "../conversation/names.js";
import { lazily } from "../text/lazily.js";

/** `own`: chats of the person's own, as an end user whose subject is the person's id. `role`: what the person's role may. */
export const reaches = ["own", "role"] as const;
export type Reach = (typeof reaches)[number];

/** How long a code, an access token and an unused grant count, in milliseconds. */
export const codeMs = 120_000;
export const accessTokenMs = 15 * 60_000;
export const idleGrantMs = 30 * 24 * 3_600_000;
/** How long a program's registration counts, in milliseconds. */
export const registrationMs = 365 * 24 * 3_600_000;
/** The most grants of one person at a time. */
export const mostGrants = 50;

export const grantSchema = lazily(() =>
  z.object({
    grantId: z.string(),
    personId: z.string(),
    /** What the program calls itself. */
    client: z.string(),
    /** Where its answers go: a host, or the scheme of an application. */
    clientHost: z.string(),
    reach: z.enum(reaches),
    /** Without any all. */
    agents: z.array(itemName).readonly().optional(),
    createdAt: z.iso.datetime(),
    /** When it was last given tokens. */
    lastUsedAt: z.iso.datetime().optional(),
    /** When it ends, if it isn't used until then. */
    expiresAt: z.iso.datetime(),
  }),
);
export type Grant = z.infer<ReturnType<typeof grantSchema>>;
