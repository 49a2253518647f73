import { CapstanError } from '@capstan/core'

/**
 * Splits a path that a model wrote into names. Rejects, on every system, what could lead out of the folder on any
 * system: `..`, an absolute path, a drive, a backslash, an escape such as `%2e`, a control character, and a name that
 * ends in a dot or a space, which Windows drops.
 * @throws CapstanError `invalid_arguments` for such a path
 */
export function partsOf(path: string): readonly string[] {
  const reason = path.length > maxLength ? `it is longer than ${maxLength} characters` : reasonIn(path)
  if (reason !== undefined) throw rejectedPath(path, reason)
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  for (const part of parts) {
    const wrong = reasonInName(part)
    if (wrong !== undefined) throw rejectedPath(path, wrong)
  }
  return parts
}

const maxLength = 1000

function reasonIn(path: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'it contains a control character'
  if (path.includes('\\')) return 'it contains a backslash; separate names with "/"'
  if (/^(?:\/|[a-z]:|[a-z][\w+.-]*:\/)/i.test(path)) return 'it is absolute'
  if (/%(?:2e|2f|5c|00)/i.test(path)) return 'it contains an escape such as %2e; write the character itself'
  return undefined
}

function reasonInName(name: string): string | undefined {
  if (name === '..') return 'it leads out of the folder'
  if (name === '~') return '"~" is not a folder here'
  if (/[. ]$/.test(name)) return 'a name ends in a dot or a space'
  if (process.platform === 'win32' && /[<>:"|?*]|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name))
    return 'Windows does not allow this name'
  return undefined
}

/** Returns the error for a path that cannot be used. `advice` tells the model what to do instead. */
export function rejectedPath(
  path: string,
  reason: string,
  advice = 'Use a path within the folder, such as "notes/plan.md"',
): CapstanError {
  const message = `${shownPath(path)} cannot be used: ${reason}. ${advice}.`
  return new CapstanError('invalid_arguments', message)
}

/** Returns a path for an error message: quoted, and cut to 100 characters. */
export function shownPath(path: string): string {
  return JSON.stringify(path.length > 100 ? `${path.slice(0, 99)}…` : path)
}

/**
 * Returns a function that takes a path as an array of names, and returns whether the path is ignored.
 * @throws CapstanError `invalid_request` for an unsupported pattern
 */
export function ignoring(patterns: readonly string[], of: string): (parts: readonly string[]) => boolean {
  const all = patterns.map((pattern) => toPattern(pattern, of))
  return (parts) => all.some((matches) => matches(parts.map(folded)))
}

type Matches = (parts: readonly string[]) => boolean

/**
 * Compiles a pattern. A single name matches at any depth, and a path matches only from the top of the folder.
 * Everything below a match also matches.
 */
function toPattern(pattern: string, of: string): Matches {
  const parts = pattern.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.length === 0 || parts.includes('..') || /[\\[\]{}?!]|\*\*/.test(pattern)) {
    const use = 'Use names ("dist", "*.log") or paths in the folder ("build/out"); "*" matches part of a name'
    throw new CapstanError(
      'invalid_request',
      `${of}: ignore contains the unsupported pattern ${shownPath(pattern)}. ${use}.`,
      {
        evidence: { option: 'ignore' },
      },
    )
  }
  const names = parts.map((part) => folded(part).split('*'))
  const [only] = names.length === 1 && !pattern.startsWith('/') ? names : []
  if (only) return (path) => path.some((name) => matchesName(name, only))
  return (path) => path.length >= names.length && names.every((name, at) => matchesName(path[at] ?? '', name))
}

/** Whether a name consists of the pieces in this order, with any text between them. */
function matchesName(name: string, pieces: readonly string[]): boolean {
  const [first = '', ...others] = pieces
  const last = others.pop()
  if (last === undefined) return name === first
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const piece of others) {
    const found = name.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}

/**
 * Normalizes a name for comparison, because some file systems ignore case, the Unicode form, invisible characters, or
 * dots and spaces at the end.
 */
function folded(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/[. ]+$/, '')
}
