/** Which agents there are to talk to: found by what they are called and what they are for. */
import { z } from "zod";
import { listResources } from "../../application/resources/list-resources.js";
import { cursor, limit, pageOf } from "../inputs.js";
import { type McpTool, mcpTool } from "../tool.js";

/** So many pages are read for one that has something; the cursor goes on from there. */
const mostPages = 10;

const agentSchema = z.object({ name: z.string(), description: z.string().optional() });

export const agentTools: readonly McpTool[] = [
  mcpTool({
    name: "list_agents",
    title: "Find an agent to talk to",
    description: "The agents that create_session takes, by name, with what each is for.",
    act: listResources,
    effect: "reads",
    input: z.strictObject({
      query: z.string().min(1).max(200).optional().describe("Words that the name or the description has, all of them."),
      limit,
      cursor,
    }),
    output: pageOf(agentSchema),
    text: ({ items, nextCursor }) =>
      [
        ...(items.length === 0 ? ["No agent was found."] : []),
        ...items.map(({ name, description }) => (description === undefined ? name : `${name}: ${description}`)),
        ...(nextCursor === null ? [] : [`There is more: cursor ${nextCursor}`]),
      ].join("\n"),
    run: async ({ query = "", ...page }, { actor, services }) => {
      const words = query.toLowerCase().split(/\s+/);
      const fits = ({ name, description = "" }: z.infer<typeof agentSchema>): boolean => {
        const said = `${name} ${description}`.toLowerCase();
        return words.every((word) => said.includes(word));
      };
      let from = page.cursor;
      for (let read = 1; ; read++) {
        const found = await listResources(actor, { ...page, kind: "agents", cursor: from }, services);
        const items = found.items.map((item) => agentSchema.parse(item)).filter(fits);
        if (items.length > 0 || found.nextCursor === null || read === mostPages) return { ...found, items };
        from = found.nextCursor;
      }
    },
  }),
];
