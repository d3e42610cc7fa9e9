/** The acts on programs that people let in, in the order in which the document lists them. */
import {
  grantAccess,
  listGrants,
  listOwnGrants,
  readAccessRequest,
  refuseAccess,
  revokeGrant,
  revokeOwnGrant,
} from "./manage-grants.js";

export const grantActs = [
  listGrants,
  revokeGrant,
  readAccessRequest,
  grantAccess,
  refuseAccess,
  listOwnGrants,
  revokeOwnGrant,
];
