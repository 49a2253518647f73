import { isCapstanError } from '@capstan/core'
import { visibleText, withoutCredentials } from '@capstan/core/internal'
import truncatedWidth from 'fast-string-truncated-width'

/**
 * Formats a thrown value as its code and message. With `debug`, formats its stack and causes instead. Redacts secrets.
 */
export function formatError(thrown: unknown, debug = false): string {
  const said = debug ? stackWithCauses(thrown) : messageWithCode(thrown)
  return withoutCredentials(redactSecrets(collapseBase64(sanitizeText(said))))
}

/** Formats a failure like `formatError`, and adds the URL of the page that explains its code. */
export function formatFailure(thrown: unknown, debug = false): string {
  const said = formatError(thrown, debug)
  return isCapstanError(thrown) && thrown.help ? `${said}\nSee ${sanitizeText(String(thrown.help))}` : said
}

function messageWithCode(thrown: unknown): string {
  const sentence = messageOf(thrown).trim()
  return isCapstanError(thrown) ? `${thrown.code}: ${sentence}` : sentence
}

function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.message || thrown.name
}

function stackWithCauses(thrown: unknown, depth = 0): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const own = isCapstanError(thrown) ? `${thrown.code}: ${thrown.stack}` : (thrown.stack ?? thrown.message)
  if (thrown.cause === undefined || depth === 5) return own
  return `${own}\ncaused by ${stackWithCauses(thrown.cause, depth + 1)}`
}

/** Formats text as one line of at most `columns` terminal columns. Text that does not fit ends with `…`. */
export function toOneLine(text: string, columns = 100): string {
  const limit = Math.max(columns, 1)
  // Cuts very long text first, to limit the work.
  const line = collapseBase64(
    sanitizeText(text.slice(0, limit * 50))
      .trim()
      .replace(/\s+/g, ' '),
  )
  const { index, ellipsed } = truncatedWidth(line, { limit, ellipsis: '…' })
  return ellipsed ? `${line.slice(0, index).trimEnd()}…` : line.slice(0, index)
}

/**
 * Escapes control and invisible characters with `visibleText`, because text from models and tools is untrusted. Keeps
 * line breaks and tabs. Escaping does not change the value of JSON.
 */
export function sanitizeText(text: string): string {
  return text.replace(/\r/g, '').replace(/[^\n\t]+/g, visibleText)
}

/** Replaces each base64 string of at least 120 characters with its length. */
function collapseBase64(text: string): string {
  return text.replace(/[A-Za-z0-9+/_-]{120}[A-Za-z0-9+/_-]*={0,2}/g, (blob) => `(${blob.length} characters)`)
}

/** Redacts secrets: the values of environment variables with names such as `API_KEY`. */
export function redactSecrets(text: string, environment: NodeJS.ProcessEnv = process.env): string {
  let shown = text
  for (const [name, value = ''] of Object.entries(environment).sort(byLength))
    if (secretName.test(name) && value.length >= minSecretLength) shown = shown.replaceAll(value, `(${name})`)
  return shown
}

const secretName = /key|token|secret|passw|credential/i
/** Shorter values are not redacted, because they could be ordinary words. */
const minSecretLength = 8

/** Sorts longer values first, because a secret can be the start of a longer one. */
function byLength([, one = '']: Variable, [, other = '']: Variable): number {
  return other.length - one.length
}

type Variable = [name: string, value: string | undefined]

/** Returns the number of terminal columns that text takes. Wide characters take two. */
export function displayWidth(text: string): number {
  return truncatedWidth(text).width
}

/** Formats a count with its noun: `1 call`, `2 calls`. */
export function formatCount(number: number, thing: string): string {
  return `${formatInteger(number)} ${thing}${number === 1 ? '' : 's'}`
}

/** Formats an integer with spaces between groups of three digits, independent of the locale. */
export function formatInteger(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ' ')
}

/** Formats a duration: `12 ms`, `1.2 s`. */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** Formats a size: `812 bytes`, `12 kB`, `1.2 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return formatCount(bytes, 'byte')
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

export function shellQuote(word: string): string {
  return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
