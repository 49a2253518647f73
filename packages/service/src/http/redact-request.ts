import type { IncomingHttpHeaders } from 'node:http'

/** Removes secrets and long base64 from a stored request. */
export interface Redactor {
  readonly headers: (headers: IncomingHttpHeaders) => Record<string, string>
  readonly value: (value: unknown) => unknown
}

// A shorter key could also be an ordinary word.
const shortestSecret = 8
const longestBase64 = 1024
const mostLevels = 100

/** Creates a redactor. It also removes the given secrets that have at least 8 characters. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const known = secrets.filter((secret) => secret.length >= shortestSecret)
  const text = (given: string): string => {
    if (given.length < shortestSecret) return given
    const bare = given.length > longestBase64 ? given.replace(base64, shortenBase64) : given
    const rest = known.reduce((kept, secret) => kept.replaceAll(secret, veil), bare)
    return keyStart.test(rest) ? rest.replace(keys, veil) : rest
  }
  const value = (given: unknown, level = 0): unknown => {
    if (typeof given === 'string') return text(given)
    if (typeof given !== 'object' || given === null) return given
    if (level >= mostLevels) return '<nested too deeply>'
    if (Array.isArray(given)) return given.map((item) => value(item, level + 1))
    const entries = Object.entries(given).map(([name, item]) => {
      return [text(name), typeof item === 'string' && secretField.test(name) ? veil : value(item, level + 1)]
    })
    // Unlike an assignment, this works for a field of any name.
    return Object.fromEntries(entries)
  }
  return { value: (given) => value(given), headers: (headers) => redactHeaders(headers, text) }
}

function redactHeaders(
  headers: IncomingHttpHeaders,
  text: (given: string) => string,
): Record<string, string> {
  const entries = Object.entries(headers).map(([name, given = '']) => {
    const said = Array.isArray(given) ? given.join(', ') : given
    return [name, secretHeader.test(name) ? veil : text(said)] as const
  })
  return Object.fromEntries(entries)
}

const veil = '***'
const secretHeader = /auth|cookie|(?<!idempotency-)key|token|secret|password|session|credential/i
const secretField = /^(x-)?(api[-_]?key|authorization|password|cookie|.*(secret|token|access[-_]?key))$/i
// This test is far cheaper than the replacement, and most strings have no match.
const keyStart = /k-|bearer|gh[oprsu]_|hub_pat_|akia|aiza|xox|eyj/i
// Matches keys of model services, keys of other services that are common in text, and signed tokens.
const keys =
  /\b[prs]k-[\w-]{16}[\w-]*|(?<=\bBearer\s{1,4})[\w.~+/-]{8}[\w.~+/-]*=*|\b(?:gh[oprsu]_|github_pat_)\w{20}\w*|\bAKIA[A-Z\d]{16}\b|\bAIza[\w-]{30}[\w-]*|\bxox[a-z]-[\w-]{10}[\w-]*|\beyJ[\w-]{8}[\w-]*\.[\w-]{8}[\w-]*\.[\w-]{8}[\w-]*/gi

// Matches a run of base64, even if it is wrapped into lines. Reads each character once.
const base64 = /[\w+/-]+(?:\r?\n[\w+/-]+)*={0,2}/g

function shortenBase64(run: string): string {
  if (run.length <= longestBase64) return run
  // Unlike a list of words, base64 has long lines.
  const lines = run.split('\n').length
  return run.length / lines < 40 ? run : `<base64, ${run.length} characters>`
}
