/** A conversation, for who reads along. */
import { readConversation } from "../../application/sessions/read-conversation.js";
import { readSession } from "../../application/sessions/read-session.js";
import { Facts, Time } from "../parts.js";
import { perform, query, type Screen } from "../screen.js";
import { Text } from "../visible-text.js";
import { Bubbles } from "./ask-parts.js";

export const conversation: Screen = {
  path: "/conversations/:sessionId",
  needs: readConversation,
  show: async (visit) => {
    const sessionId = visit.params.sessionId ?? "";
    const [session, { items, earlier }] = await Promise.all([
      perform(visit, readSession, { sessionId }),
      perform(visit, readConversation, { sessionId, before: query(visit, "before") }),
    ]);
    const asks = items.flatMap((item) => item.asks).filter(({ status }) => status === "open");
    return {
      title: "Conversation",
      body: (
        <>
          <Facts
            facts={[
              ["Agent", <Text inline text={session.agent} />],
              ["Customer", <Text inline text={session.subject ?? "not named"} />],
              ["Began", <Time at={session.createdAt} />],
            ]}
          />
          {earlier === null ? undefined : (
            <p class="more">
              <a href={`?before=${earlier}`}>What was said before</a>
            </p>
          )}
          <div id="said-here" data-poll="5">
            {asks.map(({ askId, question }) => (
              <p class="notice">
                <a href={`/console/inbox/${askId}`}>
                  <Text inline text={question} />
                </a>
              </p>
            ))}
            <Bubbles items={items} />
          </div>
        </>
      ),
    };
  },
};
