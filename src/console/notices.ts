/** What pages say of what was just done. */
import { ownValue } from "../conversation/own-value.js";

/** By the word that a form's answer put into the address: nobody else's text is shown as ours. */
export function noticeOf(done: string | undefined): string | undefined {
  return ownValue(notices, done ?? "");
}

const notices: Readonly<Record<string, string>> = {
  welcome: "You are signed in. Add a passkey, and you won't need another link.",
  saved: "Saved.",
  deleted: "Deleted.",
  removed: "Removed.",
  added: "Added.",
  ended: "Signed out everywhere.",
  revoked: "Its access is taken back.",
  sent: "Sent again.",
  decided: "Decided.",
  deferred: "Put off.",
  taken: "You have taken it over: the agent answers nothing here until you hand it back.",
  said: "Sent.",
  returned: "The agent answers again.",
  stopped: "Cancelled.",
};
