import { text } from 'node:stream/consumers'

/** What was piped in; undefined when a person sits there. */
export async function readInput(isAsked = false): Promise<string | undefined> {
  if (process.stdin.isTTY && !isAsked) return undefined
  return text(process.stdin)
}
