/** What was decided and done in the tenant, by supervisors, people and programs, with who it was. */
import { listAudit } from "../../application/audit/list-audit.js";
import { ownValue } from "../../conversation/own-value.js";
import { type AuditEntry, actTypes } from "../../tenancy/audit.js";
import { Badge, Choice, Field, More, Table, Time, type Tone } from "../parts.js";
import { type Names, perform, query, type Screen } from "../screen.js";
import { Text } from "../visible-text.js";

const dayMs = 86_400_000;
const types = [["", "All"], ["supervision", "supervision"], ...actTypes.map((type) => [type, type] as const)] as const;
const tones: Readonly<Record<string, Tone>> = { block: "bad", review: "warn", modify: "warn", allow: "good" };

export const audit: Screen = {
  path: "/audit",
  nav: { label: "Audit", group: "Administration" },
  needs: listAudit,
  show: async (visit) => {
    const day = query(visit, "from") ?? new Date(visit.services.now() - dayMs).toISOString().slice(0, 10);
    const [page, names] = await Promise.all([
      perform(visit, listAudit, {
        from: `${day}T00:00:00Z`,
        type: query(visit, "type"),
        decision: query(visit, "decision"),
        actor: query(visit, "actor"),
        subject: query(visit, "subject"),
        cursor: query(visit, "cursor"),
      }),
      visit.names(),
    ]);
    const stored = (name: string) => query(visit, name) ?? "";
    return {
      title: "Audit",
      body: (
        <>
          <form method="get" action="/console/audit" aria-label="Filter" class="row">
            <Field visit={visit} name="from" label="From" type="date" stored={day} />
            <Choice visit={visit} name="type" label="What" stored={stored("type")} options={types} />
            <Field visit={visit} name="decision" label="Decision" stored={stored("decision")} />
            <Field visit={visit} name="actor" label="Id of who did it" stored={stored("actor")} />
            <Field visit={visit} name="subject" label="End user" stored={stored("subject")} />
            <button type="submit">Show</button>
          </form>
          <Table
            label="Audit"
            heads={["When", "What", "Decision", "Who", "About", "Why"]}
            rows={page.items.map((entry) => rowOf(entry, names))}
            empty="Nothing of that since then."
          />
          <More visit={visit} cursor={page.nextCursor} />
          <p class="hint">Oldest first, without texts of messages. That it was read stands in it.</p>
        </>
      ),
    };
  },
};

function rowOf(
  { at, type, decision, actor, subject, reasons, sessionId, runId, roundtableId, memoryId }: AuditEntry,
  names: Names,
) {
  const about = [
    subject.kind,
    subject.kind === "people" ? (names.get(subject.name ?? "") ?? subject.name) : subject.name,
  ];
  const ids = [sessionId, runId, roundtableId, memoryId, subject.messageId, subject.askId].flatMap((id) =>
    id === undefined ? [] : [id],
  );
  const changes = [...(subject.changes ?? []), ...(subject.settings ?? [])].join(", ");
  const name = actor === undefined ? "" : (names.get(actor.id) ?? actor.id);
  return [
    <Time at={at} />,
    type,
    <Badge tone={ownValue(tones, decision) ?? "plain"}>
      <Text inline text={decision} />
    </Badge>,
    actor === undefined ? undefined : (
      <>
        <span class="dim">{`${actor.kind} `}</span>
        {name === actor.id ? (
          <code>
            <Text inline text={name} />
          </code>
        ) : (
          <Text inline text={name} />
        )}
      </>
    ),
    <>
      <Text inline text={about.filter(Boolean).join(" ")} />
      {changes === "" ? undefined : <span class="dim">{` (${changes})`}</span>}
      {ids.map((id) => (
        <>
          {" "}
          <code>{id}</code>
        </>
      ))}
    </>,
    reasons.length === 0 ? undefined : <Text text={reasons.join("\n")} />,
  ];
}
