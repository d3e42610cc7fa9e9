/** Calls of jobs on a person's data. Their names carry the tenant. */
import { z } from "zod";
import { type JobDefinition, type SubjectJob, subjectJobSchema } from "../tenancy/subjects.js";
import { lazily } from "../text/lazily.js";
import type { PlacedObjects } from "./placement.js";
import { toWire, type Wire } from "./wire.js";

/** A part of a file. */
export interface FilePart {
  readonly n: number;
  readonly body: string;
}

export interface SubjectJobObject {
  /** Made once under its id, so that this can be repeated; one that was given up is begun again where it was. */
  begin(definition: Wire<JobDefinition>): Promise<Wire<SubjectJob>>;
  /** As it is, or once it has ended or waits; nothing where there is none. */
  describe(waitMs: number): Promise<Wire<SubjectJob | null>>;
  /** The next part of a file; nothing behind its last. */
  part(kind: string, after: number): Promise<Wire<FilePart | null>>;
  remove(): Promise<void>;
}

const shownSchema = lazily(() => subjectJobSchema().nullable());
const partSchema = lazily(() => z.object({ n: z.int(), body: z.string() }).nullable());

export class SubjectJobGateway {
  constructor(private readonly objects: PlacedObjects<SubjectJobObject>) {}

  begin(definition: JobDefinition): Promise<SubjectJob> {
    const { tenantId, jobId } = definition;
    return this.objects.read([tenantId, jobId], subjectJobSchema(), (object) => object.begin(toWire(definition)));
  }

  async describe(tenantId: string, jobId: string, waitMs = 0): Promise<SubjectJob | undefined> {
    const read = (object: SubjectJobObject) => object.describe(waitMs);
    return (await this.objects.read([tenantId, jobId], shownSchema(), read)) ?? undefined;
  }

  async part(tenantId: string, jobId: string, kind: string, after: number): Promise<FilePart | undefined> {
    const read = (object: SubjectJobObject) => object.part(kind, after);
    return (await this.objects.read([tenantId, jobId], partSchema(), read)) ?? undefined;
  }

  remove(tenantId: string, jobId: string): Promise<void> {
    return this.objects.call([tenantId, jobId], (object) => object.remove());
  }
}
