/** Examples of people's data, by the name of the shape or the operation. */

const at = "2026-11-24T09:30:00.000Z";
const job = {
  jobId: "sjb_01m8072fx3xw2y7q4w92ev76va",
  requestedBy: { kind: "key", id: "key_01m8072fx3xw2y7q4w92ev76va", role: "admin" },
  createdAt: at,
};
const hold = { subjects: ["ana"], sessions: [], reason: "A dispute that is before a court." };
const storedHold = { ...hold, name: "case-7", version: 1, createdAt: at, updatedAt: at };

export const subjectExamples = {
  "exportSubject request": { originals: true },
  "getSubject 200": { subject: "ana", counts: { sessions: 4, runs: 1, memories: 1, asks: 0, usage: 31 }, holds: [] },
  "deleteSubject request": { reason: "Asked for it by mail." },
  SubjectJob: {
    ...job,
    kind: "erasure",
    status: "completed",
    pseudonym: "psn_01m8072fx3xw2y7q4w92ev76va",
    reason: "Asked for it by mail.",
    endedAt: "2026-11-24T09:30:04.000Z",
    receipt: [
      { kind: "sessions", found: 4, erased: 4, left: 0 },
      { kind: "usage", found: 31, erased: 0, left: 31, why: "under the pseudonym psn_01m…: what was used is billed" },
    ],
  },
  "getSubjectJobFile 200": {
    sessionId: "ses_01m8072fx3xw2y7q4w92ev76va",
    message: { role: "user", content: "Hello." },
  },
  Hold: storedHold,
  NewHold: hold,
  "putHold request": hold,
};
