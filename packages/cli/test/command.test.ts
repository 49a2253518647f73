import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { some } from '../../../scripts/cases.mjs'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { agents, capstan, start } from './capstan.js'

/** Creates a folder whose files can import packages. */
function folder(files: Readonly<Record<string, string>> = {}): string {
  const output = join(agents, '../output')
  mkdirSync(output, { recursive: true })
  const path = mkdtempSync(join(output, 'command-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}

test('--json writes only events, whatever a file prints by console', async () => {
  const { exit, out, err } = await capstan(['run', 'troubled.ts', 'Hi.', '--agent', 'plain', '--json'])
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(exit).toBe(0)
  expect(events.map(({ type }) => type)).toEqual([
    'run-start',
    'step-start',
    'message-added',
    'step-end',
    'run-end',
  ])
  expect(err).toBe('troubled.ts is loaded\n')
})

slowTest('with --json, a failed run prints its error on stderr and in its last event', async () => {
  const { exit, out, err } = await capstan(['run', 'troubled.ts', 'Hi.', '--agent', 'wrongKey', '--json'])
  expect(exit).toBe(1)
  expect(JSON.parse(out.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    type: 'run-end',
    stopReason: 'error',
  })
  expect(err).toContain('capstan: auth: ')
})

slowTest('writes no colours and no cursor movements without a terminal', async () => {
  const { out, err } = await capstan(['run', 'team.ts', 'Hi.'], { env: { TERM: 'xterm-256color' } })
  expect(out + err).not.toContain('\x1b')
})

test('ends a run on SIGINT, with a state to resume from', async () => {
  const cwd = folder()
  const child = start(['run', join(agents, 'endless.ts'), 'Wait.', '--json', '--state', 'run.json'], { cwd })
  for await (const text of child.stdout) if (String(text).includes('tool-progress')) break
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([130, null])
  const state = JSON.parse(readFileSync(join(cwd, 'run.json'), 'utf8'))
  expect(state).toMatchObject({ stopReason: 'aborted', stepCount: 1, agent: 'watchman' })
  expect(statSync(join(cwd, 'run.json')).mode & 0o077).toBe(0)
  expect(readdirSync(cwd)).toEqual(['run.json'])
})

test('ends a run when the reader of the pipe leaves', async () => {
  const child = start(['run', 'endless.ts', 'Wait.', '--agent', 'talker'])
  const exit = once(child, 'exit')
  await once(child.stdout, 'data')
  child.stdout.destroy()
  expect(await exit).toEqual([141, null])
})

test('passes a large output through completely', async () => {
  const { out } = await capstan(['tool', 'endless.ts', 'much'])
  expect(JSON.parse(out)).toHaveLength(3_000_000)
})

test('accepts a file and a context, and writes artifacts', async () => {
  const cwd = folder({ 'note.txt': 'Ahoy' })
  const agent = join(agents, 'given.ts')
  const args = ['run', agent, 'Hi.', '--attach', 'note.txt', '--context', '{"user":"Jason"}', '--out', 'made']
  const { exit, out, err } = await capstan(args, { cwd })
  expect([exit, out]).toEqual([0, 'Attached: txt_jejrf4wo (text/plain, 4 bytes)\n'])
  const [made = ''] = readdirSync(join(cwd, 'made'))
  expect(readFileSync(join(cwd, 'made', made), 'utf8')).toBe('Jason was here')
  expect(err).toContain(`-> ${join('made', made)}`)
})

test.each(
  some(
    [
      ['prompt from a pipe', ['given.ts'], 'Hi\nthere\n', 'Hi\nthere'],
      ['prompt from a pipe by -', ['given.ts', '-'], 'Hi', 'Hi'],
      ['prompt with line ends and control characters', ['given.ts', '天気\n "$(x)" '], '', '天気\n "$(x)" '],
      ['prompt that starts with a dash', ['given.ts', '--', '-5 degrees?'], '', '-5 degrees?'],
    ],
    2,
  ),
)('passes a %s to the model', async (_, args, input, said) => {
  const { out } = await capstan(['run', '--agent', 'parrot', ...args], { input })
  expect(out).toBe(`${said}\n`)
})

test('writes structured output as JSON', async () => {
  const { exit, out } = await capstan(['run', 'given.ts', 'Hi.', '--agent', 'former'])
  expect(exit).toBe(0)
  expect(JSON.parse(out)).toEqual({ city: 'Oslo' })
})

// Each case starts a process, so `npm test` only runs every seventh.
test.each(
  some(
    [
      [['run', 'none.ts', 'Hi.'], 2, 'No such file: none.ts.'],
      [['run', '.', 'Hi.'], 2, 'No such file: ..'],
      [['run', 'given.ts', '--agent', 'parrot'], 2, 'No prompt.'],
      [
        ['run', 'given.ts', 'Hi.', '--agent', 'nobody'],
        2,
        'given.ts exports no agent "nobody". It exports: default, ',
      ],
      [['run', 'given.ts', 'Hi.', '--context', '{'], 2, '--context is not valid JSON: '],
      [['run', 'given.ts', 'Hi.', '--attach', 'none.png'], 1, 'not_found: '],
      [['run', 'given.ts', 'Hi.', '--resume', 'none.json'], 2, 'Use a prompt or --resume, not both.'],
      [['run', 'given.ts', '--resume', 'none.json'], 2, 'Cannot read the state none.json: '],
      [['run', 'given.ts', '--resume', 'given.ts'], 2, 'The state given.ts is not valid JSON: '],
      [['run', 'given.ts', 'Hi.', '--approve', 'a'], 1, 'invalid_request: '],
      [['tool', 'approval.ts', 'ask_user', '{"question":"x"}'], 1, 'unsupported: "ask_user" has no execute'],
      [
        ['tool', 'asks-then-answers.ts'],
        2,
        'asks-then-answers.ts exports neither tools nor agents with tools.',
      ],
      [['tool', 'endless.ts', 'fails', '{}'], 1, 'It broke.'],
      [['check', 'given.ts', '--off', 'nothing'], 1, 'invalid_request: There is no rule "nothing"'],
      [['check', 'given.ts', '--max-tokens', 'x'], 2, '--max-tokens must be a number above 0, not "x".'],
      [['explain', 'none.jsonl'], 1, ''],
      [['service', '--port', 'x'], 2, '--port must be a number, not "x".'],
      [['service', '--port', '70000'], 2, ''],
      [['service', '--key', 'k', '--no-key'], 2, 'Use --key or --no-key, not both.'],
      [[], 2, 'No command. Run capstan --help to list the commands.'],
      [['--versoin'], 2, 'Unknown option --versoin.'],
    ],
    7,
  ),
)('%j ends with code %i and one sentence', async (args, exit, sentence) => {
  const said = await capstan(args)
  expect(said).toEqual({ exit, out: '', err: expect.stringMatching(/^capstan: [^\n]+\n(See https:\S+\n)?$/) })
  expect(said.err).toContain(`capstan: ${sentence}`)
})

test.each(some([['--help'], ['-h'], ['help'], ['help', '--help'], ['run', '--help'], ['help', 'run']], 6))(
  'shows the help for %j %s',
  async (...args) => {
    const { exit, out, err } = await capstan(args)
    expect([exit, err]).toEqual([0, ''])
    expect(out).toMatch(/^capstan/)
  },
)

test.each(
  some(
    [
      [
        'a.mjs',
        'export const a = 1\nconst b = {',
        'Unexpected end of input. Run node a.mjs to see where the error is',
      ],
      [
        'a.mjs',
        "import { nope } from './b.mjs'",
        "The requested module './b.mjs' does not provide an export named 'nope' (at a.mjs:1)",
      ],
      ['a.mjs', "import 'no-such-package'", "Cannot find package 'no-such-package' imported from "],
      ['a.mjs', "\nthrow new Error('No database')", 'No database (at a.mjs:2)'],
      ['a.mjs', 'throw null', 'null'],
    ],
    4,
  ),
)('reports the fault in a file %s of %j', async (name, text, told) => {
  const cwd = folder({ [name]: text, 'b.mjs': 'export const b = 1' })
  const { exit, out, err } = await capstan(['run', name, 'Hi.'], { cwd })
  expect([exit, out]).toEqual([1, ''])
  expect(err).toContain(`capstan: Cannot load ${name}: ${told}`)
})

test('prints a late error of a file as one sentence', async () => {
  const { exit, err } = await capstan(['tool', 'endless.ts', 'later', '{}'])
  expect([exit, err]).toEqual([1, 'capstan: Late trouble.\n'])
})

test('--debug prints the stack of an error', async () => {
  const cwd = folder({ 'a.mjs': "throw new Error('No database')" })
  const { err } = await capstan(['run', 'a.mjs', 'Hi.', '--debug'], { cwd })
  expect(err).toMatch(/caused by Error: No database\n {4}at file:.+a\.mjs:1/)
})

const failing = `
import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import * as z from 'zod'

const store = tool({
  name: 'store',
  description: 'Stores',
  parameters: z.object({}),
  execute: function intoTheStore() {
    throw new Error('no route to postgres://app:s3cr3t-pw@db/shop', { cause: new Error('refused') })
  },
})
const model = scriptedModel([reply.call('store'), reply.text('Sorry.')])
export default new Agent({ model, tools: [store], toolErrors: 'expected' })
`

test('--debug prints the error of a tool with its stack and causes, without credentials', async () => {
  const cwd = folder({ 'a.mjs': failing })
  const { exit, err } = await capstan(['run', 'a.mjs', 'Hi.', '--debug'], { cwd })
  expect(exit).toBe(0)
  expect(err).toMatch(
    /store: Error: no route to postgres:\/\/app:\[redacted\]@db\/shop\n {4}at .*intoTheStore/,
  )
  expect(err).toContain('caused by Error: refused')
  expect(err).not.toContain('s3cr3t-pw')
})

test("does not print a tool's unexpected error without --debug", async () => {
  const cwd = folder({ 'a.mjs': failing })
  const { err, out } = await capstan(['run', 'a.mjs', 'Hi.', '--json'], { cwd })
  expect(err + out).not.toMatch(/no route|intoTheStore/)
  expect(out).toMatch(/"errorId":"err_/)
})

slowTest('--debug prints the error of a tool called alone, without credentials', async () => {
  const cwd = folder({ 'a.mjs': failing })
  const { exit, err } = await capstan(['tool', 'a.mjs', 'store', '{}', '--debug'], { cwd })
  expect(exit).toBe(1)
  expect(err).toMatch(/app:\[redacted\]@db\/shop\n {4}at .*intoTheStore/)
})

test('prints address and key of the service, serves, and ends on SIGTERM', async () => {
  const child = start(['service', '--port', '0', '--key', "it's"])
  const exit = once(child, 'close')
  const [said] = await once(child.stdout, 'data')
  const [, baseURL = ''] = /^Serving at (\S+)\n/.exec(String(said)) ?? []
  expect(String(said)).toBe(
    `Serving at ${baseURL}\nexport OPENAI_BASE_URL=${baseURL}\nexport OPENAI_API_KEY='it'\\''s'\n`,
  )
  expect((await fetch(`${baseURL}/models`, { headers: { authorization: "Bearer it's" } })).status).toBe(200)
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
})

test('reports a port in use in one sentence', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as { readonly port: number }
  const { exit, err } = await capstan(['service', '--port', String(port)])
  expect(exit).toBe(1)
  expect(err).toMatch(new RegExp(`^capstan: Port ${port} is in use[^\\n]+\\n$`))
})

test('check reports skipped skills and findings, as errors with --strict, and without those of --off', async () => {
  const checked = async (...flags: readonly string[]) => {
    const { exit, out } = await capstan(['check', 'clerk.ts', '--json', ...flags])
    const { findings } = JSON.parse(out) as {
      findings: readonly { level: string; rule: string; tool: string }[]
    }
    return { exit, findings: findings.map(({ level, rule, tool }) => `${level} ${rule} ${tool}`) }
  }
  const [skipped, named] = ['skipped-skill skill plain', 'skill-name skill bills']
  expect(await checked()).toEqual({ exit: 0, findings: [`warning ${skipped}`, `warning ${named}`] })
  const path = JSON.stringify(join(agents, 'handbook'))
  const cwd = folder({
    'found.ts': `import { skills } from '@capstan/tools/skills'\nexport const found = await skills(${path})`,
  })
  const { out } = await capstan(['check', 'found.ts'], { cwd })
  expect(out).toMatch(/skipped-skill[\s\S]*skill-name[\s\S]*\n0 errors, 2 warnings/)
  expect(await checked('--strict')).toEqual({ exit: 1, findings: [`error ${skipped}`, `error ${named}`] })
  expect(await checked('--strict', '--off', 'skipped-skill')).toEqual({
    exit: 1,
    findings: [`error ${named}`],
  })
})

slowTest('check counts deferred tools as no part of the list', async () => {
  const { exit, out } = await capstan(['check', 'house.ts'])
  expect(out).toMatch(
    /^0 errors, 0 warnings, 0 hints\. The tools cost about \d\d tokens in every request\.$/m,
  )
  expect(exit).toBe(0)
})

test('mcp accept shows what the last connection found, and pins it', async () => {
  const hash = (digit: string) => digit.repeat(64)
  const pin = (digit: string) => ({
    description: hash(digit),
    schema: hash(digit),
    annotations: hash(digit),
  })
  const now = { description: 'Adds.\u001b[2J', inputSchema: { type: 'object', properties: { a: {} } } }
  const before = { format: 1, tools: { add: pin('a') } }
  const found = { format: 1, tools: { add: pin('b') }, changes: [{ name: 'add', changed: ['schema'], now }] }
  const cwd = folder({ 'pins.json': JSON.stringify(before), 'pins.json.changes': JSON.stringify(found) })
  const first = await capstan(['mcp', 'accept', 'pins.json'], { cwd })
  expect(first.exit).toBe(0)
  expect(first.out).toMatch(
    /^add: changed schema\n {2}Adds\.\S*\n {2}\{ a\?: any \}\npins\.json: 1 tool pinned/,
  )
  expect(first.out).not.toContain('\u001b')
  expect(JSON.parse(readFileSync(join(cwd, 'pins.json'), 'utf8')).tools).toEqual(found.tools)
  const again = await capstan(['mcp', 'accept', 'pins.json'], { cwd })
  expect([again.exit, again.out]).toEqual([0, 'pins.json has no changes to accept.\n'])
  expect((await capstan(['mcp', 'forget', 'pins.json'], { cwd })).exit).toBe(2)
})
