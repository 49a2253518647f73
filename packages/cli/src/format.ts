import { isCapstanError } from '@capstan/core'
import { visibleText, withoutCredentials } from '@capstan/core/internal'
import truncatedWidth from 'fast-string-truncated-width'

/** What was thrown, as one reads it: its code and its sentence, or with `debug` all that is known of where. */
export function tellError(thrown: unknown, debug = false): string {
  const said = debug ? withCauses(thrown) : sentenceOf(thrown)
  return withoutCredentials(withoutSecrets(withoutBlobs(plainText(said))))
}

function sentenceOf(thrown: unknown): string {
  const sentence = messageOf(thrown).trim()
  return isCapstanError(thrown) ? `${thrown.code}: ${sentence}` : sentence
}

function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.message || thrown.name
}

function withCauses(thrown: unknown, depth = 0): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const own = isCapstanError(thrown) ? `${thrown.code}: ${thrown.stack}` : (thrown.stack ?? thrown.message)
  if (thrown.cause === undefined || depth === 5) return own
  return `${own}\nbecause of ${withCauses(thrown.cause, depth + 1)}`
}

/** A text on one line, in at most `columns` columns of a terminal. */
export function oneLine(text: string, columns = 100): string {
  const limit = Math.max(columns, 1)
  // What is far too long is cut before it is looked at.
  const line = withoutBlobs(
    plainText(text.slice(0, limit * 50))
      .trim()
      .replace(/\s+/g, ' '),
  )
  const { index, ellipsed } = truncatedWidth(line, { limit, ellipsis: '…' })
  return ellipsed ? `${line.slice(0, index).trimEnd()}…` : line.slice(0, index)
}

/** A text as `visibleText` shows it, on its own lines: models and tools write what they like. Line ends and tabs stay. */
export function plainText(text: string): string {
  return text.replace(/\r/g, '').replace(/[^\n\t]+/g, visibleText)
}

/** A text without long runs of base64, which say nothing to anybody. */
function withoutBlobs(text: string): string {
  return text.replace(/[A-Za-z0-9+/_-]{120,}={0,2}/g, (blob) => `(${blob.length} characters)`)
}

/** A text without the values of environment variables whose names say that they are secrets. */
export function withoutSecrets(text: string, environment: NodeJS.ProcessEnv = process.env): string {
  let shown = text
  for (const [name, value = ''] of Object.entries(environment).sort(byLength))
    if (secretName.test(name) && value.length >= shortest) shown = shown.replaceAll(value, `(${name})`)
  return shown
}

const secretName = /key|token|secret|passw|credential/i
/** Shorter values are words that stand anywhere. */
const shortest = 8

/** A secret that begins with another one goes first. */
function byLength([, one = '']: Variable, [, other = '']: Variable): number {
  return other.length - one.length
}

type Variable = [name: string, value: string | undefined]

/** How many columns of a terminal a text takes. */
export function columnsOf(text: string): number {
  return truncatedWidth(text).width
}

/** A number of things in words: `1 call`, `2 calls`. */
export function count(number: number, thing: string): string {
  return `${grouped(number)} ${thing}${number === 1 ? '' : 's'}`
}

/** A whole number with its thousands apart, alike in all countries. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ' ')
}

/** A time as one reads it: `12 ms`, `1.2 s`. */
export function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** A size as one reads it: `812 bytes`, `12 kB`, `1.2 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return count(bytes, 'byte')
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** A word as a shell reads it. */
export function quoted(word: string): string {
  return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
