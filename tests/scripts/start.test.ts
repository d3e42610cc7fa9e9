import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { describe, expect, it } from "vitest";

/** Runs `npm start`'s script to its end. */
function start(port: string, ...args: string[]): Promise<{ code: number | null; said: string }> {
  const { npm_lifecycle_event: _, ...env } = process.env;
  const script = spawn(process.execPath, ["scripts/start.mjs", ...args], { env: { ...env, PORT: port } });
  let said = "";
  script.stdout.on("data", (text) => (said += text));
  script.stderr.on("data", (text) => (said += text));
  return new Promise((resolve) => script.on("close", (code) => resolve({ code, said })));
}

/** Something that listens on a port already. */
async function occupied(answer: unknown, use: (port: number) => Promise<void>): Promise<void> {
  const server = createServer((_request, response) => void response.end(JSON.stringify(answer)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  try {
    await use(typeof address === "object" && address !== null ? address.port : 0);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe("npm start", () => {
  it("says that its port is taken, and what to do, and fails", () =>
    occupied({}, async (port) => {
      const { code, said } = await start(String(port));
      expect(said).toContain(`port ${port} is taken by another program`);
      expect(said).toContain("PORT=8788 npm start");
      expect(code).toBe(1);
    }));

  it("knows another Conclave when it meets one", () =>
    occupied({ version: "0.1.0", checks: {} }, async (port) => {
      expect((await start(String(port))).said).toContain("is taken by another Conclave");
    }));

  it("takes its port from --port, before the environment's", () =>
    occupied({}, async (port) => {
      const { said } = await start("99999", "--port", String(port));
      expect(said).toContain(`port ${port} is taken by another program`);
    }));

  it.each([["--prot", "8788"], ["8788"], ["--port"]])("refuses what it doesn't know: %s %s", async (...args) => {
    const { code, said } = await start("8787", ...args.filter((one) => one !== undefined));
    expect(said).toContain("npm start -- --port 8788");
    expect(said).not.toContain("at ");
    expect(code).toBe(1);
  });

  it.each(["99999", "http"])("refuses the port %s", async (port) => {
    const { code, said } = await start(port);
    expect(said).toContain(`PORT is "${port}"`);
    expect(code).toBe(1);
  });
});
