/** A resource as callers see it: whole, with secrets hidden; or what it is called and is for, to those who only use it. */
import { defined } from "../../conversation/defined.js";
import { need, type ProblemIssue } from "../../conversation/problem.js";
import { shownSecret } from "../../conversation/secret-text.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { ResourceKind, ResourceVersion } from "../../tenancy/resources.js";
import { mapSecrets } from "../../tenancy/secrets.js";
import { permission } from "../act.js";
import type { PinnedView } from "../remote-tools.js";

export interface ResourceView {
  readonly name: string;
  readonly version: number;
  readonly updatedAt: string;
  /** Of a remote MCP server: the tools that agents get. */
  readonly pinned?: PinnedView | undefined;
  /** What it names and isn't there, or could be stored and may not work as meant. */
  readonly warnings?: readonly ProblemIssue[] | undefined;
}

/** What is shown of agents, supervisors and teams to those who may use them and not read them. */
export interface ResourceSummary extends ResourceView {
  readonly description?: string | undefined;
}

/** The kinds that somebody can name in a request without having stored them. */
export const summarised: readonly ResourceKind[] = ["agents", "supervisors", "teams", "panels"];

/** Everything that is stored of a resource of any kind: instructions, rules, addresses. */
export const readWholeResource = permission("readWholeResource", { role: "operator", clientMay: true });

/**
 * How an actor sees resources of a kind. Those who may not read instructions, rules and addresses are refused, but for the kinds
 * that they can name in a request: these they see by name and description.
 */
export function viewFor(actor: Actor, kind: ResourceKind): "whole" | "summary" {
  const whole = authorize(actor, readWholeResource);
  if (whole.ok) return "whole";
  if ((kind === "teams" || kind === "panels") && actor.role === "user") return need(whole);
  return summarised.includes(kind) ? "summary" : need(whole);
}

/** Whether an actor knows of a resource: a token may be for some agents alone. */
export function isKnownTo({ only }: Actor, kind: ResourceKind, name: string): boolean {
  return kind !== "agents" || only?.agents === undefined || only.agents.includes(name);
}

export function summaryOf({ name, version, body, updatedAt }: StoredVersion<ResourceKind>): ResourceSummary {
  const description = "description" in body ? body.description : undefined;
  return { name, version, updatedAt: new Date(updatedAt).toISOString(), ...defined({ description }) };
}

type StoredVersion<K extends ResourceKind> = ResourceVersion<K> & { readonly updatedAt: number };

export function resourceView<K extends ResourceKind>(
  { name, version, body, updatedAt }: StoredVersion<K>,
  warnings: ProblemIssue[] = [],
): ResourceView {
  return {
    name,
    version,
    updatedAt: new Date(updatedAt).toISOString(),
    ...mapSecrets(body, shownSecret),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}
