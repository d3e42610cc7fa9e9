/** Starts the scripted upstream once for all tests, in Node; tests find it under its address, in workerd too. */
import type { TestProject } from "vitest/node";
import { startUpstream } from "./scripted-upstream.js";

declare module "vitest" {
  interface ProvidedContext {
    upstreamUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const upstream = await startUpstream();
  project.provide("upstreamUrl", upstream.url);
  return () => upstream.stop();
}
