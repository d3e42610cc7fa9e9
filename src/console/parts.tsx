/** What screens are made of: forms, fields, rows, badges, times. */
import type { Child } from "hono/jsx";
import { faultOf, fieldValue, type Visit } from "./screen.js";

/** Stands in forms where each answer has a code of its own: so that the same page has the same digest as long as nothing on it changes. */
export const onceMark = "once-0123456789abcdef";

/** A form that does something: the button that is pressed says what (`do`). Sent twice, it does it once. */
export function Form({
  children,
  action,
  label,
  plain,
  claims,
}: {
  /** Who writes in it claims what it decides. */
  readonly claims?: boolean;
  readonly children: Child;
  readonly action?: string;
  readonly label?: string;
  readonly plain?: boolean;
}) {
  return (
    <form
      method="post"
      action={action}
      aria-label={label}
      data-plain={plain ? "" : undefined}
      data-claims={claims ? "" : undefined}
    >
      <input type="hidden" name="once" value={onceMark} />
      {children}
    </form>
  );
}

/** A form that is folded away until somebody wants it. */
export function FormPanel({
  summary,
  label = summary,
  open,
  children,
}: {
  readonly summary: string;
  /** What the form is called, where its summary doesn't say it. */
  readonly label?: string;
  readonly open?: boolean;
  readonly children: Child;
}) {
  return (
    <details class="panel" open={open}>
      <summary>{summary}</summary>
      <Form label={label}>{children}</Form>
    </details>
  );
}

interface Named {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
}

/** A field of a form, with what is wrong with it. */
export function Field({
  visit,
  name,
  label,
  hint,
  stored,
  type = "text",
  lines,
  required,
  shortcut,
  autocomplete = "off",
}: Named & {
  readonly visit: Visit;
  readonly stored?: string;
  readonly type?: "text" | "email" | "search" | "date" | "url";
  readonly lines?: number;
  readonly required?: boolean;
  /** The key that leads into it. */
  readonly shortcut?: string;
  readonly autocomplete?: string;
}) {
  const value = fieldValue(visit, name, stored);
  const fault = faultOf(visit, name);
  const said = {
    id: `f-${name}`,
    name,
    required,
    autocomplete,
    "data-key": shortcut,
    autofocus: fault === undefined ? undefined : true,
    "aria-invalid": fault === undefined ? undefined : "true",
    "aria-describedby": hint === undefined && fault === undefined ? undefined : `d-${name}`,
  };
  return (
    <div class="field">
      <label for={`f-${name}`}>{label}</label>
      {lines === undefined ? (
        <input type={type} value={value} {...said} />
      ) : (
        <textarea rows={lines} dir="auto" {...said}>
          {/* Parsers drop a first line end. */}
          {`\n${value}`}
        </textarea>
      )}
      <Note name={name} hint={hint} fault={fault} />
    </div>
  );
}

/** @param options values with what is shown of them */
export function Choice({
  visit,
  name,
  label,
  hint,
  stored,
  options,
}: Named & {
  readonly visit: Visit;
  readonly stored?: string | undefined;
  readonly options: readonly (readonly [string, string])[];
}) {
  const value = fieldValue(visit, name, stored);
  const fault = faultOf(visit, name);
  return (
    <div class="field">
      <label for={`f-${name}`}>{label}</label>
      <select
        id={`f-${name}`}
        name={name}
        aria-invalid={fault === undefined ? undefined : "true"}
        aria-describedby={hint === undefined && fault === undefined ? undefined : `d-${name}`}
      >
        {options.map(([key, shown]) => (
          <option value={key} selected={key === value}>
            {shown}
          </option>
        ))}
      </select>
      <Note name={name} hint={hint} fault={fault} />
    </div>
  );
}

function Note({
  name,
  hint,
  fault,
}: {
  readonly name: string;
  readonly hint: string | undefined;
  readonly fault: string | undefined;
}) {
  if (hint === undefined && fault === undefined) return undefined;
  return (
    <p class={fault === undefined ? "hint" : "hint fault"} id={`d-${name}`}>
      {fault ?? hint}
    </p>
  );
}

/** @param does which of the screen's posts @param shortcut the key that presses it */
export function Button({
  does,
  children,
  kind,
  shortcut,
  changed,
  name = "do",
}: {
  /** What it is called instead once something in its form was changed. */
  readonly changed?: string;
  readonly does: string;
  readonly children: Child;
  readonly kind?: "primary" | "danger" | "quiet" | undefined;
  readonly shortcut?: string;
  readonly name?: string;
}) {
  return (
    <button type="submit" name={name} value={does} class={kind} data-key={shortcut} data-changed={changed}>
      {changed === undefined ? children : <span>{children}</span>}
      {shortcut === undefined ? undefined : <kbd>{shortcut}</kbd>}
    </button>
  );
}

/** Something that can't be undone: the button is behind a fold that says what happens, so that one press alone does nothing. */
export function Confirm({
  label,
  children,
  does,
}: {
  readonly label: string;
  readonly children: Child;
  readonly does: string;
}) {
  return (
    <details class="confirm">
      <summary>{label}</summary>
      <div>
        <p>{children}</p>
        <Button does={does} kind="danger">
          {`${label} now`}
        </Button>
      </div>
    </details>
  );
}

export type Tone = "good" | "warn" | "bad" | "plain";

export function Badge({ tone = "plain", children }: { readonly tone?: Tone; readonly children: Child }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** A moment, as text in UTC; the page's script makes "5 min ago" of it, so that what is sent stays the same. @param at ISO 8601 */
export function Time({ at }: { readonly at: string | undefined }) {
  if (at === undefined) return <span class="dim">never</span>;
  const text = `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
  return (
    <time datetime={at} title={text}>
      {text}
    </time>
  );
}

/** Rows with a heading each; on a narrow window each row becomes a block, with the heads before its cells. */
export function Table({
  heads,
  rows,
  empty,
  label,
}: {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly Child[])[];
  readonly empty: string;
  readonly label: string;
}) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th scope="col">{head === "" ? <span class="skip">Actions</span> : head}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr>
            {cells.map((cell, at) => (
              <td data-head={heads[at] === "" ? undefined : heads[at]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** To the next page of a list, with the filters that hold. */
export function More({ visit, cursor }: { readonly visit: Visit; readonly cursor: string | null }) {
  if (cursor === null) return undefined;
  const to = new URL(visit.url);
  to.searchParams.set("cursor", cursor);
  return (
    <p class="more">
      <a href={`${to.pathname}${to.search}`}>More</a>
    </p>
  );
}

/** A secret that is shown this once. */
export function Secret({
  label,
  text,
  children,
}: {
  readonly label: string;
  readonly text: string;
  readonly children?: Child;
}) {
  return (
    <div class="secret">
      <label for="secret">{label}</label>
      <input id="secret" type="text" readonly value={text} />
      <button type="button" data-copy="secret" hidden>
        Copy
      </button>
      <p class="hint">{children ?? "It is shown this once, and is stored nowhere."}</p>
    </div>
  );
}

/** Names of things and what they are, one below the other. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, Child])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
