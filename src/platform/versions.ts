import type { ReferenceItem } from "../chat/prompt.js";
import type { ResourceKind, ResourceVersion } from "../tenancy/resources.js";

/** The pinned versions, by kind and name. */
export class Versions {
  constructor(private readonly versions: readonly ResourceVersion[]) {}

  all<K extends ResourceKind>(kind: K): readonly ResourceVersion<K>[] {
    return this.versions.filter((version): version is ResourceVersion<K> => version.kind === kind);
  }

  get<K extends ResourceKind>(kind: K, name: string): ResourceVersion<K>["body"] | undefined {
    return this.all(kind).find((version) => version.name === name)?.body;
  }

  /** In the order of the names, each once; those that don't exist any more are left out. */
  items(kind: "rules" | "references", names: readonly string[]): ReferenceItem[] {
    return [...new Set(names)].flatMap((name) => {
      const item = this.get(kind, name);
      return item === undefined
        ? []
        : [{ name, text: item.text, priority: item.priority, description: item.description }];
    });
  }
}
