// A conversation with a Worker: CONCLAVE_KEY=cnk_… npm test, which applies the folder to the key's tenant first. Take one for tests.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { Conclave, replyText } from "conclave/client";

const { CONCLAVE_URL = "http://127.0.0.1:8787", CONCLAVE_KEY } = process.env;
assert.ok(CONCLAVE_KEY, "set CONCLAVE_KEY: `npm start` of Conclave prints the one of its local tenant");

const conclave = new Conclave({ baseUrl: CONCLAVE_URL, token: CONCLAVE_KEY });
/** In the shop's place. */
const shop = createServer((request, response) => {
  const number = new URL(`${request.url}`, CONCLAVE_URL).searchParams.get("number");
  response.end(`Order ${number} is on its way.`);
});

const lookUpAt = async (url) => {
  const { version: _, http, ...tool } = await conclave.request("GET", "/v1/tools/order_status");
  await conclave.request("PUT", "/v1/tools/order_status", { body: { ...tool, http: { ...http, url } } });
  return http.url;
};
let itsOwn;

before(async () => {
  await once(shop.listen(0, "127.0.0.1"), "listening");
  itsOwn = await lookUpAt(`http://127.0.0.1:${shop.address().port}/orders`);
});
after(async () => {
  shop.close();
  await lookUpAt(itsOwn);
});

async function say(content) {
  const { sessionId } = await conclave.sessions.create({ agent: "clerk" });
  return conclave.sessions.send(sessionId, { content });
}

test("answers from what it was given", async () => {
  const turn = await say("Within how many days can goods be sent back?");
  assert.equal(turn.status, "completed");
  assert.match(replyText(turn), /30 days/);
  assert.equal(turn.supervision.response.action, "allow");
  console.log(replyText(turn));
});

test("looks an order up", async () => {
  assert.match(replyText(await say("What is the order_status of order 1001?")), /on its way/);
});

test("the model never sees a card number", async () => {
  const turn = await say("My card is 4111 1111 1111 1111. How do I return goods?");
  assert.equal(turn.supervision.request.action, "modify");
});

test("a message that holds a credential is stopped", async () => {
  assert.equal((await say("My key is AKIAQYLPMN5HHHFPZAM2, and the secret abc.")).status, "blocked");
});
