/** What pages have in common that are watched while something goes on. */
import type { Ask } from "../../asks/ask.js";
import { Text } from "../visible-text.js";

/** How often a page is asked for anew whose work goes on, in seconds; once it has ended, never. */
export const watchSeconds = 2;

/** What it waits for, each with the way to where it is answered. */
export function OpenAsks({ asks }: { readonly asks: readonly Pick<Ask, "askId" | "question" | "status">[] }) {
  return (
    <>
      {asks
        .filter(({ status }) => status === "open")
        .map(({ askId, question }) => (
          <p class="notice">
            <a href={`/console/inbox/${askId}`}>
              <Text inline text={question} />
            </a>
          </p>
        ))}
    </>
  );
}
