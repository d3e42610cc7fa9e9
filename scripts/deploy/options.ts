/** What `npm run deploy` was asked for: its arguments, or why they can't be followed. */
import { parseArgs } from "node:util";

/** D1's names of where a database may be bound to. @see https://developers.cloudflare.com/d1/configuration/data-location/ */
export const jurisdictions = ["eu", "us", "fedramp"] as const;
/** Hints, which advise only. */
export const locations = ["weur", "eeur", "enam", "wnam", "apac", "oc"] as const;

/** Where a database is made. It stays there. */
export type Placement =
  | { readonly jurisdiction: (typeof jurisdictions)[number] }
  | { readonly location: (typeof locations)[number] | "auto" };

export interface Options {
  readonly environment: string;
  readonly dryRun: boolean;
  /** Nobody is asked. */
  readonly yes: boolean;
  readonly placement?: Placement | undefined;
  /** A host name of a zone in the account. */
  readonly domain?: string | undefined;
  /** The account's name below workers.dev, for an account that has none yet. */
  readonly subdomain?: string | undefined;
  readonly secretsFile?: string | undefined;
  /** Where the deployment is reached, if neither at workers.dev nor at the domain. */
  readonly address?: string | undefined;
  /** The name of the first tenant. */
  readonly tenant: string;
  /** Of the first person, who is invited to it. */
  readonly email?: string | undefined;
  /** Per cent of the requests that the new version gets. */
  readonly canary?: number | undefined;
  /** Back to the version before, or to the one that is named. */
  readonly rollback?: { readonly to?: string | undefined } | undefined;
}

/** Says what is wrong and what to do; nothing was sent yet. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

const usage =
  "Say which environment: npm run deploy -- --env production (or staging). Add --dry-run to see the plan and send nothing.";

/** @throws {Refusal} */
export function readOptions(args: readonly string[], environments: readonly string[]): Options {
  const { values, positionals } = parse(args);
  const environment = values.env;
  if (!environment) throw new Refusal(`no environment is named. ${usage}`);
  if (!environments.includes(environment)) {
    throw new Refusal(
      `wrangler.toml has no environment "${environment}"; it has ${environments.join(" and ")}. ${usage}`,
    );
  }
  const [to, ...others] = positionals;
  if (others.length > 0 || (to !== undefined && !values.rollback))
    throw new Refusal(`"${others[0] ?? to}" is nothing that it takes. ${usage}`);
  return {
    environment,
    dryRun: values["dry-run"] ?? false,
    yes: values.yes ?? false,
    placement: placementOf(values.jurisdiction, values.location),
    domain: values.domain,
    subdomain: values.subdomain,
    secretsFile: values["secrets-file"],
    address: values.address?.replace(/\/$/, ""),
    tenant: values.tenant ?? "first",
    email: values.email,
    canary: values.canary === undefined ? undefined : shareOf(values.canary),
    rollback: values.rollback ? { to } : undefined,
  };
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        env: { ...text, short: "e" },
        "dry-run": flag,
        yes: { ...flag, short: "y" },
        jurisdiction: text,
        location: text,
        domain: text,
        subdomain: text,
        "secrets-file": text,
        address: text,
        tenant: text,
        email: text,
        canary: text,
        rollback: flag,
      },
    });
  } catch (error) {
    throw new Refusal(`${error instanceof Error ? error.message.split(". ")[0] : error}. ${usage}`);
  }
}

function placementOf(jurisdiction: string | undefined, location: string | undefined): Placement | undefined {
  if (jurisdiction !== undefined && location !== undefined)
    throw new Refusal("a jurisdiction binds and a location advises: give --jurisdiction or --location, not both.");
  const given = jurisdiction ?? location;
  return given === undefined
    ? undefined
    : readPlacement(given, jurisdiction === undefined ? "location" : "jurisdiction");
}

/** @param kind what the name has to be of; either where a person was asked */
export function readPlacement(given: string, kind?: "jurisdiction" | "location"): Placement {
  const jurisdiction = kind === "location" ? undefined : jurisdictions.find((one) => one === given);
  if (jurisdiction !== undefined) return { jurisdiction };
  const location = kind === "jurisdiction" ? undefined : [...locations, "auto" as const].find((one) => one === given);
  if (location !== undefined) return { location };
  throw new Refusal(
    `"${given}" is no ${kind ?? "place"}. ${kind === "location" ? "" : `Jurisdictions: ${jurisdictions.join(", ")}. `}${kind === "jurisdiction" ? "" : `Locations: ${locations.join(", ")}, auto.`}`,
  );
}

function shareOf(given: string): number {
  if (/^\d{1,3}$/.test(given) && Number(given) >= 1 && Number(given) <= 100) return Number(given);
  throw new Refusal(`--canary takes per cent of the requests, from 1 to 100, not "${given}".`);
}
