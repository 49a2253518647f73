import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The error for a file that cannot be loaded: why, and where in it, as far as that is known. */
export function loadFailure(file: string, path: string, cause: unknown): Error {
  const [reason = ''] = messageOf(cause).split('\nRequire stack:')
  const place = placeIn(cause)
  const told = place === undefined || reason.includes(path) ? '' : ` (at ${place})`
  const words = reason.trim().replace(/\s*\n\s*/g, ' ')
  return new Error(`${file} cannot be loaded: ${words}${told}${hint(cause, file, place)}`, { cause })
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message || thrown.name : String(thrown)
}

/** The innermost line of the user's own files that the stack names, as `agent.ts:12`. */
function placeIn(thrown: unknown): string | undefined {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : ''
  for (const [, path = '', line = ''] of stack.matchAll(/(?:^|[\s(])(?:file:\/\/)?(\/[^\s():]+):(\d+)/gm))
    if (!path.includes('/node_modules/') && !path.startsWith(own))
      return `${relative(process.cwd(), path)}:${line}`
  return undefined
}

/** Where this command itself is. */
const own = dirname(fileURLToPath(import.meta.url))

/** Node keeps the place of some errors to itself. */
function hint(thrown: unknown, file: string, place: string | undefined): string {
  const isHidden = thrown instanceof SyntaxError && place === undefined
  return isHidden && /\.[cm]?js$/.test(file) ? `. node ${file} shows where` : ''
}
