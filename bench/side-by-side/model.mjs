// A model that answers at once, as a process of its own: JSON, or a stream of eight pieces. Prints its port.
import { createServer } from "node:http";

const sentences = 6;
/** No sentence comes twice within an answer or soon after: whoever knows sentences from before has it no easier than with people's texts. */
const textOf = (number) =>
  Array.from(
    { length: sentences },
    (_, at) => `Your parcel left the warehouse at ${number + at}, and 3 of its 4 items arrive within two days. `,
  )
    .join("")
    .slice(0, 500);
const usage = { prompt_tokens: 40, completion_tokens: 120, total_tokens: 160 };

let answers = 0;
const server = createServer((request, response) => {
  const text = textOf(10_000 + ((answers++ * sentences) % 89_994));
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    const { stream, tools = [], model = "" } = JSON.parse(body || "{}");
    const id = `chatcmpl-${Math.random().toString(36).slice(2)}`;
    const routes = tools.some((tool) => tool.function?.name === "route_to");
    const args = JSON.stringify({ targetAgent: "parcels", reasoning: "It fits.", confidence: 0.9 });
    const call = { id: `call_${id}`, type: "function", function: { name: "route_to", arguments: args } };
    const finish = routes ? "tool_calls" : "stop";
    if (!stream) {
      const message = routes
        ? { role: "assistant", content: null, tool_calls: [call] }
        : { role: "assistant", content: text };
      const choices = [{ index: 0, message, finish_reason: finish }];
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ id, object: "chat.completion", created: 0, model, choices, usage }));
      return;
    }
    response.setHeader("content-type", "text/event-stream");
    const send = (delta, finish_reason = null, more = {}) => {
      const chunk = {
        id,
        object: "chat.completion.chunk",
        created: 0,
        model,
        choices: [{ index: 0, delta, finish_reason }],
      };
      response.write(`data: ${JSON.stringify({ ...chunk, ...more })}\n\n`);
    };
    if (routes) send({ role: "assistant", tool_calls: [{ index: 0, ...call }] });
    else for (let at = 0; at < text.length; at += 63) send({ role: "assistant", content: text.slice(at, at + 63) });
    send({}, finish);
    response.write(
      `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created: 0, model, choices: [], usage })}\n\n`,
    );
    response.end("data: [DONE]\n\n");
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
