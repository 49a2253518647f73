import type { TimedText, Transcript } from '../client/transcripts.js'

/** Transcript of one chunk of a recording. */
export interface ChunkTranscript extends Transcript {
  /** Whether the chunk repeats the end of the previous one. */
  readonly overlaps: boolean
  /** Start of the chunk within the recording, in seconds. */
  readonly at: number
}

/**
 * Joins the transcripts of chunks into one. Timestamps are relative to the start of the recording. Words, and parts of
 * segments, that are in the overlap of two chunks appear once.
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

/** Appends parts whose start repeats the end of `joined`, without the repeated text. */
function appendOverlap(joined: TimedText[], next: readonly TimedText[]): void {
  const tail = joined.splice(-2 * maxOverlapWords)
  const [before, after] = [textOf(tail), textOf(next)]
  const seam = findSeam(before, after) ?? { leave: before.length, join: 0 }
  // Punctuation after the last shared word belongs to it.
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

/** Returns the parts within a character range of their joined text. Parts at its ends are shortened. */
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

/** Joins the chunks' texts. Words in the overlap of two chunks appear once. */
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

/** Maximum number of words to compare on each side of a split. */
const maxOverlapWords = 20

/** The position at which two texts are joined. */
interface Seam {
  /** The end of the kept part of the first text. */
  readonly leave: number
  /** The start of the appended part of the second text. */
  readonly join: number
}

/** Finds the longest run of words that both texts share near the split. Words directly at the split are often wrong. */
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

/** Splits text into words, without punctuation: it often differs between two transcripts. */
function toWords(text: string): Word[] {
  return [...text.matchAll(word)].map((found) => ({
    normalized: found[0].normalize('NFKC').toLowerCase().replace(/[’']/g, ''),
    end: found.index + found[0].length,
  }))
}

/** Letters of scripts without spaces between words, which are compared letter by letter. */
const letter = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}'
const word = new RegExp(`[${letter}]\\p{M}*|(?:(?![${letter}])[\\p{L}\\p{M}\\p{N}’'])+`, 'gu')

interface Run {
  readonly inTail: number
  readonly inHead: number
  readonly length: number
}

/** Finds the longest run. A single word counts only directly at the split: elsewhere it may match by chance. */
function longestRun(tail: readonly Word[], head: readonly Word[]): Run | undefined {
  const runs = tail.flatMap((_, inTail) => head.map((_, inHead) => runAt(tail, head, { inTail, inHead })))
  return runs
    .filter(({ length, inTail, inHead }) => {
      const lost = [tail.length - inTail - length, inHead]
      return length > 1 ? Math.max(...lost) <= maxGarbledWords : length === 1 && Math.max(...lost) === 0
    })
    .sort((a, b) => b.length - a.length)[0]
}

/** The number of words on each side of a split that may be wrong. */
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
