/** Conclave as a deployment finds it on the fake account: as well as its database and its secrets are, with tenants and what they store. */
import { readdirSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  readonly authorization: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What it finds on the account. */
interface Surroundings {
  readonly secrets: ReadonlyMap<string, string>;
  readonly writes: string[];
  readonly database: () => DatabaseSync | undefined;
  /** The number of the version that answers, or of one that is deployed. */
  readonly version: (id: string | undefined) => string | undefined;
}

export class FakeDeployedWorker {
  readonly tenants: { readonly tenantId: string; readonly name: string; readonly key: string }[] = [];
  /** What the first tenant has stored, as `supervisors/guardrails`. */
  readonly resources = new Set<string>();
  messages = 0;
  /** People who were invited, by address. Without it the version knows no people. */
  people: Set<string> | undefined;
  hasConsole = true;
  /** What it answers to a move of a tenant. */
  move: () => Answer = () => ({ status: 404, body: { code: "not_found" } });
  private readonly kept = new Map<string, Answer>();

  constructor(private readonly account: Surroundings) {}

  answer(call: Call): Answer {
    const { account } = this;
    const version = account.version(/="(.+)"/.exec(call.headers["cloudflare-workers-version-overrides"] ?? "")?.[1]);
    if (version === undefined) return { status: 404, body: "error code: 1042" };
    const [, kind, name] = /^PUT \/v1\/(supervisors|agents)\/([^/]+)$/.exec(`${call.method} ${call.path}`) ?? [];
    const key = this.tenants.find((tenant) => `Bearer ${tenant.key}` === call.authorization);
    const isAdmin = call.authorization === `Bearer ${account.secrets.get("ADMIN_SECRET")}`;
    if (call.path === "/health") return this.health(version);
    if (call.path === "/console/join") return { status: this.hasConsole ? 200 : 404, body: "" };
    if (call.method !== "GET") account.writes.push(`${call.method} ${call.path}`);
    if (call.path.startsWith("/v1/admin/") && isAdmin) return this.admin(call);
    if (key === undefined) return { status: 401, body: { code: "unauthorized" } };
    if (kind !== undefined) {
      this.resources.add(`${kind}/${name}`);
      return { status: 200, body: {} };
    }
    if (call.path === "/v1/sessions") return { status: 201, body: { sessionId: "ses_1" } };
    if (/^\/v1\/sessions\/ses_1\/messages$/.test(call.path)) return this.turn(call);
    return { status: 404, body: { code: "not_found" } };
  }

  private health(version: string): Answer {
    const have = Number(this.account.database()?.prepare("SELECT COUNT(*) AS n FROM d1_migrations").get()?.n ?? 0);
    const want = readdirSync("migrations").length;
    const secretCheck = (name: string) => ((this.account.secrets.get(name)?.length ?? 0) >= 32 ? "ok" : "failed");
    const checks = {
      schema: have >= want ? "ok" : "failed",
      ADMIN_SECRET: secretCheck("ADMIN_SECRET"),
      SEALING_SECRET: secretCheck("SEALING_SECRET"),
    };
    const isWell = Object.values(checks).every((check) => check === "ok");
    return { status: isWell ? 200 : 503, body: { version, schema: { have, want }, checks } };
  }

  private admin(call: Call): Answer {
    if (call.method === "GET") {
      return {
        status: 200,
        body: { items: this.tenants.map(({ tenantId, name }) => ({ tenantId, name })), nextCursor: null },
      };
    }
    if (call.path.endsWith("/move")) return this.move();
    if (call.path.endsWith("/people")) {
      const { email } = z.object({ email: z.string() }).parse(JSON.parse(call.body.toString()));
      if (this.people === undefined) return { status: 404, body: { code: "not_found" } };
      this.people.add(email);
      return {
        status: 201,
        body: { personId: "per_1", link: "https://conclave.example/console/join#code", expiresAt: "" },
      };
    }
    const command = call.headers["idempotency-key"];
    const before = command === undefined ? undefined : this.kept.get(command);
    if (before !== undefined) return before;
    const { name } = z.object({ name: z.string() }).parse(JSON.parse(call.body.toString()));
    const tenant = { tenantId: `ten_${this.tenants.length + 1}`, name, key: `cnk_${this.tenants.length + 1}` };
    this.tenants.push(tenant);
    // D1 has what tenants there are, for who looks at the account.
    this.account
      .database()
      ?.prepare("INSERT INTO tenants (tenant_id, name, settings, created_at) VALUES (?, ?, '{}', 0)")
      .run(tenant.tenantId, name);
    const answer = { status: 201, body: { tenantId: tenant.tenantId, key: tenant.key } };
    if (command !== undefined) this.kept.set(command, answer);
    return answer;
  }

  private turn(call: Call): Answer {
    const { content } = z.object({ content: z.string() }).parse(JSON.parse(call.body.toString()));
    const isGuarded = this.resources.has("supervisors/guardrails") && this.resources.has("agents/assistant");
    this.messages += 1;
    const shown = isGuarded ? content.replace(/4111[ \d]+\d/, "[card]") : content;
    return {
      status: 200,
      body: {
        status: "completed",
        message: { role: "user", content: shown },
        reply: { role: "assistant", modelReply: { turns: [{ message: "Hello." }] } },
        supervision: { status: "ok", request: { action: isGuarded ? "modify" : "allow", reasons: [] } },
      },
    };
  }
}
