import { expect, test } from 'vitest'
import { ignoring, partsOf } from './path.js'

test.each([
  ['notes/plan.md', ['notes', 'plan.md']],
  ['./notes//plan.md/', ['notes', 'plan.md']],
  ['', []],
  ['.', []],
  ['.env', ['.env']],
  ['a b/c..d/…', ['a b', 'c..d', '…']],
  ['%252e%252e/x', ['%252e%252e', 'x']],
])('reads %j', (path, parts) => {
  expect(partsOf(path)).toEqual(parts)
})

test.each([
  '..',
  '../x',
  'a/../x',
  'a/..',
  '/x',
  '//server/share',
  '\\\\server\\share',
  '..\\x',
  'C:\\x',
  'c:x',
  'C:/x',
  'file:///x',
  'file:/x',
  '%2e%2e/x',
  '%2E./x',
  '..%2fx',
  'a%5c..%5cx',
  'a%00',
  'a\0',
  'a\nb',
  '\u007f',
  '.../x',
  'a./x',
  'a ',
  '~',
  '~/x',
  'a'.repeat(1001),
])('rejects %j', (path) => {
  expect(() => partsOf(path)).toThrow(expect.objectContaining({ code: 'invalid_arguments' }))
})

test.each([
  [['node_modules'], 'node_modules/a/b.js', true],
  [['node_modules'], 'a/Node_Modules', true],
  [['.git'], '.GIT/config', true],
  [['.git'], '.g\u200cit/config', true],
  [['.git'], '.git./config', true],
  [['.git'], '.gitignore', false],
  [['*.log'], 'a/b.log', true],
  [['*.log'], 'b.log/c', true],
  [['*.log'], 'b.logs', false],
  [['a*b*c'], 'aXbYc', true],
  [['a*b*c'], 'acb', false],
  [['a*a'], 'a', false],
  [['build/out'], 'build/out/x', true],
  [['build/out'], 'a/build/out/x', false],
  [['/dist'], 'dist/x', true],
  [['/dist'], 'a/dist/x', false],
])('ignore %j leaves out %j: %j', (patterns, path, isIgnored) => {
  expect(ignoring(patterns, 'test')(path.split('/'))).toBe(isIgnored)
})

test.each(['', '/', '../x', 'a/**/b', '[ab]', '{a,b}', '!a', 'a\\b'])('rejects the pattern %j', (pattern) => {
  expect(() => ignoring([pattern], 'test')).toThrow(expect.objectContaining({ code: 'invalid_request' }))
})
