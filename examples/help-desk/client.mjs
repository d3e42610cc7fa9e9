// A small client of Conclave's HTTP API: plain fetch, no dependencies.
import { readFileSync } from "node:fs";

/** Where the Worker is, and with whose key: CONCLAVE_URL and CONCLAVE_KEY, or what `npm start` left behind. */
export function findWorker() {
  const local = readLocal();
  const url = process.env.CONCLAVE_URL ?? local?.origin ?? `http://127.0.0.1:${process.env.PORT ?? 8787}`;
  const key = process.env.CONCLAVE_KEY ?? local?.key;
  if (key === undefined) {
    throw new Error(
      "there is no key. Start the Worker with `npm start` in another terminal, or set CONCLAVE_URL and CONCLAVE_KEY.",
    );
  }
  return { url: url.replace(/\/$/, ""), key };
}

function readLocal() {
  try {
    return JSON.parse(readFileSync(new URL("../../.wrangler/local-key.json", import.meta.url), "utf8"));
  } catch {
    return undefined;
  }
}

export function connect({ url, key }) {
  const send = async (method, path, body, headers = {}) => {
    let response;
    try {
      response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch {
      throw new Error(`nothing answers at ${url}. Start the Worker with \`npm start\` in another terminal.`);
    }
    if (!response.ok) throw new Error(await problemText(method, path, response));
    return response;
  };
  return {
    json: async (method, path, body) => (await send(method, path, body)).json(),
    text: async (method, path, body) => (await send(method, path, body)).text(),
    /** Sends a message and gives its events as they come. */
    stream: async function* (path, body) {
      const response = await send("POST", path, body, { accept: "text/event-stream" });
      let text = "";
      for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
        text += piece;
        const blocks = text.split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) {
          const event = /^event: (.*)$/m.exec(block)?.[1];
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) };
        }
      }
    },
  };
}

async function problemText(method, path, response) {
  const text = await response.text();
  try {
    const { code, detail, errors = [] } = JSON.parse(text);
    const where = errors.map(({ path: at, message }) => `\n  ${at}: ${message}`).join("");
    return `${method} ${path}: ${response.status} ${code}: ${detail}${where}`;
  } catch {
    return `${method} ${path}: ${response.status} ${text.slice(0, 300)}`;
  }
}
