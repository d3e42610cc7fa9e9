import type { ChannelAdapter } from "../../channels/adapter.js";
export const telegram: ChannelAdapter<"telegram"> = {
  kind: "telegram",
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
