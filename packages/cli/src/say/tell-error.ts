import { isCapstanError } from '@capstan/core'
import { withoutCredentials } from '@capstan/core/wire'
import { plainText } from './plain-text.js'
import { withoutBlobs } from './without-blobs.js'
import { withoutSecrets } from './without-secrets.js'

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
