/** What a handler finds in its request: the actor and the services. Handlers parse, call one act, and render what it gives. */
import type { Context } from "hono";
import { problem } from "../conversation/problem.js";
import type { Actor } from "../tenancy/actor.js";
import type { FaceEnv } from "./face.js";

/** What holds of every face's requests holds of the app's own. */
export type AppEnv = FaceEnv;

export function actorOf(c: Context<AppEnv>): Actor {
  const actor = c.get("actor");
  if (actor === undefined) throw problem("unauthorized", "Send a tenant's key as `Authorization: Bearer cnk_…`.");
  return actor;
}
