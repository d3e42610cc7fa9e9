/**
 * The APIs of Slack, Telegram, Discord and WhatsApp, and the receiver of our own channel, as far as Conclave calls them. Built from
 * their public documentation, none of their code; they refuse what the documentation says is refused:
 * https://docs.slack.dev/reference/methods · https://core.telegram.org/bots/api ·
 * https://docs.discord.com/developers/resources · https://developers.facebook.com/docs/whatsapp/cloud-api
 */

export interface PlatformRequest {
  readonly method: string;
  /** Behind the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface PlatformResponse {
  readonly status: number;
  readonly body: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** Ids of what was posted: unlike over all platforms of a process. */
let posted = 1_000;

export function answerPlatform(kind: string, request: PlatformRequest): PlatformResponse {
  const body = isFields(request.body) ? request.body : {};
  switch (kind) {
    case "slack":
      return slack(request, body);
    case "telegram":
      return telegram(request, body);
    case "discord":
      return discord(request, body);
    case "whatsapp":
      return whatsapp(request, body);
    case "generic":
      return { status: 200, body: {} };
    default:
      return { status: 404, body: {} };
  }
}

/** Every answer is a 200; `ok` says whether it worked. */
function slack({ path, headers }: PlatformRequest, body: Fields): PlatformResponse {
  // A `response_url` needs no token.
  if (path.startsWith("/commands/")) return { status: 200, body: "ok" };
  const no = (error: string) => ({ status: 200, body: { ok: false, error } });
  if (!headers.authorization?.startsWith("Bearer xoxb-")) return no("invalid_auth");
  const method = path.slice(1);
  const { channel, text, blocks } = body;
  if (method === "views.open")
    return body.trigger_id ? { status: 200, body: { ok: true, view: {} } } : no("invalid_trigger");
  if (typeof channel !== "string") return no("channel_not_found");
  if (channel === "CFOREIGN") return no("not_in_channel");
  if (typeof text !== "string" && !Array.isArray(blocks)) return no("no_text");
  if (typeof text === "string" && text.length > 40_000) return no("msg_too_long");
  if (Array.isArray(blocks) && (blocks.length > 50 || JSON.stringify(blocks).length > 13_000))
    return no("invalid_blocks");
  switch (method) {
    case "chat.postMessage":
      return { status: 200, body: { ok: true, channel, ts: `1700000000.${posted++}` } };
    case "chat.update":
      return typeof body.ts === "string"
        ? { status: 200, body: { ok: true, channel, ts: body.ts } }
        : no("message_not_found");
    case "chat.postEphemeral":
      return typeof body.user === "string"
        ? { status: 200, body: { ok: true, message_ts: `${posted++}` } }
        : no("user_not_in_channel");
    default:
      return no("unknown_method");
  }
}

function telegram({ path }: PlatformRequest, body: Fields): PlatformResponse {
  const no = (status: number, description: string) => ({
    status,
    body: { ok: false, error_code: status, description },
  });
  const [, token, method] = /^\/bot([^/]+)\/([A-Za-z]+)$/.exec(path) ?? [];
  if (token === undefined || !/^\d+:/.test(token)) return no(401, "Unauthorized");
  const { chat_id: chat, text, reply_markup: markup } = body;
  if (method === "getMe")
    return {
      status: 200,
      body: { ok: true, result: { id: Number.parseInt(token, 10), is_bot: true, username: "Shop_Bot" } },
    };
  if (method === "sendChatAction") return { status: 200, body: { ok: true, result: true } };
  if (chat === undefined) return no(400, "Bad Request: chat_id is empty");
  if (typeof text !== "string" || text === "") return no(400, "Bad Request: message text is empty");
  // The limit counts what is left after the entities were parsed.
  if (text.replace(/<[^>]*>/g, "").replace(/&\w+;/g, "_").length > 4_096)
    return no(400, "Bad Request: message is too long");
  if (body.parse_mode === "HTML" && !isBalanced(text)) return no(400, "Bad Request: can't parse entities");
  for (const data of JSON.stringify(markup ?? {}).matchAll(/"callback_data":"([^"]*)"/g)) {
    if (new TextEncoder().encode(data[1]).length > 64) return no(400, "Bad Request: BUTTON_DATA_INVALID");
  }
  switch (method) {
    case "sendMessage":
      return { status: 200, body: { ok: true, result: { message_id: posted++, chat: { id: chat } } } };
    case "editMessageText":
      return body.message_id === undefined
        ? no(400, "Bad Request: message to edit not found")
        : { status: 200, body: { ok: true, result: { message_id: body.message_id } } };
    default:
      return no(404, "Not Found");
  }
}

function isBalanced(html: string): boolean {
  const open: string[] = [];
  for (const [, slash, tag = ""] of html.matchAll(/<(\/?)([a-z]+)[^>]*>/g)) {
    if (slash === "") open.push(tag);
    else if (open.pop() !== tag) return false;
  }
  return open.length === 0 && !/&(?!amp;|lt;|gt;|quot;|#\d+;)/.test(html);
}

function discord({ method, path, headers }: PlatformRequest, body: Fields): PlatformResponse {
  const no = (status: number, code: number, message: string) => ({ status, body: { code, message } });
  const { content = "", components } = body;
  const ofInteraction = /^\/webhooks\/[^/]+\/[^/]+(\/messages\/[^/]+)?$/.test(path);
  const ofChannel = /^\/channels\/[^/]+\/messages(\/\d+)?$/.test(path);
  if (!ofInteraction && !ofChannel) return no(404, 0, "404: Not Found");
  if (ofChannel && !headers.authorization?.startsWith("Bot ")) return no(401, 0, "401: Unauthorized");
  if (typeof content !== "string" || content.length > 2_000) return no(400, 50_035, "Invalid Form Body");
  if (content === "" && components === undefined) return no(400, 50_006, "Cannot send an empty message");
  for (const [, id = ""] of JSON.stringify(components ?? []).matchAll(/"custom_id":"([^"]*)"/g)) {
    if (id.length > 100) return no(400, 50_035, "Invalid Form Body");
  }
  const id = /\/messages\/(\d+)$/.exec(path)?.[1] ?? String(posted++);
  return method === "POST" || method === "PATCH"
    ? { status: 200, body: { id, content } }
    : no(405, 0, "405: Method Not Allowed");
}

function whatsapp({ path, headers }: PlatformRequest, body: Fields): PlatformResponse {
  const no = (status: number, code: number, message: string) => ({ status, body: { error: { code, message } } });
  if (!headers.authorization?.startsWith("Bearer ")) return no(401, 190, "Invalid OAuth access token");
  if (!/^\/\d+\/messages$/.test(path)) return no(404, 100, "Unsupported post request");
  if (body.messaging_product !== "whatsapp") return no(400, 100, "The parameter messaging_product is required");
  if (body.status === "read") return { status: 200, body: { success: true } };
  const { to, recipient, type, text, interactive } = body;
  const isNumber = typeof to === "string" && /^\d+$/.test(to);
  const isUserId = typeof recipient === "string" && /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(recipient);
  if (!isNumber && !(to === undefined && isUserId)) return no(400, 100, "The parameter to is required");
  if (type === "text") {
    const said = isFields(text) ? text.body : undefined;
    if (typeof said !== "string" || said === "" || said.length > 4_096)
      return no(400, 100, "Param text['body'] is invalid");
  } else if (type === "interactive") {
    const problem = wrongInteractive(isFields(interactive) ? interactive : {});
    if (problem !== undefined) return no(400, 131_009, problem);
  } else return no(400, 100, "Param type must be one of text, interactive");
  return { status: 200, body: { messaging_product: "whatsapp", messages: [{ id: `wamid.${posted++}` }] } };
}

function wrongInteractive({ type, body, action }: Fields): string | undefined {
  const text = isFields(body) ? body.text : undefined;
  const most = type === "list" ? 4_096 : 1_024;
  if (typeof text !== "string" || text === "" || text.length > most) return "the body text is missing or too long";
  const written = JSON.stringify(action ?? {});
  const titles = [...written.matchAll(/"title":"((?:[^"\\]|\\.)*)"/g)].map(([, title = ""]) => title);
  const ids = [...written.matchAll(/"id":"([^"]*)"/g)].map(([, id = ""]) => id);
  if (type === "button" && (ids.length === 0 || ids.length > 3)) return "one to three buttons";
  if (type === "list" && (ids.length === 0 || ids.length > 10)) return "one to ten rows";
  const longest = type === "list" ? 24 : 20;
  if (titles.some((title) => title.length > longest)) return "a title is too long";
  return ids.some((id) => id.length > 200) ? "an id is too long" : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
