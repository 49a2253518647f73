import { CapstanError } from '@capstan/core'
import { textFrom } from '../inputs/detect-type.js'
import { readBytes } from '../inputs/stored-bytes.js'
import type { OpenResponse } from './request.js'
import { readRecord } from './responses.js'

/** Text, with the times in a recording at which it starts and ends. */
export interface TimedText {
  readonly text: string
  /** The time from the start of the recording, in seconds. */
  readonly start: number
  readonly end: number
}

/** The text of a recording, in the form that the server returns. */
export interface Transcript {
  /** `''` if the recording is silent. */
  readonly text: string
  readonly segments?: readonly TimedText[]
  readonly words?: readonly TimedText[]
  /**
   * The language of the speech, in the server's spelling, such as `en` or `english`. Absent if it is unknown, or if no
   * timestamps were requested.
   */
  readonly language?: string
}

/** The parts of a transcript that can have timestamps. */
export type TimedParts = 'segments' | 'words'

/**
 * Returns a function that reads the response to a transcription or translation. The function throws CapstanError
 * `invalid_response` if there is no text, and `unsupported` if one of `parts` is missing.
 */
export function transcriptReader(parts: readonly TimedParts[]): (reply: OpenResponse) => Promise<Transcript> {
  return async (reply) => {
    await using whole = await reply.whole()
    const { endpoint } = reply
    const bytes = await readBytes(whole)
    const record = readRecord(bytes)
    const { text } = record
    if (typeof text !== 'string') {
      const message = `${endpoint} responded without text. It sent: ${textFrom(bytes)}`
      throw new CapstanError('invalid_response', message, { evidence: { endpoint } })
    }
    const found = parts.map((part) => [part, readTimed(record, part, text)] as const)
    const missing = found.find(([, list]) => !list)
    if (missing) throw withoutTimes(endpoint, missing[0], text)
    const { language } = record
    return {
      text,
      ...Object.fromEntries(found),
      ...(parts.length > 0 && typeof language === 'string' && language !== '' ? { language } : {}),
    }
  }
}

function withoutTimes(endpoint: string, part: TimedParts, transcribed: string): CapstanError {
  const message = `${endpoint} responded without ${part}. Set a model that supports verbose_json in "models", or omit timestamps and subtitles.`
  return new CapstanError('unsupported', message, { evidence: { endpoint, transcribed } })
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns the words or segments with their timestamps. Undefined if any of them has no timestamps, or if there is only
 * text.
 */
function readTimed(record: Fields, part: TimedParts, text: string): TimedText[] | undefined {
  // Some servers list the words inside their segment.
  const inner = part === 'words' ? listIn(record, 'segments').flatMap((one) => listIn(one, part)) : []
  const listed = listIn(record, part)
  const list = listed.length > 0 ? listed : inner
  const timed = list.flatMap((one) => toTimed(one) ?? [])
  return timed.length === list.length && (timed.length > 0 || text.trim() === '') ? timed : undefined
}

function listIn(record: Fields, name: string): Fields[] {
  const list = record[name]
  return Array.isArray(list) ? list.map((one) => Object(one) as Fields) : []
}

function toTimed({ word, text = word, start, end }: Fields): TimedText | undefined {
  if (typeof text !== 'string' || !isTime(start) || !isTime(end)) return undefined
  return { text: text.trim(), start, end: Math.max(start, end) }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
