/** A proxy that adds a key to each request: for programs that can't send one. */
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";

/** Gives its origin, and the server to close in the end. */
export async function keyedProxy(target: string, key: string): Promise<{ origin: string; server: Server }> {
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? "/", target);
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const upstream = request(url, { method: incoming.method ?? "GET", headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    upstream.on("error", () => outgoing.destroy());
    incoming.pipe(upstream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the proxy has no address");
  return { origin: `http://127.0.0.1:${address.port}`, server };
}
