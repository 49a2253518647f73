import type { ChildProcessByStdio } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { some } from '../../../scripts/cases.mjs'

function run(...args: string[]): ChildProcessByStdio<null, Readable, Readable> {
  const cwd = new URL('..', import.meta.url)
  const node = ['--conditions', 'development', '--import', 'tsx', 'src/cli.ts', ...args]
  return spawn(process.execPath, node, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function outcome(...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
  const child = run(...args)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, out, err }
}

test.each(some(['SIGINT', 'SIGTERM'] as const))(
  'prints address, key and models, serves, and ends at %s',
  async (signal) => {
    const child = run('--port', '0', '--key', 'my-key')
    const exit = once(child, 'close')
    const lines: string[] = []
    for await (const line of createInterface(child.stdout)) {
      lines.push(line)
      if (/Any other/.test(line)) break
    }
    const baseURL = /OPENAI_BASE_URL=(\S+)/.exec(lines.join('\n'))?.[1]
    const response = await fetch(`${baseURL}/models`, { headers: { authorization: 'Bearer my-key' } })
    expect(response.status).toBe(200)
    child.kill(signal)
    expect(await exit).toEqual([0, null])
    expect(lines.slice(1)).toEqual([
      `export OPENAI_BASE_URL=${baseURL}`,
      "export OPENAI_API_KEY='my-key'",
      'Models:',
      expect.stringMatching(/^ {2}planner +planner; rules: picks/),
      expect.stringMatching(/^ {2}gpt-image-1 +painter; procedural: /),
      expect.stringMatching(/^ {2}dall-e-2 +painter; procedural: /),
      expect.stringMatching(/^ {2}gpt-4o-mini-tts +flite; real: /),
      expect.stringMatching(/^ {2}whisper-1 +pocketsphinx; real: /),
      expect.stringMatching(/^ {2}text-embedding-3-small +hashed-words; procedural: /),
      '  Any other name works too: the engine of the endpoint replies.',
    ])
  },
)

test('keeps running when its output is closed', async () => {
  const child = run('--port', '0', '--key', 'my-key')
  const exit = once(child, 'close')
  const [banner] = await once(child.stdout, 'data')
  const [origin = ''] = /http:\/\/[\d.:]+/.exec(String(banner)) ?? []
  child.stdout.destroy()
  for (let count = 0; count < 3; count++) expect((await fetch(`${origin}/healthz`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
})

test('a second SIGINT ends the service at once, with open requests', async () => {
  const child = run('--port', '0', '--key', 'my-key')
  const exit = once(child, 'close')
  const [banner] = await once(child.stdout, 'data')
  const [origin = ''] = /http:\/\/[\d.:]+/.exec(String(banner)) ?? []
  const body = JSON.stringify({ model: 'gpt-image-1', prompt: 'a cat', size: '2048x2048', n: 10 })
  const headers = { authorization: 'Bearer my-key', 'content-type': 'application/json' }
  const asked = fetch(`${origin}/v1/images/generations`, { method: 'POST', headers, body })
  const outcome = expect(asked).rejects.toThrow()
  for (let count = 0; count < 3; count++) await fetch(`${origin}/healthz`)
  child.kill('SIGINT')
  await expect(async () => {
    for (;;) await fetch(`${origin}/healthz`)
  }).rejects.toThrow()
  child.kill('SIGINT')
  expect(await exit).toEqual([1, null])
  await outcome
})

test('passes the command line to the service', async () => {
  const child = run(
    '--port',
    '0',
    '--no-key',
    '--cors',
    'https://app.example',
    '--workers',
    '1',
    '--queue',
    '2',
  )
  const exit = once(child, 'close')
  const [banner] = await once(child.stdout, 'data')
  const [origin = ''] = /http:\/\/[\d.:]+/.exec(String(banner)) ?? []
  const response = await fetch(`${origin}/v1/models`, { headers: { origin: 'https://app.example' } })
  const allowed = response.headers.get('access-control-allow-origin')
  expect([response.status, allowed]).toEqual([200, 'https://app.example'])
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
})

test('--help prints the options and exits with 0', async () => {
  expect(await outcome('--help')).toEqual({
    code: 0,
    out: expect.stringMatching(/npx -p @capstan\/service -p @capstan\/speech capstan-service[\s\S]+--port N/),
    err: '',
  })
})

test.each(
  some([
    ['--prot', '1'],
    ['--port', '70000'],
    ['--no-key', '--host', '0.0.0.0'],
  ]),
)('the arguments %s %s give one line and exit code 2', async (...args) => {
  const { code, out, err } = await outcome(...args)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toMatch(/^capstan-service: .+\n$/)
})

test('a port in use gives one line and exit code 1', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address ? address.port : 0
  expect(await outcome('--port', String(port))).toEqual({
    code: 1,
    out: '',
    err: `capstan-service: Port ${port} is in use. Choose another, or 0 for a free port.\n`,
  })
  other.close()
})
