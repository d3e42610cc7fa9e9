/** Drives a run once: gathers its setup and enters the durable function. */

import type { RootPlatform } from "../../src/application/root-platform.js";
import { loadRunSetup } from "../../src/application/run-setup.js";
import { saltedHash } from "../../src/application/salted-hash.js";
import { ReplyStream } from "../../src/chat/reply-stream.js";
import { type RunEnd, runRouting } from "../../src/routing/run.js";
import { openStreamGate } from "../../src/supervision/stream-gate.js";
import { agentPorts } from "../kit/agent-ports.js";
import type { Lease } from "../kit/driver.js";
import type { Kit } from "../kit/kit.js";
import type { RoutingRunStore } from "./store.js";

/** @param streams gets what is shown of the response, for who comes late. @throws {Parked} while the run waits for an ask. */
export async function driveRun(
  store: RoutingRunStore,
  kit: Kit,
  platform: RootPlatform,
  { signal, isHeld }: Lease,
  streams: (stream: ReplyStream) => void,
): Promise<RunEnd> {
  const { tenantId, runId, definition, salt, createdAt } = store.run();
  const journal = kit.journal(runId, isHeld);
  const { metadata, subject } = definition;
  const team = typeof definition.team === "string" ? definition.team : "inline";
  const origin = { runId, team, subject, metadata };
  const loaded = await loadRunSetup({ tenantId, definition, origin, health: kit.health }, journal, platform);
  if (!loaded.ok) {
    const error = { code: "failed" as const, detail: loaded.detail };
    return { status: "failed", outcome: { error, clarifications: [], degraded: [] } };
  }
  const { input } = definition;
  const ports = agentPorts(kit, platform, {
    tenantId,
    origin,
    ownerId: runId,
    ref: { type: "run", id: runId },
    hash: (passed) => saltedHash(salt, passed),
    signal,
    settings: loaded.policies,
    environment: {
      transcript: () => {
        kit.works.flush(runId);
        const { input: effective } = store.run();
        return effective === undefined ? [] : [{ role: "user", content: effective }];
      },
    },
    keepPass: (state) => store.passes.add(state),
    reviewPass: (before, after) => store.passes.replace(before, after),
  });
  const stream = new ReplyStream(() => openStreamGate(loaded.supervisors), {
    delta: (delta) => kit.events.announce("run.delta", runId, { runId, ...delta }),
    retracted: (attempt) => kit.events.announce("run.retracted", runId, { runId, attempt }),
  });
  streams(stream);
  return runRouting({ runId, input, metadata, subject, acceptedAt: createdAt }, loaded.team, {
    ...ports,
    journal,
    model: await platform.model(tenantId),
    supervisors: loaded.supervisors,
    stream,
    observer: {
      ...ports.observer,
      keepsTexts: true,
      traced: (entry) => kit.events.append(entry.type, runId, { runId, entry: store.addTrace(entry) }),
    },
    inputDecided: (effective) => store.setInput(effective),
  });
}
