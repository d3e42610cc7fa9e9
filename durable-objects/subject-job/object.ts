/** The object of a job on a person's data as others call it: what it does is in `SubjectJobEngine`. */
import { environmentOf } from "../../src/composition/databases.js";
import { composeSubjectJob } from "../../src/composition/objects.js";
import type { FilePart, SubjectJobObject } from "../../src/gateways/subject-job-gateway.js";
import { fromWire, toWire, type Wire } from "../../src/gateways/wire.js";
import { type JobDefinition, jobDefinitionSchema, type SubjectJob as ShownJob } from "../../src/tenancy/subjects.js";
import { tenantOf } from "../kit/home.js";
import { StoredObject } from "../kit/stored-object.js";
import { SubjectJobEngine } from "./engine.js";
import { subjectJobSchemaSteps } from "./schema.js";

/** Hands out or erases what is kept of one person. */
export class SubjectJob extends StoredObject<SubjectJobEngine> implements SubjectJobObject {
  private readonly job;

  constructor(ctx: DurableObjectState, env: Env) {
    const job = composeSubjectJob(environmentOf(env, tenantOf(ctx, "job")));
    super(ctx, env, subjectJobSchemaSteps, new SubjectJobEngine(ctx, job));
    this.job = job;
    // A new instance goes on at once with what the one before it left, whatever woke it.
    if (this.canGoOn()) this.engine.kit.resume();
  }

  async begin(definition: Wire<JobDefinition>): Promise<Wire<ShownJob>> {
    const parsed = fromWire(definition, jobDefinitionSchema());
    const { kinds } = await this.job.platform();
    if (!this.exists()) {
      this.ctx.storage.transactionSync(() => {
        this.makeTables();
        this.engine.create(parsed, kinds(parsed));
      });
    } else this.engine.beginAgain();
    return toWire(this.engine.describe());
  }

  async describe(waitMs: number): Promise<Wire<ShownJob | null>> {
    if (!this.exists()) return toWire(null);
    await this.engine.settled(waitMs);
    return toWire(this.exists() ? this.engine.describe() : null);
  }

  async part(kind: string, after: number): Promise<Wire<FilePart | null>> {
    return toWire(this.exists() ? (this.engine.part(kind, after) ?? null) : null);
  }

  async remove(): Promise<void> {
    if (!this.exists()) return;
    await this.engine.kit.stop();
    await this.engine.kit.empty();
  }
}
