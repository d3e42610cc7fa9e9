/**
 * Reads a table of facts that is written as text: a row a line, columns parted by ` | `. Lines that begin with `#` say what the columns
 * are and where the facts are from.
 * Tables of words in many languages are `String.raw`: the bundle keeps their letters, where it writes six characters for each of others.
 * @param row makes a row of its columns; a line with more or fewer than it takes is a fault of the table
 * @example
 * readTable("# country | digits\nDE | 11", (country, digits) => ({ country, digits: Number(digits) }))
 */
export function readTable<T>(table: string, row: (...columns: string[]) => T): readonly T[] {
  return table
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const columns = line.split(" | ");
      if (columns.length !== row.length)
        throw new Error(`a row of ${row.length} columns has ${columns.length}: ${line}`);
      return row(...columns);
    });
}

/** The name that a column of a table holds. @throws where it isn't one of those that there are */
export function namedIn<Name extends string>(names: readonly Name[], column: string): Name {
  const found = names.find((name) => name === column);
  if (found === undefined) throw new Error(`"${column}" is none of ${names.join(", ")}`);
  return found;
}
