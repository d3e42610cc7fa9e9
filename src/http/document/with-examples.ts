/**
 * An example for each body. It belongs to a shape (`Turn`), of which pages and written variants make their own, or to one
 * operation: `createRun request`, `createAdminTenant 201`, `getRunTrace 200 text/markdown`.
 */
import { defined } from "../../conversation/defined.js";
import { channelExamples } from "./examples/channels.js";
import { evidenceExamples } from "./examples/evidence.js";
import { limitExamples } from "./examples/limits.js";
import { memoryExamples } from "./examples/memory.js";
import { openAiExamples } from "./examples/openai.js";
import { resourceExamples } from "./examples/resources.js";
import { roundtableExamples } from "./examples/roundtables.js";
import { runExamples } from "./examples/runs.js";
import { sessionExamples } from "./examples/sessions.js";
import { subjectExamples } from "./examples/subjects.js";
import { supervisionExamples } from "./examples/supervision.js";
import { tenantExamples } from "./examples/tenants.js";
import { usageExamples } from "./examples/usage.js";
import { webhookExamples } from "./examples/webhooks.js";
import type { Operation } from "./model.js";
import { isSchema, nameOf, type Schema } from "./schema.js";

const examples: Readonly<Record<string, unknown>> = {
  ...tenantExamples,
  ...resourceExamples,
  ...supervisionExamples,
  ...usageExamples,
  ...sessionExamples,
  ...runExamples,
  ...roundtableExamples,
  ...memoryExamples,
  ...evidenceExamples,
  ...limitExamples,
  ...subjectExamples,
  ...webhookExamples,
  ...channelExamples,
  ...openAiExamples,
};

type Contents = NonNullable<Operation["responses"][string]["content"]>;

/** The operation with an example beside each schema of a body. */
export function withExamples(operation: Operation): Operation {
  const { operationId, requestBody, responses } = operation;
  return {
    ...operation,
    ...defined({
      requestBody: requestBody && {
        ...requestBody,
        content: exemplified(requestBody.content, `${operationId} request`),
      },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        response.content === undefined
          ? response
          : { ...response, content: exemplified(response.content, `${operationId} ${status}`) },
      ]),
    ),
  };
}

function exemplified(contents: Contents, place: string): Contents {
  return Object.fromEntries(
    Object.entries(contents).map(([type, content]) => {
      const example = examples[`${place} ${type}`] ?? examples[place] ?? exampleOf(content.schema);
      return [type, example === undefined ? content : { ...content, example }];
    }),
  );
}

/** What the shapes in it have as examples: of the shape itself, the first of several, or a list with one. */
function exampleOf(schema: Schema): unknown {
  const name = nameOf(schema);
  if (name !== undefined) return examples[name] ?? examples[name.replace(/Input$/, "")];
  const [first]: readonly unknown[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  if (isSchema(first)) return exampleOf(first);
  if (!isSchema(schema.properties) || !isSchema(schema.properties.items)) return undefined;
  const { items, nextCursor } = schema.properties;
  const item = isSchema(items.items) ? exampleOf(items.items) : undefined;
  return item === undefined ? undefined : { items: [item], ...(nextCursor === undefined ? {} : { nextCursor: null }) };
}
