/** The pages of `docs/` as text, as the Worker serves them below `/docs`. Another page is a line in both lists. */

import channels from "../../docs/channels.md";
import client from "../../docs/client.md";
import deployment from "../../docs/deployment.md";
import errors from "../../docs/errors.md";
import events from "../../docs/events.md";
import mcp from "../../docs/mcp.md";
import memory from "../../docs/memory.md";
import models from "../../docs/models.md";
import names from "../../docs/names.md";
import openai from "../../docs/openai.md";
import overview from "../../docs/README.md";
import roundtables from "../../docs/roundtables.md";
import routing from "../../docs/routing.md";
import security from "../../docs/security.md";
import sessions from "../../docs/sessions.md";
import supervision from "../../docs/supervision.md";
import tools from "../../docs/tools.md";
import tour from "../../docs/tour.md";
import uiChat from "../../docs/ui-chat.md";
import webhooks from "../../docs/webhooks.md";

export const documentationPages: Readonly<Record<string, string>> = {
  README: overview,
  channels,
  client,
  deployment,
  errors,
  events,
  mcp,
  memory,
  models,
  names,
  roundtables,
  openai,
  routing,
  security,
  sessions,
  supervision,
  tools,
  tour,
  "ui-chat": uiChat,
  webhooks,
};
