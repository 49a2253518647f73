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
