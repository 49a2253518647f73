import { fingerprint } from '../words/fingerprint.js'

/** The text with its base64 taken out: bytes do not belong into a file that people read. The same bytes leave the same words. */
export function withoutBase64(text: string): string {
  if (text.length < shortest) return text
  return text
    .replace(dataAddress, (_, type: string, run: string) => `data:${type};${wordsFor(run)}`)
    .replace(wrapped, (run) => (isBase64(run) ? wordsFor(run) : run))
    .replace(long, (run) => (isBase64(run) ? wordsFor(run) : run))
}

/** Nothing shorter is replaced: `data:;base64,` and eight characters. */
const shortest = 21

/** Of any length: what it is, it says itself. */
const dataAddress = /data:([\w.+/-]*(?:;[\w.=+-]+)*?);base64,([\w+/=%-]{8,})/gi

/** On one line. */
const long = /[A-Za-z0-9+/_-]{200,}={0,2}/g

/** On lines of the same length, as mails and certificates have it, indented or not; their ends may be written as escapes. */
const wrapped = /(?:[A-Za-z0-9+/]{60,76}(?:\r?\n|(?:\\r)?\\n)[ \t]{0,16}){2,}[A-Za-z0-9+/]*={0,2}/g

/** Long runs of one kind of letter are words, dots or hashes. */
function isBase64(run: string): boolean {
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run)
}

function wordsFor(run: string): string {
  return `[base64, ${run.length} characters, ${fingerprint(run)}]`
}
