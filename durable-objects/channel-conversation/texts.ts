/** What a conversation in a chat says itself: short, and nothing that a model or a user wrote. */
import type { Problem } from "../../src/conversation/problem.js";

export const texts = {
  working: "…",
  nothingToSay: "Done.",
  noted: "Noted.",
  textOnly: "I can read text only. Please write what you would like to say.",
  cancelled: "Cancelled.",
  failed: "That didn't work. Please try again.",
  begunAnew: "This is a new conversation.",
  personIsAsked: "A person was asked to go on here.",
  personCame: "A person answers here now.",
  personIsHere: "A person has taken over here, and hands the conversation back.",
  answeredElsewhere: "Answered with your later message.",
  botIsBack: "The bot answers here again.",
  notThere: "That question isn't here any more.",
  sendTheText: "Send the text as it shall be, as your next message.",
  pressAButton: "Please press one of the buttons.",
  giveBack: "Give back to the bot",
  handedBack: (who: string): string => `Given back to the bot by ${who}.`,
  notTaken: ({ code, errors }: Problem): string => {
    if (code === "already_closed") return "That was decided already.";
    if (code === "claimed") return "Somebody else is at it. Wait until they have decided.";
    if (code === "forbidden") return "That is for somebody else to answer.";
    const [error] = errors ?? [];
    return error === undefined ? "That can't be taken as an answer." : `That can't be taken: ${error.message}.`;
  },
} as const;
