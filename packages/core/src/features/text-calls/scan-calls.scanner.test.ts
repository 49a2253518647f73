import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../../scripts/cases.mjs'
import type { ToolDefinition } from '../../types/message.js'
import { MarkupScanner, readTextCalls } from './scan-calls.js'

const tools: ToolDefinition[] = ['search', 'get_weather'].map((name) => ({
  type: 'function',
  function: { name, description: '', parameters: { type: 'object' } },
}))

/** What the scanner returns after each character. */
function statesOf(text: string): string {
  const scanner = new MarkupScanner(tools)
  return [...text].map((sign) => scanner.add(sign).charAt(0)).join('')
}

describe('MarkupScanner', () => {
  it.each([
    ['Hello', 'ttttt'],
    ['fun', 'ooo'],
    ['for', 'ott'],
    ['  Hi', 'oott'],
    ['<b>', 'ott'],
    ['`x`', 'ott'],
    ['```js\n', 'ooooot'],
    ['[1]', 'oto'],
    ['{"city"', 'oooooot'],
    ['{"name": "Bob"', 'ooooooooooooot'],
    ['{"name": "search"', 'ooooooooooooooooc'],
    ['[link](', 'ottttot'],
    ['[search](', 'oooooooot'],
    ['[search()', 'ooooooocc'],
  ])('%j: %s', (text, states) => {
    expect(statesOf(text)).toBe(states)
  })

  it('holds at most 200 characters without a name', () => {
    const start = `{"arguments": {"text": "`
    const scanner = new MarkupScanner(tools)
    expect(scanner.add(start)).toBe('open')
    expect(scanner.add('a'.repeat(200 - start.length))).toBe('open')
    expect(scanner.add('a')).toBe('text')
  })

  it('takes a call back when its text goes on as words', () => {
    const scanner = new MarkupScanner(tools)
    expect(scanner.add('[search()]')).toBe('call')
    expect(scanner.add(' is how')).toBe('text')
    const long = new MarkupScanner(tools)
    const call = `<tool_call>{"name": "search", "arguments": {"q": "${'a'.repeat(500)}"}}</tool_call>`
    expect(long.add(call)).toBe('call')
    const states = Array.from({ length: 100 }, () => long.add(' and words'))
    expect(states.at(-1)).toBe('text')
    expect(states.lastIndexOf('call')).toBeLessThan(states.indexOf('text'))
  })

  it('lets reasoning pass, and holds what follows', () => {
    const scanner = new MarkupScanner(tools)
    expect([scanner.add(' <thi'), scanner.start]).toEqual(['open', 0])
    expect([scanner.add('nk>I could <tool_call> it'), scanner.start]).toEqual(['open', 30])
    expect([scanner.add(' now </'), scanner.start]).toEqual(['open', 35])
    expect([scanner.add('think>'), scanner.start]).toEqual(['open', 43])
    expect([scanner.add('\n<tool_call>{"name": "search"'), scanner.start]).toEqual(['call', 43])
    const words = new MarkupScanner(tools)
    expect(words.add('<think>a</think>')).toBe('open')
    expect(words.add('Hello')).toBe('text')
  })

  it('finds the end of reasoning that began in the prompt', () => {
    const scanner = new MarkupScanner(tools)
    expect(scanner.add('The user asks if 1 < 2.')).toBe('text')
    expect([scanner.add(' So: </thi'), scanner.start]).toEqual(['open', 28])
    expect(scanner.add('nk>\n\n')).toBe('open')
    expect(scanner.start).toBe('The user asks if 1 < 2. So: </think>'.length)
    expect(scanner.add('<tool_call>{"name": "search", ')).toBe('call')
    const words = new MarkupScanner(tools)
    expect(words.add('Hm.</think>')).toBe('open')
    expect(words.add('Hello')).toBe('text')
    expect(words.add('</think><tool_call>{"name": "search"')).toBe('text')
  })
})

describe('reasoning without its beginning', () => {
  const call = '<tool_call>{"name": "search", "arguments": {}}</tool_call>'

  it('is skipped in front of markup', () => {
    expect(readTextCalls(`I search.\n</think>\n\n${call}`, tools)?.calls).toHaveLength(1)
    expect(readTextCalls(`I search.</think>[TOOL_CALLS]search{}`, tools)?.calls).toHaveLength(1)
    expect(readTextCalls(`</think>\n\n${call}`, tools)?.calls).toHaveLength(1)
  })

  it.each([
    `Write <think>a</think>${call}`,
    `I search.</think>{"name": "search", "arguments": {}}`,
    `I search.</think>[search()]`,
    `I search.</think>Now: ${call}`,
    `<b>I search.</b></think>${call}`,
    `<|START_THINKING|>I search.</think>${call}`,
    `I search.</think>${call} Done.`,
    `a</think>b</think>${call}`,
    `a</think>`,
  ])('%s is text', (text) => {
    expect(readTextCalls(text, tools)).toBeUndefined()
  })
})

const json = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.stringify(value))
const name = fc.constantFrom('search', 'get_weather')
const call = fc.oneof(
  fc.tuple(name, json).map(([f, a]) => `<tool_call>\n{"name": "${f}", "arguments": ${a}}\n</tool_call>`),
  fc.tuple(name, json).map(([f, a]) => `[TOOL_CALLS]${f}[ARGS]${a}`),
  fc
    .tuple(name, json)
    .map(([f, a]) => `<|channel|>commentary to=functions.${f} <|constrain|>json<|message|>${a}<|call|>`),
  fc
    .tuple(name, fc.string())
    .map(([f, a]) => `<tool_call>${f}\n<arg_key>q</arg_key>\n<arg_value>${a}</arg_value>\n</tool_call>`),
  fc.tuple(name, fc.string()).map(([f, a]) => `[${f}(q=${JSON.stringify(a)})]`),
  fc.tuple(name, json).map(([f, a]) => `{"name": "${f}", "parameters": ${a}}`),
)
const front = fc.constantFrom('', '\n ', '<think>Let me see.</think>\n', '<think>\n</think>')
const noise = fc.string({
  unit: fc.constantFrom(
    '<',
    '[',
    '{',
    '"',
    '}',
    ']',
    'a',
    ' ',
    '\n',
    '`',
    '<tool_call>',
    '</think>',
    '<|channel|>',
  ),
})

describe('the scanner and the reader', () => {
  it('agree, wherever the text is cut', () => {
    const text = fc
      .tuple(
        front,
        fc.oneof(
          call,
          noise,
          fc.tuple(call, noise).map((parts) => parts.join('')),
        ),
      )
      .map((parts) => parts.join(''))
    const cuts = fc.array(fc.nat(300), { maxLength: 20 })
    fc.assert(
      fc.property(text, cuts, (whole, places) => {
        const found = readTextCalls(whole, tools)
        const ends = [...new Set([...places, whole.length])]
          .filter((at) => at <= whole.length)
          .sort((a, b) => a - b)
        const scanner = new MarkupScanner(tools)
        const states = ends.map((end, index) => scanner.add(whole.slice(ends[index - 1] ?? 0, end)))
        if (!found || whole.length > 200) return
        expect(states).not.toContain('text')
        expect(states.at(-1)).toBe('call')
      }),
      { numRuns: cases(5000, 250) },
    )
  })

  it('take words beside markup in lines of their own, and on no more than one side', () => {
    const words = fc
      .string({ minLength: 1 })
      .map((text) => `x${text}x`)
      .filter((text) => !/[<>[\]{}`;,"=|~\\\r\n]/.test(text))
    fc.assert(
      fc.property(front, call, words, fc.boolean(), (start, text, more, isBefore) => {
        const found = readTextCalls(start + (isBefore ? `${more}\n${text}` : `${text}\n${more}`), tools)
        const isMarked = /^<|^\[T/.test(text)
        expect(found && (isBefore ? found.before.trim() : found.behind)).toBe(isMarked ? more : undefined)
        expect(readTextCalls(`${start}${more} ${text}`, tools)).toBeUndefined()
        expect(readTextCalls(`${start}${text} ${more}`, tools)).toBeUndefined()
        expect(readTextCalls(`${start}${more}\n${text}\n${more}`, tools)).toBeUndefined()
      }),
      { numRuns: cases(5000, 250) },
    )
  })
})
