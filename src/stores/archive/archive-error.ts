/** Lines of the archived audit are missing, or aren't those that were numbered so: nothing is sealed or proven over them. */
export class BrokenArchiveError extends Error {
  override readonly name = "BrokenArchiveError";
}
