import type { TimedText, Transcript } from '../client/transcripts.js'

/** The transcript of one chunk of a recording. */
export interface ChunkTranscript extends Transcript {
  /** Whether the chunk repeats the end of the previous one. */
  readonly overlaps: boolean
  /** The chunk's start within the recording, in seconds. */
  readonly at: number
}

/**
 * Joins the transcripts of chunks. Timestamps are relative to the start of the recording. If two chunks overlap, the
 * words and segments in the overlap appear once.
 */
export function joinTranscripts(chunks: readonly ChunkTranscript[]): Transcript {
  const timed = (['segments', 'words'] as const).filter((part) => chunks.some((chunk) => chunk[part]))
  const lists = timed.map((part) => [
    part,
    joinTimed(chunks.map(({ at, overlaps, [part]: parts = [] }) => ({ at, overlaps, parts }))),
  ])
  const language = chunks.find((chunk) => chunk.language !== undefined)?.language
  return {
    text: joinTexts(chunks),
    ...Object.fromEntries(lists),
    ...(language === undefined ? {} : { language }),
  }
}

interface TimedChunk extends Pick<ChunkTranscript, 'at' | 'overlaps'> {
  readonly parts: readonly TimedText[]
}

function joinTimed(chunks: readonly TimedChunk[]): TimedText[] {
  const joined: TimedText[] = []
  for (const { at, overlaps, parts } of chunks) {
    const shift = (seconds: number) => Math.round((at + seconds) * 1000) / 1000
    const next = parts.map(({ text, start, end }) => ({ text, start: shift(start), end: shift(end) }))
    if (overlaps) appendOverlap(joined, next)
    else joined.push(...next)
  }
  return joined
}

/** Appends parts whose start repeats the end of `joined`, without the repeated words. */
function appendOverlap(joined: TimedText[], next: readonly TimedText[]): void {
  const tail = joined.splice(-2 * maxOverlapWords)
  const [before, after] = [textOf(tail), textOf(next)]
  const seam = findSeam(before, after) ?? { leave: before.length, join: 0 }
  // Punctuation after the last shared word belongs to that word.
  const [marks = ''] = seam.join > 0 ? (/^[^\s\p{L}\p{N}]*/u.exec(after.slice(seam.join)) ?? []) : []
  const kept = cut(tail, 0, seam.leave)
  const last = kept.pop()
  if (last) joined.push(...kept, { ...last, text: last.text + marks })
  for (const { text, start, end } of cut(next, seam.join + marks.length, after.length)) {
    const begin = Math.max(last?.end ?? 0, start)
    joined.push({ text, start: begin, end: Math.max(begin, end) })
  }
}

function textOf(parts: readonly TimedText[]): string {
  return parts.map(({ text }) => text).join(' ')
}

/** Returns the parts within a character range of their joined text. Shortens parts at the ends of the range. */
function cut(parts: readonly TimedText[], from: number, to: number): TimedText[] {
  let begin = 0
  return parts.flatMap((part) => {
    const at = begin
    begin += part.text.length + 1
    const text = part.text.slice(Math.max(0, from - at), Math.max(0, to - at)).trim()
    // A shortened part that contains only punctuation is dropped.
    return /[\p{L}\p{N}]/u.test(text) || text === part.text ? [{ ...part, text }] : []
  })
}

/** Joins the text of chunks. If two chunks overlap, the words in the overlap appear once. */
export function joinTexts(chunks: readonly Pick<ChunkTranscript, 'text' | 'overlaps'>[]): string {
  return chunks.reduce((before, { text, overlaps }) => {
    const next = text.trim()
    if (!before || !next) return before || next
    const seam = overlaps ? findSeam(before, next) : undefined
    return seam
      ? before.slice(0, seam.leave) + next.slice(seam.join)
      : before + separator(before, next) + next
  }, '')
}

/** How many words to compare on each side of a split. */
const maxOverlapWords = 20

/** The position at which two strings are joined. */
interface Seam {
  /** The end of the part of the first string that is kept. */
  readonly leave: number
  /** The start of the part of the second string that is appended. */
  readonly join: number
}

/**
 * Finds the longest run of words that both strings share near the split. The words directly at the split are often
 * wrong.
 */
function findSeam(before: string, next: string): Seam | undefined {
  const [tail, head] = [toWords(before).slice(-maxOverlapWords), toWords(next).slice(0, maxOverlapWords)]
  const run = longestRun(tail, head)
  if (!run) return undefined
  const [leave, join] = [tail[run.inTail + run.length - 1], head[run.inHead + run.length - 1]]
  return leave && join && { leave: leave.end, join: join.end }
}

interface Word {
  readonly normalized: string
  readonly end: number
}

/** Splits text into words without punctuation, which often differs between two transcripts. */
function toWords(text: string): Word[] {
  return [...text.matchAll(word)].map((found) => ({
    normalized: found[0].normalize('NFKC').toLowerCase().replace(/[’']/g, ''),
    end: found.index + found[0].length,
  }))
}

/** Letters of scripts that do not separate words with spaces. They are compared letter by letter. */
const letter = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}'
const word = new RegExp(`[${letter}]\\p{M}*|(?:(?![${letter}])[\\p{L}\\p{M}\\p{N}’'])+`, 'gu')

interface Run {
  readonly inTail: number
  readonly inHead: number
  readonly length: number
}

/**
 * Finds the longest run. A single word counts only directly at the split, because it could match by chance elsewhere.
 */
function longestRun(tail: readonly Word[], head: readonly Word[]): Run | undefined {
  const runs = tail.flatMap((_, inTail) => head.map((_, inHead) => runAt(tail, head, { inTail, inHead })))
  return runs
    .filter(({ length, inTail, inHead }) => {
      const lost = [tail.length - inTail - length, inHead]
      return length > 1 ? Math.max(...lost) <= maxGarbledWords : length === 1 && Math.max(...lost) === 0
    })
    .sort((a, b) => b.length - a.length)[0]
}

/** How many words on each side of a split may be wrong. */
const maxGarbledWords = 2

function runAt(tail: readonly Word[], head: readonly Word[], at: Omit<Run, 'length'>): Run {
  const { inTail, inHead } = at
  let length = 0
  while (
    inTail + length < tail.length &&
    tail[inTail + length]?.normalized === head[inHead + length]?.normalized
  )
    length++
  return { ...at, length }
}

function separator(before: string, next: string): string {
  return new RegExp(`[${letter}。、！？]$`, 'u').test(before) && new RegExp(`^[${letter}]`, 'u').test(next)
    ? ''
    : ' '
}
