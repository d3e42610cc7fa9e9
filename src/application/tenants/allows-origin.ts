/** Whether some tenant lets pages of an origin call it from a browser. Not an act: nobody has said yet who they are. */
import type { Services } from "../services.js";

export function allowsOrigin(origin: string, { tenants }: Services): Promise<boolean> {
  return tenants.allowsOrigin(origin);
}
