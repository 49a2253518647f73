/** A label and its value, as in `Email: alan@example.com`, `age = 41` or "the urgency is high". */
export interface LabelledPart {
  readonly label: string
  readonly value: string
  /** Whether only "is" or "are" connects the label and the value. The value may then be any statement. */
  readonly isSaid: boolean
}

export interface LabelledText {
  readonly parts: readonly LabelledPart[]
  /** The text without labels and their values. */
  readonly rest: string
}

interface Place {
  readonly start: number
  readonly from: number
  readonly label: string
  readonly isKnown: boolean
  readonly isSaid: boolean
}

/**
 * Finds the labels in text. `weightOf` returns how well a label matches a field. An unknown label ends the previous
 * value, and its own value is omitted.
 */
export function readLabels(text: string, weightOf: (label: string) => number): LabelledText {
  const weights = new Map<string, number>()
  const places = placesIn(text, (label) => {
    const weight = weights.get(label) ?? weightOf(label)
    weights.set(label, weight)
    return weight
  })
  const parts: LabelledPart[] = []
  const rest: string[] = []
  let at = 0
  for (const [index, place] of places.entries()) {
    const end = endOf(text, place, places[index + 1]?.start ?? text.length)
    const value = tidied(text.slice(place.from, end))
    rest.push(text.slice(at, place.start))
    at = end
    // In "Extract: Alan Turing, 41", the first label may be the task.
    if (!place.isKnown && parts.length === 0) at = /\d/.test(place.label) ? place.start : place.from
    else if (place.isKnown && value !== '') parts.push({ label: place.label, value, isSaid: place.isSaid })
  }
  return { parts, rest: [...rest, text.slice(at)].join('\n').trim() }
}

// Limits the work for a hostile request.
const mostLabels = 200

const join = /(?<![:=<>!])(?:(?::(?!\/\/|:)|=(?!=))|\s(?:is|are)(?=\s)|\s[-–—|](?=\s)|\t)/g

function placesIn(text: string, weightOf: (label: string) => number): Place[] {
  const places: Place[] = []
  for (const match of [...text.matchAll(join)].slice(0, mostLabels)) {
    const sign = match[0].trim()
    const from = match.index + match[0].length
    // The colon is part of a time of day.
    if (sign === ':' && /\d$/.test(text.slice(0, match.index)) && /^\d/.test(text.slice(from))) continue
    const isSaid = /^(?:is|are)$/.test(sign)
    const start = Math.max(segmentStart(text, match.index), places.at(-1)?.from ?? 0)
    const isLine = /(?:^|\n)\W*$/.test(text.slice(Math.max(0, start - 4), start))
    const found = labelIn(text.slice(start, match.index), weightOf, start !== places.at(-1)?.from)
    const isSign = sign === ':' || sign === '='
    if (!found || (!found.isKnown && !isSign) || (!isSign && !isSaid && !isLine)) continue
    places.push({ ...found, start: start + found.start, from, isSaid })
  }
  return places
}

function segmentStart(text: string, end: number): number {
  const before = text.slice(Math.max(0, end - longestLabel), end)
  const cut =
    /[\s\S]*(?:[\n,;|{(]|[.!?]\s|\s\/\s)/.exec(before)?.[0].length ?? (before.length < end ? undefined : 0)
  return cut === undefined ? end : end - before.length + cut
}

const longestLabel = 80

/**
 * Returns the words at the end of a segment that best match a field name. If none match, returns the entire segment if
 * it has at most `mostWords` words, otherwise undefined.
 */
function labelIn(
  segment: string,
  weightOf: (label: string) => number,
  isWhole: boolean,
): Pick<Place, 'start' | 'label' | 'isKnown'> | undefined {
  const words = [...segment.matchAll(/[\p{L}\p{N}][\p{L}\p{N}_/'’.-]*/gu)]
  const known = words.slice(-mostWords).flatMap(({ index }) => {
    const label = segment.slice(index).replace(/[\s*_`"')]+$/, '')
    const weight = weightOf(label)
    return weight > 0 ? [{ start: index, label, weight }] : []
  })
  const [best] = [...known].sort((one, other) => other.weight - one.weight)
  // Words that follow another value may still be part of that value.
  if (best)
    return { start: (isWhole ? known[0] : best)?.start ?? best.start, label: best.label, isKnown: true }
  const [first] = words
  if (!first || words.length > mostWords || !/^\p{L}/u.test(first[0])) return undefined
  return { start: first.index, label: segment.slice(first.index), isKnown: false }
}

const mostWords = 4

// A value ends at the end of its line. After "is" or "are", it ends at the end of its clause.
function endOf(text: string, { from, isSaid }: Place, next: number): number {
  const value = text.slice(from, next)
  const [blank = ''] = /^[\s*_]*/.exec(value) ?? []
  const line = value.slice(blank.length)
  const ending = isSaid ? /[,;!?\n]|\.(?=\s|$)|\s+(?:and|but)\s/ : /\n/
  const length = line.search(ending)
  return length < 0 ? next : from + blank.length + length
}

function tidied(value: string): string {
  const end = Math.max(0, value.length - longestLabel)
  const plain = (value.slice(0, end) + value.slice(end).replace(/[\s*`,;|({/]+["“'*_`]*$/, ''))
    .replace(/^[\s*_`]+/, '')
    .replace(/^["“](.*)["”][,}\s]*$/s, '$1')
    .replace(/[}\]]{1,9}$/, '')
  return shortForm.test(plain) ? plain : plain.replace(/\.{1,9}$/, '')
}

const shortForm = /\b(?:Inc|Ltd|Co|Jr|Sr|St|[A-Z])\.$/
