/**
 * The catalogue of events: every type that a log or a stream can hold. A new event is one entry in the table of its domain, which is
 * listed here; the log's types, the OpenAPI document and the tests of the documentation follow from it.
 */

import type { z } from "zod";
import { agentEvents } from "../agent/events.js";
import { historyEvents } from "../agent/history-events.js";
import { askEvents } from "../asks/events.js";
import { chatEvents } from "../chat/events.js";
import {
  type EventAudience,
  type EventDefinition,
  type EventDefinitions,
  eventAudiences,
} from "../conversation/event.js";
import { memoryEvents } from "../memory/events.js";
import { roundtableEvents } from "../roundtable/events.js";
import { routingEvents } from "../routing/events.js";
import { supervisionEvents } from "../supervision/events.js";
import { limitEvents } from "../tenancy/limits/events.js";
import { lazily } from "../text/lazily.js";

const eventCatalogue = {
  ...chatEvents,
  ...supervisionEvents,
  ...agentEvents,
  ...askEvents,
  ...routingEvents,
  ...roundtableEvents,
  ...memoryEvents,
  ...historyEvents,
  ...limitEvents,
} as const satisfies EventDefinitions;

type Catalogue = typeof eventCatalogue;
type EventType = keyof Catalogue;

/** Sent to those who listen, and not stored. */
export type LiveEventType = {
  [Type in EventType]: Catalogue[Type] extends { readonly live: true } ? Type : never;
}[EventType];
export type LoggedEventType = Exclude<EventType, LiveEventType>;

/** What a reader of an event gets. */
export type EventData<Type extends EventType> = z.input<Catalogue[Type]["data"]>;

/** What the log stores of an event. */
export type StoredEventData<Type extends LoggedEventType> = Type extends EventType
  ? Catalogue[Type] extends { readonly stored: infer Stored extends z.ZodType }
    ? z.input<Stored>
    : EventData<Type>
  : never;

const definitionOf: ReadonlyMap<string, EventDefinition> = new Map(Object.entries(eventCatalogue));

/** All definitions, each with its type, in the order of the catalogue; made when the document first needs their schemas. */
export const eventDefinitions = lazily((): readonly (EventDefinition & { readonly type: string })[] =>
  [...definitionOf].map(([type, definition]) => ({ ...definition, type })),
);

/** Every event that is stored. */
export const storedEventTypes: readonly string[] = [...definitionOf].flatMap(([type, { live }]) =>
  live === true ? [] : [type],
);

/**
 * The data of an event as a reader may see it, as JSON text; nothing where it isn't for them. Types of an earlier version are for staff alone.
 * @param data all of it, as JSON text; made only where it is needed
 */
export function dataVisibleTo(reader: EventAudience, type: string, data: () => string): string | undefined {
  const { audience = "operator", viewFor } = definitionOf.get(type) ?? {};
  if (eventAudiences.indexOf(audience) > eventAudiences.indexOf(reader)) return undefined;
  if (viewFor === undefined || reader === "operator") return data();
  const view = viewFor(reader, JSON.parse(data()));
  return view === undefined ? undefined : JSON.stringify(view);
}
