/** The acts on tenants, their settings and keys, in the order in which the document lists them. */
import { changeTenant } from "./change-tenant.js";
import { createTenant } from "./create-tenant.js";
import { deleteTenant } from "./delete-tenant.js";
import { exportTenant } from "./export-tenant.js";
import { importTenant } from "./import-tenant.js";
import { createKey, deleteKey, listKeys } from "./keys.js";
import { listTenants } from "./list-tenants.js";
import { moveTenant } from "./move-tenant.js";
import { createOwnKey, deleteOwnKey, listOwnKeys } from "./own-keys.js";
import { changeSettings, readSettings } from "./own-settings.js";
import { readTenant } from "./read-tenant.js";

export const tenantActs = [
  createTenant,
  listTenants,
  readTenant,
  changeTenant,
  deleteTenant,
  exportTenant,
  importTenant,
  moveTenant,
  createKey,
  listKeys,
  deleteKey,
  readSettings,
  changeSettings,
  createOwnKey,
  listOwnKeys,
  deleteOwnKey,
];
