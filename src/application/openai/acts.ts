/** The acts of OpenAI's face. */
import { completeChat } from "./complete-chat.js";
import { deleteResponse } from "./delete-response.js";
import { instructAgent } from "./may-send.js";
import { readResponse } from "./read-response.js";

export const chatActs = [completeChat, instructAgent, readResponse, deleteResponse];
