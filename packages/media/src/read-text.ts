import { CapstanError } from '@capstan/core'
import { bytesOf } from './inputs/held.js'
import type { Reply } from './media-service.js'
import { readRecord } from './read-record.js'
import { wordsOf } from './words-of.js'

/** The text of a transcription or translation; silence gives `''`. @throws CapstanError `invalid_response` */
export async function readText(reply: Reply): Promise<string> {
  const bytes = await bytesOf(reply)
  const { text } = readRecord(bytes)
  if (typeof text === 'string') return text
  const message = `${reply.endpoint} answered without a text. It sent: ${wordsOf(bytes)}`
  throw new CapstanError('invalid_response', message, { evidence: { endpoint: reply.endpoint } })
}
