import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, unlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Service, startService } from '@capstan/service'
import { afterAll, beforeAll, expect, onTestFinished, type TestContext, test } from 'vitest'
import { isLong } from '../scripts/cases.mjs'
import { exampleFile, exampleNames } from '../scripts/examples.mjs'
import { plainOutput } from '../scripts/plain-output.mjs'
import { slowTest } from '../scripts/slow-test.mjs'

const folder = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('..', import.meta.url))
const title = '%s ends by itself and prints what its file in expected/ contains'
/**
 * Long sound, workers that are killed, whole programs, examples whose parts the tests of packages have, and variants of
 * other examples: `.ci/long` runs them. `.ci/run` compares the main example.
 */
const slow = [
  'abort',
  'ag-ui',
  'agent-as-model',
  'agent-protocols',
  'ai-sdk-model',
  'approve-by-mail',
  'ask-the-planner',
  'background',
  'batch',
  'caching',
  'chat-server',
  'coming-from',
  'conversation',
  'data-parts',
  'draw-edit-speak',
  'durable-approval',
  'durable-workers',
  'edit-a-photo',
  'edit-a-region',
  'event-tree',
  'files-and-commands',
  'frameworks',
  'from-ai-sdk',
  'given-client',
  'guard',
  'handoff',
  'hosted-tools',
  'hosts',
  'http',
  'illustrator',
  'lean',
  'ledger',
  'limits',
  'listening',
  'local-models',
  'log-runs',
  'long-recording',
  'long-run',
  'many-tools',
  'mcp-both-ways',
  'mcp-tools',
  'media-by-hand',
  'media-fields',
  'media-pipeline',
  'messages',
  'moderation',
  'openapi-tools',
  'own-model',
  'parallel-tools',
  'partial-calls',
  'photo-clerk',
  'picture-book',
  'ported',
  'prepare-step',
  'protocols',
  'proxy',
  'rate-limits',
  'raw-server',
  'readme',
  'recording',
  'responses',
  'restart',
  'results-for-the-model',
  'retry-and-cache',
  'scripted-service',
  'service-alone',
  'service-protocols',
  'settings',
  'several-processes',
  'skills',
  'small-window',
  'speaking',
  'steering',
  'steps',
  'streaming',
  'subtitles',
  'team',
  'team-budget',
  'telemetry',
  'trouble',
  'two-users',
  'typed-tool',
  'ui-stream',
  'vision',
  'voices',
  'waiting-program',
  'warehouse',
]
/** Lines for programs that ask a person: one text for each run of the program, all in one folder. */
const typed: Record<string, readonly string[]> = {
  terminal: [
    'Add the task "sell the house" on Friday.\nn\nAdd the task "buy paint" on Monday.\ny\n\n',
    'And on Friday?\ny\nList all tasks.\n',
  ],
}
// The chat page runs until Ctrl-C, and has tests of its own.
const examples = exampleNames().filter((name) => name !== 'chat-page')

/** Examples ask one service; the first of them starts its own, as its reader's does (scripts/bundle-hooks.mjs). */
let shared: Service
beforeAll(async () => {
  shared = await startService()
})
afterAll(() => shared.close())

function sharedService(name: string): Record<string, string> {
  if (isLong || name === 'hello') return {}
  const { baseURL, apiKey } = shared
  const variables = { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey, CAPSTAN_MODEL: 'planner' }
  return { CAPSTAN_SHARED_SERVICE: JSON.stringify(variables) }
}

// Each example is a process with no key, which ends by itself. It runs as translated by scripts/bundle-packages.mjs,
// and from source, as its reader runs it, with CAPSTAN_LONG=1. One at a time: other files run beside them.
test.for(examples.filter((name) => !slow.includes(name)))(title, { timeout: 120_000 }, compare)
slowTest.for(slow)(title, { timeout: 120_000 }, compare)

async function compare(name: string, { skip, onTestFinished }: TestContext): Promise<void> {
  const { code, output, errors } = await runAll(name, temporaryFolder(onTestFinished))
  if (errors.startsWith('SKIPPED')) {
    console.warn(errors)
    expect(code).toBe(0)
    skip(errors)
  }
  expect(errors).toBe('')
  expect(code).toBe(0)
  const expected = `${folder}expected/${name}.txt`
  expect(existsSync(expected), `${expected} is missing; the example prints:\n${output}`).toBe(true)
  expect(plainOutput(output)).toBe(plainOutput(readFileSync(expected, 'utf8')))
}

/** Runs a program, or one that reads lines as often as there are texts for it. */
async function runAll(name: string, cwd: string): ReturnType<typeof run> {
  let all = { code: 0 as number | null, output: '', errors: '' }
  for (const input of typed[name] ?? ['']) {
    const { code, output, errors } = await run(name, cwd, settingFor(name), input)
    all = { code: all.code || code, output: `${all.output}${output}\n`, errors: all.errors + errors }
  }
  return all
}

slowTest(
  'the main example runs again over what it made, also when a file of it is gone or cut',
  {
    timeout: 120_000,
  },
  async () => {
    const cwd = temporaryFolder()
    const first = await run('illustrator', cwd)
    const [gone = '', cut = ''] = readdirSync(join(cwd, 'output')).filter((name) => /\.(png|wav)$/.test(name))
    unlinkSync(join(cwd, 'output', gone))
    truncateSync(join(cwd, 'output', cut), 10)
    const second = await run('illustrator', cwd)
    expect(second.errors).toBe('')
    expect(plainOutput(second.output)).toBe(plainOutput(first.output))
  },
)

test('with an address and no key the main example asks there without one', async () => {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers.authorization)
    response.setHeader('content-type', 'application/json')
    const message = { role: 'assistant', content: 'Hello.' }
    response.end(JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop', message }] }))
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const { output } = await run('illustrator', temporaryFolder(), {
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
  })
  expect(output).toContain(`Using http://127.0.0.1:${port}/v1. No OPENAI_API_KEY, so no key is sent.`)
  expect(output).toContain('done: 1 step, 0 calls, 0 files in output/')
  expect(asked).toEqual([undefined])
})

test('with a key for chat alone the main example makes images itself', async () => {
  const calls = [{ name: 'generate_image', arguments: { prompt: 'a cat', size: '64x64' } }]
  const script = [
    { when: { role: 'user' }, calls },
    { when: { role: 'tool' }, answer: 'Drawn.' },
  ] as const
  const there = await startService({ script })
  onTestFinished(() => there.close())
  const { output } = await run('illustrator', temporaryFolder(), {
    OPENAI_BASE_URL: there.baseURL,
    OPENAI_API_KEY: there.apiKey,
    CAPSTAN_MEDIA: 'local',
  })
  expect(output).toContain('The local service makes images and audio.')
  expect(output).toContain('done: 2 steps, 1 call, 1 file in output/')
  const asked = { path: '/v1/chat/completions', status: 200, body: { model: 'gpt-5-mini' } }
  expect(there.requests).toMatchObject([asked, asked])
})

slowTest('the whole main example runs with a key for chat alone', { timeout: 120_000 }, async () => {
  const there = await startService()
  onTestFinished(() => there.close())
  const { output } = await run('illustrator', temporaryFolder(), {
    OPENAI_BASE_URL: there.baseURL,
    OPENAI_API_KEY: there.apiKey,
    CAPSTAN_MEDIA: 'local',
  })
  expect(output).toContain('done: 5 steps, 5 calls, 3 files in output/')
  expect(new Set(there.requests.map(({ path }) => path))).toEqual(new Set(['/v1/chat/completions']))
})

/** The engine of durable runs sets its connections up in a way that their driver warns of. */
function settingFor(name: string): Record<string, string> {
  return name.startsWith('durable-') ? { NODE_NO_WARNINGS: '1' } : {}
}

// Examples write into a folder of where they are run: each test has its own.
function temporaryFolder(finished: TestContext['onTestFinished'] = onTestFinished): string {
  const path = mkdtempSync(join(tmpdir(), 'capstan-examples-'))
  finished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function run(
  name: string,
  cwd: string,
  set: Record<string, string> = {},
  input = '',
): Promise<{ code: number | null; output: string; errors: string }> {
  const args = [
    '--conditions=development',
    `--import=${import.meta.resolve('tsx')}`,
    join(root, exampleFile(name) ?? ''),
  ]
  const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, ...rest } = process.env
  const env = { ...rest, ...sharedService(name), ...set }
  const child = spawn(process.execPath, args, {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end(input)
  const output: Buffer[] = []
  const errors: Buffer[] = []
  child.stdout.on('data', (piece) => output.push(piece))
  child.stderr.on('data', (piece) => errors.push(piece))
  // An example that hangs ends before its test does.
  const hanging = setTimeout(() => child.kill('SIGKILL'), 110_000)
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(hanging)
      resolve({ code, output: Buffer.concat(output).toString(), errors: Buffer.concat(errors).toString() })
    })
  })
}
