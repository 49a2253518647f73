import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { anyCharacter } from '../../test/any-character.js'
import { parseArguments } from './parse-arguments.js'
import { safeRepair } from './repair.js'

const read = (text: string) => {
  const parsed = parseArguments(text)
  return parsed.ok ? parsed.value : expect.unreachable(parsed.reason)
}
const reason = (text: string) => {
  const parsed = parseArguments(text)
  return parsed.ok ? expect.unreachable(JSON.stringify(parsed.value)) : parsed.reason
}

test.each(['', ' ', '\n\t\r ', 'null', ' null ', '""', '" "', '"null"', '{}', '{ }'])(
  '%j means no arguments',
  (text) => expect(read(text)).toEqual({}),
)

test.each([
  ['the object', '{"a":1}'],
  ['the object in white space', ' \n{ "a" : 1 }\t'],
  ['the same object twice', '{"a":1}{"a":1}'],
  ['the same object twice, a space between', '{"a":1} {"a":1}'],
  ['the same object twice, lines between', '\n{"a":1}\n\n\n{"a":1}\n'],
  ['a placeholder before the object', '{}{"a":1}'],
  ['a placeholder with white space before the object', '{ } \n {"a":1}'],
  ['the object in a string', '"{\\"a\\":1}"'],
])('reads %s as the object', (_what, text) => {
  expect(read(text)).toEqual({ a: 1 })
})

test('reads a repeated object with nested equal halves as one', () => {
  expect(read('{}{}')).toEqual({})
  expect(read('{"a":{"b":{}}}{"a":{"b":{}}}')).toEqual({ a: { b: {} } })
})

test.each([
  ['an array', '[1]', 'the arguments are an array, not one JSON object. Received: [1]'],
  ['a number', '7', 'the arguments are a number, not one JSON object. Received: 7'],
  ['a boolean', 'true', 'the arguments are a boolean, not one JSON object. Received: true'],
  ['a string of words', '"Oslo"', 'the arguments are a string, not one JSON object. Received: "Oslo"'],
  [
    'a string with an array in it',
    '"[1]"',
    'the arguments are a string, not one JSON object. Received: "[1]"',
  ],
])('reports %s', (_what, text, expected) => {
  expect(reason(text)).toBe(expected)
})

test.each([
  ['cut', '{"city": "Os'],
  ['with words after it', '{"a":1} I hope that helps'],
  ['with words before it', 'Sure: {"a":1}'],
  ['in a fence', '```json\n{"a":1}\n```'],
  ['in Python', "{'a': True}"],
  ['with a comma too much', '{"a":1,}'],
  ['after another object', '{"a":1}{"b":2}'],
  ['three times', '{"a":1}{"a":1}{"a":1}'],
  ['after a placeholder, and cut', '{}{"a":'],
  ['after a placeholder, and no object', '{}[1]'],
  ['twice, something between', '{"a":1}X{"a":1}'],
  ['twice, a comma between', '{"a":1},{"a":1}'],
  ['twice, the second cut', '{"a":1}{"a":'],
  ['twice in a string', '"{\\"a\\":1}{\\"a\\":1}"'],
  ['in a string in a string', JSON.stringify(JSON.stringify('{"a":1}'))],
  ['half in a string', '"{\\"a\\":"'],
])('reports an object %s without a repair', (_what, text) => {
  expect(reason(text)).toContain(text)
})

test('reports the position of the error, and quotes a long text in part', () => {
  expect(reason('{"a":x}')).toMatch(/^the arguments are not JSON( at position \d+)?\. Received: \{"a":x\}$/)
  expect(reason('{"a":"b')).toMatch(/^the arguments are not JSON( at position \d+)?\. Received: \{"a":"b$/)
  const long = `{"a":"${'x'.repeat(100_000)}`
  expect(reason(long).length).toBeLessThan(500)
  expect(reason(long)).toContain(`(${long.length} characters)`)
})

test('says the same in each runtime, whatever its JSON.parse says', () => {
  const words = [
    'Unexpected token \'x\', "{"a":x}" is not valid JSON',
    'Unexpected token x in JSON at position 5',
    "Expected ',' or '}' after property value in JSON at position 5 (line 1 column 6)",
    'JSON.parse: unexpected character at line 1 column 6 of the JSON data',
    'JSON Parse error: Unexpected identifier "x"',
  ]
  const parse = vi.spyOn(JSON, 'parse')
  const reasons = words.map((word) => {
    parse.mockImplementation(() => {
      throw new SyntaxError(word)
    })
    return reason('{"a":x}')
  })
  parse.mockRestore()
  const withPosition = 'the arguments are not JSON at position 5. Received: {"a":x}'
  const without = 'the arguments are not JSON. Received: {"a":x}'
  expect(reasons).toEqual([without, withPosition, withPosition, without, without])
})

test('quotes 200 characters in full, and both ends of a longer text', () => {
  const text = `{"a":"${'x'.repeat(193)}z`
  expect(reason(text)).toMatch(/Received: \{"a":"x{193}z$/)
  expect(reason(`${text}z`)).toMatch(/Received: \{"a":"x{144} \.\.\. x{48}zz \(201 characters\)$/)
})

test("keeps the server's text, or the object if the text contained more", () => {
  const kept = (text: string) => {
    const parsed = parseArguments(text)
    return parsed.ok ? parsed.text : expect.unreachable(parsed.reason)
  }
  expect(kept(' { "a" : 1 }')).toBe(' { "a" : 1 }')
  for (const text of ['', 'null', '"null"', '""']) expect(kept(text)).toBe('{}')
  for (const text of ['{"a":1}{"a":1}', '{}{"a":1}', '"{\\"a\\":1}"']) expect(kept(text)).toBe('{"a":1}')
})

test.each(['{"a":"x\ud83d"}', '{"a":"x\\ud83d"}', '{"a\\ud83d":"x"}'])(
  'replaces the lone surrogate in %j, in value and text',
  (text) => {
    const parsed = parseArguments(text)
    const value = text.startsWith('{"a":') ? { a: 'x\ufffd' } : { 'a\ufffd': 'x' }
    expect(parsed).toEqual({ ok: true, value, text: JSON.stringify(value), repairs: [] })
  },
)

test.each(['```json\n{"a":1}\n```', "{'a': 1}", '{"a":1,}'])('reads %j with repair', (text) => {
  expect(parseArguments(text, { repair: safeRepair })).toMatchObject({
    ok: true,
    value: { a: 1 },
    text: expect.stringMatching(/^\{"a": ?1\}$/),
    repairs: [expect.any(String)],
  })
})

test.each(['```json\n{"a":1\n```', "{'a': 1", '```\n[1]\n```', 'Sure: {"a":1}'])(
  'rejects %j even with repair',
  (text) => {
    expect(parseArguments(text, { repair: safeRepair })).toMatchObject({
      ok: false,
      reason: expect.stringContaining(text),
    })
  },
)

test.each([1500, 1501, 50_000])('reads arguments nested %i levels deep, or reports them', (levels) => {
  const deep = `${'{"a":'.repeat(levels)}"\\ud83d"${'}'.repeat(levels)}`
  for (const text of [deep, `{}${deep}`, JSON.stringify(deep)]) {
    if (levels <= 1500) expect(Object.keys(read(text))).toEqual(['a'])
    else expect(parseArguments(text).ok).toBe(false)
  }
  if (levels > 1500) expect(reason(deep)).toContain('nested too deeply. Use a flatter structure')
})

test('treats inherited names as plain keys, and changes no prototype', () => {
  const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1}'
  for (const wrapped of [text, text + text, `{}${text}`, JSON.stringify(text)]) {
    const value = read(wrapped)
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(JSON.stringify(value)).toBe(text)
  }
  expect({}).not.toHaveProperty('polluted')
})

test('reads large arguments', () => {
  const large = {
    body: '\\"x'.repeat(cases(2_000_000)),
    numbers: Array.from({ length: cases(100_000) }, (_, n) => n / 7),
  }
  expect(read(JSON.stringify(large))).toEqual(large)
})

test.each(['12345678901234567890', '-9007199254740993', '1e999', '-1e400', '1e-400'])(
  'reports the number %s, which would change',
  (number) => {
    for (const text of [`{"a":[${number}]}`, `{}{"a":${number}}`, JSON.stringify(`{"a":${number}}`)])
      expect(parseArguments(text).ok).toBe(false)
    expect(reason(`{"a":${number}}`)).toContain(`the number ${number} changes when parsed; use a string`)
  },
)

test.each([
  '9007199254740993.5',
  '-0',
  '0e5',
  '1e21',
  '9007199254740992',
  '21593501750237950',
  '0.1',
  '1e-7',
])('reads the number %s', (number) => {
  expect(read(`{"a":${number}}`)).toEqual({ a: Number(number) })
  expect(read(`{"a":"12345678901234567890 ${number}"}`)).toEqual({ a: `12345678901234567890 ${number}` })
})

test.each(['{"a":1,"a":2}', '{"a":{"b":1,"b":1}}', '{"a":1,"\\u0061":2}', '{"a":1,"b":[],"a":2}'])(
  'reports a duplicate key, as in %s',
  (text) => {
    expect(reason(text)).toMatch(/the key "(a|b|\\u0061)" occurs twice in one object/)
  },
)

test('accepts the same key in two objects', () => {
  expect(read('{"a":{"a":"a\\":"},"b":[{"a":1},{"a":2}]}')).toEqual({
    a: { a: 'a":' },
    b: [{ a: 1 }, { a: 2 }],
  })
})

const anyObject = fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue())

test('reads any object with any spacing, repeated or wrapped', () => {
  fc.assert(
    fc.property(anyObject, fc.constantFrom('', ' ', '\n\n'), (object, space) => {
      const text = JSON.stringify(object)
      const expected = JSON.parse(text)
      const wrappings = [text, space + text + space, text + space + text, JSON.stringify(text)]
      for (const wrapped of [...wrappings, `{}${space}${text}`]) expect(read(wrapped)).toEqual(expected)
      expect(read(JSON.stringify(object, null, 2))).toEqual(expected)
    }),
  )
})

test('rejects an object cut at any position', () => {
  fc.assert(
    fc.property(anyObject, fc.nat(), (object, at) => {
      const text = JSON.stringify(object)
      const cut = text.slice(0, 1 + (at % (text.length - 1)))
      expect(parseArguments(cut).ok).toBe(false)
      expect(parseArguments(JSON.stringify(cut)).ok).toBe(false)
      expect(parseArguments(text + cut).ok).toBe(false)
    }),
  )
})

test('returns one object or a reason for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,\\ ano1') }), (text) => {
      const parsed = parseArguments(text)
      if (parsed.ok) expect(Object.prototype.toString.call(parsed.value)).toBe('[object Object]')
      else expect(parsed.reason).not.toBe('')
    }),
    { numRuns: cases(2000) },
  )
})
