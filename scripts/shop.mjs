// The shop that the first agent answers for: a few orders behind two tools, in the process of `npm start` itself.
import { createServer } from "node:http";

const orders = new Map([
  ["1001", { bought: "a teapot", price: "24.00 EUR", parcel: "delivered on Monday" }],
  ["1002", { bought: "two cups", price: "18.00 EUR", parcel: "on its way, expected tomorrow" }],
]);

/**
 * Opens it on the loopback.
 * @param port the one it had before, so that its tools stay as they are stored; another is taken where that one isn't free
 * @returns its address
 */
export async function openShop(port) {
  const refunded = new Set();
  const shop = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { pathname, searchParams } = new URL(request.url, "http://shop");
    const number = pathname === "/orders" ? searchParams.get("number") : numberIn(body);
    const order = orders.get(number?.trim());
    const answer = (status, value) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (order === undefined) return answer(404, { error: `There is no order ${number}. Try 1001 or 1002.` });
    if (pathname === "/refunds") refunded.add(number);
    answer(200, { number, ...order, refunded: refunded.has(number) });
  });
  // Node would close a connection that is idle for five seconds, and the Worker sends the next order on it just then.
  shop.keepAliveTimeout = 600_000;
  const listen = (at) =>
    new Promise((resolve, reject) =>
      shop.once("error", reject).listen(at, "127.0.0.1", () => resolve(shop.address().port)),
    );
  const taken = await listen(port).catch(() => listen(0));
  shop.unref();
  return `http://127.0.0.1:${taken}`;
}

function numberIn(body) {
  try {
    return String(JSON.parse(body).number);
  } catch {
    return undefined;
  }
}
