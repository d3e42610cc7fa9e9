/**
 * Makes of what the routes declare the document that callers read: what is written apart from what is read, headers and
 * refusals that middleware reads and gives, descriptions, tags and examples.
 */
import { defined } from "../../conversation/defined.js";
import { typeAsks } from "./asks.js";
import { descriptions, tagDescriptions } from "./descriptions.js";
import { versionedPaths, withHeaders } from "./headers.js";
import { type ApiDocument, documentSchema, mapOperations, operationsOf } from "./model.js";
import { problemResponses, withProblems } from "./problems.js";
import { separateVariants } from "./variants.js";
import { withExamples } from "./with-examples.js";

export function makeDocument(declared: unknown): ApiDocument {
  const document = typeAsks(separateVariants(documentSchema.parse(declared)));
  const places = operationsOf(document);
  const versioned = versionedPaths(places);
  const whole = mapOperations(document, ({ operation, ...place }) => {
    const description = operation.description ?? descriptions[operation.operationId];
    const described = { ...operation, ...defined({ description }) };
    const sent = withHeaders({ ...place, operation: described }, versioned);
    return withProblems({ ...place, operation: withExamples(sent) });
  });
  const used = new Set(places.flatMap(({ operation }) => operation.tags));
  const tags = [...used].map((name) => ({ name, description: tagDescriptions[name] }));
  const written = JSON.stringify(whole.paths);
  const responses = Object.entries(problemResponses).filter(([name]) => written.includes(`/responses/${name}"`));
  return {
    ...whole,
    tags,
    components: { ...whole.components, responses: Object.fromEntries(responses) },
  };
}
