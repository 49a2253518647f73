import { getOwn, tryJson } from '../../json.js'
import type { ToolDefinition } from '../../types/message.js'

/**
 * How model families write calls, one way a line: the family, and the parts of the text, with or without white space
 * between them. `?part` may be missing, `*part` may also be repeated, and a plus behind the family repeats the whole.
 * `$part` is one of `parts` below, or has a reader:
 * - `$name`: the name of an offered tool; a call begins
 * - `$json`: its arguments
 * - `$key`, `$value`: one argument, each up to the part behind it; `$line`: a value that may stand in lines of its own
 * - `$fields`: name and arguments as a JSON object, behind its brace
 * - `$keywords`: arguments as Python writes them, behind their parenthesis
 * - `$word`: an id, a number or a name, which is skipped
 */
const forms = `
hermes+ <tool_call> $object ?</tool_call>
hermes+ <function_call> $object ?</function_call>
hermes+ <tools> $object ?</tools>
hermes+ <function name=" $name "> $json </function>
qwen-coder+ <tool_call> $function </tool_call>
qwen-coder+ $function ?</tool_call>
seed+ <seed:tool_call> $function </seed:tool_call> ?<seed:eos>
mistral [TOOL_CALLS] $list
mistral+ [TOOL_CALLS] $name ?$call_id ?[ARGS] $json
llama <|python_tag|> $objects
llama <|python_tag|> $call
llama <|python_tag|> $name .call ( $keywords
llama+ <function= $name > $json </function>
pythonic $calls ?<|python_end|>
pythonic <|python_start|> $calls ?<|python_end|>
lfm <|tool_call_start|> $calls ?<|tool_call_end|>
lfm <|tool_call_start|> $list ?<|tool_call_end|>
deepseek $deepseek_begin $deepseek *$deepseek ?<｜tool▁calls▁end｜> ?<｜end▁of▁sentence｜>
dsml <｜DSML｜ ?function ?tool _calls> $dsml *$dsml </｜DSML｜ ?function ?tool _calls> ?<｜end▁of▁sentence｜>
harmony $harmony *$more_harmony
harmony+ $more_harmony
harmony+ <|start|>assistant to= $name <|channel|> $word $message
command-r <|START_ACTION|> $list ?<|END_ACTION|> ?<|END_OF_TURN_TOKEN|>
glm+ <tool_call> $name *$glm_field </tool_call> ?<|observation|>
kimi <|tool_calls_section_begin|> $kimi *$kimi ?<|tool_calls_section_end|>
granite <tool_call> $list ?</tool_call>
granite <|tool_call|> ?<tool_call> $list ?</tool_call>
minimax <minimax:tool_call> $invoke *$invoke </minimax:tool_call> ?[e~[
phi functools $list ?<|end|>
jamba <tool_calls> $list ?</tool_calls>
nemotron <TOOLCALL> $list ?</TOOLCALL>
json+ $next_object
json $list
json \`\`\` ?json $objects \`\`\`
json \`\`\` ?json $list \`\`\`
json { "tool_call" : $object }
json { "tool_calls" : $list }`

/** Parts of forms. The first text of each decides whether it is there. */
const parts = `
object { $fields
more_objects , $object
list [ $object *$more_objects ]
next_object $object ?;
objects $next_object *$next_object
call $name ( $keywords
more_calls , $call
calls [ $call *$more_calls ]
function <function= $name > *$parameter </function>
parameter <parameter= $key > $line </parameter>
invoke <invoke name=" $name "> *$named_parameter </invoke>
named_parameter <parameter name=" $key "> $line </parameter>
call_id [CALL_ID] $word
deepseek_begin <｜tool ?▁ ?\\_ ?_ calls ?▁ ?\\_ ?_ ?begin ｜>
deepseek <｜tool▁call▁begin｜> ?function<｜tool▁sep｜> $name ?<｜tool▁sep｜> ?\`\`\`json $json ?\`\`\` <｜tool▁call▁end｜>
dsml <｜DSML｜invoke name=" $name "> *$dsml_field </｜DSML｜invoke>
dsml_field <｜DSML｜parameter name=" $key " ?$dsml_type > $value </｜DSML｜parameter>
dsml_type string=" $word "
harmony <|channel|> $word to= $name $message
more_harmony <|start|>assistant $harmony
message ?<|constrain|> ?json ?code <|message|> $json ?<|call|>
glm_field <arg_key> $key </arg_key> <arg_value> $value </arg_value>
kimi <|tool_call_begin|> $name ?$index <|tool_call_argument_begin|> $json <|tool_call_end|>
index : $word`

const split = (line: string): readonly string[] => line.split(' ')
/** The words of each line of a table. */
export const linesOf = (table: string) => table.slice(1).split('\n').map(split)
const partsByName = new Map(linesOf(parts).map(([name, ...line]) => [name, line]))

export interface Notation {
  readonly family: string
  readonly isRepeated: boolean
  readonly parts: readonly string[]
  /** The first character. */
  readonly sign: string
}

/** All forms. Those that begin alike are told apart where they first differ. */
export const textCallForms: readonly Notation[] = linesOf(forms).map(([family = '', ...parts]) => {
  return { family: family.replace('+', ''), isRepeated: family.endsWith('+'), parts, sign: signOf(parts) }
})

function signOf([first = '']: readonly string[]): string {
  const inner = partsByName.get(first.slice(1))
  return inner ? signOf(inner) : first.charAt(0)
}

/** Tokens of chat templates behind a message that several families have. */
const endTokens = split(
  '<|im_end|> <|eot_id|> <|eom_id|> <|eot|> <|endoftext|> <|end_of_text|> <end_of_turn> </s>',
)

/** The fields of a call as a JSON object. With any other field it is another object. */
const callKeys = split('name tool_name arguments parameters type function id tool_call_id')

/** A call with its arguments as they stand in the text: as JSON, or as fields. */
export interface FoundMarkup {
  tool: ToolDefinition
  json: string
  readonly fields: [key: string, value: string][]
}

/** Follows a form through a text, once and without going back. Private methods throw where the text has another. */
export class NotationReader {
  readonly found: FoundMarkup[] = []
  /** Whether a tool's name was read. */
  isNamed = false
  /** Whether the text ended while it still followed the form. */
  isCut = false
  at: number
  /** The calls as they stand in the text, one for each time that the form was read. */
  readonly texts: string[] = []
  readonly #text: string
  readonly #tools: readonly ToolDefinition[]

  constructor(text: string, at = 0, tools: readonly ToolDefinition[] = []) {
    this.#text = text
    this.at = at
    this.#tools = tools
  }

  /** Whether the rest of the text has this form, with nothing but end tokens behind it. */
  isForm({ parts, isRepeated }: Notation): boolean {
    const read = () => {
      do {
        const start = this.at
        if (!this.#takeAll(parts)) break
        this.texts.push(this.#text.slice(start, this.at))
      } while (isRepeated)
      if (this.texts.length === 0) return false
      while (endTokens.some((token) => this.take(token))) {}
      return this.#isAtEnd
    }
    return unlessMismatch(read) ?? false
  }

  /** Reads the text as a literal of Python or JSON. Returns it as JSON. */
  readLiteral(): string | undefined {
    const literal = unlessMismatch(() => this.#literal(0))
    return this.#isAtEnd ? literal : undefined
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

  get #isAtEnd(): boolean {
    return this.at === this.#text.length
  }

  /** Takes these parts, if the first one is next. */
  #takeAll([first = '', ...rest]: readonly string[]): boolean {
    if (!this.#takePart(first)) return false
    for (const [index, part] of rest.entries()) need(this.#takePart(part, rest[index + 1]))
    return true
  }

  #takePart(part: string, next = ''): boolean {
    const name = part.slice(1)
    if (part.startsWith('?')) this.#takePart(name)
    else if (part.startsWith('*')) while (this.#takePart(name)) {}
    else if (part.startsWith('$')) return this.#takeNamed(name, next)
    else return this.take(part)
    return true
  }

  #takeNamed(name: string, next: string): boolean {
    const inner = partsByName.get(name)
    if (inner) return this.#takeAll(inner)
    if (name === 'word') return this.#word() !== ''
    const call = this.found.at(-1)
    if (name === 'name') this.#addCall(this.#toolNext())
    else if (name === 'fields') this.#readFields()
    else if (call === undefined) return false
    else if (name === 'json') call.json = this.#json()
    else if (name === 'keywords') call.json = this.#keywords()
    else if (name === 'key') call.fields.push([this.#until(next).trim(), ''])
    else this.#setValue(call.fields.at(-1), this.#until(next), name)
    return true
  }

  #addCall(tool: ToolDefinition, json = ''): void {
    this.found.push({ tool, json, fields: [] })
  }

  /** A value that stands in lines of its own has a line end on either side. */
  #setValue(field: [string, string] | undefined, value: string, name: string): void {
    need(field)
    field[1] = name === 'line' ? value.replace(/^\r?\n|\r?\n$/g, '') : value
  }

  #toolNext(): ToolDefinition {
    this.#match(spaces)
    const word = this.#match(words)
    if (!this.#isAtEnd) return this.#toolOf(this.#withoutMethod(word))
    const names = this.#tools.flatMap(({ function: { name } }) => [namePrefix + name, name + method])
    this.isCut ||= names.some((name) => name.startsWith(word))
    throw mismatch
  }

  /** Leaves the `.call` of Llama's built-in tools for the part behind the name. */
  #withoutMethod(word: string): string {
    if (!word.endsWith(method)) return word
    this.at -= method.length
    return word.slice(0, -method.length)
  }

  #toolOf(word: unknown): ToolDefinition {
    const named = (prefix: string) => this.#tools.find((one) => prefix + one.function.name === word)
    const tool = named('') ?? named(namePrefix)
    need(tool)
    this.isNamed = true
    return tool
  }

  /** Reads the fields of a call in JSON. The field `function` may hold those of the call. */
  #readFields(call: Partial<Pick<FoundMarkup, 'tool' | 'json'>> = {}, isInner = false): void {
    do {
      this.#match(spaces)
      need(this.#sign() === '"')
      const key = String(tryJson(this.#json()))
      need(callKeys.includes(key) && this.take(':'))
      if (key === 'function') {
        need(!isInner && this.take('{'))
        this.#readFields(call, true)
        continue
      }
      const json = this.#json()
      if (key === 'arguments' || key === 'parameters') {
        need(call.json === undefined)
        call.json = json
      } else if (key.endsWith('name')) {
        need(call.tool === undefined)
        call.tool = this.#toolOf(tryJson(json))
      } else need(key === 'type' ? json === '"function"' : tryJson(json) !== undefined)
    } while (this.take(','))
    need(this.take('}'))
    if (isInner) return
    need(call.tool && call.json !== undefined)
    this.#addCall(call.tool, call.json)
  }

  /** Takes a JSON value. Only its end is looked for: what is in it is checked when it is parsed. */
  #json(): string {
    this.#match(spaces)
    const start = this.at
    let depth = 0
    do {
      const sign = this.#sign()
      if (sign === '"') this.#skipString()
      else if (depth === 0 && !'{['.includes(sign)) need(this.#word())
      else {
        if ('{['.includes(sign)) depth += 1
        else if ('}]'.includes(sign)) depth -= 1
        this.at += 1
      }
    } while (depth > 0)
    return this.#text.slice(start, this.at)
  }

  #skipString(): void {
    stringMarks.lastIndex = this.at + 1
    let mark = stringMarks.exec(this.#text)
    for (; mark?.[0] === '\\'; mark = stringMarks.exec(this.#text)) stringMarks.lastIndex += 1
    this.isCut ||= !mark
    need(mark)
    this.at = stringMarks.lastIndex
  }

  /** Takes the arguments of a Python call, `a=1, b="x")`: literals only, each with its name. Returns JSON. */
  #keywords(): string {
    const entry = () => {
      const name = this.#word()
      need(name)
      return this.#entry(JSON.stringify(name), '=', 0)
    }
    return `{${this.#items(')', entry)}}`
  }

  #literal(depth: number): string {
    this.#match(spaces)
    const sign = this.#sign()
    if (sign === '"' || sign === "'") return this.#pythonString()
    if (!'{['.includes(sign)) {
      const word = this.#word()
      const json = getOwn<string>(constants, word) ?? word
      need(tryJson(json) !== undefined)
      return json
    }
    need(depth < maxDepth)
    this.at += 1
    return sign === '['
      ? `[${this.#items(']', () => this.#literal(depth + 1))}]`
      : `{${this.#items('}', () => this.#entry(this.#pythonString(), ':', depth + 1))}}`
  }

  /** Takes items between commas, and the end of the list. */
  #items(end: string, takeItem: () => string): string {
    if (this.take(end)) return ''
    const items: string[] = []
    do items.push(takeItem())
    while (this.take(','))
    need(this.take(end))
    return items.join()
  }

  #entry(key: string, separator: string, depth: number): string {
    need(this.take(separator))
    return `${key}:${this.#literal(depth)}`
  }

  /** Takes a string in one line. Returns it as JSON. */
  #pythonString(): string {
    this.#match(spaces)
    const quote = this.#sign()
    need(quote === '"' || quote === "'")
    this.at += 1
    for (let value = ''; ; ) {
      value += this.#match(plainText)
      const sign = this.#sign()
      this.at += 1
      if (sign === quote) return JSON.stringify(value)
      need(sign !== '\n' && sign !== '\r')
      value += sign === '\\' ? this.#escaped() : sign
    }
  }

  /** Takes what follows a backslash. As in Python, a backslash in front of other characters stands for itself. */
  #escaped(): string {
    const code = this.#match(escapes)
    if (code === '') this.isCut ||= this.#text.length - this.at < 9
    need(code)
    if (code.length === 1) return escapedSigns[escapeCodes.indexOf(code)] ?? `\\${code}`
    const point = Number(`0x${code.slice(1)}`)
    need(point <= 0x10ffff)
    return String.fromCodePoint(point)
  }

  /** The next character. */
  #sign(): string {
    this.isCut ||= this.#isAtEnd
    need(!this.#isAtEnd)
    return this.#text.charAt(this.at)
  }

  /** Takes a name, an id or a number, `''` if there is none. */
  #word(): string {
    this.#match(spaces)
    const word = this.#match(words)
    this.isCut ||= this.#isAtEnd
    return word
  }

  /** Takes the text in front of an end. */
  #until(end: string): string {
    const at = this.#text.indexOf(end, this.at)
    this.isCut ||= at < 0
    need(at >= 0)
    const text = this.#text.slice(this.at, at)
    this.at = at
    return text
  }

  #match(pattern: RegExp): string {
    const start = this.at
    pattern.lastIndex = start
    if (pattern.test(this.#text)) this.at = pattern.lastIndex
    return this.#text.slice(start, this.at)
  }
}

const mismatch = new Error('The text has another form.')

function need(condition: unknown): asserts condition {
  if (!condition) throw mismatch
}

function unlessMismatch<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error !== mismatch) throw error
    return undefined
  }
}

const namePrefix = 'functions.'
const method = '.call'
const maxDepth = 64
const spaces = /\s*/y
const words = /[-+.\w]*/y
const stringMarks = /["\\]/g
const plainText = /[^"'\\\r\n]*/y
const escapes = /x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[^xuUN\d\r\n]/y
const escapeCodes = 'ntrbfav\\"\''
const escapedSigns = '\n\t\r\b\f\x07\v\\"\''
const constants = { True: 'true', False: 'false', None: 'null' }
