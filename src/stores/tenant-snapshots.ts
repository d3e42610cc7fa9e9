/**
 * What was read of a tenant at one of its revisions, kept by the isolate until the tenant has another. Whoever authenticates learns
 * the revision with the same query, so that a change holds from the very next request on.
 */
import type { ResourceStore } from "./resource-store.js";
import type { Tenant, TenantStore } from "./tenant-store.js";

/** The reads of resources that work begins with. */
export type ResourceReader = Pick<ResourceStore, "pins" | "autoPins" | "toolPins" | "excerpts" | "versions">;
/** And what supervisors may do to resources while they judge. */
export type ResourceEditor = Pick<ResourceStore, "list" | "put" | "remove">;
export type TenantReader = Pick<TenantStore, "get">;

/** A tenant as it was at a revision, or later. */
export interface TenantView {
  readonly tenants: TenantReader;
  readonly resources: ResourceReader & ResourceEditor;
  /** From now on everything is read anew: somebody names what may have been stored since. */
  readonly renew: () => void;
}

interface Kept<T> {
  readonly revision: number;
  readonly values: Map<string, T>;
}

/** Tenants that are kept, and answers of one kind for each; bounded, and nothing depends on it. */
const keptTenants = 500;
const keptValues = 200;

/** Answers of one kind of question. Values alone are kept, no promises: they may be another request's. */
class AtRevision<T> {
  private readonly tenants = new Map<string, Kept<T>>();

  async read(tenantId: string, revision: number, question: string, ask: () => Promise<T>): Promise<T> {
    const kept = this.keptOf(tenantId, revision);
    const known = kept?.values.get(question);
    if (known !== undefined) return known;
    const answer = await ask();
    // Whoever reads at a later revision meanwhile keeps theirs elsewhere.
    if (kept !== undefined && kept.values.size < keptValues) kept.values.set(question, answer);
    return answer;
  }

  /** Nothing where a later revision is known: somebody was overtaken, or the database was set back. */
  private keptOf(tenantId: string, revision: number): Kept<T> | undefined {
    const known = this.tenants.get(tenantId);
    if (known !== undefined && known.revision >= revision) return known.revision === revision ? known : undefined;
    const [oldest] = this.tenants.keys();
    if (this.tenants.size >= keptTenants && oldest !== undefined) this.tenants.delete(oldest);
    const kept: Kept<T> = { revision, values: new Map() };
    this.tenants.set(tenantId, kept);
    return kept;
  }
}

export class TenantSnapshots {
  private readonly tenants = new AtRevision<Tenant | undefined>();
  private readonly pins = new AtRevision<Awaited<ReturnType<ResourceStore["pins"]>>>();
  private readonly excerpts = new AtRevision<Awaited<ReturnType<ResourceStore["excerpts"]>>>();

  constructor(
    private readonly resources: ResourceStore,
    private readonly store: TenantStore,
  ) {}

  /** @param revision the tenant's, as somebody has just read it; without it everything is read anew */
  at(revision: number | undefined): TenantView {
    const { resources, store, tenants, pins, excerpts } = this;
    if (revision === undefined) return { tenants: store, resources, renew: () => {} };
    let isKnown = true;
    const renew = (): void => {
      isKnown = false;
    };
    const ask = <T>(kept: AtRevision<T>, tenantId: string, question: string, read: () => Promise<T>): Promise<T> =>
      isKnown ? kept.read(tenantId, revision, question, read) : read();
    return {
      renew,
      tenants: { get: (tenantId) => ask(tenants, tenantId, "", () => store.get(tenantId)) },
      resources: {
        list: (...of) => {
          renew();
          return resources.list(...of);
        },
        put: (...of) => {
          renew();
          return resources.put(...of);
        },
        remove: (...of) => {
          renew();
          return resources.remove(...of);
        },
        // These never change: the store keeps them itself.
        versions: (tenantId, refs) => resources.versions(tenantId, refs),
        pins: (tenantId, refs) => {
          const question = JSON.stringify(refs.map(({ kind, name }) => `${kind}/${name}`));
          return ask(pins, tenantId, question, () => resources.pins(tenantId, refs));
        },
        autoPins: (tenantId) => ask(pins, tenantId, "auto", () => resources.autoPins(tenantId)),
        toolPins: (tenantId, servers) =>
          ask(pins, tenantId, `tools ${JSON.stringify(servers)}`, () => resources.toolPins(tenantId, servers)),
        excerpts: (tenantId, refs) =>
          ask(excerpts, tenantId, JSON.stringify(refs), () => resources.excerpts(tenantId, refs)),
      },
    };
  }
}
