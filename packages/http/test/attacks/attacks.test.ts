import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startHostileModels } from './hostile-models.js'

let models: Awaited<ReturnType<typeof startHostileModels>>
let server: ChildProcess
let origin: string
let ordinary: Response
let errors = ''

beforeAll(async () => {
  models = await startHostileModels()
  const script = fileURLToPath(new URL('./attacked-server.ts', import.meta.url))
  const flags = ['--conditions=development', '--import=tsx', '--unhandled-rejections=strict']
  server = spawn(process.execPath, [...flags, script, models.baseURL], {
    env: { ...process.env, TSX_DISABLE_CACHE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  server.stderr?.setEncoding('utf8').on('data', (text) => {
    errors += text
  })
  const port = await Promise.race([
    once(server.stdout as NodeJS.ReadableStream, 'data').then(String),
    once(server, 'exit').then(() => Promise.reject(new Error(errors))),
  ])
  origin = `http://127.0.0.1:${port.trim()}`
  // Another user's run, active during all attacks.
  ordinary = await post('/runs', { agent: 'polite', input: 'Go.' }, 'bob')
}, 300_000)

afterAll(() => {
  server.kill()
  models.close()
})

function post(path: string, body: object, user = 'ann'): Promise<Response> {
  const headers = { authorization: `Bearer user-${user}`, 'content-type': 'application/json' }
  return fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

const said = { id: 'm', role: 'user', content: 'Go.', parts: [{ type: 'text', text: 'Go.' }] }
const routes: Readonly<Record<string, (agent: string) => Promise<Response>>> = {
  'runs, streamed': (agent) => post('/runs', { agent, input: 'Go.' }),
  'runs, whole': (agent) => post('/runs', { agent, input: 'Go.', stream: false }),
  'chat, streamed': (model) => post('/v1/chat/completions', { model, messages: [said], stream: true }),
  'chat, whole': (model) => post('/v1/chat/completions', { model, messages: [said] }),
  ui: (agent) => post('/ui', { id: 'chat', agent, messages: [said] }),
  'ag-ui': (agent) =>
    post(`/ag-ui/${agent}`, { threadId: 't', runId: 'r', messages: [said], tools: [], context: [] }),
}

/** What is answered: a stream says what failed in its last part, a whole answer by its status. */
const attacks: readonly [string, string, RegExp, RegExp][] = [
  ['40 kB of nested unknown fields', 'nested', /hi/, /error/i],
  ['an answer without end', 'endless', /invalid_response|agent failed/, /"stopReason":"done"/],
  ['progress that JSON cannot hold', 'counting', /Done\./, /error/i],
  ['a failure that onError rejects', 'failing', /"code":"|agent failed/, /the model is away/],
]

describe.each(attacks)('%s', (_what, agent, expected, unexpected) => {
  test.each(Object.entries(routes))(
    'by %s leaves the process unharmed',
    async (_route, ask) => {
      const response = await ask(agent)
      const answer = await response.text()
      expect(answer).toMatch(expected)
      expect(answer).not.toMatch(unexpected)
      const headers = { authorization: 'Bearer user-bob' }
      expect((await fetch(`${origin}/v1/models`, { headers })).status).toBe(200)
      expect([server.exitCode, server.signalCode]).toEqual([null, null])
    },
    120_000,
  )
})

test('an ordinary run completes during all attacks', async () => {
  models.release()
  const answer = await ordinary.text()
  expect(answer).toContain('"text":"Before, and after."')
  expect(answer).toContain('"stopReason":"done"')
  expect([server.exitCode, server.signalCode]).toEqual([null, null])
  expect(errors).not.toMatch(/unhandled|uncaught/i)
}, 120_000)
