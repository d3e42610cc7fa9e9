/** The acts on people, in the order in which the document lists them. */
import { inviteFirstPerson } from "./invite-first-person.js";
import {
  changePerson,
  deletePerson,
  endPersonSessions,
  invitePerson,
  invitePersonAgain,
  listPeople,
} from "./manage-people.js";
import { addOwnPasskey, deleteOwnPasskey, listOwnPasskeys, signOut } from "./own-sign-in.js";
import { readPeopleNames } from "./read-names.js";

export const peopleActs = [
  inviteFirstPerson,
  listPeople,
  readPeopleNames,
  invitePerson,
  invitePersonAgain,
  changePerson,
  deletePerson,
  endPersonSessions,
  listOwnPasskeys,
  addOwnPasskey,
  deleteOwnPasskey,
  signOut,
];
