import type { Reply } from '../http/endpoint.js'
import type { TranscriptFormat } from './listening-fields.js'

/** What was heard, by whatever engine. */
export interface HeardText {
  readonly task: 'transcribe' | 'translate'
  readonly text: string
  /** The code of what was spoken. */
  readonly language: string
  /** Seconds. */
  readonly duration: number
  readonly segments: readonly HeardPart[]
  /** Where each word is, when the engine knows. */
  readonly words?: readonly { readonly word: string; readonly start: number; readonly end: number }[]
}

interface HeardPart {
  readonly text: string
  /** Seconds from the start of the sound. */
  readonly start: number
  readonly end: number
  /** From 0 to 1, when the engine knows. */
  readonly confidence?: number
}

type Body = { readonly json: unknown } | { readonly bytes: Uint8Array; readonly mediaType: string }

/** What was heard, in the form that was asked for. */
export function toHeardReply(heard: HeardText, format: TranscriptFormat): Body & Reply {
  switch (format) {
    case 'json':
      return { json: { text: heard.text } }
    case 'verbose_json':
      return { json: toVerbose(heard) }
    case 'text':
      return toText(`${heard.text}\n`, 'text/plain')
    case 'srt':
      return toText(heard.segments.map(toSrtCue).join('\n'), 'application/x-subrip')
    case 'vtt':
      return toText(['WEBVTT\n', ...heard.segments.map(toVttCue)].join('\n'), 'text/vtt')
  }
}

function toText(text: string, mediaType: string): Body {
  return { bytes: new TextEncoder().encode(text), mediaType: `${mediaType}; charset=utf-8` }
}

const names: Readonly<Record<string, string>> = { en: 'english', es: 'spanish', it: 'italian' }

function toVerbose({ task, text, language, duration, segments, words }: HeardText) {
  return {
    task,
    language: names[language] ?? language,
    duration,
    text,
    segments: segments.map(({ confidence, ...part }, id) => ({
      id,
      seek: 0,
      start: part.start,
      end: part.end,
      text: part.text,
      tokens: [],
      temperature: 0,
      // Clients read the logarithm; an engine that does not know says nothing of it.
      ...(confidence !== undefined && { confidence, avg_logprob: Math.log(Math.max(confidence, 0.001)) }),
    })),
    ...(words && { words: words.map(({ word, start, end }) => ({ word, start, end })) }),
  }
}

function toSrtCue({ text, start, end }: HeardPart, index: number): string {
  return `${index + 1}\n${toTime(start).replace('.', ',')} --> ${toTime(end).replace('.', ',')}\n${text}\n`
}

function toVttCue({ text, start, end }: HeardPart): string {
  return `${toTime(start)} --> ${toTime(end)}\n${text}\n`
}

function toTime(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const rest = (seconds % 60).toFixed(3).padStart(6, '0')
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}:${rest}`
}
