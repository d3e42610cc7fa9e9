// Draws what has no screen: `node tools/drawings.mjs` writes docs/pictures/*.svg, which look right in light and dark.
import { writeFileSync } from "node:fs";

const box = { width: 150, height: 62, column: 215, row: 98, margin: 16 };

/** Boxes by their place (column, row), with the kind of what stands there; arrows from box to box, with words beside them. */
const drawings = {
  concepts: {
    title:
      "A session: a message passes guardrails, an agent answers, the reply passes guardrails; a person is asked where one has to decide",
    boxes: {
      user: [0, 1, "person", "end user", "(subject)"],
      request: [1, 1, "guard", "guardrails", "of the message"],
      agent: [2, 1, "", "agent", "or a team, or a panel"],
      response: [3, 1, "guard", "guardrails", "of the reply"],
      reply: [4, 1, "person", "end user", "reads the reply"],
      ask: [2, 0, "person", "ask: a person", "decides or answers"],
      memory: [1, 2, "", "memory", "of the end user"],
      model: [2, 2, "", "model"],
      tools: [3, 2, "", "tools", "each call judged"],
    },
    arrows: [
      ["user", "request", "message"],
      ["request", "agent", "verdict"],
      ["agent", "response"],
      ["response", "reply", "verdict"],
      ["request", "ask", "review"],
      ["agent", "ask", "question"],
      ["response", "ask", "review"],
      ["memory", "agent"],
      ["agent", "model"],
      ["agent", "tools", "approval"],
    ],
    frame: [1, 0, 3, 2, "one turn of a session"],
  },
  "openai-clients": {
    title: "OpenAI's client sends to Conclave, whose guardrails look at the message and the reply of an agent",
    boxes: {
      client: [0, 0, "person", "your program", "OpenAI's client"],
      request: [1, 0, "guard", "guardrails"],
      agent: [2, 0, "", "agent", 'model: "shop"'],
      response: [1, 1, "guard", "guardrails"],
    },
    arrows: [
      ["client", "request", "base URL"],
      ["request", "agent"],
      ["agent", "response"],
      ["response", "client", "choices"],
    ],
  },
  "chat-channels": {
    title: "A message goes from a chat to the agent and back; what has to be decided goes to the reviewers' channel",
    boxes: {
      chat: [0, 0, "person", "Slack, WhatsApp", "your customers"],
      channel: [1, 0, "", "channel", "/webhooks/slack/…"],
      agent: [2, 0, "guard", "agent", "with its guardrails"],
      staff: [2, 1, "person", "reviewers' channel", "your staff"],
    },
    arrows: [
      ["chat", "channel"],
      ["channel", "agent"],
      ["agent", "staff", "may I?"],
      ["channel", "chat"],
    ],
  },
  deployment: {
    title: "Look at the plan, deploy, health is ok, first supervised answer; or go back",
    boxes: {
      plan: [0, 0, "", "npm run deploy", "-- --dry-run"],
      deploy: [1, 0, "", "npm run deploy", "asks once"],
      health: [2, 0, "guard", "/health", "is well"],
      answer: [3, 0, "person", "first answer", "a link signs you in"],
      back: [2, 1, "", "rollback", "the data stays"],
    },
    arrows: [
      ["plan", "deploy"],
      ["deploy", "health"],
      ["health", "answer"],
      ["health", "back", "it isn't"],
    ],
  },
  tenants: {
    title: "One deployment with two tenants, each with keys, agents, guardrails, people and data of its own",
    boxes: {
      admin: [0, 0, "person", "you", "ADMIN_SECRET"],
      acme: [1, 0, "guard", "tenant Acme", "keys, agents, data"],
      globex: [1, 1, "guard", "tenant Globex", "keys, agents, data"],
      shopA: [2, 0, "person", "Acme's program", "cnk_…"],
      shopB: [2, 1, "person", "Globex's program", "cnk_…"],
    },
    arrows: [
      ["admin", "acme", "makes"],
      ["admin", "globex", "makes"],
      ["shopA", "acme"],
      ["shopB", "globex"],
    ],
  },
  forget: {
    title: "What is kept of a person is counted, handed out, erased, and a receipt stays",
    boxes: {
      count: [0, 0, "", "count", "what is there"],
      hand: [1, 0, "", "hand out", "files for 24 hours"],
      erase: [2, 0, "guard", "erase", "kind by kind"],
      receipt: [3, 0, "person", "receipt", "found, erased, left"],
      hold: [2, 1, "", "hold", "keeps it in spite"],
    },
    arrows: [
      ["count", "hand"],
      ["hand", "erase"],
      ["erase", "receipt"],
      ["hold", "erase"],
    ],
  },
};

for (const [name, drawing] of Object.entries(drawings)) writeFileSync(`docs/pictures/${name}.svg`, draw(drawing));

function draw({ title, boxes, arrows, frame }) {
  const places = Object.values(boxes);
  const width = left(Math.max(...places.map(([column]) => column))) + box.width + box.margin;
  const height = top(Math.max(...places.map(([, row]) => row))) + box.height + box.margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" text-anchor="middle">
<title>${escaped(title)}</title>
<style>
rect { fill: #fff; stroke: #8a8f96; } text { fill: #1c1d1f; font-size: 15px; } .more, .words { fill: #5d6066; font-size: 12px; }
.person { fill: #e8f0fb; stroke: #1f5fae; } .guard { fill: #e9f5ee; stroke: #17693c; } path { stroke: #6b7076; fill: none; stroke-width: 1.5; } marker path { fill: #6b7076; stroke: none; }
.frame { fill: none; stroke-dasharray: 4 4; } .words { paint-order: stroke; stroke: #fff; stroke-width: 5px; }
@media (prefers-color-scheme: dark) {
rect { fill: #1e2023; stroke: #777c83; } text { fill: #e7e7e4; } .more, .words { fill: #a9adb3; } .words { stroke: #17181a; }
.person { fill: #1c2b3f; stroke: #8bb9f0; } .guard { fill: #1b2f24; stroke: #7fcf9f; } path { stroke: #a9adb3; } marker path { fill: #a9adb3; } .frame { fill: none; }
}
</style>
<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>
${frame === undefined ? "" : frameOf(frame)}
${arrows.map(([from, to, words]) => arrow(boxes[from], boxes[to], words)).join("\n")}
${places.map(boxOf).join("\n")}
</svg>
`;
}

function boxOf([column, row, kind, words, more]) {
  const x = left(column) + box.width / 2;
  const y = top(row) + box.height / 2;
  return `<rect class="${kind}" x="${left(column)}" y="${top(row)}" width="${box.width}" height="${box.height}" rx="8"/>
<text x="${x}" y="${more ? y - 3 : y + 5}">${escaped(words)}</text>${more ? `<text class="more" x="${x}" y="${y + 17}">${escaped(more)}</text>` : ""}`;
}

function frameOf([column, row, lastColumn, lastRow, words]) {
  const width = left(lastColumn) - left(column) + box.width + 24;
  const height = top(lastRow) - top(row) + box.height + 24;
  return `<rect class="frame" x="${left(column) - 12}" y="${top(row) - 12}" width="${width}" height="${height}" rx="12"/>
<text class="more" x="${left(column) + 60}" y="${top(row) + 8}">${words}</text>`;
}

/** From edge to edge of two boxes: straight where they stand in a row or a column, else aslant. */
function arrow([fromColumn, fromRow], [toColumn, toRow], words) {
  const across = Math.sign(toColumn - fromColumn);
  const down = Math.sign(toRow - fromRow);
  const x1 = left(fromColumn) + box.width / 2 + (across * box.width) / 2;
  const x2 = left(toColumn) + box.width / 2 - (across * box.width) / 2;
  const y1 = top(fromRow) + box.height / 2 + (across === 0 ? (down * box.height) / 2 : down * 16);
  const y2 = top(toRow) + box.height / 2 - (across === 0 ? (down * box.height) / 2 : down * 16);
  const label = words
    ? `<text class="words" x="${(x1 + x2) / 2}" y="${(y1 + y2) / 2 - (down === 0 ? 6 : -4)}">${escaped(words)}</text>`
    : "";
  return `<path d="M${x1} ${y1}L${x2} ${y2}" marker-end="url(#end)"/>${label}`;
}

function left(column) {
  return box.margin + column * box.column;
}

function top(row) {
  return box.margin + row * box.row;
}

function escaped(words) {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
