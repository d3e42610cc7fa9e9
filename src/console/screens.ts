/** All screens of the console, in the order of the navigation. Another one is a file in `screens/` and a line here. */
import type { Screen } from "./screen.js";
import { audit } from "./screens/audit.js";
import { authorize } from "./screens/authorize.js";
import { channel, channels } from "./screens/channels.js";
import { conversation } from "./screens/conversation.js";
import { conversations } from "./screens/conversations.js";
import { dataset, datasets } from "./screens/datasets.js";
import { decision, decisions } from "./screens/decisions.js";
import { endUsers, endUsersFile, endUsersJob } from "./screens/end-users.js";
import { evals, evaluation } from "./screens/evals.js";
import { experiment, experiments } from "./screens/experiments.js";
import { grants } from "./screens/grants.js";
import { ask, inbox } from "./screens/inbox.js";
import { keys } from "./screens/keys.js";
import { memories, memory, memoryContext } from "./screens/memories.js";
import { memoryEntry } from "./screens/memory-entry.js";
import { message } from "./screens/message.js";
import { overview } from "./screens/overview.js";
import { people } from "./screens/people.js";
import { replay } from "./screens/replay.js";
import { resources } from "./screens/resources.js";
import { roundtable, roundtables } from "./screens/roundtables.js";
import { run, runs, runTrace } from "./screens/runs.js";
import { settings } from "./screens/settings.js";
import { several } from "./screens/several.js";
import { supervisorComparison } from "./screens/supervisor-comparison.js";
import { turn } from "./screens/turn.js";
import { watched } from "./screens/watched.js";
import { webhook, webhooks } from "./screens/webhooks.js";
import { you } from "./screens/you.js";

export const screens: readonly Screen[] = [
  ...[overview, inbox, several, ask, conversations, conversation, message, turn, replay],
  ...[runs, run, runTrace, roundtables, roundtable, decisions, decision],
  ...watched,
  ...[memories, memory, memoryEntry, memoryContext],
  ...[datasets, dataset, evals, evaluation, experiments, experiment],
  ...resources,
  supervisorComparison,
  ...[
    people,
    endUsers,
    endUsersJob,
    endUsersFile,
    keys,
    grants,
    channels,
    channel,
    webhooks,
    webhook,
    settings,
    audit,
    you,
    authorize,
  ],
];
