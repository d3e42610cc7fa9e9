/** Unpacks the browser before the test files that start it, which may be two at once: its package takes a file that is there for whole. Node only. */
import chromium from "@sparticuz/chromium";

export default async function setup(): Promise<void> {
  await chromium.executablePath();
}
