/** What pages have in common that are watched while something goes on: they hear its events, and look anew at each. */
import { followEvents } from "../../application/events/follow-events.js";
import type { Ask } from "../../asks/ask.js";
import type { EventRoot } from "../../conversation/event.js";
import { authorize } from "../../tenancy/authority.js";
import type { Screen, Visit } from "../screen.js";
import { Text } from "../visible-text.js";

/** How often a page is asked for anew whose work goes on, in seconds, whether or not its events are heard; once it has ended, never. */
export const watchSeconds = 2;
/** How long a page hears events before it asks anew, in milliseconds: nobody who was signed out hears more. */
const heardMs = 60_000;

/** Events after which there is something else on the page. */
const heard: Readonly<Record<EventRoot, string>> = {
  session: "turn.started turn.waiting tool.called tool.returned supervision.decided ask.opened ask.closed",
  run: "routing.decided worker.started worker.returned results.aggregated ask.opened ask.closed",
  roundtable: "round.started position.taken seat.failed ask.opened ask.closed",
};

/** Stands on a page whose work goes on, at the address of its events; what is written of a reply is shown in it. */
export function Going({ visit, kind, at }: { readonly visit: Visit; readonly kind: EventRoot; readonly at: string }) {
  if (!authorize(visit.actor, followEvents).ok) return undefined;
  return <div id="going" class="text" dir="auto" data-events={`${at}/events`} data-hears={heard[kind]}></div>;
}

/** The events of some work that goes on, to the page that shows it; over as soon as nothing goes on. @param path of which `id` names the root */
function eventsOf(kind: EventRoot, path: string): Screen {
  return {
    path: `${path}/events`,
    needs: followEvents,
    show: async ({ actor, params, services }) => {
      const { id = "", turnId: work } = params;
      const events = await followEvents(actor, { kind, id }, services);
      const of = kind === "roundtable" ? { ofRunning: true as const } : { work };
      const stream = await events.streamUntil(services.now() + heardMs, { after: 0, lingerMs: 0, ...of });
      return new Response(stream, { headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" } });
    },
  };
}

export const watched: readonly Screen[] = [
  eventsOf("session", "/conversations/:id/turns/:turnId"),
  eventsOf("run", "/runs/:id"),
  eventsOf("roundtable", "/roundtables/:id"),
];

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
