/** Delete a resource. Turns under way keep the version they began with. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import { act } from "../act.js";
import { doOnce } from "../creation.js";
import { noResource, resourceName } from "./read-resource.js";

export const deleteResource = act("deleteResource", {
  role: "operator",
  input: () => z.object(resourceName()),
  run: async (actor, { kind, name }, services) => {
    const remove = async (claim?: WorkClaim): Promise<void> => {
      const wasThere = await services.resources.remove(actor.tenantId, kind, name, { by: recordOf(actor), claim });
      if (!wasThere) throw noResource(kind, name);
    };
    await doOnce(actor, services, remove, async () => {});
  },
});
