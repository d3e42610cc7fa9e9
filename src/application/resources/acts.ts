/** The acts on resources and their remote tools. Their routes, which each kind has, stand in `http/routes/resources.ts`. */
import { deleteResource } from "./delete-resource.js";
import { listResources } from "./list-resources.js";
import { pinTools } from "./pin-tools.js";
import { putResource } from "./put-resource.js";
import { readResource } from "./read-resource.js";
import {
  compareResourceVersions,
  listResourceVersions,
  readResourceVersion,
  restoreResource,
} from "./resource-versions.js";
import { readWholeResource } from "./resource-view.js";

export const resourceActs = [
  putResource,
  readResource,
  readWholeResource,
  listResources,
  listResourceVersions,
  readResourceVersion,
  compareResourceVersions,
  restoreResource,
  deleteResource,
  pinTools,
];
