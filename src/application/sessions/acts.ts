/** The acts on sessions, their turns and their messages, in the order in which the document lists them. */
import { beginSession, chooseSessionContext, equipSession } from "./begin-session.js";
import { cancelTurn } from "./cancel-turn.js";
import { changeSessionContext } from "./change-context.js";
import { changeSession, superviseSession } from "./change-session.js";
import { deleteSession } from "./delete-session.js";
import { editMessage } from "./edit-message.js";
import { eraseMessage } from "./erase-message.js";
import { giveFeedback, listFeedback } from "./give-feedback.js";
import { holdSession, releaseSession } from "./hold-session.js";
import { listSessions } from "./list-sessions.js";
import { readSessionContext } from "./read-context.js";
import { readConversation } from "./read-conversation.js";
import { readSession } from "./read-session.js";
import { readSupervision } from "./read-supervision.js";
import { readTranscript } from "./read-transcript.js";
import { readTurn } from "./read-turn.js";
import { readTurnTrace } from "./read-turn-trace.js";
import { readVersions } from "./read-versions.js";
import { requestPerson, withdrawPersonRequest } from "./request-person.js";
import { restoreSessionContext } from "./restore-context.js";
import { restoreMessage } from "./restore-message.js";
import { sendMessage } from "./send-message.js";
import { readOriginals } from "./turn-for.js";
import { writeAsStaff } from "./write-as-staff.js";

export const sessionActs = [
  beginSession,
  listSessions,
  readSession,
  changeSession,
  deleteSession,
  readSupervision,
  readSessionContext,
  changeSessionContext,
  restoreSessionContext,
  sendMessage,
  readTurn,
  readTurnTrace,
  cancelTurn,
  readTranscript,
  readConversation,
  readVersions,
  editMessage,
  restoreMessage,
  eraseMessage,
  holdSession,
  releaseSession,
  writeAsStaff,
  requestPerson,
  withdrawPersonRequest,
  giveFeedback,
  listFeedback,
  equipSession,
  chooseSessionContext,
  superviseSession,
  readOriginals,
];
