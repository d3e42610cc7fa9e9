/** Lists of what goes on: filters above, rows that are looked after by themselves, and the next page. */
import { Choice, Field, More, Table } from "../parts.js";
import { query, type Visit } from "../screen.js";

export function Listed({
  visit,
  cursor,
  ...table
}: Parameters<typeof Table>[0] & { readonly visit: Visit; readonly cursor: string | null }) {
  return (
    <>
      <div id="list" data-poll="5">
        <Table {...table} />
      </div>
      <More visit={visit} cursor={cursor} />
    </>
  );
}

/** What work may be told apart by: what did it, whose it is, how it stands. */
export function WorkFilter({
  visit,
  by,
  statuses,
}: {
  readonly visit: Visit;
  readonly by: readonly [name: string, label: string];
  readonly statuses: readonly (readonly [value: string, words: string])[];
}) {
  const [name, label] = by;
  return (
    <form method="get" class="row">
      <Field visit={visit} name={name} label={label} stored={query(visit, name) ?? ""} type="search" />
      <Field visit={visit} name="subject" label="Customer" stored={query(visit, "subject") ?? ""} type="search" />
      <Choice
        visit={visit}
        name="status"
        label="Status"
        stored={query(visit, "status")}
        options={[["", "All"], ...statuses]}
      />
      <button type="submit">Show</button>
    </form>
  );
}
