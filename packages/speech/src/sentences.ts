/**
 * Splits plain text into pieces that can be spoken one by one. A piece is a sentence, or part of a long sentence. Long
 * sentences are split at commas or between words. Each piece has at most 200 characters. Pieces without letters or
 * digits are omitted.
 */
export function toSentences(text: string): string[] {
  return text.split(sentenceEnd).flatMap(toPieces).filter(isSpeakable)
}

/** Like `toSentences`, but splits text in any language, by the rules of Unicode. */
export function toAnySentences(text: string): string[] {
  const segments = [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)]
  return segments.flatMap(({ segment }) => toPieces(segment)).filter((piece) => /[\p{L}\p{N}]/u.test(piece))
}

const longest = 200

// A full stop ends a sentence, unless a small letter follows or the stop belongs to an initial or a title. With the
// leading (?=\s), the search takes linear time, because it looks back only from possible ends of sentences.
const sentenceEnd =
  /(?=\s)(?<=[.!?]["')\]]*)(?<!\b(?:[A-Z]|Dr|Mr|Mrs|Ms|St|Mt|No|Jr|Sr|Prof|Capt|Gen|Rev|vs|e\.g|i\.e)\.)\s+(?=[^a-z\s])|\n\s*\n/

function toPieces(sentence: string): string[] {
  const pieces: string[] = []
  let rest = sentence.replace(/\s+/g, ' ').trim()
  while (rest.length > longest) {
    const piece = toFirstPiece(rest)
    pieces.push(piece)
    rest = rest.slice(piece.length).trimStart()
  }
  return [...pieces, rest]
}

/** Cuts text at the last comma in the second half, else at the last space, else at the limit. */
function toFirstPiece(text: string): string {
  const [piece] = /^.{100,199}[,;:](?= )|^.{1,200}(?= )/.exec(text) ?? [text.slice(0, longest)]
  return piece
}

function isSpeakable(piece: string): boolean {
  return /[a-z0-9]/i.test(piece)
}

/** Converts text to ASCII, which is all that Flite accepts. Characters without an ASCII spelling become a space. */
export function toPlainText(text: string): string {
  return text.replace(/[^\n\x20-\x7e]/gu, toAscii)
}

const spellings: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '‚': "'",
  '‛': "'",
  '′': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '−': '-',
  // Flite pauses at two hyphens, but ignores a single one.
  '—': ' -- ',
  '―': ' -- ',
  ß: 'ss',
  Æ: 'Ae',
  æ: 'ae',
  Œ: 'Oe',
  œ: 'oe',
  Ø: 'O',
  ø: 'o',
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  ð: 'd',
  Þ: 'Th',
  þ: 'th',
  ı: 'i',
}

function toAscii(character: string): string {
  const spelling = spellings[character]
  if (spelling !== undefined) return spelling
  // Removes accents and invisible characters without leaving a gap in the word.
  if (/[\p{Mark}\p{Format}]/u.test(character)) return ''
  const parts = character.normalize('NFKD')
  // Adds a space before a fraction, so that 2½ becomes "2 1/2" and not "21/2".
  if (parts.includes('⁄')) return ` ${parts.replace('⁄', '/')}`
  return parts.replace(/\p{Mark}/gu, '').replace(/[^\x20-\x7e]/gu, ' ')
}
