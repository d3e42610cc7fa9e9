// Task delegation: the supervisor looks into a calendar, and asks for priority or deadline where they are unclear.
import type { Example } from "../client.js";

/** @param calendarUrl what the tool reads: any HTTP endpoint of yours. */
export const taskSystem = (calendarUrl: string): Example => ({
  name: "task-delegation",
  team: {
    supervisor: {
      strategy: "llm-based",
      tools: ["ask_human", "office/check_calendar"],
      systemPrompt: "You delegate tasks by priority and deadline. Ask for the priority where it is unclear.",
    },
    workers: [
      { id: "urgent", description: "urgent tasks: today, immediately, critical, outage" },
      { id: "normal", description: "normal tasks: this week, reports, planning, meetings" },
      { id: "background", description: "background tasks: some day, cleaning up, archiving" },
    ],
  },
  tools: {
    check_calendar: {
      server: "office",
      description: "Reads the calendar: which days are free",
      http: { method: "GET", url: calendarUrl },
    },
  },
});
