/** The OpenAPI document as pages: one that lists all operations, one a family of them, one a shape. */
import { html, raw } from "hono/html";
import { z } from "zod";
import { anchorOf, apiAddress, type Html } from "./layout.js";

const contentSchema = z.record(z.string(), z.object({ schema: z.unknown() }).loose());

const answerSchema = z.object({ description: z.string(), content: contentSchema.optional() });
const sharedAnswerSchema = z.object({ $ref: z.string() });

const operationSchema = z.object({
  tags: z.array(z.string()).optional(),
  summary: z.string().optional(),
  description: z.string().optional(),
  parameters: z
    .array(z.object({ name: z.string(), in: z.string(), required: z.boolean().optional() }).loose())
    .optional(),
  requestBody: z.object({ content: contentSchema }).loose().optional(),
  responses: z.record(z.string(), z.union([answerSchema, sharedAnswerSchema])).optional(),
});

const documentSchema = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string().optional() }).loose(),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z
    .object({ schemas: z.record(z.string(), z.unknown()), responses: z.record(z.string(), answerSchema).default({}) })
    .loose(),
});

type Document = z.infer<typeof documentSchema>;
type Operation = z.infer<typeof operationSchema> & { readonly method: string; readonly path: string };

export interface ReferencePage {
  readonly title: string;
  readonly main: Html;
}

/** The pages by their addresses, each made when it is called. */
export function referencePages(openApi: string): ReadonlyMap<string, () => ReferencePage> {
  const document = documentSchema.parse(JSON.parse(openApi));
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => ({ ...operation, method, path })),
  );
  const families = Map.groupBy(operations, (operation) => operation.tags?.[0] ?? "Other");
  return new Map<string, () => ReferencePage>([
    [apiAddress, () => listOfAll(document, families)],
    ...[...families].map(([tag, list]) => [familyAddress(tag), () => family(tag, list)] as const),
    ...Object.entries(document.components.schemas).map(
      ([name, schema]) => [shapeAddress(name), () => shape(name, schema)] as const,
    ),
  ]);
}

function listOfAll({ info, components }: Document, families: ReadonlyMap<string, readonly Operation[]>): ReferencePage {
  const main = html`<h1>API reference</h1>
<p>${info.description} Version ${info.version}. The same as a document: <a href="/openapi.json">openapi.json</a>.</p>
${[...families].map(
  ([tag, list]) => html`<h2 id="${anchorOf(tag)}"><a href="${familyAddress(tag)}">${tag}</a></h2>
<ul class="plain">${list.map((one) => html`<li><a href="${familyAddress(tag)}#${idOf(one)}">${call(one)}</a> ${prose(one.summary ?? "")}</li>`)}</ul>`,
)}
<h2 id="problems">Problems</h2>
<dl>${Object.entries(components.responses).map(
    ([
      name,
      { description },
    ]) => html`<dt id="${name.replace("Problem", "problem-")}"><code>${name.replace("Problem", "")}</code></dt>
<dd>${prose(description)}</dd>`,
  )}</dl>
<h2 id="shapes">Shapes</h2>
<p>${Object.keys(components.schemas).map((name) => html`<a href="${shapeAddress(name)}"><code>${name}</code></a> `)}</p>`;
  return { title: "API reference", main };
}

function family(tag: string, operations: readonly Operation[]): ReferencePage {
  return {
    title: `API: ${tag}`,
    main: html`<p><a href="${apiAddress}">API reference</a></p><h1>${tag}</h1>${operations.map(operationView)}`,
  };
}

function shape(name: string, schema: unknown): ReferencePage {
  return {
    title: `Shape ${name}`,
    main: html`<p><a href="${apiAddress}#shapes">API reference</a></p><h1>${name}</h1><pre tabindex="0">${schemaView(schema)}</pre>`,
  };
}

function familyAddress(tag: string): string {
  return `${apiAddress}/${anchorOf(tag)}`;
}

function shapeAddress(name: string): string {
  return `/docs/shapes/${name}`;
}

/** Of an operation on its family's page. */
function idOf({ method, path }: Operation): string {
  return `${method}${path.replaceAll(/[^\w-]+/g, "-")}`;
}

function call({ method, path }: Operation): Html {
  return html`<b class="${method}">${method.toUpperCase()}</b> <code>${path}</code>`;
}

function operationView(operation: Operation) {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  return html`<section id="${idOf(operation)}"><h2>${call(operation)}</h2>
<p>${prose(summary ?? "")}</p>
${description === undefined ? "" : html`<p>${prose(description)}</p>`}
${
  parameters.length === 0
    ? ""
    : html`<h3>Parameters</h3>
<ul>${parameters.map((one) => html`<li><code>${one.name}</code> (${one.in}${one.required ? ", required" : ""})</li>`)}</ul>`
}
${requestBody === undefined ? "" : html`<h3>Body</h3>${contentView(requestBody.content)}`}
<h3>Answers</h3>
<dl>${Object.entries(responses ?? {}).map(([status, answer]) =>
    "$ref" in answer
      ? html`<dt><code>${status}</code> <a href="${apiAddress}#problem-${status}">A problem</a></dt>`
      : html`<dt><code>${status}</code> ${answer.description}</dt><dd>${contentView(answer.content ?? {})}</dd>`,
  )}</dl></section>`;
}

function contentView(content: z.infer<typeof contentSchema>) {
  return Object.entries(content).map(([type, { schema }]) => {
    const json = type.endsWith("json");
    return html`<p><code>${type}</code></p>${json ? html`<pre tabindex="0">${schemaView(schema)}</pre>` : ""}`;
  });
}

const reference = /\{\s*"\$ref": "#\/components\/schemas\/([\w.]+)"\s*\}/;

/** A schema as JSON in which the named shapes it refers to are links. */
function schemaView(schema: unknown) {
  // What a split keeps of its separator stands at every second place: the names.
  return JSON.stringify(schema, null, 2)
    .split(reference)
    .map((part, at) => (at % 2 === 0 ? asText(part) : html`<a href="${shapeAddress(part)}">${part}</a>`));
}

/** Between tags a quotation mark is itself: half of JSON is made of them. */
function asText(text: string) {
  return raw(text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
}

/** What stands between back quotes is code. */
function prose(text: string) {
  return text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`));
}
