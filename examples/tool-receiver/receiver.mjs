/** An endpoint for an HTTP tool: it believes what is signed, and shows an end user's parcels to that end user alone. */
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.SIGNING_SECRET);
const owners = { 4711: "ana", 4712: "ben" };

createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  try {
    webhook.verify(body, request.headers, { jsonParse: false });
    const { subject } = contextOf(request.headers);
    const { order } = JSON.parse(body);
    if (owners[order] !== subject) return response.writeHead(404).end(`There is no order ${order} of ${subject}.`);
    response.end(`Order ${order} of ${subject} is on its way.`);
  } catch {
    response.writeHead(401).end("This call isn't signed with our secret.");
  }
}).listen(Number(process.env.PORT), "127.0.0.1");

function contextOf(headers) {
  const [context, signature] = (headers["conclave-context"] ?? "").split(".");
  webhook.verify(context, { ...headers, "webhook-signature": signature }, { jsonParse: false });
  return JSON.parse(Buffer.from(context, "base64url").toString());
}
