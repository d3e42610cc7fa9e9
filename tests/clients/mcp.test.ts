/** Programs that speak MCP and that nobody here wrote: the protocol's conformance suite and the inspector, in both generations. */
import { execFile } from "node:child_process";
import type { Server } from "node:http";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { WorkerProcess } from "../process/worker.js";
import { keyedProxy } from "./keyed-proxy.js";

const run = promisify(execFile);
const here = import.meta.dirname;

let worker: WorkerProcess;
let proxy: { origin: string; server: Server };
let key: string;

beforeAll(async () => {
  worker = new WorkerProcess();
  await worker.start();
  key = await worker.tenantKey();
  await worker.call("PUT", "/v1/agents/assistant", key, { kind: "model", model: "offline", instructions: "Help." });
  proxy = await keyedProxy(worker.variables.URL, key);
});

afterAll(async () => {
  proxy?.server.close();
  proxy?.server.closeAllConnections();
  await worker?.end();
});

describe("the conformance suite", () => {
  it.each([
    ["2025-11-25", "@modelcontextprotocol/conformance", ["--suite", "active"], "mcp-baseline-2025.yaml"],
    ["2026-07-28", "conformance-next", ["--requirements", "2026-07-28"], "mcp-baseline-2026.yaml"],
  ])(
    "of %s passes, but for scenarios that its baseline names with the reason",
    async (_name, program, suite, baseline) => {
      const args = ["server", "--url", `${proxy.origin}/mcp`, ...suite, "--expected-failures", `${here}/${baseline}`];
      const { stdout } = await run(process.execPath, [`${here}/node_modules/${program}/dist/index.js`, ...args], {
        maxBuffer: 50_000_000,
      }).catch((error: unknown) => {
        throw new Error(String(error instanceof Error && "stdout" in error ? error.stdout : error).slice(-6_000));
      });
      expect(stdout).toContain("✓ tools-list");
      expect(stdout).toContain("✓ dns-rebinding-protection");
    },
  );
});

const toolsSchema = z.object({ tools: z.array(z.object({ name: z.string() })) });
const resultSchema = z.object({ structuredContent: z.looseObject({ sessionId: z.string().default("") }) });

describe.each(["legacy", "modern"])("the inspector's command line, %s", (era) => {
  async function inspect(...args: readonly string[]): Promise<unknown> {
    const target = [`${worker.variables.URL}/mcp`, "--transport", "http", "--protocol-era", era];
    const { stdout } = await run(process.execPath, [
      `${here}/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js`,
      ...["--cli", ...target, "--header", `Authorization: Bearer ${key}`, "--quiet", ...args],
    ]);
    return JSON.parse(stdout);
  }

  it("lists tools, and carries a chat", async () => {
    const { tools } = toolsSchema.parse(await inspect("--method", "tools/list"));
    expect(tools.map(({ name }) => name)).toContain("send_message");
    const call = async (name: string, args: object) =>
      resultSchema.parse(
        await inspect("--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args)),
      ).structuredContent;
    const { sessionId } = await call("create_session", { agent: "assistant" });
    expect(await call("send_message", { sessionId, content: "Hello." })).toMatchObject({ status: "completed" });
  });
});
