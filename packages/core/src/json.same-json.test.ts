import { expect, test } from 'vitest'
import { sameJson, sameValue } from './json.js'

test('treats texts that differ only in white space as equal', () => {
  expect(sameJson('{"a":[1]}', ' { "a" : [ 1 ] }')).toBe(true)
  expect(sameJson('{"a":', '{"a":')).toBe(true)
  expect(sameJson('{"a":1}', '{"a":2}')).toBe(false)
  expect(sameJson('{"a":', '{"a": ')).toBe(false)
  expect(sameJson('', '{}')).toBe(false)
})

test('treats values nested too deep as different', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  expect(sameJson(deep, ` ${deep}`)).toBe(false)
  expect(sameValue(JSON.parse(deep), JSON.parse(deep))).toBe(false)
})
