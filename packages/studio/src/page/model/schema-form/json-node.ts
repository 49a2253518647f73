// Parses JSON into a tree that keeps what `JSON.parse` loses: the spelling of numbers, and duplicate names.

/** A JSON value. Keeps the text of numbers, and all entries of an object, including duplicate names. */
export type JsonNode =
  | { readonly is: 'null' }
  | { readonly is: 'boolean'; readonly value: boolean }
  | { readonly is: 'number'; readonly text: string }
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'list'; readonly items: readonly JsonNode[] }
  | { readonly is: 'object'; readonly entries: readonly (readonly [name: string, value: JsonNode])[] }

/** The parsed node, or the reason why the text is not valid JSON. */
export type ParsedJson = { readonly node: JsonNode } | { readonly problem: string }

/** Matches a JSON token: a string, a number, `true`, `false` or `null`, or a punctuation character. */
const token =
  /\s*(?:("(?:[^"\\]|\\.)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|([[\]{},:]))\s*/y

/** Whether text is a valid JSON number. For example, `1.` and `+1` are not. */
export function isNumberText(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)
}

/** Parses JSON text. If the text is invalid, `problem` is the message from `JSON.parse`. */
export function parseJson(text: string): ParsedJson {
  try {
    JSON.parse(text)
    return { node: readNode(tokensOf(text)) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** Converts a parsed JSON value to a node. */
export function toNode(value: unknown): JsonNode {
  const parsed = parseJson(JSON.stringify(value) ?? 'null')
  return 'node' in parsed ? parsed.node : { is: 'null' }
}

/** Returns a node as JSON on one line or, with `isPretty`, indented by two spaces. */
export function writeJson(node: JsonNode, isPretty = false): string {
  return isPretty ? write(node, '\n') : write(node, '')
}

/** Whether two nodes have the same value, regardless of the order of names and the spelling of numbers. */
export function isSameNode(one: JsonNode, other: JsonNode): boolean {
  return write(sorted(one), '') === write(sorted(other), '')
}

function* tokensOf(text: string): Generator<string, undefined> {
  token.lastIndex = 0
  for (let at = 0; at < text.length; at = token.lastIndex) {
    token.lastIndex = at
    const [, string, number, word, sign] = token.exec(text) ?? []
    const found = string ?? number ?? word ?? sign
    if (found === undefined) return
    yield found
  }
}

/**
 * Builds a node from the tokens of valid JSON. Uses its own stack, so that deep nesting cannot overflow the call stack.
 */
function readNode(tokens: Iterable<string>): JsonNode {
  const open: Open[] = []
  let whole: JsonNode = { is: 'null' }
  const add = (node: JsonNode): void => {
    const around = open.at(-1)
    if (!around) whole = node
    else if (around.is === 'list') around.items.push(node)
    else {
      around.entries.push([around.name ?? '', node])
      around.name = undefined
    }
  }
  for (const text of tokens) {
    const around = open.at(-1)
    if (text === '[') open.push({ is: 'list', items: [] })
    else if (text === '{') open.push({ is: 'object', entries: [], name: undefined })
    else if (text === ']' || text === '}') {
      const closed = open.pop()
      if (closed?.is === 'list') add({ is: 'list', items: closed.items })
      else if (closed) add({ is: 'object', entries: closed.entries })
    } else if (text === ',' || text === ':') continue
    else if (around?.is === 'object' && around.name === undefined) around.name = JSON.parse(text)
    else add(scalarOf(text))
  }
  return whole
}

type Open =
  | { readonly is: 'list'; readonly items: JsonNode[] }
  | { readonly is: 'object'; readonly entries: [string, JsonNode][]; name: string | undefined }

function scalarOf(text: string): JsonNode {
  if (text === 'null') return { is: 'null' }
  if (text === 'true' || text === 'false') return { is: 'boolean', value: text === 'true' }
  return text.startsWith('"') ? { is: 'text', text: JSON.parse(text) } : { is: 'number', text }
}

/** Returns a node as JSON. `line` is the line break and indentation at the node's depth, or empty for a single line. */
function write(node: JsonNode, line: string): string {
  if (node.is === 'list')
    return writeParts(
      '[]',
      node.items.map((item) => write(item, deeper(line))),
      line,
    )
  if (node.is === 'object') {
    const colon = line ? ': ' : ':'
    const parts = node.entries.map(
      ([name, value]) => JSON.stringify(name) + colon + write(value, deeper(line)),
    )
    return writeParts('{}', parts, line)
  }
  if (node.is === 'text') return JSON.stringify(node.text)
  if (node.is === 'number') return node.text
  return node.is === 'boolean' ? String(node.value) : 'null'
}

function deeper(line: string): string {
  return line && `${line}  `
}

function writeParts(signs: '[]' | '{}', parts: readonly string[], line: string): string {
  if (parts.length === 0) return signs
  const inner = deeper(line)
  return signs[0] + inner + parts.join(`,${inner}`) + line + signs[1]
}

function sorted(node: JsonNode): JsonNode {
  if (node.is === 'list') return { is: 'list', items: node.items.map(sorted) }
  if (node.is === 'number') return { is: 'number', text: String(Number(node.text)) }
  if (node.is !== 'object') return node
  const entries = node.entries.map(([name, value]) => [name, sorted(value)] as const)
  return { is: 'object', entries: entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)) }
}
