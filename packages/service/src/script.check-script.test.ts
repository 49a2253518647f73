import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkScript, readScript } from './script.js'

test.each<[string, unknown]>([
  ['script must be an object', 'hello'],
  ['script has an unknown field "rule"; valid fields: rules and else', { rule: [] }],
  ['script.rules must be an array', { rules: {} }],
  ['script.else must be "plan" or "refuse"', { rules: [], else: 'fail' }],
  ['script rule 1 must be an object', [{ when: 'a', answer: 'b' }, 'x']],
  ['script rule 0 has an unknown field "reply"; valid fields: when, answer', [{ when: 'a', reply: 'b' }]],
  ['script rule 0: when must be a string, or an object with role, tool or text', [{ answer: 'b' }]],
  [
    'script rule 0: when is a regular expression. Use the string "/order \\\\d+/i"',
    [{ when: /order \d+/i, answer: 'b' }],
  ],
  [
    'script rule 0: when has an unknown field "words"; valid fields: role, tool and text',
    [{ when: { words: 'a' }, answer: 'b' }],
  ],
  ['script rule 0: when.role must be one of system', [{ when: { role: 'robot' }, answer: 'b' }]],
  [
    'script rule 0: when contains /(/, which is not a valid regular expression',
    [{ when: '/(/', answer: 'b' }],
  ],
  ['script rule 0 must have an answer, calls or both, or else an error', [{ when: 'a' }]],
  ['or else an error', [{ when: 'a', answer: 'b', error: { status: 500 } }]],
  ['script rule 0: answer must be a string', [{ when: 'a', answer: 7 }]],
  ['script rule 0: times must be a positive whole number', [{ when: 'a', answer: 'b', times: 0 }]],
  ['script rule 0: calls must be a non-empty array', [{ when: 'a', calls: [] }]],
  ['script rule 0: each call must have a name', [{ when: 'a', calls: [{}] }]],
  [
    'script rule 0: a call has an unknown field "args"; valid fields: name and arguments',
    [{ when: 'a', calls: [{ name: 'x', args: {} }] }],
  ],
  ['script rule 0: arguments must be an object', [{ when: 'a', calls: [{ name: 'x', arguments: [] }] }]],
  [
    'script rule 0: error.status must be a whole number from 400 to 599',
    [{ when: 'a', error: { status: 200 } }],
  ],
  [
    'script rule 0: error.retryAfter must be a number',
    [{ when: 'a', error: { status: 429, retryAfter: 'x' } }],
  ],
])('%s', (sentence, script) => {
  expect(() => checkScript(script)).toThrow(sentence)
  expect(() => checkScript(script)).toThrow(TypeError)
})

test('reads a script from a file and names the file in errors', () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-script-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'script.json')
  const rules = [{ when: 'hello', answer: 'Hi.' }]
  writeFileSync(path, JSON.stringify({ rules, else: 'refuse' }))
  expect(readScript(path)).toEqual({ rules, else: 'refuse' })
  writeFileSync(path, '[{"when":"a"}]')
  expect(() => readScript(path)).toThrow(`The script ${path} cannot be used: script rule 0 must have`)
  expect(() => readScript(join(folder, 'none.json'))).toThrow('none.json cannot be used')
})
