import type { TimedText } from '../client/transcripts.js'

export type SubtitleFormat = 'srt' | 'vtt'

/** The media type of each subtitle format. */
export const subtitleTypes: Readonly<Record<SubtitleFormat, string>> = {
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
}

/** Formats segments as subtitles, one cue per segment. Omits segments without text. */
export function toSubtitles(segments: readonly TimedText[], format: SubtitleFormat): string {
  const cues = segments.flatMap(({ text, ...times }) => {
    // An empty line would end the cue.
    const line = text.replace(/\s+/g, ' ').trim()
    return line ? [{ ...times, line }] : []
  })
  const texts = cues.map((cue, index) => cueWriters[format](cue, index + 1))
  return `${format === 'vtt' ? 'WEBVTT\n\n' : ''}${texts.join('\n')}`
}

interface Cue {
  /** Start time in seconds. */
  readonly start: number
  readonly end: number
  readonly line: string
}

const cueWriters: Readonly<Record<SubtitleFormat, (cue: Cue, number: number) => string>> = {
  srt: ({ start, end, line }, number) =>
    `${number}\n${toTime(start, ',')} --> ${toTime(end, ',')}\n${line}\n`,
  vtt: ({ start, end, line }) => `${toTime(start, '.')} --> ${toTime(end, '.')}\n${escaped(line)}\n`,
}

/** Escapes the characters that start markup in WebVTT. */
function escaped(line: string): string {
  return line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Formats seconds as `hh:mm:ss` followed by milliseconds, with `mark` between them. */
function toTime(seconds: number, mark: ',' | '.'): string {
  const ms = Math.round(seconds * 1000)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map(two).join(':')
  return `${clock}${mark}${String(ms % 1000).padStart(3, '0')}`
}
