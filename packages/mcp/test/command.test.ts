import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, onTestFinished, test } from 'vitest'
import { some } from '../../../scripts/cases.mjs'
import { mcpTools } from '../src/index.js'
import { command } from './command.js'
import { isAlive, until } from './until.js'

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-mcp-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'file')
}

const written = (file: string) => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

async function connectOlder() {
  const client = new OlderClient({ name: 'older', version: '1' })
  const transport = new OlderTransport({ ...command(), stderr: 'ignore' })
  await client.connect(transport as never)
  onTestFinished(() => client.close())
  return { client, pid: Number(transport.pid) }
}

test('the command serves a file to an older client, whatever its tools print', async () => {
  const { client } = await connectOlder()
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['add', 'talk', 'pid', 'wait'])
  expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
    structuredContent: { sum: 3 },
  })
  expect(await client.callTool({ name: 'talk' })).toMatchObject({ content: [{ text: 'talked' }] })
})

test('an older client cancels a call, and the server continues', async () => {
  const { client } = await connectOlder()
  const file = temporaryFile()
  const controller = new AbortController()
  const call = client.callTool({ name: 'wait', arguments: { file } }, undefined, {
    signal: controller.signal,
    onprogress: () => controller.abort(),
  })
  await expect(call).rejects.toThrow()
  await until(() => written(file) === 'stopped')
  expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
    structuredContent: { sum: 3 },
  })
})

test('the command aborts active calls and exits when its client is gone', async () => {
  const { client, pid } = await connectOlder()
  const file = temporaryFile()
  const waiting = new Promise((resolve) => {
    client.callTool({ name: 'wait', arguments: { file } }, undefined, { onprogress: resolve }).catch(() => {})
  })
  await waiting
  await client.close()
  await until(() => !isAlive(pid))
  expect(written(file)).toBe('stopped')
})

test('our client works with the command', async () => {
  await using server = await mcpTools(command())
  const [add] = server.tools
  expect(await add?.call({ a: 1, b: 2 })).toEqual({ structured: { sum: 3 } })
})

test.each(some(['--help', '-h']))('%s prints the usage and exits with 0', async (flag) => {
  const { command: program, args } = command('')
  const child = spawn(program, [...args, flag], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      said += stream === child.stdout ? piece : `stderr: ${piece}`
    })
  const [code] = await once(child, 'close')
  expect([code, said]).toEqual([0, expect.stringMatching(/^usage: capstan-mcp FILE\n/)])
})

test.each([
  ['no file', '', /usage: capstan-mcp FILE/],
  ['a file with nothing to serve', './until.ts', /has no default export/],
])('with %s the command prints its usage', async (_what, file, says) => {
  const { command: program, args } = command(file)
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (piece) => {
    said += piece
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(2)
  expect(said).toMatch(says)
})
