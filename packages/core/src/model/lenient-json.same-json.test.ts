import { expect, test } from 'vitest'
import { sameJson, sameValue } from './lenient-json.js'

test('texts are the same that differ in white space alone', () => {
  expect(sameJson('{"a":[1]}', ' { "a" : [ 1 ] }')).toBe(true)
  expect(sameJson('{"a":', '{"a":')).toBe(true)
  expect(sameJson('{"a":1}', '{"a":2}')).toBe(false)
  expect(sameJson('{"a":', '{"a": ')).toBe(false)
  expect(sameJson('', '{}')).toBe(false)
})

test('what lies too deep to be compared is not the same', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  expect(sameJson(deep, ` ${deep}`)).toBe(false)
  expect(sameValue(JSON.parse(deep), JSON.parse(deep))).toBe(false)
})
