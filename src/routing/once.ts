import { z } from "zod";
import type { TeamContext } from "./team-run.js";

/** A step without a result of its own; what it does can be done again. */
export async function once(run: TeamContext, id: string, work?: () => Promise<void>, told?: () => void): Promise<void> {
  await run.ports.journal.step<true>(
    {
      id,
      kind: "commit",
      schema: z.literal(true),
      interrupted: "again",
      ...(told === undefined ? {} : { onDone: told }),
    },
    async () => {
      await work?.();
      return true;
    },
  );
}
