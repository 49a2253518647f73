/** One line of a value in print. */
export interface ValueLine {
  readonly text: string
  /** Where it stands in the value: `messages[3].content`. */
  readonly path: string
}

/** A value as lines, one for each part: as indented JSON, without commas and with its keys in order. */
export function valueLines(value: unknown): ValueLine[] {
  return linesOf(value, { path: '', indent: '', before: '' })
}

interface Place {
  readonly path: string
  readonly indent: string
  /** What stands in front of it in its line. */
  readonly before: string
}

function linesOf(value: unknown, place: Place): ValueLine[] {
  const { path, indent, before } = place
  const line = (text: string) => ({ text: indent + text, path })
  const parts = partsOf(value, place)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (parts === undefined) return [line(before + inWords(value))]
  if (parts.length === 0) return [line(before + open + close)]
  return [line(before + open), ...parts.flatMap(([part, at]) => linesOf(part, at)), line(close)]
}

function partsOf(value: unknown, { path, indent }: Place): [unknown, Place][] | undefined {
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return undefined
  const inner = `${indent}  `
  if (Array.isArray(value))
    return value.map((item, at) => [item, { path: `${path}[${at}]`, indent: inner, before: '' }])
  const entries = Object.entries(value).filter(([, part]) => part !== undefined)
  return entries
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, part]) => {
      const at = path === '' ? key : `${path}.${key}`
      return [part, { path: at, indent: inner, before: `${JSON.stringify(key)}: ` }]
    })
}

function inWords(value: unknown): string {
  return typeof value === 'string' || value === null ? JSON.stringify(value) : String(value)
}
