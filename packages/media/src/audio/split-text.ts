/** A text in parts of at most so many characters: between sentences, else between words, else anywhere. */
export function splitText(text: string, most: number): string[] {
  return fill(text, ['sentence', 'word', 'grapheme'], most)
    .map((part) => part.trim())
    .filter(Boolean)
}

type Granularity = 'sentence' | 'word' | 'grapheme'

function fill(text: string, [by, ...finer]: readonly Granularity[], most: number): string[] {
  if (text.trim().length <= most) return [text]
  if (by === undefined) return inSteps(text, most)
  const parts: string[] = []
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: by }).segment(text)) {
    const last = parts.at(-1)
    if (last !== undefined && (last + segment).trim().length <= most) parts[parts.length - 1] = last + segment
    else parts.push(...fill(segment, finer, most))
  }
  return parts
}

function inSteps(text: string, most: number): string[] {
  return Array.from({ length: Math.ceil(text.length / most) }, (_, i) => text.slice(i * most, (i + 1) * most))
}
