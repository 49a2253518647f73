import { tryJson } from '../json.js'
import type { ToolDefinition } from '../types/message.js'

/** A part of a grammar. White space in front of each part is skipped, except in front of a value. */
type Part =
  /** This text. */
  | string
  /** One of these texts. */
  | { readonly oneOf: readonly string[] }
  /** These parts or none of them: the first one, a text, decides. */
  | { readonly maybe: Parts }
  /** These parts as often as the first one, a text, is there. */
  | { readonly many: Parts }
  /** A part with a reader of its own. */
  | { readonly read: PartReader }
  /** The name of a field, up to this text. */
  | { readonly key: string }
  /** The value of this field, up to this text; with `isLine` without a line end on either side. */
  | { readonly value: string; readonly isLine?: boolean }

type Parts = readonly Part[]

/**
 * - `name`: a tool's name; a call begins
 * - `word`: an id or a number, which is skipped
 * - `arguments`: a JSON value
 * - `fields`: the fields of a call as a JSON object, behind its `{`
 * - `keywords`: arguments as Python writes them, behind their `(`
 */
type PartReader = 'name' | 'word' | 'arguments' | 'fields' | 'keywords'

const name = { read: 'name' } as const
const word = { read: 'word' } as const
const json = { read: 'arguments' } as const
const maybe = (...parts: Parts) => ({ maybe: parts })
const many = (...parts: Parts) => ({ many: parts })
const oneOf = (...texts: readonly string[]) => ({ oneOf: texts })
/** These parts once or more. */
const some = (...parts: Parts): Parts => [...parts, many(...parts)]

const object: Parts = ['{', { read: 'fields' }]
const list: Parts = ['[', ...object, many(',', ...object), ']']
/** Objects one behind the other. Llama separates them by semicolons or lines. */
const objects = some(...object, maybe(';'))

const keywordCall: Parts = [name, '(', { read: 'keywords' }]
const keywordList: Parts = ['[', ...keywordCall, many(',', ...keywordCall), ']']

const lineFields = many('<parameter=', { key: '>' }, { value: '</parameter>', isLine: true })
const functionTag: Parts = ['<function=', name, '>', lineFields, '</function>']
const namedFields = many('<parameter name="', { key: '">' }, { value: '</parameter>', isLine: true })
const invoke: Parts = ['<invoke name="', name, '">', namedFields, '</invoke>']

const dsmlField: Parts = [
  '<｜DSML｜parameter name="',
  { key: '"' },
  maybe('string="', oneOf('true"', 'false"')),
  '>',
  { value: '</｜DSML｜parameter>' },
]
const dsmlCall: Parts = ['<｜DSML｜invoke name="', name, '">', many(...dsmlField), '</｜DSML｜invoke>']

const deepseek = (...call: Parts): Parts => [
  oneOf('<｜tool▁calls▁begin｜>', '<｜tool_calls_begin｜>', '<｜tool▁calls｜>'),
  ...some('<｜tool▁call▁begin｜>', ...call, '<｜tool▁call▁end｜>'),
  maybe('<｜tool▁calls▁end｜>'),
]

const start = '<|start|>assistant'
const channel: Parts = ['<|channel|>', oneOf('commentary', 'analysis')]
const content: Parts = [
  maybe('<|constrain|>'),
  maybe(oneOf('json', 'code')),
  '<|message|>',
  json,
  maybe('<|call|>'),
]
const harmony: Parts = [...channel, 'to=', name, ...content]

const kimi: Parts = [
  '<|tool_call_begin|>',
  name,
  maybe(':', word),
  '<|tool_call_argument_begin|>',
  json,
  '<|tool_call_end|>',
]

const glmField: Parts = ['<arg_key>', { key: '</arg_key>' }, '<arg_value>', { value: '</arg_value>' }]

/** Each way to write calls, by the name of its family. Those that begin alike are told apart where they first differ. */
export const textCallForms: readonly (readonly [form: string, ...parts: Parts])[] = [
  ['hermes', ...some('<tool_call>', ...object, maybe('</tool_call>'))],
  ['hermes', ...some('<function_call>', ...object, maybe('</function_call>'))],
  ['hermes', ...some('<tools>', ...object, maybe('</tools>'))],
  ['hermes', ...some('<function name="', name, '">', json, '</function>')],
  ['qwen-coder', ...some('<tool_call>', ...functionTag, '</tool_call>')],
  ['qwen-coder', ...some(...functionTag, maybe('</tool_call>'))],
  ['seed', ...some('<seed:tool_call>', ...functionTag, '</seed:tool_call>')],
  ['mistral', '[TOOL_CALLS]', ...list],
  ['mistral', ...some('[TOOL_CALLS]', name, maybe('[CALL_ID]', word), maybe('[ARGS]'), json)],
  ['llama', '<|python_tag|>', ...objects],
  ['llama', '<|python_tag|>', ...keywordCall],
  ['llama', ...some('<function=', name, '>', json, '</function>')],
  ['pythonic', maybe('<|python_start|>'), ...keywordList, maybe('<|python_end|>')],
  ['lfm', '<|tool_call_start|>', ...keywordList, maybe('<|tool_call_end|>')],
  ['deepseek', ...deepseek('function<｜tool▁sep｜>', name, '```json', json, '```')],
  ['deepseek', ...deepseek(name, '<｜tool▁sep｜>', json)],
  ['dsml', '<｜DSML｜function_calls>', ...some(...dsmlCall), '</｜DSML｜function_calls>'],
  ['dsml', '<｜DSML｜tool_calls>', ...some(...dsmlCall), '</｜DSML｜tool_calls>'],
  ['harmony', maybe(start), ...harmony, many(start, ...harmony)],
  ['harmony', ...some(start, 'to=', name, ...channel, ...content)],
  ['command-r', '<|START_ACTION|>', ...list, maybe('<|END_ACTION|>')],
  ['glm', ...some('<tool_call>', name, many(...glmField), '</tool_call>')],
  ['kimi', '<|tool_calls_section_begin|>', ...some(...kimi), maybe('<|tool_calls_section_end|>')],
  ['granite', '<tool_call>', ...list, maybe('</tool_call>')],
  ['granite', '<|tool_call|>', maybe('<tool_call>'), ...list, maybe('</tool_call>')],
  ['minimax', '<minimax:tool_call>', ...some(...invoke), '</minimax:tool_call>'],
  ['phi', 'functools', ...list],
  ['jamba', '<tool_calls>', ...list, maybe('</tool_calls>')],
  ['nemotron', '<TOOLCALL>', ...list, maybe('</TOOLCALL>')],
  ['json', ...objects],
  ['json', ...list],
  ['json', '```', maybe('json'), ...objects, '```'],
  ['json', '```', maybe('json'), ...list, '```'],
  ['json', '{', '"tool_call"', ':', ...object, '}'],
  ['json', '{', '"tool_calls"', ':', ...list, '}'],
]

/** Tokens of chat templates behind a message. */
const endTokens =
  '<|im_end|> <|eot_id|> <|eom_id|> <|eot|> <|end|> <|call|> <|endoftext|> <|end_of_text|> <|observation|> <|END_OF_TURN_TOKEN|> <｜end▁of▁sentence｜> <end_of_turn> <seed:eos> </s> [e~['.split(
    ' ',
  )

/** The fields of a call as a JSON object. With any other field it is another object. */
const callKeys = ['name', 'tool_name', 'arguments', 'parameters', 'type', 'function', 'id', 'tool_call_id']

/** A call with its arguments as they stand in the text: as JSON, or as fields. */
export interface FoundCall {
  readonly tool: ToolDefinition
  json: string
  readonly fields: [key: string, value: string][]
}

/** Follows a grammar through a text, once and without going back. Methods return false or undefined for other text. */
export class TextCallReader {
  readonly found: FoundCall[] = []
  /** Whether a tool's name was read. */
  isNamed = false
  /** Whether the text ended while it still followed the grammar. */
  isCut = false
  at: number
  readonly #text: string
  readonly #tools: readonly ToolDefinition[]

  constructor(text: string, at: number, tools: readonly ToolDefinition[]) {
    this.#text = text
    this.at = at
    this.#tools = tools
  }

  get isAtEnd(): boolean {
    return this.at === this.#text.length
  }

  /** Reads these parts, end tokens and the end of the text. */
  readAll(parts: Parts): boolean {
    if (!this.#readParts(parts)) return false
    while (endTokens.some((token) => this.take(token))) {}
    return this.isAtEnd
  }

  /** Takes white space, and then this text if it is next. */
  take(expected: string): boolean {
    this.#match(spaces)
    const isNext = this.#text.startsWith(expected, this.at)
    if (isNext) this.at += expected.length
    else if (this.#text.length - this.at < expected.length)
      this.isCut ||= expected.startsWith(this.#text.slice(this.at))
    return isNext
  }

  #readParts(parts: Parts): boolean {
    return parts.every((part) => this.#readPart(part))
  }

  #readPart(part: Part): boolean {
    if (typeof part === 'string') return this.take(part)
    if ('oneOf' in part) return part.oneOf.some((text) => this.take(text))
    if ('read' in part) return this.#readBy(part.read)
    if ('key' in part) return this.#readKey(part.key)
    if ('value' in part) return this.#readValue(part.value, part.isLine)
    const [first = '', ...rest] = 'many' in part ? part.many : part.maybe
    while (this.#readPart(first)) {
      if (!this.#readParts(rest)) return false
      if ('maybe' in part) break
    }
    return true
  }

  #readBy(reader: PartReader): boolean {
    if (reader === 'name') return this.#readName()
    if (reader === 'fields') return this.#readFields()
    if (reader === 'keywords') return this.#readKeywords()
    if (reader === 'arguments') return this.#setArguments(this.#json())
    return this.#word() !== ''
  }

  #readName(): boolean {
    this.#match(spaces)
    const word = this.#match(words)
    if (!this.isAtEnd) return this.#addCall(this.#toolOf(word), '')
    this.isCut ||= this.#tools.some(({ function: { name } }) =>
      [name, namePrefix + name].some((one) => one.startsWith(word)),
    )
    return false
  }

  #toolOf(word: unknown): ToolDefinition | undefined {
    const named = (prefix: string) => this.#tools.find((one) => prefix + one.function.name === word)
    const tool = named('') ?? named(namePrefix)
    this.isNamed ||= tool !== undefined
    return tool
  }

  #addCall(tool: ToolDefinition | undefined, json: string | undefined): boolean {
    if (tool === undefined || json === undefined) return false
    this.found.push({ tool, json, fields: [] })
    return true
  }

  #setArguments(json: string | undefined): boolean {
    const call = this.found.at(-1)
    if (call === undefined || json === undefined) return false
    call.json = json
    return true
  }

  #readKey(end: string): boolean {
    const key = this.#until(end)
    if (key !== undefined) this.found.at(-1)?.fields.push([key.trim(), ''])
    return key !== undefined
  }

  #readValue(end: string, isLine = false): boolean {
    const value = this.#until(end)
    const field = this.found.at(-1)?.fields.at(-1)
    if (value === undefined || field === undefined) return false
    field[1] = isLine ? value.replace(/^\r?\n/, '').replace(/\r?\n$/, '') : value
    return true
  }

  /** Reads the fields of a call in JSON. The field `function` may hold those of the call. */
  #readFields(call: PartialCall = {}, isInner = false): boolean {
    do {
      const key = tryJson(this.#string() ?? '')
      if (!callKeys.includes(String(key)) || !this.take(':')) return false
      if (key === 'function') {
        if (isInner || !this.take('{') || !this.#readFields(call, true)) return false
      } else if (!this.#readField(String(key), call)) return false
    } while (this.take(','))
    return this.take('}') && (isInner || this.#addCall(call.tool, call.json))
  }

  #readField(key: string, call: PartialCall): boolean {
    const json = this.#json()
    if (json === undefined) return false
    if (key === 'arguments' || key === 'parameters') {
      const isFirst = call.json === undefined
      call.json = json
      return isFirst
    }
    const value = tryJson(json)
    if (key === 'type') return value === 'function'
    if (key.endsWith('id')) return value !== undefined
    const isFirst = call.tool === undefined
    call.tool = this.#toolOf(value)
    return isFirst && call.tool !== undefined
  }

  /** Takes a JSON value. Only its end is looked for: what is in it is checked when it is parsed. */
  #json(): string | undefined {
    this.#match(spaces)
    const start = this.at
    for (let depth = 0; ; ) {
      const sign = this.#text.charAt(this.at)
      if (sign === '"') {
        if (!this.#skipString()) return undefined
      } else if (depth === 0 && sign !== '{' && sign !== '[') {
        if (this.#word() === '') return undefined
      } else {
        this.isCut ||= sign === ''
        if (sign === '') return undefined
        if (sign === '{' || sign === '[') depth += 1
        else if (sign === '}' || sign === ']') depth -= 1
        this.at += 1
      }
      if (depth === 0) return this.#text.slice(start, this.at)
    }
  }

  #string(): string | undefined {
    this.#match(spaces)
    this.isCut ||= this.isAtEnd
    return this.#text.startsWith('"', this.at) ? this.#json() : undefined
  }

  #skipString(): boolean {
    stringMarks.lastIndex = this.at + 1
    for (;;) {
      const sign = stringMarks.exec(this.#text)?.[0]
      this.isCut ||= sign === undefined
      if (sign === undefined) return false
      if (sign === '\\') stringMarks.lastIndex += 1
      else break
    }
    this.at = stringMarks.lastIndex
    return true
  }

  /** Takes the arguments of a Python call: `a=1, b="x")`. Only literals, each with its name. */
  #readKeywords(): boolean {
    const fields = this.#items(')', () => this.#entry(JSON.stringify(this.#word()), '=', 0))
    return this.#setArguments(fields === undefined ? undefined : `{${fields}}`)
  }

  /** Takes a literal as Python or JSON writes it, and returns it as JSON. */
  literal(depth = 0): string | undefined {
    this.#match(spaces)
    const sign = this.#text.charAt(this.at)
    if (sign === '"' || sign === "'") return this.#pythonString()
    if (sign !== '[' && sign !== '{') {
      const word = this.#word()
      return constants.get(word) ?? (typeof tryJson(word) === 'number' ? word : undefined)
    }
    if (depth > maxDepth) return undefined
    this.at += 1
    const isList = sign === '['
    const close = isList ? ']' : '}'
    const inner = this.#items(close, () =>
      isList ? this.literal(depth + 1) : this.#entry(this.#pythonString(), ':', depth + 1),
    )
    return inner === undefined ? undefined : sign + inner + close
  }

  /** Takes items between commas, and the end of the list. */
  #items(close: string, takeItem: () => string | undefined): string | undefined {
    if (this.take(close)) return ''
    const items: string[] = []
    do {
      const item = takeItem()
      if (item === undefined) return undefined
      items.push(item)
    } while (this.take(','))
    return this.take(close) ? items.join() : undefined
  }

  #entry(key: string | undefined, separator: string, depth: number): string | undefined {
    const value = key !== undefined && this.take(separator) ? this.literal(depth) : undefined
    return value === undefined ? undefined : `${key}:${value}`
  }

  /** Takes a string in one line, and returns it as JSON. */
  #pythonString(): string | undefined {
    this.#match(spaces)
    const quote = this.#text.charAt(this.at)
    this.isCut ||= quote === ''
    if (quote !== '"' && quote !== "'") return undefined
    this.at += 1
    for (let value = ''; ; ) {
      value += this.#match(plainText)
      const sign = this.#text.charAt(this.at)
      this.isCut ||= sign === ''
      this.at += 1
      if (sign === quote) return JSON.stringify(value)
      const next = sign === '\\' ? this.#escaped() : /["']/.exec(sign)?.[0]
      if (next === undefined) return undefined
      value += next
    }
  }

  /** Takes what follows a backslash. As in Python, a backslash in front of other characters stands for itself. */
  #escaped(): string | undefined {
    const code = this.#match(escapes)
    if (code === '') this.isCut ||= this.#text.length - this.at < 9
    if (code === '') return undefined
    if (code.length === 1) return escapedSigns[escapeCodes.indexOf(code)] ?? `\\${code}`
    const point = Number.parseInt(code.slice(1), 16)
    return point > 0x10ffff ? undefined : String.fromCodePoint(point)
  }

  /** Takes a name, an id or a number. */
  #word(): string {
    this.#match(spaces)
    const word = this.#match(words)
    this.isCut ||= this.isAtEnd
    return word
  }

  #until(end: string): string | undefined {
    const to = this.#text.indexOf(end, this.at)
    this.isCut ||= to < 0
    if (to < 0) return undefined
    const text = this.#text.slice(this.at, to)
    this.at = to + end.length
    return text
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.at += found.length
    return found
  }
}

/** The fields of a call that were read so far. */
interface PartialCall {
  tool?: ToolDefinition | undefined
  json?: string
}

const namePrefix = 'functions.'
const maxDepth = 64
const spaces = /\s*/y
const words = /[-+.\w]*/y
const stringMarks = /["\\]/g
const plainText = /[^"'\\\r\n]*/y
const escapes = /x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[^xuUN\d\r\n]/y
const escapeCodes = 'ntrbfav\\"\''
const escapedSigns = '\n\t\r\b\f\x07\v\\"\''
const constants = new Map(
  Object.entries({ True: 'true', False: 'false', None: 'null', true: 'true', false: 'false', null: 'null' }),
)
