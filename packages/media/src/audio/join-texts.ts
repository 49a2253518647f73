/** What was heard in a piece of a recording. */
export interface PieceText {
  readonly text: string
  /** Whether the piece began again with the end of the one before. */
  readonly overlaps: boolean
}

/** The texts of pieces as one: what two pieces both heard is written once. */
export function joinTexts(pieces: readonly PieceText[]): string {
  return pieces.reduce((before, { text, overlaps }) => {
    const next = text.trim()
    if (!before || !next) return before || next
    return overlaps ? joinOverlap(before, next) : before + gap(before, next) + next
  }, '')
}

/** More words are not said in the seconds that pieces share. */
const most = 20

/**
 * Words at a cut are often heard wrong, so what both texts hold of the shared seconds is looked for near the seam,
 * not at its very edge: the longest run of equal words, and from there on the next text counts.
 */
function joinOverlap(before: string, next: string): string {
  const [tail, head] = [toWords(before).slice(-most), toWords(next).slice(0, most)]
  const run = longestRun(tail, head)
  if (!run) return before + gap(before, next) + next
  const [leave, join] = [tail[run.inTail + run.length - 1], head[run.inHead + run.length - 1]]
  return before.slice(0, leave?.end) + next.slice(join?.end)
}

interface Word {
  readonly said: string
  readonly end: number
}

/** Words by letters alone: the same word ends a sentence in one text and not in the other. */
function toWords(text: string): Word[] {
  return [...text.matchAll(word)].map((found) => ({
    said: found[0].normalize('NFKC').toLowerCase().replace(/[’']/g, ''),
    end: found.index + found[0].length,
  }))
}

/** Scripts without spaces between words are taken letter by letter. */
const letter = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}'
const word = new RegExp(`[${letter}]\\p{M}*|(?:(?![${letter}])[\\p{L}\\p{M}\\p{N}’'])+`, 'gu')

interface Run {
  readonly inTail: number
  readonly inHead: number
  readonly length: number
}

/** A single word may be equal by chance, unless it is just where the texts meet. */
function longestRun(tail: readonly Word[], head: readonly Word[]): Run | undefined {
  const runs = tail.flatMap((_, inTail) => head.map((_, inHead) => runAt(tail, head, { inTail, inHead })))
  return runs
    .filter(({ length, inTail, inHead }) => {
      const lost = [tail.length - inTail - length, inHead]
      return length > 1 ? Math.max(...lost) <= mostGarbled : length === 1 && Math.max(...lost) === 0
    })
    .sort((a, b) => b.length - a.length)[0]
}

/** Words on each side of a cut that may be heard wrong. */
const mostGarbled = 2

function runAt(tail: readonly Word[], head: readonly Word[], at: Omit<Run, 'length'>): Run {
  const { inTail, inHead } = at
  let length = 0
  while (inTail + length < tail.length && tail[inTail + length]?.said === head[inHead + length]?.said)
    length++
  return { ...at, length }
}

function gap(before: string, next: string): string {
  return new RegExp(`[${letter}。、！？]$`, 'u').test(before) && new RegExp(`^[${letter}]`, 'u').test(next)
    ? ''
    : ' '
}
