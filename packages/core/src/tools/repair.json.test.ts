import { expect, test } from 'vitest'
import { expectLinear } from '../../test/expect-linear.js'
import { repairJson } from './repair.js'

const fence = 'a code fence was removed'
const comma = 'a trailing comma was removed'
const python = 'Python was converted to JSON'

test.each([
  ['```json\n{"a":1}\n```', '{"a":1}', [fence]],
  [' ```\n{"a":1}```\n', '{"a":1}', [fence]],
  ['{"a":[1, ], }', '{"a":[1 ] }', [comma]],
  ["{'a': 'b'}", '{"a": "b"}', [python]],
  ['{"a": True, "b": False, "c": None}', '{"a": true, "b": false, "c": null}', [python]],
  [`{'a': 'it\\'s "so"', 'b': 'c\\n'}`, `{"a": "it's \\"so\\"", "b": "c\\n"}`, [python]],
  ["```\n{'a': [True,],}\n```", '{"a": [true]}', [fence, python, comma]],
])('repairs %j and reports the repairs', (text, tidied, repairs) => {
  expect(repairJson(text)).toEqual({ text: tidied, repairs })
  JSON.parse(tidied)
})

test.each(['{"a":1}', '{"a":"True, None, \'x\',}"}', '{"a":"\\",]"}', '{"True":1}', '{"a":"```"}', 'Truest'])(
  'leaves %j unchanged',
  (text) => {
    expect(repairJson(text)).toEqual({ text, repairs: [] })
  },
)

test.each(['{"a":1', "{'a': 'b", '```json\n{"a":1}', '{"a":[1,'])('does not complete %j', (text) => {
  expect(() => JSON.parse(repairJson(text).text)).toThrow(SyntaxError)
})

test.each([
  ['a fence with nothing but blank lines', '```json\n{"a":', '\n'],
  ['a string that was cut off', '{"a":"', '<i class=\\"b\\">'],
  ["one in Python's quotes", "{'a':'", "it\\'s "],
])('repairs %s in linear time', (_what, start, part) =>
  expectLinear((parts) => {
    const text = start + part.repeat(parts)
    return () => expect(repairJson(text).text).toHaveLength(text.length)
  }, 10_000),
)
