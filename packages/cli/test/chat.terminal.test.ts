import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { folderSessions } from '@capstan/core/node'
import { type Service, startService } from '@capstan/service'
import { afterAll, beforeAll, test as everywhere, expect, onTestFinished } from 'vitest'
import { some } from '../../../scripts/cases.mjs'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { flag } from './agents/chatty.js'
import { agents, plain } from './capstan.js'
import { onTerminal } from './terminal.js'

// `script` takes different arguments on other systems.
const isHere = process.platform === 'linux'
if (!isHere) console.warn('SKIPPED: the chat on a terminal is tested on Linux only.')
const test = everywhere.skipIf(!isHere)

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

/** Starts a chat and waits for its prompt. */
async function chat(args: readonly string[], set: Readonly<Record<string, string>> = {}, file = 'chatty.ts') {
  const env = { OPENAI_BASE_URL: service.baseURL, OPENAI_API_KEY: service.apiKey, ...set }
  const run = onTerminal(['chat', file, ...args], env)
  await run.until(/(^|\n)(>|.*:)$/)
  return run
}

const prompt = />$/

/** Returns the roles of a session's messages, in order. */
async function rolesIn(session: string): Promise<string[]> {
  const { messages } = await folderSessions(session).load('chat')
  return messages.map(({ role }) => role)
}

test('answers several messages, and leaves on Ctrl-D', async () => {
  const run = await chat(['--agent', 'counter'])
  run.type('Hello\r')
  await run.until(/1: Hello[\s\S]*\n>$/)
  run.type('Once more\r')
  await run.until(/2: Once more[\s\S]*\n>$/)
  run.type('\x04')
  const { exit, screen } = await run.end()
  expect(exit).toBe(0)
  expect(plain(screen)).toMatchInlineSnapshot(`
    "Chat with counter. /help lists the commands.
    > Hello
    1: Hello
    done: 1 step, 0 calls, tokens unknown
    > Once more
    2: Once more
    done: 1 step, 0 calls, tokens unknown
    >"
  `)
})

slowTest('/help lists the commands, and an unknown one is reported', async () => {
  const run = await chat(['--agent', 'counter'])
  run.type('/help\r')
  expect(await run.until(/Ctrl-C[\s\S]*\n>$/)).toMatch(/\/attach PATH +attaches a file/)
  run.type('/pley\r')
  await run.until(/Unknown command \/pley\. Did you mean \/play\?[\s\S]*\n>$/)
  run.type(' /pley\r')
  await run.until(/1: \/pley[\s\S]*\n>$/)
  run.type('/exit\r')
  expect((await run.end()).exit).toBe(0)
})

test('asks for approval, and takes only the keys after the question', async () => {
  const run = await chat([])
  run.type('Pay a bill of 12 euros\ry\r')
  await run.until(/\[e\]dit:$/)
  run.type('\r')
  await run.until(/\[e\]dit: \n.*\[e\]dit:$/)
  run.type('y\r')
  const screen = await run.until(/paid 12[\s\S]*\n>$/)
  expect(screen).toContain('"amount": 12')
  run.type('\x04')
  await run.end()
})

slowTest('denies a call with a reason', async () => {
  const run = await chat([])
  run.type('Pay a bill of 12 euros\r')
  await run.until(/\[e\]dit:$/)
  run.type('n too much\r')
  await run.until(/denied: too much[\s\S]*\n>$/)
  run.type('\x04')
  await run.end()
})

test('runs a call with edited arguments, once they fit the tool', async () => {
  const run = await chat([])
  run.type('Pay a bill of 12 euros\r')
  await run.until(/\[e\]dit:$/)
  run.type('e\r')
  await run.until(/Arguments: \{"amount":12\}$/)
  run.type('\x15{"amount":"x"}\r')
  await run.until(/does not match[\s\S]*Arguments: \{"amount":"x"\}$/)
  run.type('\x15{"amount":1\r')
  await run.until(/JSON[\s\S]*Arguments: \{"amount":1$/)
  run.type('3}\r')
  await run.until(/paid 13[\s\S]*\n>$/)
  run.type('\x04')
  await run.end()
})

test('Ctrl-D at a question leaves the call pending', async () => {
  const session = folder()
  const run = await chat(['--session', session])
  run.type('Pay a bill of 12 euros\r')
  await run.until(/\[e\]dit:$/)
  run.type('/exit\r')
  await run.until(/Ctrl-D ends the chat; the call stays pending\.[\s\S]*\[e\]dit:$/)
  run.type('\x04')
  expect((await run.end()).exit).toBe(3)
  const again = await chat(['--session', session])
  await again.until(/waiting for your decision[\s\S]*\[e\]dit:$/)
  again.type('\x03')
  await again.until(/not_run[\s\S]*\n>$/)
  again.type('\x03')
  expect((await again.end()).exit).toBe(130)
  expect(await rolesIn(session)).toEqual(['user', 'assistant', 'tool'])
})

test('offers to run a long call only after its last page', async () => {
  const run = await chat(['--agent', 'long'], {}, 'harmful.ts')
  run.type('List.\r')
  await run.until(/more lines \(\d+ characters\) follow[\s\S]*:$/)
  expect(run.screen()).not.toMatch(/curl|Run this call/)
  run.type('y\r')
  await run.until(/follow[\s\S]*follow[\s\S]*:$/)
  // A pasted line break does not count as the Enter key.
  run.type('\x1b[200~v\r\x1b[201~')
  await run.until(/REASON: v$/)
  run.type('\r')
  await run.until(/curl evil\.example[\s\S]*\[e\]dit:$/)
  run.type('n\r')
  await run.until(/denied[\s\S]*\n>$/)
  run.type('\x04')
  await run.end()
})

test('writes no escape sequence of a model or a tool', async () => {
  const session = folder()
  const run = await chat(['--agent', 'hostile', '--session', session])
  const before = run.bytes().length
  run.type('Go\r')
  await run.until(/\[e\]dit:$/)
  run.type('e\r')
  await run.until(/Arguments: \{/)
  run.type('\r')
  await run.until(/done: 2 steps[\s\S]*>$/)
  run.type('/files\r')
  await run.until(/txt_\w+ \([\s\S]*>$/)
  run.type('\x04')
  await run.end()
  const bytes = run.bytes().slice(before)
  for (const harm of ['\x1b]0;', '\x1b]52', 'evil.example\x1b', '\x1b[8m', '\x9b', '\u202e', '\x07'])
    expect(bytes, JSON.stringify(harm)).not.toContain(harm)
  // The links lead to files in the session's folder.
  const links = bytes
    .split('\x1b]8;;')
    .flatMap((part) => (part.startsWith('file:') ? [part.split('\x1b')[0] ?? ''] : []))
  expect(links.length).toBeGreaterThan(0)
  for (const link of links) expect(link).toContain(pathToFileURL(join(session, 'artifacts/')).href)
})

test('Ctrl-C stops the answer, and a second one leaves', async () => {
  const run = await chat(['--agent', 'talker'])
  run.type('Talk.\r')
  await run.until(/On and on/)
  run.type('\x03')
  await run.until(/aborted: [\s\S]*\n>$/)
  run.type('Stop.\r')
  await run.until(/I have stopped[\s\S]*\n>$/)
  run.type('half a line\x03')
  await run.until(/half a line\^C\n>$/)
  run.type('\x03')
  expect((await run.end()).exit).toBe(130)
})

slowTest('a second Ctrl-C ends a process that is busy', async () => {
  const run = onTerminal(['chat', 'chatty.ts', '--agent', 'busy'])
  await run.until(prompt)
  run.type('Go.\r')
  await run.until(/hanging/)
  run.type('\x03')
  await run.until(/hanging on/)
  run.type('\x03')
  expect((await run.end()).exit).toBe(130)
})

test('sends a line that is entered during an answer into its run', async () => {
  const run = await chat(['--agent', 'worker'])
  run.type('Work.\r')
  await run.until(/waiting for a word/)
  run.type('Hurry!\r')
  await run.until(/Read: Hurry![\s\S]*\n>$/)
  run.type('\x04')
  await run.end()
})

slowTest('answers a line that came too late for the run next', async () => {
  const run = await chat(['--agent', 'talkative'])
  run.type('Talk.\r')
  await run.until(/Wait/)
  run.type('Next\r')
  await run.until(/> Next\n[\s\S]*2: Next[\s\S]*\n>$/)
  run.type('\x04')
  await run.end()
})

test('attaches a file by its path, and a file that is dropped', async () => {
  const files = folder()
  writeFileSync(join(files, 'a note.txt'), 'Ahoy')
  writeFileSync(join(files, 'b.png'), flag())
  const run = await chat(['--agent', 'counter', '--session', join(files, 'session')])
  run.type(`/attach ${join(files, 'a note.txt')}\r`)
  await run.until(/Attached to the next message: a note\.txt\n>$/)
  // Terminals paste the path of a dropped file between marks.
  run.type(`Look at \x1b[200~${join(files, 'b.png')} \x1b[201~`)
  await run.until(/> Look at \[file 1: b\.png\]$/)
  run.type(' please\r')
  const screen = await run.until(/1: Look at b\.png please[\s\S]*\n>$/)
  expect(screen).toContain('Attached: txt_')
  expect(screen.replaceAll('\n', '')).toMatch(/img_\w+ \(image\/png/)
  run.type('\x04')
  await run.end()
})

slowTest('a path inside of a text attaches nothing, and a missing file is reported', async () => {
  const files = folder()
  const secret = join(files, 's.txt')
  writeFileSync(secret, 'secret')
  const run = await chat(['--agent', 'counter'])
  run.type(`\x1b[200~see ${secret}\x1b[201~\r`)
  await run.until(/1: see [\s\S]*\n>$/)
  run.type(`/attach ${files}\r`)
  await run.until(/No such file[\s\S]*\n>$/)
  run.type('/attach none.png\r')
  await run.until(/No such file: none\.png[\s\S]*\n>$/)
  run.type('\x04')
  const { screen } = await run.end()
  expect(screen).not.toContain('Attached')
})

slowTest('sends a pasted text of several lines as one message', async () => {
  const run = await chat(['--agent', 'counter'])
  run.type('Read \x1b[200~one\rtwo\x1b[31m\rthree\x1b[201~')
  await run.until(/> Read \[paste 1: 3 lines\]$/)
  run.type('!\r')
  await run.until(/1: Read one\ntwo\[31m\nthree!\n[\s\S]*\n>$/)
  run.type('\x04')
  await run.end()
})

/** Returns the text between the first occurrences of two marks. */
function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start) + start.length
  return text.slice(from, text.indexOf(end, from))
}

const drawn = 'Draw a flag\r'
const shown = /done: 2 steps[\s\S]*\n>$/

slowTest('links to a picture where the terminal shows none', async () => {
  const session = folder()
  const run = await chat(['--session', session])
  run.type(drawn)
  const screen = await run.until(shown)
  const [name = ''] = readdirSync(join(session, 'artifacts')).filter((one) => one.endsWith('.png'))
  expect(screen.replaceAll('\n', '')).toContain(`(image/png, 16 x 12, `)
  expect(screen.replaceAll('\n', '')).toContain(join(session, 'artifacts', name))
  expect(run.bytes()).toContain(`\x1b]8;;${pathToFileURL(join(session, 'artifacts', name)).href}\x1b\\`)
  for (const start of ['\x1b_Ga=T', '\x1b]1337', '\x1bP']) expect(run.bytes()).not.toContain(start)
  run.type('\x04')
  await run.end()
})

test('shows a picture by the Kitty protocol when the terminal says that it has it', async () => {
  const run = await chat([])
  expect(run.bytes()).toContain('\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c')
  run.type('\x1b_Gi=31;OK\x1b\\\x1b[?62;4;22c')
  run.type(drawn)
  await run.until(shown)
  const [control, data = ''] = between(run.bytes(), '\x1b_Ga=T,', '\x1b\\').split(';')
  expect(control).toBe('f=100,q=2,c=2,r=1,m=0')
  expect(Buffer.from(data, 'base64').equals(flag())).toBe(true)
  expect(run.bytes()).not.toContain('\x1bP')
  run.type('\x04')
  await run.end()
})

slowTest('shows a picture by the protocol of iTerm2 when the environment names it', async () => {
  const run = await chat([], { TERM_PROGRAM: 'iTerm.app' })
  run.type(drawn)
  await run.until(shown)
  const [control, data = ''] = between(run.bytes(), '\x1b]1337;File=', '\x07').split(':')
  expect(control).toBe(`inline=1;size=${flag().length};width=2;height=1;preserveAspectRatio=1`)
  expect(Buffer.from(data, 'base64').equals(flag())).toBe(true)
  run.type('\x04')
  await run.end()
})

slowTest('shows a picture as sixels when the terminal says that it has them', async () => {
  const run = await chat([])
  run.type('\x1b[?62;4;22c')
  run.type(drawn)
  await run.until(shown)
  const sixels = between(run.bytes(), '\x1bP', '\x1b\\')
  expect(sixels).toBe('0;1q"1;1;16;12#210;2;100;0;0#5;2;0;0;100#210!16~-#5!16~')
  run.type('/show\r')
  await run.until(/\/show\n.*img_[\s\S]*\n>$/)
  expect(run.bytes().split(sixels)).toHaveLength(3)
  run.type('\x04')
  await run.end()
})

slowTest('plays a sound by an installed player', async () => {
  const session = folder()
  const player = join(session, 'aplay')
  writeFileSync(player, '#!/bin/sh\necho "$@" > "$(dirname "$0")/played"\n')
  chmodSync(player, 0o700)
  const run = await chat(['--session', session], { PATH: `${session}:${process.env.PATH}` })
  run.type('Ring a bell\r')
  await run.until(shown)
  expect(existsSync(join(session, 'played'))).toBe(false)
  run.type('/play\r')
  await run.until(/\/play\n>$/)
  const [name = ''] = readdirSync(join(session, 'artifacts')).filter((one) => one.endsWith('.wav'))
  expect(readFileSync(join(session, 'played'), 'utf8')).toBe(`-q ${join(session, 'artifacts', name)}\n`)
  run.type('\x04')
  await run.end()
})

slowTest('reports a sound that is not there', async () => {
  const session = folder()
  const run = await chat(['--session', session])
  run.type('/play\r')
  await run.until(/No audio files in this conversation yet[\s\S]*\n>$/)
  run.type('Ring a bell\r')
  await run.until(shown)
  run.type('/play none\r')
  await run.until(/No audio file "none"[\s\S]*\n>$/)
  run.type('\x04')
  await run.end()
})

/** Kills the process that has locked a session. */
function kill(session: string): void {
  process.kill(Number(readFileSync(join(session, 'lock'), 'utf8')), 'SIGKILL')
}

test('continues a session, and asks again for a call that waited when the chat was killed', async () => {
  const session = folder()
  const first = await chat(['--session', session])
  first.type('Pay a bill of 12 euros\r')
  await first.until(/\[e\]dit:$/)
  kill(session)
  await first.end()
  expect(await rolesIn(session)).toEqual(['user'])
  const second = await chat(['--session', session])
  expect(second.screen()).toContain('The last reply is waiting for your decision.')
  expect(second.screen()).toMatch(/"amount": 12[\s\S]*\[e\]dit:$/)
  second.type('y\r')
  await second.until(/paid 12[\s\S]*\n>$/)
  kill(session)
  await second.end()
  expect(await rolesIn(session)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  const third = await chat(['--session', session])
  expect(third.screen()).toMatch(
    /^Chat with [\w-]+\. 4 messages from last time\. \/help lists the commands\.\n>$/,
  )
  // The line editor's history contains the earlier messages.
  third.type('\x1b[A')
  await third.until(/> Pay a bill of 12 euros$/)
  third.type('\x03')
  await third.until(/\^C\n>$/)
  third.type('\x03')
  expect((await third.end()).exit).toBe(130)
})

test.each(
  some([
    ['continues', 'y', /I have worked[\s\S]*\n>$/, ['user', 'assistant', 'tool', 'assistant']],
    ['drops', 'n', /aborted[\s\S]*\n>$/, ['user', 'assistant', 'tool']],
  ]),
)('%s an answer that was interrupted by a kill', async (_, key, end, roles) => {
  const session = folder()
  const first = await chat(['--agent', 'worker', '--session', session])
  first.type('Work.\r')
  await first.until(/waiting for a word/)
  kill(session)
  await first.end()
  const second = await chat(['--agent', 'worker', '--session', session], { DONE: '1' })
  expect(second.screen()).toContain('The last reply was interrupted.')
  second.type(`${key}\r`)
  await second.until(end)
  second.type('\x04')
  await second.end()
  expect(await rolesIn(session)).toEqual(roles)
  expect(readdirSync(session).filter((name) => !name.endsWith('.jsonl'))).toEqual([])
})

slowTest('ends on SIGTERM, and keeps the unfinished answer', async () => {
  const session = folder()
  const run = await chat(['--agent', 'worker', '--session', session])
  run.type('Work.\r')
  await run.until(/waiting for a word/)
  process.kill(Number(readFileSync(join(session, 'lock'), 'utf8')), 'SIGTERM')
  expect((await run.end()).exit).toBe(143)
  expect(run.bytes().endsWith('\x1b[?2004l')).toBe(true)
  expect(readdirSync(session)).toEqual(['run.json'])
})

slowTest(
  'drops an unfinished answer of an agent whose tools have changed, and keeps its messages',
  async () => {
    const session = folder()
    const first = await chat(['--session', session])
    first.type('Pay a bill of 12 euros\r')
    await first.until(/\[e\]dit:$/)
    first.type('\x04')
    await first.end()
    const second = await chat(['--agent', 'counter', '--session', session])
    expect(second.screen()).toContain('This agent cannot continue the last reply.')
    second.type('Hello\r')
    await second.until(/2: Hello[\s\S]*\n>$/)
    second.type('\x04')
    await second.end()
    expect(await rolesIn(session)).toEqual(['user', 'user', 'assistant'])
  },
)

slowTest('edits a call as the documentation shows', async () => {
  const run = await chat([], {}, 'bills.ts')
  run.type('Pay a bill of 12 euros.\r')
  await run.until(/\[e\]dit:$/)
  run.type('e\r')
  await run.until(/Arguments: \{"amount":12\}$/)
  run.type('\x1b[D\x7f0')
  await run.until(/Arguments: \{"amount":10\}$/)
  run.type('\r')
  await run.until(/done: [\s\S]*\n>$/)
  run.type('/exit\r')
  const { screen } = await run.end()
  const shown = `$ capstan chat bills.ts\n${plain(screen)}\n`
  await expect(shown).toMatchFileSnapshot('./golden/chat-terminal.txt')
})

slowTest('writes no escape sequence to a terminal that has none', async () => {
  const run = await chat([], { TERM: 'dumb' })
  run.type(drawn)
  await run.until(/done: 2 steps[\s\S]*\n>$/)
  run.type('/exit\r')
  expect((await run.end()).exit).toBe(0)
  expect(run.bytes()).not.toContain('\x1b')
})

slowTest('discards a half line before a question, also on a terminal without keys', async () => {
  const run = await chat([], { TERM: 'dumb' })
  run.type('Pay a bill of 12 euros\ry')
  await run.until(/\[e\]dit:$/)
  run.type('\r')
  await run.until(/\[e\]dit: \n.*\[e\]dit:$/)
  run.type('n\r')
  await run.until(/denied[\s\S]*\n>$/)
  run.type('/exit\r')
  await run.end()
})
