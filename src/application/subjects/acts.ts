/** The acts on people's data, in the order in which the document lists them. */
import { eraseSubject, exportSubject } from "./begin-job.js";
import { deleteHold, listHolds, putHold, readHold } from "./holds.js";
import { listSubjectJobs, readSubjectFile, readSubjectJob } from "./read-jobs.js";
import { readSubject } from "./read-subject.js";

export const subjectActs = [
  readSubject,
  exportSubject,
  eraseSubject,
  listSubjectJobs,
  readSubjectJob,
  readSubjectFile,
  putHold,
  readHold,
  listHolds,
  deleteHold,
];
