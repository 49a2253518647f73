import { getOwn, isRecord, listOf, tryJson } from '../../json.js'
import { type ArgumentsValue, parseArguments } from '../../tools/parse-arguments.js'
import { findViolation, type Keyword, ownKeywords } from '../../tools/validate.js'
import type { ToolCall, ToolDefinition } from '../../types/message.js'
import { type FoundMarkup, fromPython, linesOf, NotationReader, textCallForms } from './forms.js'

export interface TextCalls {
  /** The family of the markup: `hermes`, `mistral`, ... */
  readonly form: string
  /** The names of offered tools, and JSON text of an object each. */
  readonly calls: readonly ToolCall['function'][]
  /** The calls as they stand in the text, each in its markup, or all in one. */
  readonly texts: readonly string[]
}

/**
 * Reads a whole text as calls of these tools, in time that grows with its length only. White space, reasoning in front
 * and end tokens behind are skipped. Any other text is undefined: one with words beside the calls, another tool's name,
 * or arguments that do not parse or fit.
 */
export function readTextCalls(text: string, tools: readonly ToolDefinition[]): TextCalls | undefined {
  const found = scan(text, tools).found ?? scan(behindReasoning(text), tools).found
  if (!found) return undefined
  const calls = found.calls.map(toTextCall).filter((call) => call !== undefined)
  return calls.length === found.calls.length ? { ...found, calls } : undefined
}

/**
 * The text behind `</think>` where the chat template wrote the `<think>` into the prompt, `''` otherwise. Only from words
 * to markup: JSON or a list may be what the words are about.
 */
function behindReasoning(text: string): string {
  const [reasoning = '', ...rest] = text.split(thinkEnd)
  const behind = rest.join(thinkEnd)
  return markup.test(behind) && !/^\s*<|<think>/.test(reasoning) ? behind : ''
}

const thinkEnd = '</think>'
const markup = /^\s*(<|\[TOOL_CALLS\])/

/**
 * Follows a streamed text. `add` says what it is so far:
 * - `open`: it may still become a call, from `start` on. At most 200 characters.
 * - `call`: the name of an offered tool was read at its place in a call. It may still become `text`.
 * - `text`: it is no call. Only `</think>`, whose `<think>` was in the prompt, may change that.
 *
 * Says `call` at the end of each text that `readTextCalls` reads, if the name is within the first 200 characters.
 * Reads each character a few times only, wherever the text is cut.
 */
export class MarkupScanner {
  readonly #tools: readonly ToolDefinition[]
  /** The text from `start` on. */
  #held = ''
  /** The index in the whole text where a call may begin: text in front is reasoning, or no call, and can be shown. */
  start = 0
  /** The end of the reasoning or prose that the text is in, `''` for neither. */
  #end = ''
  #hadText = false
  #isOver = false
  /** The length of the held text at which it is read again. */
  #next = 0

  constructor(tools: readonly ToolDefinition[]) {
    this.#tools = tools
  }

  add(text: string): 'open' | 'call' | 'text' {
    if (this.#isOver) return 'text'
    // Prose costs next to nothing.
    if (this.#hadText && this.#end !== '' && this.#held === '' && !text.includes('<')) {
      this.start += text.length
      return 'text'
    }
    this.#held += text
    if (this.#end !== '' && !this.#skipTo(this.#end)) return this.#hadText ? 'text' : 'open'
    return this.#held.length < this.#next ? 'call' : this.#read()
  }

  #read(): 'open' | 'call' | 'text' {
    const { state, start, end } = scan(this.#held, this.#tools)
    this.#drop(start)
    if (end !== undefined) {
      this.#skipTo(end)
      return this.#hadText ? 'text' : 'open'
    }
    const { length } = this.#held
    if (state === 'call') this.#next = length < maxOpen ? 0 : 2 * length
    if (state === 'call' || (state === 'open' && length <= maxOpen)) return state
    this.#isOver = this.#hadText
    this.#hadText = true
    return this.#isOver || !this.#skipTo(thinkEnd) ? 'text' : this.#read()
  }

  /** Drops the text up to the end of a marker. Until that has arrived, only a part of it is held. */
  #skipTo(end: string): boolean {
    const at = this.#held.indexOf(end)
    const part = this.#held.lastIndexOf(end.charAt(0))
    const isPart = part >= 0 && end.startsWith(this.#held.slice(part))
    this.#end = at < 0 ? end : ''
    this.#drop(at >= 0 ? at + end.length : isPart ? part : this.#held.length)
    return at >= 0
  }

  #drop(length: number): void {
    this.#held = this.#held.slice(length)
    this.start += length
  }
}

/** Characters of an open text that are worth waiting for. */
const maxOpen = 200

interface Scan {
  readonly state: 'open' | 'call' | 'text'
  /** The index behind the reasoning. */
  readonly start: number
  /** The end of reasoning that has not arrived. */
  readonly end?: string
  /** The calls, if the text is complete. */
  readonly found?: Omit<TextCalls, 'calls'> & { readonly calls: readonly FoundMarkup[] }
}

/** How models begin and end reasoning in front of a call. */
const reasoningMarks = linesOf(`
<think> </think>
[THINK] [/THINK]
<seed:think> </seed:think>
<|START_THINKING|> <|END_THINKING|>
<|channel|>analysis<|message|> <|end|>
<|start|>assistant<|channel|>analysis<|message|> <|end|>`)

/** Reads a text, or the beginning of one, by each form. All but one fail after a few characters. */
function scan(text: string, tools: readonly ToolDefinition[]): Scan {
  // Nearly all texts begin with words, or are empty. Reasoning in front of calls begins with the same characters.
  const first = text.trimStart().charAt(0)
  if (!textCallForms.some(({ sign }) => sign === first)) return { state: first ? 'text' : 'open', start: 0 }
  const front = new NotationReader(text, 0, tools)
  let start = 0
  for (;;) {
    const [, end] = reasoningMarks.find(([begin = '']) => front.take(begin)) ?? []
    if (end === undefined) break
    const at = text.indexOf(end, front.at)
    if (at < 0) return { state: 'open', start: front.at, end }
    front.at = start = at + end.length
  }
  let state: Scan['state'] = front.isCut ? 'open' : 'text'
  const sign = text.charAt(front.at)
  for (const form of textCallForms) {
    if (form.sign !== sign) continue
    const reader = new NotationReader(text, front.at, tools)
    if (reader.isForm(form)) {
      const { found: calls, texts } = reader
      return { state: 'call', start, found: { form: form.family, calls, texts } }
    }
    if (reader.isCut && state !== 'call') state = reader.isNamed ? 'call' : 'open'
  }
  return { state, start }
}

/** Converts and checks the arguments of a call. Undefined if they do not parse, or do not fit the tool. */
function toTextCall({ tool, json, fields }: FoundMarkup): ToolCall['function'] | undefined {
  const { name, parameters } = tool.function
  const entries = fields.map(([key, text]) => `${JSON.stringify(key)}:${toJson(text, key, parameters)}`)
  const parsed = parseArguments(json || `{${entries}}`)
  if (!parsed.ok || !fits(parsed.value, parameters, parameters)) return undefined
  const { type, properties } = parsed.value
  // A model that describes a tool calls none.
  const isDefinition =
    type === 'object' && isRecord(properties) && !getOwn(parameters.properties, 'properties')
  return isDefinition ? undefined : { name, arguments: parsed.text }
}

/** Converts the text of a field to JSON: a string if its schema takes one, or does not take what the text says. */
function toJson(text: string, key: string, parameters: ArgumentsValue): string {
  const { properties, additionalProperties = true } = parameters
  const schema = getOwn(properties, key) ?? additionalProperties
  const trimmed = text.trim()
  if (/^(null|None)$/.test(trimmed) && fits(null, schema, parameters)) return 'null'
  if (fits(text, schema, parameters)) return JSON.stringify(text)
  return [trimmed, fromPython(trimmed)].find((json) => tryJson(json) !== undefined) ?? JSON.stringify(text)
}

/** Whether a value fits a schema, as far as its keywords are known here: the tool checks its arguments again. */
function fits(value: unknown, schema: unknown, root: unknown): boolean {
  try {
    return !findViolation(value, schema, { root, keywords })
  } catch {
    // A pattern of another language, or a reference to itself.
    return true
  }
}

const keywords: Readonly<Record<string, Keyword>> = {
  ...ownKeywords,
  oneOf: (_, rule, { fits }) => listOf(rule).some(fits),
  allOf: (_, rule, { fits }) => listOf(rule).every(fits),
  $ref: (value, rule, { root }) => {
    const path = String(rule).split('/').slice(1)
    return [[value, path.reduce((part: unknown, key) => getOwn(part, key), root) ?? true]]
  },
}
