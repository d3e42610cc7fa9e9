/** The tenant's conversations, the last changed first. */
import { listSessions } from "../../application/sessions/list-sessions.js";
import { readConversation } from "../../application/sessions/read-conversation.js";
import { Badge, Choice, Field, Time, type Tone } from "../parts.js";
import { perform, query, type Screen } from "../screen.js";
import { Text } from "../visible-text.js";
import { Listed } from "./listed.js";

const tones: Readonly<Record<string, Tone>> = { waiting: "warn", failed: "bad", blocked: "bad" };

export const conversations: Screen = {
  path: "/conversations",
  nav: { label: "Conversations", group: "Work" },
  needs: readConversation,
  show: async (visit) => {
    const filter = {
      subject: query(visit, "subject"),
      agent: query(visit, "agent"),
      held: query(visit, "held"),
      cursor: query(visit, "cursor"),
    };
    const { items, nextCursor } = await perform(visit, listSessions, filter);
    const rows = items.map(({ sessionId, agent, subject, updatedAt, lastTurn, hold }) => [
      <a href={`/console/conversations/${sessionId}`}>
        <Text inline text={subject ?? sessionId} />
      </a>,
      <Text inline text={agent} />,
      <>
        {lastTurn === undefined ? undefined : <Badge tone={tones[lastTurn.status] ?? "plain"}>{lastTurn.status}</Badge>}{" "}
        {hold === undefined ? undefined : (
          <Badge tone={hold.state === "asked" ? "bad" : "warn"}>
            {hold.state === "asked" ? "person wanted" : "taken over"}
          </Badge>
        )}
      </>,
      <Time at={updatedAt} />,
    ]);
    return {
      title: "Conversations",
      body: (
        <>
          <form method="get" class="row">
            <Field visit={visit} name="subject" label="Customer" stored={query(visit, "subject") ?? ""} type="search" />
            <Field visit={visit} name="agent" label="Agent" stored={query(visit, "agent") ?? ""} type="search" />
            <Choice
              visit={visit}
              name="held"
              label="Who answers"
              stored={query(visit, "held") ?? ""}
              options={[
                ["", "All"],
                ["true", "People"],
                ["false", "Agents"],
              ]}
            />
            <button type="submit">Show</button>
          </form>
          <Listed
            visit={visit}
            cursor={nextCursor}
            label="Conversations"
            heads={["Customer", "Agent", "Last turn", "Changed"]}
            rows={rows}
            empty="None."
          />
        </>
      ),
    };
  },
};
