/** Which methods an address takes, as the routes themselves say: for the `Allow` of a 405. Asked only where no route answered. */
import type { Env, Hono, Schema } from "hono";

/** In the order of an `Allow` header. */
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** What is registered for every method is no route of an address: it stands before and behind the routes. */
const forEveryMethod = "ALL";

/**
 * @param path as the router sees it
 * @returns the methods that a route answers at this path, HEAD with GET; none where no route is there at all
 */
export function allowedMethods<E extends Env, S extends Schema>({ router }: Hono<E, S>, path: string): string[] {
  return methods.flatMap((method) => {
    const [handlers] = router.match(method, path);
    if (!handlers.some(([[, route]]) => route.method !== forEveryMethod)) return [];
    return method === "GET" ? ["GET", "HEAD"] : [method];
  });
}
