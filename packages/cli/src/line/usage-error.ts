/** The command line is wrong; the sentence says what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
