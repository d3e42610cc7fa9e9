/**
 * In the bundle `import()` of a module of ours gives what is there. Vitest asks the host for it, once for all who ask meanwhile; and a request
 * that waits for what another asked for has nothing under way of its own, so that workerd takes it for one that hangs. Here it is there, too.
 */
import type { Plugin } from "vite";

const ours = /\/(?:src|durable-objects)\/.*\.tsx?$/;
/** Not one in a comment. */
const later = /^(?! \*)(.*?)\bimport\("(\.[^"]+)"\)/gm;

export const importsAtOnce: Plugin = {
  name: "imports at once",
  enforce: "pre",
  transform(code, id) {
    if (!ours.test(id.split("?")[0] ?? "")) return undefined;
    const paths: string[] = [];
    const changed = code.replace(later, (_all, before: string, path: string) => {
      if (!paths.includes(path)) paths.push(path);
      return `${before}Promise.resolve(later${paths.indexOf(path)})`;
    });
    if (paths.length === 0) return undefined;
    const imports = paths.map((path, at) => `import * as later${at} from ${JSON.stringify(path)};`);
    return { code: `${changed}\n${imports.join("\n")}`, map: null };
  },
};
