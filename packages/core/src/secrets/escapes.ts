/** A text in lower case, and where each of its characters stands in the text that was given. */
export interface Reading {
  readonly text: string
  /** One more than there are characters: the last is the end. */
  readonly places: readonly number[]
}

/** A text as it stands, and with its escapes undone, layer by layer: JSON's, those of addresses and of HTML. */
export function readingsOf(text: string): readonly Reading[] {
  const plain: Reading = {
    text: toLower(text),
    places: Array.from({ length: text.length + 1 }, (_, at) => at),
  }
  const readings = [plain]
  for (let last = plain; readings.length < mostLayers; ) {
    const next = unescaped(last)
    if (next.text === last.text) break
    readings.push(next)
    last = next
  }
  return readings
}

/** ASCII only: other letters may change their length. */
export function toLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

const mostLayers = 4

const written =
  /\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|%([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#(\d{1,7});|&([a-z]{2,6});|\\([^a-z0-9])/g

const named: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  colon: ':',
  equals: '=',
  gt: '>',
  lowbar: '_',
  lt: '<',
  period: '.',
  plus: '+',
  quot: '"',
  sol: '/',
}

function unescaped({ text, places }: Reading): Reading {
  let shown = ''
  const kept: number[] = []
  let from = 0
  const copy = (until: number) => {
    shown += text.slice(from, until)
    // One by one: as arguments a long text would be too many.
    for (const place of places.slice(from, until)) kept.push(place)
  }
  for (const match of text.matchAll(written)) {
    const one = characterOf(match)
    if (one === undefined) continue
    copy(match.index)
    shown += one
    kept.push(places[match.index] ?? 0)
    from = match.index + match[0].length
  }
  copy(places.length)
  return { text: shown, places: kept }
}

/** One code unit, so that every place is that of one character. */
function characterOf([, ...[unit, byte, percent, hex, decimal, name, itself]]: RegExpMatchArray):
  | string
  | undefined {
  if (itself !== undefined) return itself
  if (name !== undefined) return Object.hasOwn(named, name) ? named[name] : undefined
  const inHex = unit ?? byte ?? percent ?? hex
  const code = inHex === undefined ? Number(decimal) : Number.parseInt(inHex, 16)
  return code > 0xffff ? undefined : toLower(String.fromCharCode(code))
}
