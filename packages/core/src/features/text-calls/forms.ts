import { tryJson } from '../../json.js'
import type { ToolDefinition } from '../../types/message.js'

/**
 * The notations in which model families write calls, one per line: the family, then the parts of the text, with or
 * without white space between them. `?part` is optional. `*part` is optional and may be repeated. The entire notation
 * may be repeated. `$part` is one of `parts` below, or has its own reader: `$name` is the name of an offered tool, and
 * starts a call; `$json` is the call's arguments; `$key` and `$value` are one argument, each up to the next part;
 * `$line` is a value that may be on separate lines; `$fields` is name and arguments as a JSON object, after its opening
 * brace; `$keywords` is arguments as Python writes them, after their opening parenthesis; `$gemma` is arguments as
 * Gemma writes them, with keys without quotes, and strings in its own marks; `$elements` is arguments as nested
 * elements, as MiniMax M3 writes them; `$word` is an id, a number or a name, which is skipped.
 */
const forms = `
hermes <tool_call> $object ?</tool_call>
hermes <function_call> $object ?</function_call>
hermes <tools> $object ?</tools>
hermes <function name=" $name "> $json </function>
longcat <longcat_tool_call> $object ?</longcat_tool_call>
longcat <longcat_tool_call> $name *$longcat_field </longcat_tool_call>
qwen-coder <tool_call> $function </tool_call>
qwen-coder $function ?</tool_call>
seed <seed:tool_call> $function </seed:tool_call> ?<seed:eos>
mistral [TOOL_CALLS] $list ?[/TOOL_CALLS]
mistral [TOOL_CALLS] $object ?[/TOOL_CALLS]
mistral [TOOL_CALLS] $name ?$call_id ?[ARGS] $json
llama <|python_tag|> $objects
llama <|python_tag|> $call
llama <|python_tag|> $name .call ( $keywords
llama <function= $name > $json </function>
pythonic $calls ?<|python_end|>
pythonic <|python_start|> $calls ?<|python_end|>
olmo <function_calls> $call *$call </function_calls>
lfm <|tool_call_start|> $calls ?<|tool_call_end|>
lfm <|tool_call_start|> $list ?<|tool_call_end|>
lfm <|tool_call_start|> $object ?<|tool_call_end|>
deepseek $deepseek_begin $deepseek *$deepseek ?<｜tool▁calls▁end｜> ?<｜end▁of▁sentence｜>
dsml <｜DSML｜ ?function ?tool _calls> $dsml *$dsml </｜DSML｜ ?function ?tool _calls> ?<｜end▁of▁sentence｜>
gigachat <|message_sep|> $giga_call
gigachat $giga_call
step <｜tool_calls_begin｜> $step *$step ?<｜tool_calls_end｜>
harmony $harmony *$more_harmony
harmony $more_harmony
harmony <|start|>assistant $recipient
harmony $recipient
command-r <|START_ACTION|> $list ?<|END_ACTION|> ?<|END_OF_TURN_TOKEN|>
command-r <|START_ACTION|> $object ?<|END_ACTION|> ?<|END_OF_TURN_TOKEN|>
glm <tool_call> $name *$glm_field </tool_call> ?<|observation|>
kimi <|tool_calls_section_begin|> $kimi *$kimi ?<|tool_calls_section_end|>
granite <tool_call> $list ?</tool_call>
granite <|tool_call|> ?<tool_call> $list ?</tool_call>
minimax <minimax:tool_call> $invoke *$invoke </minimax:tool_call> ?[e~[
minimax ]<]minimax[>[ <tool_call> $m3 *$m3 ]<]minimax[>[ </tool_call> ?[e~[
dots <dots_function_call> $invoke *$invoke </dots_function_call>
gemma <|tool_call> call: $name $gemma *<tool_call|> ?<|tool_response>
gemma <start_function_call> call: $name $gemma ?<end_function_call> ?<start_function_response>
apertus <|tools_prefix|> [ $pair *$more_pairs ] ?<|tools_suffix|>
apertus <|tools_prefix|> $pair ?<|tools_suffix|>
intern <|action_start|> <|plugin|> $object ?<|action_end|>
minicpm <function name=" $name "> *$param </function>
phi functools $list
jamba <tool_calls> $list ?</tool_calls>
nemotron <TOOLCALL> $list ?</TOOLCALL>
nemotron <TOOLCALL> $object ?</TOOLCALL>
json $next_object
json $list
json \`\`\` ?json $objects \`\`\`
json \`\`\` ?json $list \`\`\`
json { "tool_call" : $object }
json { "tool_calls" : $list }`

/**
 * Parts of notations, one per line: the name, then the strings. Text without the first string does not contain the
 * part.
 */
const parts = `
object { $fields
more_objects , $object
list [ $object *$more_objects ]
next_object $object ?;
objects $next_object *$next_object
call $name ( $keywords
more_calls , $call
calls [ $call *$more_calls ]
pair { " $name " : $json }
more_pairs , $pair
function <function= $name > *$parameter </function>
parameter <parameter= $key > $line ?</parameter>
invoke <invoke name=" $name "> *$named_parameter </invoke>
named_parameter <parameter name=" $key "> $line </parameter>
param <param name=" $key "> $line </param>
m3 ]<]minimax[>[<invoke name=" $name "> $elements ]<]minimax[>[ </invoke>
call_id [CALL_ID] $word
deepseek_begin <｜tool ?▁ ?\\_ ?_ calls ?▁ ?\\_ ?_ ?begin ｜>
deepseek <｜tool▁call▁begin｜> ?function<｜tool▁sep｜> $name ?<｜tool▁sep｜> ?\`\`\`json $json ?\`\`\` <｜tool▁call▁end｜>
dsml <｜DSML｜invoke name=" $name "> *$dsml_field </｜DSML｜invoke>
dsml_field <｜DSML｜parameter name=" $key " ?$dsml_type > $value </｜DSML｜parameter>
dsml_type string=" $word "
giga_call function call<|role_sep|> $object
step <｜tool_call_begin｜> ?function<｜tool_sep｜> <steptml:invoke name=" $name "> *$step_field </steptml:invoke> <｜tool_call_end｜>
step_field <steptml:parameter name=" $key "> $line </steptml:parameter>
harmony <|channel|> $word to= $name $message
more_harmony <|start|>assistant $harmony
recipient to= $name <|channel|> $word $message
message ?<|constrain|> ?json ?code <|message|> $json ?<|call|>
glm_field <arg_key> $key </arg_key> <arg_value> $value </arg_value>
longcat_field <longcat_arg_key> $key </longcat_arg_key> <longcat_arg_value> $value </longcat_arg_value>
kimi <|tool_call_begin|> $name ?$index <|tool_call_argument_begin|> $json <|tool_call_end|>
index : $word`

const split = (line: string): readonly string[] => line.split(' ')
/** Splits a table into lines, and each line into words. */
export const linesOf = (table: string) => table.slice(1).split('\n').map(split)

const partsByName = new Map(linesOf(parts).map(([name, ...line]) => [name, line]))

export interface Notation {
  readonly family: string
  readonly parts: readonly string[]
  /** The string that the notation starts with. */
  readonly begin: string
  /** Whether `begin` is a marker that does not occur by chance. */
  readonly isMarked: boolean
}

/** All notations. Notations that start in the same way are distinguished by their first difference. */
export const textCallForms: readonly Notation[] = linesOf(forms).map(([family = '', ...parts]) => {
  const begin = beginOf(parts)
  return { family, parts, begin, isMarked: /^(?:[<\]]|\[T)/.test(begin) }
})

function beginOf([first = '']: readonly string[]): string {
  return first.startsWith('$') ? beginOf(partsByName.get(first.slice(1)) ?? []) : first
}

/** The strings that start calls within other text. */
export const markers: readonly string[] = textCallForms.flatMap(({ begin, isMarked }) =>
  isMarked ? spellingsOf(begin) : [],
)

/** Returns a part's spellings: as in the table, and with an ordinary bar instead of DeepSeek's wide one. */
function spellingsOf(part: string): readonly string[] {
  return [part, part.replaceAll('｜', '|')]
}

/** End tokens that several model families add after a message. */
const endTokens = split(
  '<|im_end|> <|eot_id|> <|eom_id|> <|eot|> <|endoftext|> <|end_of_text|> <end_of_turn> <turn|> <|message_sep|> <|assistant_end|> <|end|> </s>',
)

/** The fields that a call may have as a JSON object. An object with any other field is not a call. */
const callKeys = split('name tool_name arguments parameters type function id tool_call_id')

/** A call with its arguments as written: as JSON, or as fields. */
export interface FoundMarkup {
  tool: ToolDefinition
  json: string
  fields: Field[]
}

/** An argument: its key, and its text or nested elements. */
export type Field = readonly [key: string, value: string | Field[]]

/** Matches text against a notation, in one pass without backtracking. Private methods throw where the text differs. */
export class NotationReader {
  readonly found: FoundMarkup[] = []
  /** Whether a tool's name was read. */
  isNamed = false
  /** Whether the text ended while it still matched the notation. */
  isCut = false
  at: number
  /** The calls as written, one for each match of the notation. */
  readonly texts: string[] = []
  /** The name of the argument whose value comes next. */
  #key = ''
  readonly #text: string
  readonly #tools: readonly ToolDefinition[]

  constructor(text: string, at = 0, tools: readonly ToolDefinition[] = []) {
    this.#text = text
    this.at = at
    this.#tools = tools
  }

  /** Reads a notation, and the end tokens and white space after it. Returns whether the notation came next. */
  takeForm({ parts }: Notation): boolean {
    try {
      let start = this.at
      while (this.#takeAll(parts)) {
        this.texts.push(this.#text.slice(start, this.at))
        start = this.at
      }
      while (endTokens.some((token) => this.take(token))) {}
      return this.texts.length > 0
    } catch (error) {
      if (error !== mismatch) throw error
      return false
    }
  }

  /** Skips white space, and then `expected` if it comes next. Returns whether `expected` came next. */
  take(expected: string): boolean {
    this.#match(spaces)
    return spellingsOf(expected).some((part) => {
      const rest = this.#text.slice(this.at, this.at + part.length)
      const isNext = rest === part
      if (isNext) this.at += part.length
      // A backslash may be the start of an escaped line break.
      else this.isCut ||= part.startsWith(rest) || rest === '\\'
      return isNext
    })
  }

  /** Skips these parts if the first one comes next. Returns whether the first one came next. */
  #takeAll([first = '', ...rest]: readonly string[]): boolean {
    if (!this.#takePart(first)) return false
    for (const [index, part] of rest.entries()) need(this.#takePart(part, rest[index + 1], first))
    return true
  }

  #takePart(part: string, next = '', first = ''): boolean {
    const name = part.slice(1)
    if (part.startsWith('?')) this.#takePart(name)
    else if (part.startsWith('*')) while (this.#takePart(name)) {}
    else if (part.startsWith('$')) return this.#takeNamed(name, next, first)
    else return this.take(part)
    return true
  }

  #takeNamed(name: string, next: string, first: string): boolean {
    const inner = partsByName.get(name)
    if (inner) return this.#takeAll(inner)
    if (name === 'word') return this.#word() !== ''
    const call = this.found.at(-1)
    if (name === 'name') return this.#takeName()
    else if (name === 'fields') this.#readFields()
    else if (call === undefined) return false
    else if (name === 'json') call.json = this.#value()
    else if (name === 'gemma') call.json = fromGemma(this.#value(gemmaMarks))
    else if (name === 'keywords') call.json = this.#keywords()
    else if (name === 'elements') call.fields = this.#elements()
    else if (name === 'key') this.#key = this.#until(next).trim()
    else {
      // If the end marker is optional, a value ends where the next value starts.
      const value = next.startsWith('?') ? this.#until(next.slice(1), first) : this.#until(next)
      call.fields.push([this.#key, name === 'line' ? inLines(value) : value])
    }
    return true
  }

  #addCall(tool: ToolDefinition, json = ''): void {
    this.found.push({ tool, json, fields: [] })
  }

  #takeName(): boolean {
    this.#match(spaces)
    const word = this.#match(toolNames)
    if (this.at === this.#text.length) {
      const names = this.#tools.flatMap(({ function: { name } }) => [namePrefix + name, `${name}.call`])
      this.isCut ||= names.some((name) => name.startsWith(word))
      throw mismatch
    }
    if (word !== '') this.#addCall(this.#toolOf(word))
    return word !== ''
  }

  #toolOf(word: unknown): ToolDefinition {
    const named = (prefix: string) => this.#tools.find((one) => prefix + one.function.name === word)
    const tool = named('') ?? named(namePrefix)
    need(tool)
    this.isNamed = true
    return tool
  }

  /** Reads a call's JSON fields, which may be inside a `function` field. */
  #readFields(call: Partial<Pick<FoundMarkup, 'tool' | 'json'>> = {}, isInner = false): void {
    // Cohere omits empty arguments.
    let noArguments = ''
    do {
      need(this.take('"'))
      const key = this.#until('"')
      need(callKeys.includes(key) && this.take('"') && this.take(':'))
      if (key === 'function') {
        need(!isInner && this.take('{'))
        this.#readFields(call, true)
        continue
      }
      const json = this.#value()
      if (key === 'arguments' || key === 'parameters') {
        need(!call.json)
        call.json = json
      } else if (key.endsWith('name')) {
        need(!call.tool)
        call.tool = this.#toolOf(tryJson(json))
        if (key === 'tool_name') noArguments = '{}'
      } else need(key === 'type' ? json === '"function"' : tryJson(json) !== undefined)
    } while (this.take(','))
    need(this.take('}'))
    if (isInner) return
    const json = call.json || noArguments
    need(call.tool && json)
    this.#addCall(call.tool, json)
  }

  /** Returns the text of a JSON, Python or Gemma value. Finds only its end: the parser checks the value later. */
  #value(valueMarks = jsonMarks): string {
    this.#match(spaces)
    const start = this.at
    if (!/[{["']/.test(this.#text.charAt(start))) {
      const word = this.#word()
      need(word)
      return word
    }
    let depth = 0
    let quote = ''
    valueMarks.lastIndex = start
    do {
      const [mark = ''] = valueMarks.exec(this.#text) ?? []
      this.isCut ||= mark === ''
      need(mark)
      if (quote !== '') quote = mark === quote ? '' : quote
      else if (/^["'<]/.test(mark)) quote = mark
      else if ('{['.includes(mark)) depth += 1
      else if ('}]'.includes(mark)) depth -= 1
    } while (depth > 0 || quote !== '')
    this.at = valueMarks.lastIndex
    return this.#text.slice(start, this.at)
  }

  /** Reads the arguments of a Python call, `a=1, b="x")`: named literals only. Returns JSON. */
  #keywords(): string {
    if (this.take(')')) return '{}'
    const entries: string[] = []
    do {
      const name = this.#word()
      need(name && this.take('='))
      entries.push(`${JSON.stringify(name)}:${fromPython(this.#value())}`)
    } while (this.take(','))
    need(this.take(')'))
    return `{${entries}}`
  }

  /** Reads consecutive elements and the elements inside them. */
  #elements(depth = 0): Field[] {
    const fields: Field[] = []
    for (;;) {
      const start = this.at
      if (!this.take(m3Mark) || !this.take('<') || this.#text.charAt(this.at) === '/') {
        // This is the end of the outer element, or text in it.
        this.at = start
        return fields
      }
      need(depth < maxDepth)
      const key = this.#until('>')
      this.at += 1
      const inner = this.#elements(depth + 1)
      fields.push([key, inner.length > 0 ? inner : this.#until(m3Mark)])
      need(this.take(m3Mark) && this.take(`</${key}>`))
    }
  }

  /** Reads a name, an id or a number. Returns `''` if there is none. */
  #word(): string {
    this.#match(spaces)
    const word = this.#match(words)
    this.isCut ||= this.at === this.#text.length
    return word
  }

  /** Reads the text before `end` or `or`, whichever comes first. */
  #until(end: string, or = end): string {
    const stop = this.#text.indexOf(or, this.at)
    const inner = this.#text.slice(this.at, stop < 0 ? Infinity : stop).indexOf(end)
    const at = inner < 0 ? stop : this.at + inner
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

const mismatch = new Error('The text has no such call.')

function need(condition: unknown): asserts condition {
  if (!condition) throw mismatch
}

const namePrefix = 'functions.'
/** Matches white space. Some servers escape line breaks. */
const spaces = /(?:\s|\\n)*/y
const words = /[-+.\w]*/y
/** Matches a tool name, without the `.call(` of Llama's built-in tools. */
const toolNames = /[-+.\w]*?(?=\.call\(|[^-+.\w]|$)/y
const jsonMarks = /\\.|["'{}[\]]/gs
/** Gemma 4 puts the first mark around strings, and FunctionGemma the second. */
const gemmaMarks = /<\|"\|>|<escape>|[{}[\]]/g
/** The mark before each tag of MiniMax M3. */
const m3Mark = ']<]minimax[>['
/** Maximum depth of nested elements. */
const maxDepth = 100

/** Removes the line breaks around a value on separate lines, or the `CDATA` section around it. */
function inLines(value: string): string {
  return (/^\s*<!\[CDATA\[(.*)\]\]>\s*$/s.exec(value)?.[1] ?? value).replace(/^\r?\n|\r?\n$/g, '')
}

/** Converts Gemma's arguments to JSON. If the text is anything else, the result is not JSON. */
function fromGemma(text: string): string {
  return text.replace(gemmaTokens, (token: string, key?: string, mark?: string, inner = '') =>
    (key ?? mark ?? tryJson(token) === undefined) ? JSON.stringify(mark ? inner : token.trim()) : token,
  )
}

/** Matches keys, strings in marks or quotes, and other words. */
const gemmaTokens =
  /([^\s{}[\],:"<]+)(?=\s*:)|(<\|"\|>|<escape>)(.*?)\2|"(?:\\.|[^"\\])*"|[^\s{}[\],:"][^{}[\],:"]*/gs

/** Converts a Python literal to JSON. If the text is anything else, the result is not JSON. */
export function fromPython(literal: string): string {
  let quote = ''
  return literal.replace(pythonTokens, (token: string, code?: string) => {
    if (token === quote || (quote === '' && /^["']/.test(token))) {
      quote = quote === '' ? token : ''
      return '"'
    }
    if (quote === '') return token === 'None' ? 'null' : token.toLowerCase()
    return JSON.stringify(code ? escapedSign(code) : token).slice(1, -1)
  })
}

/** Returns the character that an escape represents. As in Python, a backslash before any other character is kept. */
function escapedSign(code: string): string {
  return code.length > 1
    ? String.fromCodePoint(Number(`0x${code.slice(1)}`))
    : (escapedSigns[escapeCodes.indexOf(code)] ?? `\\${code}`)
}

/** Matches tokens that Python writes differently from JSON. Strings are on one line. */
const pythonTokens =
  /\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U00(?:0[\da-fA-F]|10)[\da-fA-F]{4}|[^xuUN\d\r\n])|["'\t]|\b(?:True|False|None)\b/g
const escapeCodes = 'ntrbfav\\"\''
const escapedSigns = '\n\t\r\b\f\x07\v\\"\''
