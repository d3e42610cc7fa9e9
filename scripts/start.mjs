// `npm start`: everything that a fresh clone needs to run locally. Runs under the project's own Node (node_modules/.bin).
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const varsFile = ".dev.vars";
const demoFile = ".wrangler/local-key.json";
const quiet = { WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", NO_UPDATE_NOTIFIER: "1" };

const vars = readVars();
for (const name of ["ADMIN_SECRET", "SEALING_SECRET"]) {
  if (vars[name]) continue;
  vars[name] = randomBytes(24).toString("base64url");
  const before = existsSync(varsFile) ? readFileSync(varsFile, "utf8") : "";
  writeFileSync(varsFile, `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${name}=${vars[name]}\n`, {
    mode: 0o600,
  });
}
const setting = (name) => process.env[name] || vars[name];
const port = setting("PORT") ?? "8787";
const origin = `http://127.0.0.1:${port}`;

const migrated = spawnSync("wrangler", ["d1", "migrations", "apply", "conclave", "--local"], {
  stdio: ["ignore", "pipe", "inherit"],
  env: { ...process.env, ...quiet, CI: "true" },
});
if (migrated.status !== 0) {
  process.stdout.write(migrated.stdout);
  process.exit(migrated.status ?? 1);
}

const passed = ["OPENAI_API_KEY", "OPENAI_BASE_URL", "DEFAULT_MODEL"].filter((name) => setting(name));
const worker = spawn(
  "wrangler",
  [
    "dev",
    "--port",
    port,
    "--show-interactive-dev-session=false",
    ...passed.flatMap((name) => ["--var", `${name}:${setting(name)}`]),
  ],
  { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...quiet } },
);
worker.on("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => worker.kill(signal));

await answered();
const key = await localKey();
console.log(welcome());

function readVars() {
  if (!existsSync(varsFile)) return {};
  const lines = readFileSync(varsFile, "utf8").split("\n");
  return Object.fromEntries(
    lines.flatMap((line) => {
      const match = /^\s*([A-Z_]+)\s*=\s*"?(.*?)"?\s*$/.exec(line);
      return match && !line.trimStart().startsWith("#") ? [[match[1], match[2]]] : [];
    }),
  );
}

async function answered() {
  for (;;) {
    const health = await fetch(`${origin}/health`).catch(() => undefined);
    if (health?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** The local tenant's key; made at the first start, and whenever the local database has been thrown away. */
async function localKey() {
  const known = existsSync(demoFile) ? JSON.parse(readFileSync(demoFile, "utf8")) : undefined;
  if (known && (await fetch(`${origin}/v1/sessions`, { headers: { authorization: `Bearer ${known.key}` } })).ok) {
    return known.key;
  }
  const call = async (method, path, token, body) => {
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const tenant = await call("POST", "/v1/admin/tenants", vars.ADMIN_SECRET, { name: "local" });
  await call("PUT", "/v1/supervisors/privacy", tenant.key, {
    kind: "rules",
    hooks: ["request", "response"],
    config: {
      rules: [
        { match: { type: "personalData" }, action: "redact", reason: "personal data" },
        { match: { type: "secrets" }, action: "block", reason: "a credential" },
        { match: { type: "injection" }, action: "block", reason: "it looks like a prompt injection" },
      ],
    },
  });
  await call("PUT", "/v1/agents/assistant", tenant.key, {
    kind: "model",
    model: "default",
    instructions: "You are a helpful assistant. Answer briefly.",
    supervisors: ["privacy"],
  });
  writeFileSync(demoFile, JSON.stringify({ key: tenant.key, tenantId: tenant.tenantId }), { mode: 0o600 });
  return tenant.key;
}

function welcome() {
  const model = setting("OPENAI_API_KEY")
    ? `OpenAI-compatible, ${setting("OPENAI_BASE_URL") || "api.openai.com"}`
    : "offline (set OPENAI_API_KEY for a real one)";
  return `
Conclave is running at ${origin}   ·   model: ${model}
Your key (tenant "local", role admin): ${key}

Try it:

  export KEY=${key}
  SESSION=$(curl -s ${origin}/v1/sessions -H "Authorization: Bearer $KEY" \\
    -H "Content-Type: application/json" -d '{"agent":"assistant"}' | sed 's/.*"sessionId":"\\([^"]*\\)".*/\\1/')
  curl -s ${origin}/v1/sessions/$SESSION/messages -H "Authorization: Bearer $KEY" \\
    -H "Content-Type: application/json" -d '{"content":"My card is 4111 1111 1111 1111. What can you do?"}'

Read on: ${origin}/docs   ·   npm run demo   ·   README.md
`;
}
