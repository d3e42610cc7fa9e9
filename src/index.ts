/** The Worker: what it answers, takes from queues and does by schedule, and the objects it exports. */
import { ChannelConversation } from "../durable-objects/channel-conversation/object.js";
import { ChatSession } from "../durable-objects/chat-session/object.js";
import { Dataset } from "../durable-objects/dataset/object.js";
import { MemoryThread } from "../durable-objects/memory-thread/object.js";
import { Roundtable } from "../durable-objects/roundtable/object.js";
import { RoutingRun } from "../durable-objects/routing-run/object.js";
import { SubjectJob } from "../durable-objects/subject-job/object.js";
import { TenantBudget } from "../durable-objects/tenant-budget/object.js";
import { eachDatabase } from "./application/home.js";
import { runMaintenance } from "./application/system/run-maintenance.js";
import { composeServices } from "./composition/services.js";
import { faces } from "./faces.js";
import { openOnDemand } from "./http/app.js";
import { consumeJobs } from "./queue/job-consumer.js";
import { deploymentActor } from "./tenancy/actor.js";

export { ChannelConversation, ChatSession, Dataset, MemoryThread, Roundtable, RoutingRun, SubjectJob, TenantBudget };

/** The schedule that looks after what is owed alone; any other does all the housekeeping. `wrangler.toml` sets them. */
const everyMinute = "* * * * *";

export default {
  fetch: openOnDemand(composeServices, faces),
  queue: (batch, env) => consumeJobs(batch.messages, composeServices(env)),
  scheduled: async (controller, env) => {
    const owedAlone = controller.cron === everyMinute;
    const schedule = { at: controller.scheduledTime, owedAlone };
    await eachDatabase(composeServices(env), (services) => runMaintenance(deploymentActor, schedule, services));
  },
} satisfies ExportedHandler<Env>;
