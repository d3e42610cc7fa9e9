/** An endpoint for webhooks: it believes what is signed and new, and handles each delivery once. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace(/^whsec_/, ""), "base64");
// Yours is a table in which the id is unique.
const handled = new Set();

createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const id = request.headers["webhook-id"];
  if (!isFromConclave(request.headers, body)) return response.writeHead(401).end();
  if (!handled.has(id)) {
    const { type, data } = JSON.parse(body);
    console.log(type, data.sessionId ?? "");
    handled.add(id);
  }
  response.writeHead(204).end();
}).listen(Number(process.env.PORT), "127.0.0.1");

/** @param body as it came: parsed and written again it doesn't verify */
function isFromConclave(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signatures = "" } = headers;
  // What is older than five minutes may be a replay.
  if (!(Math.abs(Date.now() / 1000 - Number(at)) < 300)) return false;
  const right = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest();
  return signatures.split(" ").some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    return given.length === right.length && timingSafeEqual(given, right);
  });
}
