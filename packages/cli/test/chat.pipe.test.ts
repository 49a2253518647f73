import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderSessions } from '@capstan/core/node'
import { type Service, startService } from '@capstan/service'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { some } from '../../../scripts/cases.mjs'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { agents, capstan, plain, start } from './capstan.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** Creates a folder that is removed after the tests. */
function folder(): string {
  const output = join(agents, '../output')
  mkdirSync(output, { recursive: true })
  const path = mkdtempSync(join(output, 'chat-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function chat(input: string, args: readonly string[], file = 'chatty.ts') {
  const env = { OPENAI_BASE_URL: service.baseURL, OPENAI_API_KEY: service.apiKey, TERM: 'xterm-kitty' }
  return capstan(['chat', file, ...args], { input, env })
}

test('answers each line, and only the answers go to stdout', async () => {
  const { exit, out, err } = await chat('Hello\n\n  \nAgain', ['--agent', 'counter'])
  expect([exit, out]).toEqual([0, '1: Hello\n2: Again\n'])
  expect(err).toBe('done: 1 step, 0 calls, tokens unknown\n'.repeat(2))
})

test('writes no escape sequence, and paths in place of pictures', async () => {
  const session = folder()
  const { exit, out, err } = await chat('Draw a flag\n', ['--session', session])
  const [name = ''] = readdirSync(join(session, 'artifacts')).filter((one) => one.endsWith('.png'))
  expect(exit).toBe(0)
  expect(out + err).not.toContain('\x1b')
  expect(err).toContain(`82 bytes) -> ${join(session, 'artifacts', name)}\n`)
})

test('continues the conversation of a folder', async () => {
  const session = folder()
  expect((await chat('Hello\n', ['--agent', 'counter', '--session', session])).out).toBe('1: Hello\n')
  expect((await chat('Again\n', ['--agent', 'counter', '--session', session])).out).toBe('2: Again\n')
  expect(readdirSync(session)).toEqual([expect.stringMatching(/\.jsonl$/)])
})

test('decides no call by a line, and ends as pending', async () => {
  const session = folder()
  const { exit, out, err } = await chat('Pay a bill of 12 euros\ny\n/approve\n', ['--session', session])
  expect([exit, out]).toEqual([3, ''])
  expect(plain(err)).toMatch(/"amount": 12\n\}\nContinue this session on a terminal to decide\./)
  const again = await chat('y\n', ['--session', session])
  expect([again.exit, again.out]).toEqual([3, ''])
  expect((await folderSessions(session).load('chat')).messages).toHaveLength(1)
})

slowTest('takes a command and a path as a message', async () => {
  const path = join(agents, 'chatty.ts')
  const { out } = await chat(`/attach ${path}\n${path}\n`, ['--agent', 'counter'])
  expect(out).toBe(`1: /attach ${path}\n2: ${path}\n`)
})

test('attaches the files of the command line to the first message', async () => {
  const files = folder()
  writeFileSync(join(files, 'note.txt'), 'Ahoy')
  const args = ['--agent', 'counter', '--attach', join(files, 'note.txt')]
  const { out } = await chat('Read\nAgain\n', args)
  expect(out).toMatch(/^1: Read\n\nAttached: txt_\w+ \(text\/plain, 4 bytes\)\n2: Again\n$/)
})

test('ends at the first error, and keeps what was answered', async () => {
  const session = folder()
  const { exit, out, err } = await chat('Hello\nFail\nAgain\n', ['--agent', 'failing', '--session', session])
  expect([exit, out]).toEqual([1, 'Hello\n'])
  expect(err).toContain('failed: It broke.')
  const { messages } = await folderSessions(session).load('chat')
  expect(messages.map(({ content }) => content)).toEqual(['Hello', 'Hello', 'Fail'])
  expect(readdirSync(session)).toEqual([expect.stringMatching(/\.jsonl$/)])
})

slowTest('continues an answer that a kill has interrupted, before the first line', async () => {
  const session = folder()
  const args = ['chat', 'chatty.ts', '--agent', 'worker', '--session', session]
  const child = start(args)
  child.stdin.write('Work.\n')
  await once(child.stderr, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(readFileSync(join(session, 'run.json'), 'utf8')).toContain('Work.')
  const next = await capstan(args, { env: { DONE: '1' }, input: 'Thanks.\n' })
  expect([next.exit, next.out]).toEqual([0, 'I have worked.\nRead: Thanks.\n'])
})

test('one chat at a time uses a session', async () => {
  const session = folder()
  const args = ['chat', 'chatty.ts', '--agent', 'counter', '--session', session]
  const child = start(args)
  child.stdin.write('Hello\n')
  await once(child.stdout, 'data')
  const second = await capstan(args)
  expect(second.exit).toBe(2)
  expect(second.err).toContain(`Process ${child.pid} is using this session.`)
  child.stdin.end()
  await once(child, 'close')
  expect((await capstan(args, { input: 'Again\n' })).out).toBe('2: Again\n')
})

test('ends on SIGINT, and keeps the conversation', async () => {
  const session = folder()
  const child = start(['chat', 'chatty.ts', '--agent', 'talker', '--session', session])
  child.stdin.write('Talk.\n')
  await once(child.stdout, 'data')
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([130, null])
  expect((await folderSessions(session).load('chat')).messages).toMatchObject([
    { content: 'Talk.' },
    { content: 'On and on' },
  ])
  expect(readdirSync(session)).toEqual([expect.stringMatching(/\.jsonl$/)])
})

test.each(
  some(
    [
      [['none.ts'], 'No such file: none.ts.'],
      [['chatty.ts', 'Hello'], 'Unexpected argument "Hello"'],
      [['chatty.ts', '--attach', 'none.png'], 'No such file: none.png.'],
      [['chatty.ts', '--context', '{'], '--context is not valid JSON: '],
    ],
    4,
  ),
)('%j is reported in one sentence', async (args, sentence) => {
  const said = await capstan(['chat', ...args])
  expect(said).toEqual({ exit: 2, out: '', err: expect.stringMatching(/^capstan: [^\n]+\n$/) })
  expect(said.err).toContain(sentence)
})
