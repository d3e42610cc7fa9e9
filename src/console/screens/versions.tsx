/** The versions of a resource: who stored which, what one changed, and the way back to it. */
import { compareResourceVersions, listResourceVersions } from "../../application/resources/resource-versions.js";
import type { ResourceKind } from "../../tenancy/resources.js";
import { Button, Form, Table, Time } from "../parts.js";
import { type Names, perform, query, type Visit } from "../screen.js";
import { Who } from "./who.js";

interface VersionList {
  readonly items: Awaited<ReturnType<typeof listResourceVersions>>["items"];
  readonly current: number;
  readonly diff?: string | undefined;
  readonly names: Names;
}

/** The newest twenty, and what a version that the address names changed. */
export async function versionsOf(
  visit: Visit,
  kind: ResourceKind,
  name: string,
  current: number,
): Promise<VersionList> {
  const from = query(visit, "from");
  const [{ items }, compared, names] = await Promise.all([
    perform(visit, listResourceVersions, { kind, name, limit: "20" }),
    from === undefined ? undefined : perform(visit, compareResourceVersions, { kind, name, from, to: String(current) }),
    visit.names(),
  ]);
  return { items, current, diff: compared?.diff, names };
}

export function Versions({ visit, items, current, diff, names }: VersionList & { readonly visit: Visit }) {
  const rows = items.map(({ version, author, createdAt }) => [
    String(version),
    <Who by={author} names={names} />,
    <Time at={createdAt} />,
    version === current ? (
      <span class="dim">counts now</span>
    ) : (
      <div class="row">
        <a href={`${visit.url.pathname}?from=${version}`}>What changed since</a>
        <Form label={`Restore version ${version}`} plain>
          <input type="hidden" name="version" value={String(version)} />
          <Button does="restore" kind="quiet">
            Restore
          </Button>
        </Form>
      </div>
    ),
  ]);
  return (
    <>
      <h2>Versions</h2>
      <Table label="Versions" heads={["Version", "By", "Stored", ""]} rows={rows} empty="" />
      {diff === undefined ? undefined : <Diff text={diff} />}
    </>
  );
}

function Diff({ text }: { readonly text: string }) {
  const shown = text.split("\n").filter((line) => !/^(===|---|\+\+\+|@@|\\)/.test(line));
  return (
    <pre class="quote">
      {shown.map((line) =>
        line.startsWith("+") ? <ins>{`${line}\n`}</ins> : line.startsWith("-") ? <del>{`${line}\n`}</del> : `${line}\n`,
      )}
    </pre>
  );
}
