/** The fields at the start of a file, between two `---` lines, and the text after them. */
export interface FrontMatter {
  /** The values by name. Undefined for a value that cannot be read. */
  readonly fields: ReadonlyMap<string, string | readonly string[] | undefined>
  /** Problems with fields, such as invalid YAML. Each message is a sentence without its full stop. */
  readonly problems: readonly { readonly field: string; readonly message: string }[]
  /** The text after the front matter. */
  readonly body: string
}

const maxCharacters = 64 * 1024
const maxList = 4096

/**
 * Reads simple YAML fields: plain, quoted and block scalars at the top level, and arrays of them. Other values, such as
 * nested objects, are undefined. Returns undefined for text without front matter.
 */
export function readFrontMatter(given: string): FrontMatter | undefined {
  const text = given.replace(/^\ufeff/, '')
  const first = /^---[ \t]*\r?\n/.exec(text)
  if (!first) return undefined
  const start = first[0].length
  const head = text.slice(start, start + maxCharacters)
  const end = /^---[ \t]*(?:\r?\n|$)/m.exec(head)
  if (!end) return undefined
  const fields = new Map<string, string | readonly string[] | undefined>()
  const problems: { field: string; message: string }[] = []
  for (const { name, lines } of entriesOf(head.slice(0, end.index))) {
    if (fields.has(name)) {
      problems.push({ field: name, message: `${name} occurs twice; the first one is used` })
      continue
    }
    const { value, problem } = fieldValue(lines)
    fields.set(name, value)
    if (problem !== undefined) problems.push({ field: name, message: `${name} ${problem}` })
  }
  return { fields, problems, body: text.slice(start + end.index + end[0].length) }
}

interface FieldLines {
  readonly name: string
  /** The text after the colon, followed by its continuation lines. */
  readonly lines: [string, ...string[]]
}

function entriesOf(head: string): readonly FieldLines[] {
  const entries: FieldLines[] = []
  for (const line of head.split(/\r?\n/)) {
    const [, , name, rest = ''] = /^(["']?)([A-Za-z_][\w-]*)\1[ \t]*:(?=[ \t]|$)(.*)$/.exec(line) ?? []
    if (name !== undefined) entries.push({ name, lines: [rest.trim()] })
    else if (!line.startsWith('#')) entries.at(-1)?.lines.push(line)
  }
  return entries
}

interface Read {
  readonly value: string | readonly string[] | undefined
  readonly problem?: string
}

function fieldValue([first, ...rest]: FieldLines['lines']): Read {
  const mark = first[0] ?? ''
  if (mark === '|' || mark === '>') return blockScalar(first, rest)
  const lines = [first, ...rest.map((line) => line.trim())]
  if (mark === '"' || mark === "'") return quotedScalar(folded(lines), mark)
  if (mark === '[') return flowList(lines.join(' ').trim())
  const inner = rest.filter((line) => line.trim() !== '' && !/^\s*#/.test(line))
  if (withoutComment(first) === '' && inner.length > 0) {
    if (inner.every((line) => /^\s*-(?:\s|$)/.test(line))) return blockList(inner)
    if (inner.some((line) => /^\s*(?:-\s|[\w"'-]+\s*:(?:\s|$))/.test(line))) return { value: undefined }
  }
  if (/^[&*!{@`%]/.test(mark))
    return { value: undefined, problem: `starts with ${mark}, which is not supported` }
  const value = folded(lines.map(withoutComment))
  if (/^(?:~|null)$/i.test(value)) return { value: '' }
  const isMapping = /:(?:\s|$)/.test(value)
  return isMapping ? { value, problem: 'contains ": " but is not quoted' } : { value }
}

function blockScalar(header: string, lines: readonly string[]): Read {
  if (!/^[|>](?:[+-]?\d?|\d[+-])(?:\s+#.*)?$/.test(header))
    return { value: undefined, problem: `starts with ${header.slice(0, 20)}, which is not supported` }
  const first = lines.find((line) => line.trim() !== '') ?? ''
  const indent = first.length - first.trimStart().length
  const plain = lines.map((line) =>
    line.slice(0, indent).trim() === '' ? line.slice(indent) : line.trimStart(),
  )
  return { value: header.startsWith('>') ? folded(plain) : plain.join('\n').trimEnd() }
}

/** Joins lines with spaces. An empty line becomes a line break. */
function folded(lines: readonly string[]): string {
  return lines
    .join('\n')
    .trim()
    .replace(/(\n+)/g, (breaks) => (breaks.length === 1 ? ' ' : breaks.slice(1)))
}

function quotedScalar(text: string, mark: '"' | "'"): Read {
  const end = mark === '"' ? /^"((?:[^"\\]|\\[\s\S])*)"/.exec(text) : /^'((?:[^']|'')*)'/.exec(text)
  const rest = end ? text.slice(end[0].length) : ''
  if (!end || withoutComment(rest) !== '')
    return { value: undefined, problem: 'has quotes that do not match' }
  const [, inner = ''] = end
  return { value: mark === "'" ? inner.replaceAll("''", "'") : inner.replace(escapes, unescaped) }
}

const escapes = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U(000[\da-fA-F]{5}|0010[\da-fA-F]{4})|([\s\S]))/g

function unescaped(_all: string, ...[x, u, long, sign = '']: readonly (string | undefined)[]): string {
  const code = x ?? u ?? long
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
  return { n: '\n', t: '\t', r: '\r', 0: '' }[sign] ?? sign
}

function flowList(text: string): Read {
  const inner = /^\[([^[\]{}]*)\]\s*(?:#.*)?$/.exec(text)?.[1]
  if (inner === undefined || inner.length > maxList)
    return { value: undefined, problem: 'contains an array that is not supported' }
  const words = inner.match(/\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,])+/g) ?? []
  const parts = words.map((word) => itemOf(word.trim()))
  return { value: parts.filter((part) => part !== '') }
}

function blockList(lines: readonly string[]): Read {
  return { value: lines.map((line) => itemOf(line.trim().slice(1).trim())) }
}

function itemOf(text: string): string {
  const mark = text[0]
  if (mark !== '"' && mark !== "'") return withoutComment(text)
  const { value } = quotedScalar(text, mark)
  return typeof value === 'string' ? value : text
}

function withoutComment(text: string): string {
  const at = /(?:^|\s)#/.exec(text)?.index
  return (at === undefined ? text : text.slice(0, at)).trim()
}
