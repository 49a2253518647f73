import { getOwn, isString, listOf, tryJson } from '../../json.js'
import { type ArgumentsValue, parseArguments } from '../../tools/parse-arguments.js'
import { findViolation, type Keyword, ownKeywords } from '../../tools/validate.js'
import type { ToolCall, ToolDefinition } from '../../types/message.js'
import {
  type Field,
  type FoundMarkup,
  fromPython,
  linesOf,
  markers,
  NotationReader,
  textCallForms,
} from './forms.js'

export interface TextCalls {
  /** The model family that the markup belongs to, such as `hermes` or `mistral`. */
  readonly form: string
  /** Calls to offered tools. The arguments are a JSON object as text. */
  readonly calls: readonly ToolCall['function'][]
  /** The calls as written, each with its own markup, or all within the same markup. */
  readonly texts: readonly string[]
  /** The index where the markup starts. The text before it is reasoning or other text. */
  readonly start: number
  /** The text before the markup, without reasoning. */
  readonly before: string
  /** The text after the markup. Empty if there is text before the markup. */
  readonly behind: string
}

/**
 * Parses complete text as calls to these tools, in linear time. Skips white space, reasoning before the calls and end
 * tokens after them. Other text may come before or after the markup. Undefined for anything else: text on both sides,
 * markup in code or in a sentence, a tool that is not offered, or arguments that do not parse or fit.
 */
export function readTextCalls(text: string, tools: readonly ToolDefinition[]): TextCalls | undefined {
  const scanner = new MarkupScanner(tools, Infinity)
  scanner.add(text)
  const { found } = scanner
  const calls = found?.calls.map(toTextCall).filter((call) => call !== undefined)
  return found && calls?.length === found.calls.length ? { ...found, calls } : undefined
}

/** The classification of streamed text so far. */
type Reading = 'open' | 'call' | 'text'

/**
 * Classifies text that arrives in pieces. `add` returns the classification so far:
 * - `open`: a call may start at `start`. Text stays open for at most 200 characters.
 * - `call`: the name of an offered tool was read at the right position. A later piece may still change the result to
 *   `text`.
 * - `text`: the text so far contains no call.
 *
 * At the end of any text that `readTextCalls` accepts, returns `call` if the name is within the first 200 characters of
 * the markup and at most 200 characters of other text follow. However the text is split, each character is read only a
 * few times, because the first marker determines the form.
 */
export class MarkupScanner {
  /** The index where a call may start. Earlier text is reasoning or plain text, and can be shown. */
  start = 0
  /** The calls, if the text is complete. */
  found: (Omit<TextCalls, 'calls'> & { readonly calls: readonly FoundMarkup[] }) | undefined
  readonly #tools: readonly ToolDefinition[]
  /** The maximum length of open text, in characters. */
  readonly #maxOpen: number
  /** The text from `start` on. */
  #held = ''
  /** The text before `start`, after any reasoning. */
  #words = ''
  /** Prose after `#words`, in pieces. */
  #prose: string[] = []
  /** The strings that end the reasoning or the words at `start`. Undefined if a call may start here. */
  #ends: readonly string[] | undefined
  #isInWords = false
  #hadReasoning = false
  /** The length at which the held text is parsed again. */
  #next = 0

  constructor(tools: readonly ToolDefinition[], maxOpen = 200) {
    this.#tools = tools
    this.#maxOpen = maxOpen
  }

  add(text: string): Reading {
    // This is a fast path for prose.
    if (this.#isInWords && this.#ends && this.#held === '' && !sign.test(text)) {
      this.#prose.push(text)
      this.start += text.length
      return 'text'
    }
    this.#words += this.#prose.splice(0).join('')
    this.#held += text
    for (;;) {
      const reading = this.#ends ? this.#pass(this.#ends) : this.#read()
      if (reading) return reading
    }
  }

  /**
   * Skips reasoning or plain text up to one of `ends`. Returns undefined if one is found: what follows may be a call.
   */
  #pass(ends: readonly string[]): Reading | undefined {
    const isWords = this.#isInWords
    const { at, end } = findFirst(this.#held, ends)
    this.#drop(at, isWords)
    if (end === undefined) return isWords && this.#held === '' ? 'text' : 'open'
    this.#ends = undefined
    this.#next = 0
    if (markers.includes(end)) {
      if (isWords && !isApart(this.#words)) this.#passMarkup()
      return undefined
    }
    // Reasoning that ends here started in the prompt, which can happen only once.
    if (isWords && (this.#hadReasoning || /^\s*<|<think>/.test(this.#words))) this.#ends = noEnds
    // After reasoning that started in the prompt, only markup may follow, as after words.
    else this.#words = isWords ? '\n' : ''
    this.#hadReasoning = true
    this.#drop(end.length)
    return undefined
  }

  /** Skips markup that is not a call, even inside reasoning that started in the prompt. */
  #passMarkup(): void {
    this.#ends = this.#hadReasoning ? noEnds : thoughtEnds
    this.#isInWords = true
  }

  /** Parses the held text as a call. Returns undefined if it is reasoning or plain text. */
  #read(): Reading | undefined {
    const held = this.#held
    if (held.length < this.#next) return 'call'
    // A long call is read again when twice as much has arrived.
    this.#next = held.length > this.#maxOpen ? 2 * held.length : 0
    this.found = undefined
    const front = new NotationReader(held, 0, this.#tools)
    front.take('')
    const { at } = front
    const isFront = this.#words === ''
    const [begin, ...ends] = (isFront && reasoningMarks.find(([mark = '']) => front.take(mark))) || []
    if (begin) {
      this.#drop(front.at)
      if (ends.length > 0) this.#ends = ends
      return undefined
    }
    let reading: Reading = front.isCut || at === held.length ? 'open' : 'text'
    const sign = held.charAt(at)
    for (const form of textCallForms) {
      const { isMarked } = form
      if (!form.begin.startsWith(sign) || (!isMarked && !isFront)) continue
      const reader = new NotationReader(held, at, this.#tools)
      const isRead = reader.takeForm(form)
      const behind = held.slice(reader.at)
      const isBeside = isMarked && isFront && behind.length <= this.#maxOpen
      if (isRead && (behind === '' || (isBeside && mayFollow(held, reader.at)))) {
        const { found: calls, texts } = reader
        const start = this.start + at
        this.found = {
          form: form.family,
          calls,
          texts,
          start,
          before: this.#words.trimStart(),
          behind,
        }
        if (behind) this.#next = reader.at + this.#maxOpen
        return 'call'
      }
      if (reader.isCut && reading !== 'call') reading = reader.isNamed ? 'call' : 'open'
    }
    if (reading === 'call' || (reading === 'open' && held.length <= this.#maxOpen)) return reading
    this.#passMarkup()
    if (!markers.some((mark) => held.startsWith(mark, at))) this.#ends = wordEnds
    return undefined
  }

  /** Moves `start` forward by some characters. */
  #drop(length: number, isWords = false): void {
    if (isWords) this.#words += this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    this.start += length
  }
}

/**
 * The marks that start and end a model's reasoning before a call. A line with one mark ends reasoning that started in
 * the prompt. Kimi's reasoning may also end where a call starts.
 */
const reasoningMarks = linesOf(`
<think> </think> <|tool_calls_section_begin|>
</think>
[THINK] [/THINK]
<seed:think> </seed:think>
<longcat_think> </longcat_think>
<|START_THINKING|> <|END_THINKING|>
<|END_THINKING|>
<|inner_prefix|> <|inner_suffix|>
<|channel> <channel|>
<|channel|>analysis<|message|> <|end|>
<|start|>assistant<|channel|>analysis<|message|> <|end|>
<|channel|>commentary<|message|> <|end|>
<|start|>assistant<|channel|>commentary<|message|> <|end|>`)

/**
 * Three lists: the strings that end reasoning that started in the prompt, the strings that end plain text, and an empty
 * list for text in which no more calls may follow.
 */
const thoughtEnds = reasoningMarks.flatMap(([mark = '', end]) => (end ? [] : mark))
const wordEnds = [...new Set(markers), ...thoughtEnds]
const noEnds: readonly string[] = []

/**
 * Finds the first of these strings. If there is none, returns the position at the end of the text where one may start.
 */
function findFirst(text: string, ends: readonly string[]): { readonly at: number; readonly end?: string } {
  for (const { index: at } of text.matchAll(signs)) {
    const rest = text.slice(at)
    const end = ends.find((one) => rest.startsWith(one))
    if (end !== undefined) return { at, end }
    if (ends.some((one) => one.startsWith(rest))) return { at }
  }
  return { at: text.length }
}

/** Every end mark starts with one of these characters. */
const sign = /[<[\]]/
const signs = /[<[\]]/g

/** Whether markup after this text is outside code and quotes, and not part of the text's last sentence. */
function isApart(words: string): boolean {
  const paragraph = words.slice(words.lastIndexOf('\n\n') + 1)
  // If the number of marks is odd, one is open.
  const isOpen = [paragraph.split('"'), words.split('`'), words.split('~~~')].some(
    ({ length }) => length % 2 === 0,
  )
  return !isOpen && wordsEnd.test(words) && !codeOrQuote.test(paragraph) && !/`{4}|~{4}/.test(words)
}

/**
 * Matches the end of a line, or of a sentence that does not end with a number or an abbreviation. At most three spaces
 * may start the next line, since four would start code. Cohere adds a token after the text.
 */
const wordsEnd =
  /(?:(?:[!?…。！？]|\.\.|\p{L}\p{L}\.)[)\]"'”’*_]*[ \t]*|(?:[^\s,;([{<>|=/\\+-]|<\|END_\w+\|>)\s*\n {0,3})$/u
/** Matches code, or a quote that is not closed. `“` closes `„`. */
const codeOrQuote = /^[^„]*“[^”“]*$|[„「][^“”„「」]*$|<(?:pre|code|!--)/

/** Whether the text from this position may follow calls: on a separate line, and without markup. */
function mayFollow(text: string, at: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  return !/\S/.test(line) && !noWords.test(text.slice(at))
}

/** Matches text that starts like code, data, a quote or other markup, or that contains markup of calls or results. */
const noWords = /^[[\](){}<>|`"'“,;:.=\\]|<[|｜/]|<\w*(?:tool|function)|\[\/?TOOL/

/** Converts and checks the arguments of a call. Undefined if they do not parse, or do not fit the tool. */
function toTextCall({ tool, json, fields }: FoundMarkup): ToolCall['function'] | undefined {
  const { name, parameters } = tool.function
  const [[key, value = ''] = [], ...others] = fields
  const isKnown = getOwn(parameters.properties, 'properties')
  // MiniCPM sometimes writes all arguments as one field.
  const isAll = key === 'properties' && others.length === 0 && !isKnown
  const written = isAll ? toJson(value, false, parameters) : toObject(fields, parameters, parameters)
  const parsed = parseArguments(json || written)
  if (!parsed.ok || !fits(parsed.value, parameters, parameters)) return undefined
  // A model that writes `properties` describes the tool instead of calling it.
  return 'properties' in parsed.value && !isKnown ? undefined : { name, arguments: parsed.text }
}

/** Converts fields to the JSON of an object, as the object's schema requires. */
function toObject(fields: readonly Field[], schema: unknown, root: ArgumentsValue): string {
  const { properties, additionalProperties = true } = definitionOf(schema, root)
  const entries = fields.map(([key, value]) => {
    return `${JSON.stringify(key)}:${toJson(value, getOwn(properties, key) ?? additionalProperties, root)}`
  })
  return `{${entries}}`
}

/**
 * Converts a field to JSON: to a string if its schema accepts one or the text cannot be parsed, otherwise to the parsed
 * value.
 */
function toJson(text: Field[1], schema: unknown, root: ArgumentsValue): string {
  if (!isString(text)) {
    if (!text.every(([key]) => key === 'item')) return toObject(text, schema, root)
    const { items = true } = definitionOf(schema, root)
    return `[${text.map(([, item]) => toJson(item, items, root))}]`
  }
  const trimmed = text.trim()
  if (/^(null|None)$/.test(trimmed) && fits(null, schema, root)) return 'null'
  if (fits(text, schema, root)) return JSON.stringify(text)
  const readings = [trimmed, fromPython(trimmed), String(tryJson(`"${trimmed}"`))]
  return readings.find((json) => tryJson(json) !== undefined) ?? JSON.stringify(text)
}

/** Resolves a schema's reference. Returns a schema without a reference unchanged. */
function definitionOf(schema: unknown, root: ArgumentsValue): ArgumentsValue {
  const { $ref } = Object(schema) as ArgumentsValue
  return Object($ref === undefined ? schema : schemaAt($ref, root)) as ArgumentsValue
}

/** Whether a value matches the schema keywords that are known here. The tool checks its arguments again. */
function fits(value: unknown, schema: unknown, root: unknown): boolean {
  try {
    return !findViolation(value, schema, { root, keywords })
  } catch {
    // The schema contains a pattern that is not valid in JavaScript, or a reference to itself.
    return true
  }
}

const keywords: Readonly<Record<string, Keyword>> = {
  ...ownKeywords,
  oneOf: (_, rule, { fits }) => listOf(rule).some(fits),
  allOf: (_, rule, { fits }) => listOf(rule).every(fits),
  $ref: (value, rule, { root }) => [[value, schemaAt(rule, root) ?? true]],
}

/** Returns the schema that a reference points to. Undefined for a reference without a target. */
function schemaAt(reference: unknown, root: unknown): unknown {
  const path = String(reference).split('/').slice(1)
  return path.reduce((part: unknown, key) => getOwn(part, key), root)
}
