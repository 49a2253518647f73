import { describe, expect, it } from 'vitest'
import type { ToolDefinition } from '../../types/message.js'
import { readTextCalls } from './scan-calls.js'

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    flag: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    point: { $ref: '#/$defs/point' },
    note: { type: ['string', 'null'] },
    either: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    unit: { enum: ['C', 'F'] },
    __proto__: undefined,
  },
  additionalProperties: false,
  $defs: { point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
}

function toolOf(name: string, parameters: Record<string, unknown>): ToolDefinition {
  return { type: 'function', function: { name, description: '', parameters } }
}

const tools = [toolOf('save', schema), toolOf('any', { type: 'object' })]

function read(text: string): unknown {
  return readTextCalls(text, tools)?.calls.map((call) => JSON.parse(call.arguments))
}

const xml = (key: string, value: string, name = 'save') =>
  `<tool_call>\n<function=${name}>\n<parameter=${key}>\n${value}\n</parameter>\n</function>\n</tool_call>`
const glm = (key: string, value: string) =>
  `<tool_call>save\n<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n</tool_call>`
const python = (value: string) => `[any(a=${value})]`
const call = (json: string, name = 'any') =>
  `<tool_call>{"name": "${name}", "arguments": ${json}}</tool_call>`

// As vllm tool_parsers/utils.py and qwen3coder_tool_parser.py convert them.
describe('values of fields', () => {
  it.each([
    ['text', '5', '5'],
    ['text', 'true', 'true'],
    ['text', 'null', 'null'],
    ['text', '{"a": 1}', '{"a": 1}'],
    ['text', '  two\r\n\nlines <b>&amp;</b> ', '  two\r\n\nlines <b>&amp;</b> '],
    ['text', '', ''],
    ['count', '5', 5],
    ['count', ' -7 ', -7],
    ['ratio', '1.5e3', 1500],
    ['flag', 'true', true],
    ['flag', 'False', false],
    ['tags', '["a", "ü"]', ['a', 'ü']],
    ['tags', "['a', 'b']", ['a', 'b']],
    ['point', '{"x": 1}', { x: 1 }],
    ['note', 'null', null],
    ['note', 'None', null],
    ['note', 'nothing', 'nothing'],
    ['either', '2', 2],
    ['either', 'None', null],
    ['unit', 'C', 'C'],
  ])('%s: %j is read as the schema has it', (key, text, value) => {
    expect(read(xml(key, text))).toEqual([{ [key]: value }])
    if (text === text.trim()) expect(read(glm(key, text))).toEqual([{ [key]: value }])
  })

  it.each([
    ['count', '5.5'],
    ['count', 'five'],
    ['count', ''],
    ['flag', 'yes'],
    ['tags', '["a", 5]'],
    ['tags', 'a, b'],
    ['point', '{"y": 1}'],
    ['point', '{"x": 1'],
    ['unit', 'K'],
    ['unknown', '1'],
    ['count', '9007199254740993'],
  ])('%s: %j makes the whole text words', (key, text) => {
    expect(read(xml(key, text))).toBeUndefined()
    expect(read(glm(key, text))).toBeUndefined()
  })

  it('a value in lines loses one line end on either side, any other none', () => {
    expect(read(xml('text', '\n a\n'))).toEqual([{ text: '\n a\n' }])
    expect(read(xml('text', 'a').replaceAll('\n', '\r\n'))).toEqual([{ text: 'a' }])
    expect(read(glm('text', '\na\n'))).toEqual([{ text: '\na\n' }])
  })

  it('a value whose end is missing ends where the next one begins', () => {
    const text = xml('text', 'a\n<parameter=count>\n5')
    expect(read(text)).toEqual([{ text: 'a', count: 5 }])
    expect(read(text.replace('</parameter>', ''))).toBeUndefined()
  })

  it.each([
    ['<![CDATA[a <b> ]]>', 'a <b> '],
    [' a[b[0]]> ', ' a[b[0]]> '],
  ])('of MiniCPM: %s', (text, value) => {
    expect(read(`<function name="save"><param name="text">${text}</param></function>`)).toEqual([
      { text: value },
    ])
  })

  it('all arguments in one field are read, unless the tool has such a field', () => {
    const text = `<function name="save"><param name="properties">{'text': 'a', 'flag': True}</param></function>`
    expect(read(text)).toEqual([{ text: 'a', flag: true }])
    expect(read(text.replace('text', 'other'))).toBeUndefined()
    expect(read(text.replace('</function>', '<param name="count">1</param></function>'))).toBeUndefined()
    expect(read(xml('properties', 'x', 'any'))).toBeUndefined()
    const taker = toolOf('save', { type: 'object', properties: { properties: { type: 'object' } } })
    expect(readTextCalls(text, [taker])?.calls[0]?.arguments).toBe(
      '{"properties":{"text": "a", "flag": true}}',
    )
  })

  it('JSON with escapes is read where the schema takes no text', () => {
    const escaped = '[{\\"a\\": \\"C:\\\\\\\\x\\"}]'
    expect(read(glm('tags', '[\\"a\\"]'))).toEqual([{ tags: ['a'] }])
    expect(read(glm('text', escaped))).toEqual([{ text: escaped }])
  })

  it('a field given twice is no call', () => {
    const field = '<arg_key>text</arg_key><arg_value>a</arg_value>'
    expect(read(`<tool_call>save${field}</tool_call>`)).toEqual([{ text: 'a' }])
    expect(read(`<tool_call>save${field}${field}</tool_call>`)).toBeUndefined()
  })

  it('fields of tools without a schema for them stay text', () => {
    expect(read(xml('a', '5', 'any'))).toEqual([{ a: '5' }])
  })
})

describe('Python literals', () => {
  it.each([
    ['1', 1],
    ['-2.5', -2.5],
    ['True', true],
    ['null', null],
    ['None', null],
    ['"it\'s"', "it's"],
    ['\'say "hi"\'', 'say "hi"'],
    ["'a\\nb\\t\\\\ \\' \\x41 \\u00e9 \\U0001F600'", "a\nb\t\\ ' A é 😀"],
    ["'\\d+\\.'", '\\d+\\.'],
    ["'日本 😀'", '日本 😀'],
    ['[]', []],
    ['[1, [2, "x"], {}]', [1, [2, 'x'], {}]],
    ["{'a': {'b': [None]}}", { a: { b: [null] } }],
    ['"a, b=1) ]"', 'a, b=1) ]'],
  ])('%s is read', (text, value) => {
    expect(read(python(text))).toEqual([{ a: value }])
  })

  it.each([
    'x',
    'now()',
    '(1, 2)',
    '{1, 2}',
    '1 + 1',
    'f"a"',
    'b"a"',
    '"a" "b"',
    "'a",
    '[\\x31]',
    '"""a"""',
    "'a\nb'",
    '01',
    '1_000',
    '0x1f',
    '.5',
    'nan',
    '{1: 2}',
    '[1,]',
    '"\\N{DASH}"',
    '"\\012"',
    '"\\U00110000"',
    '9007199254740993',
    '1, a=2',
    '1, 2',
    '*b',
    `${'['.repeat(2000)}${']'.repeat(2000)}`,
  ])('%s is not', (text) => {
    expect(read(python(text))).toBeUndefined()
  })
})

// As vllm gemma4_tool_parser.py and ollama model/parsers/gemma4.go read them.
describe('arguments of Gemma', () => {
  it.each([
    ['{}', {}],
    ['{a:1,b:-2.5,c:1.5e3,d:true,e:null}', { a: 1, b: -2.5, c: 1500, d: true, e: null }],
    ['{a:<|"|>x, {y}: [z]<|"|>}', { a: 'x, {y}: [z]' }],
    ['{a:<|"|>C:\\users\\bob "x"\n\'s<|"|>}', { a: 'C:\\users\\bob "x"\n\'s' }],
    ['{a:{b:[<|"|>c<|"|>,{d:<|"|><|"|>}]},e:[]}', { a: { b: ['c', { d: '' }] }, e: [] }],
    ['{<|"|>a<|"|>:<|"|>b<|"|>}', { a: 'b' }],
    ['{"a":"b \\"c\\""}', { a: 'b "c"' }],
    ['{a:two words, b : 2 }', { a: 'two words', b: 2 }],
    ['{1:2,true:3}', { 1: 2, true: 3 }],
    ['{ключ:<|"|>знач<|"|>}', { ключ: 'знач' }],
  ])('%s', (text, value) => {
    expect(read(`<|tool_call>call:any${text}<tool_call|>`)).toEqual([value])
    expect(
      read(`<start_function_call>call:any${text.replaceAll('<|"|>', '<escape>')}<end_function_call>`),
    ).toEqual([value])
  })

  it.each(['{a:1', '{a:<|"|>b}', '{a:1}}', '{a:1,a:2}', '{a:1,}', '{a}', '{a:}', '{a:[1}', 'a:1'])(
    '%s are none',
    (text) => {
      expect(read(`<|tool_call>call:any${text}<tool_call|>`)).toBeUndefined()
    },
  )
})

const mark = ']<]minimax[>['
const element = (name: string, inner: string) => `${mark}<${name}>${inner}${mark}</${name}>`
const m3 = (inner: string, name = 'save') =>
  `${mark}<tool_call>${mark}<invoke name="${name}">${inner}${mark}</invoke>${mark}</tool_call>`

// As sglang minimax_m3.py reads them.
describe('elements of MiniMax M3', () => {
  it.each([
    [element('text', '5'), { text: '5' }],
    [element('text', 'a <b> & "c"'), { text: 'a <b> & "c"' }],
    [element('text', ''), { text: '' }],
    [element('count', '5') + element('flag', 'true'), { count: 5, flag: true }],
    [element('tags', element('item', 'a') + element('item', '7')), { tags: ['a', '7'] }],
    [element('tags', '["a"]'), { tags: ['a'] }],
    [element('point', element('x', '1.5')), { point: { x: 1.5 } }],
    ['', {}],
  ])('%s', (inner, value) => {
    expect(read(m3(inner))).toEqual([value])
  })

  it.each([
    element('count', 'five'),
    element('point', element('x', 'a')),
    `${mark}<text>a`,
    `${mark}<text>a${mark}</count>`,
    `<text>a</text>`,
    element('text', 'a') + element('text', 'b'),
  ])('%s is no call', (inner) => {
    expect(read(m3(inner))).toBeUndefined()
  })

  it('are read to a depth that programs can hold', () => {
    const deep = (depth: number) => m3(`${`${mark}<a>`.repeat(depth)}1${`${mark}</a>`.repeat(depth)}`, 'any')
    expect(read(deep(50))).toHaveLength(1)
    expect(read(deep(5_000))).toBeUndefined()
  })
})

describe('arguments as JSON', () => {
  it('keep the text of the model', () => {
    const json = '{"a" : 1.0,\n "b":"\\u00e9 </tool_call> }{"}'
    expect(readTextCalls(call(json), tools)?.calls).toEqual([{ name: 'any', arguments: json }])
  })

  it('may be JSON in a string, or null for none', () => {
    expect(read(call('"{\\"a\\": 1}"'))).toEqual([{ a: 1 }])
    expect(read(call('null'))).toEqual([{}])
  })

  it.each([
    '{"a": 1,}',
    "{'a': 1}",
    '{"a": 1',
    '{"a": 1}}',
    '{"a": 1}{"a": 1}',
    '[1]',
    '5',
    '"a"',
    '{"a": 1, "a": 2}',
    '{"a": 12345678901234567890}',
    '{"a": True}',
    '{"a": "b\nc"}',
    `{"a": ${'['.repeat(2000)}${']'.repeat(2000)}}`,
  ])('%s are none', (json) => {
    expect(read(call(json))).toBeUndefined()
  })

  it('name and arguments are there once, and nothing else is', () => {
    expect(read('{"name": "any", "arguments": {}, "id": "c1", "type": "function"}')).toEqual([{}])
    expect(read('{"name": "any"}')).toBeUndefined()
    expect(read('{"arguments": {}}')).toBeUndefined()
    expect(read('{"name": "any", "name": "any", "arguments": {}}')).toBeUndefined()
    expect(read('{"name": "any", "arguments": {}, "parameters": {}}')).toBeUndefined()
    expect(read('{"name": "any", "arguments": {}, "description": "Does anything"}')).toBeUndefined()
    expect(read('{"name": "any", "arguments": {}, "type": "object"}')).toBeUndefined()
    expect(read('{"name": "any", "arguments": {}, "id": }')).toBeUndefined()
    expect(read('{"name": "any", "arguments": {}, "id": [1}')).toBeUndefined()
    expect(read('{["name"]: "any", "arguments": {}}')).toBeUndefined()
    expect(read('{"function": {"function": {"name": "any", "arguments": {}}}}')).toBeUndefined()
    expect(read('{"name": "any", "function": {"name": "any", "arguments": {}}}')).toBeUndefined()
  })

  it('no key reaches a prototype', () => {
    const [made] = readTextCalls(call('{"__proto__": {"polluted": true}}'), tools)?.calls ?? []
    expect(made?.arguments).toBe('{"__proto__": {"polluted": true}}')
    expect(readTextCalls(xml('__proto__', 'x', 'any'), tools)?.calls[0]?.arguments).toBe('{"__proto__":"x"}')
    expect(readTextCalls('[any(__proto__={"a": 1})]', tools)?.calls[0]?.arguments).toBe(
      '{"__proto__":{"a": 1}}',
    )
    expect(read(xml('constructor', 'x'))).toBeUndefined()
    expect(read('{"name": "toString", "arguments": {}}')).toBeUndefined()
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('the definition of a tool is no call', () => {
    const parameters = { type: 'object', properties: {} }
    const text = JSON.stringify({ name: 'any', parameters })
    expect(read(text)).toBeUndefined()
    const taker = toolOf('any', { type: 'object', properties: { type: {}, properties: { type: 'object' } } })
    expect(readTextCalls(text, [taker])?.calls).toHaveLength(1)
  })
})

describe('schemas', () => {
  it('a keyword that is not known does not decide', () => {
    const odd = toolOf('odd', {
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/a' },
        b: { pattern: '(?i)x' },
        c: { $ref: 'https://example.com/c' },
        d: { format: 'date', maxLength: 1 },
      },
      $defs: { a: { $ref: '#/$defs/a' } },
    })
    const json = '{"a": 1, "b": "x", "c": 2, "d": "long"}'
    expect(readTextCalls(call(json, 'odd'), [odd])?.calls).toEqual([{ name: 'odd', arguments: json }])
  })

  it('a missing or further field decides', () => {
    const strict = toolOf('strict', {
      type: 'object',
      properties: { a: {} },
      required: ['a'],
      additionalProperties: false,
    })
    expect(readTextCalls(call('{"a": 1}', 'strict'), [strict])).toBeDefined()
    expect(readTextCalls(call('{}', 'strict'), [strict])).toBeUndefined()
    expect(readTextCalls(call('{"a": 1, "b": 1}', 'strict'), [strict])).toBeUndefined()
  })
})
