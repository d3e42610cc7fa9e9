// Task delegation: the supervisor looks into a calendar, and asks for priority or deadline where they are unclear.
import { askHuman, createMultiAgentSystem } from "../../../src/routing/builder.js";

/** @param calendarUrl what the tool reads: any HTTP endpoint of yours. */
export const taskSystem = (calendarUrl: string) =>
  createMultiAgentSystem({
    name: "task-delegation",
    supervisor: {
      strategy: "llm-based",
      tools: [
        askHuman,
        {
          name: "check_calendar",
          server: "office",
          description: "Reads the calendar: which days are free",
          http: { method: "GET", url: calendarUrl },
        },
      ],
      systemPrompt: "You delegate tasks by priority and deadline. Ask for the priority where it is unclear.",
    },
    workers: [
      { id: "urgent", description: "urgent tasks: today, immediately, critical, outage" },
      { id: "normal", description: "normal tasks: this week, reports, planning, meetings" },
      { id: "background", description: "background tasks: some day, cleaning up, archiving" },
    ],
  });
