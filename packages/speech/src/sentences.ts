/**
 * Cuts plain text into the pieces that are spoken one by one: sentences, the longest of them at commas or else
 * between words. No piece is longer than 200 characters; those with nothing to say are left out.
 */
export function toSentences(text: string): string[] {
  return text.split(sentenceEnd).flatMap(toPieces).filter(isSpeakable)
}

const longest = 200

// A full stop ends a sentence unless a small letter follows, or it belongs to an initial or a title. The leading
// (?=\s) keeps the search linear: it looks back only from where a sentence could end.
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

/** Up to the last comma of the second half, else the last space, else as much as fits. */
function toFirstPiece(text: string): string {
  const [piece] = /^.{100,199}[,;:](?= )|^.{1,200}(?= )/.exec(text) ?? [text.slice(0, longest)]
  return piece
}

function isSpeakable(piece: string): boolean {
  return /[a-z0-9]/i.test(piece)
}

/** Rewrites text in ASCII, the only characters Flite reads; what has no ASCII spelling becomes a space. */
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
  // Flite pauses at two hyphens and runs over one.
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
  // Accents and invisible characters vanish without leaving a gap in the word.
  if (/[\p{Mark}\p{Format}]/u.test(character)) return ''
  const parts = character.normalize('NFKD')
  // A fraction is set apart, so that 2½ is "2 1/2", not "21/2".
  if (parts.includes('⁄')) return ` ${parts.replace('⁄', '/')}`
  return parts.replace(/\p{Mark}/gu, '').replace(/[^\x20-\x7e]/gu, ' ')
}
