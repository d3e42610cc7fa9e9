/** What `example-based` teams compare requests with, prepared once for each stored version of a team. */
import { examplesOf } from "../routing/strategies/example-based.js";
import type { Team } from "../routing/team.js";
import { type ExampleClassifier, prepareExamples } from "../text/example-classifier.js";
import type { ExampleVectors } from "./example-vectors.js";

export class ExampleClassifiers {
  /** By the stored version, which never changes: gone when the store forgets the version. */
  private readonly prepared = new WeakMap<Team, ExampleClassifier>();

  constructor(private readonly vectors: ExampleVectors) {}

  /** How like in meaning a text is to the examples of each worker. @throws {MeaningUnavailableError} where the provider fails */
  meaning(tenantId: string, team: Team, text: string): Promise<ReadonlyMap<string, number> | undefined> {
    return this.vectors.likenesses(tenantId, team, text);
  }

  of(team: Team): ExampleClassifier {
    const known = this.prepared.get(team);
    if (known !== undefined) return known;
    const classifier = prepareExamples(examplesOf(team.workers));
    this.prepared.set(team, classifier);
    return classifier;
  }
}
