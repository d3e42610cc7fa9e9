// The page's own server: it knows who is logged in, keeps the key, and hands out a token for that user.
//   CONCLAVE_URL=http://127.0.0.1:8787 CONCLAVE_KEY=cnk_… node examples/browser-chat/serve.mjs
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const { CONCLAVE_URL = "http://127.0.0.1:8787", CONCLAVE_KEY, AGENT = "assistant", PORT = "8080" } = process.env;
const page = readFileSync(new URL("index.html", import.meta.url));

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (pathname === "/") return response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
  if (pathname !== "/token") return response.writeHead(404).end();
  // A real application takes the user from its own login.
  const subject = searchParams.get("user") ?? "ana";
  const minted = await fetch(`${CONCLAVE_URL}/v1/tokens`, {
    method: "POST",
    headers: { authorization: `Bearer ${CONCLAVE_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ subject, agents: [AGENT] }),
  });
  const { token } = await minted.json();
  response
    .writeHead(minted.ok ? 200 : 502, { "content-type": "application/json", "cache-control": "no-store" })
    .end(JSON.stringify({ token, url: CONCLAVE_URL, agent: AGENT }));
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`Open http://127.0.0.1:${server.address().port}`);
});
