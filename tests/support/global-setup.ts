/** Makes what the Worker reads as assets, and starts the scripted upstream once for all tests, in Node; tests find it under its address, in workerd too. */
import { execFileSync } from "node:child_process";
import type { TestProject } from "vitest/node";
import { startUpstream } from "./scripted-upstream.js";

declare module "vitest" {
  interface ProvidedContext {
    upstreamUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync(process.execPath, ["scripts/assets.mjs"]);
  const upstream = await startUpstream();
  project.provide("upstreamUrl", upstream.url);
  return () => upstream.stop();
}
