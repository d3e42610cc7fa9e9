/**
 * A name for an operation, made from its method and path, so that no two routes can be named alike by hand:
 * `POST /v1/sessions/{sessionId}/turns/{turnId}/cancel` is `cancelSessionTurn`.
 */
export function operationId(method: string, path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== "v1");
  const last = segments.at(-1) ?? "";
  const ofOne = last.startsWith("{");
  const words = segments.flatMap((segment, at) => {
    if (segment.startsWith("{")) return [];
    return segments[at + 1]?.startsWith("{") ? [singular(segment)] : [segment];
  });
  const whole = words.map(pascal).join("");
  switch (method) {
    case "get":
      return (ofOne || !isPlural(last) ? "get" : "list") + whole;
    case "put":
      return `put${whole}`;
    case "patch":
      return `update${whole}`;
    case "delete":
      return `delete${whole}`;
    default: {
      const of = words.slice(0, -1).map(pascal).join("");
      // What is posted to a list makes one of it; anything else that is posted to is an act.
      return isPlural(last) ? `create${of}${pascal(singular(last))}` : camel(last) + of;
    }
  }
}

function isPlural(word: string): boolean {
  return singular(word) !== word;
}

function singular(word: string): string {
  // Synthesis and consensus are one.
  return word
    .replace(/^people$/, "person")
    .replace(/ies$/, "y")
    .replace(/([^siu])s$/, "$1");
}

function camel(word: string): string {
  return word.replaceAll(/[-.](\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function pascal(word: string): string {
  const name = camel(word);
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
