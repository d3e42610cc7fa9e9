import type { ChannelAdapter } from "../../channels/adapter.js";
export const discord: ChannelAdapter<"discord"> = {
  kind: "discord",
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
