// A CPU profile of the Worker's isolates, taken over the inspector of workerd.

/** Profiles what runs during `work`. @returns the profiles of all isolates that were busy, and how long in milliseconds */
export async function profile(inspectorPort, work) {
  const all = await (await fetch(`http://127.0.0.1:${inspectorPort}/json`)).json();
  // The other targets are Miniflare's own.
  const targets = all.filter(({ id }) => id.startsWith("core:user:"));
  const sessions = await Promise.all(targets.map(({ webSocketDebuggerUrl }) => connect(webSocketDebuggerUrl)));
  for (const session of sessions) {
    await session.send("Profiler.enable");
    await session.send("Profiler.setSamplingInterval", { interval: 200 });
    await session.send("Profiler.start");
  }
  await work();
  const profiles = [];
  for (const session of sessions) {
    profiles.push((await session.send("Profiler.stop")).profile);
    session.close();
  }
  return { profiles, busyMs: profiles.reduce((sum, one) => sum + busyMs(one), 0) };
}

/** Milliseconds of a profile by node, without those in which nothing ran. */
export function timeByNode({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const taken = new Map();
  for (const [at, id] of samples.entries()) {
    const node = byId.get(id);
    if (node === undefined || ["(idle)", "(root)"].includes(node.callFrame.functionName)) continue;
    // The time between this sample and the next is this one's.
    taken.set(node, (taken.get(node) ?? 0) + (timeDeltas[at + 1] ?? 0) / 1_000);
  }
  return taken;
}

function busyMs(one) {
  // What the runtime does outside of JavaScript, waiting among it, is no time of the Worker's.
  return [...timeByNode(one)].reduce(
    (sum, [node, ms]) => sum + (node.callFrame.functionName === "(program)" ? 0 : ms),
    0,
  );
}

async function connect(url) {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", reject, { once: true });
  });
  const waiting = new Map();
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    const one = waiting.get(id);
    waiting.delete(id);
    if (error !== undefined) one?.reject(new Error(error.message));
    else one?.resolve(result);
  });
  let count = 0;
  return {
    send: (method, params = {}) =>
      new Promise((resolve, reject) => {
        const id = ++count;
        waiting.set(id, { resolve, reject });
        socket.send(JSON.stringify({ id, method, params }));
      }),
    close: () => socket.close(),
  };
}
