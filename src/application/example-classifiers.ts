/** What `example-based` teams compare requests with, prepared once for each stored version of a team. */
import { examplesOf } from "../routing/strategies/example-based.js";
import type { Team } from "../routing/team.js";
import { type ExampleClassifier, prepareExamples } from "../text/example-classifier.js";

export class ExampleClassifiers {
  /** By the stored version, which never changes: gone when the store forgets the version. */
  private readonly prepared = new WeakMap<Team, ExampleClassifier>();

  of(team: Team): ExampleClassifier {
    const known = this.prepared.get(team);
    if (known !== undefined) return known;
    const classifier = prepareExamples(examplesOf(team.workers));
    this.prepared.set(team, classifier);
    return classifier;
  }
}
