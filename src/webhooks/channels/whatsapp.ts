import type { ChannelAdapter } from "../../channels/adapter.js";
export const whatsapp: ChannelAdapter<"whatsapp"> = {
  kind: "whatsapp",
  maxCharacters: 2000,
  edits: true,
  forms: false,
  async receive() {
    return { kind: "unsigned" };
  },
  async send() {
    return { kind: "refused", detail: "" };
  },
};
