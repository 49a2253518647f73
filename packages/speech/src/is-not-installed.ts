/** Whether an import failed for want of the package itself: something missing inside it is a fault, not a choice. */
export function isNotInstalled(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return /NOT_FOUND/.test(String(error.code)) && error.message.includes(`'${name}'`)
}
