/** `conclave`, as it is started. */
import { run } from "./run.js";

run(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
