import { fileURLToPath } from 'node:url'
import { Agent, type CapstanError } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type McpTools, mcpTools } from './mcp-tools.js'
import type { CommonOptions } from './options.js'

// These servers are child processes that exit by themselves.
const hostile = fileURLToPath(new URL('../../test/hostile-server.mjs', import.meta.url))

const failureOf = async (work: Promise<unknown>): Promise<CapstanError> => {
  const [settled] = await Promise.allSettled([work])
  if (settled?.status !== 'rejected') throw new Error('It did not fail.')
  return settled.reason
}

const startFailure = (script: string, env?: Record<string, string>, args: readonly string[] = []) =>
  failureOf(mcpTools({ command: process.execPath, args: ['-e', script, ...args], ...(env ? { env } : {}) }))

async function connect(wrong: string, options: CommonOptions = {}): Promise<McpTools> {
  const server = await mcpTools({ command: process.execPath, args: [hostile, wrong], ...options })
  onTestFinished(() => server.close())
  return server
}

const callOf = async ({ tools: [tool] }: McpTools) => tool?.call({})

test('a process that ends at its start is reported with exit code, output and the advice about variables', async () => {
  const { code, message, evidence, retryable } = await startFailure(
    'console.error("No API_URL is set."); process.exit(7)',
  )
  expect([code, retryable]).toEqual(['network', true])
  expect(message).toBe(
    `The MCP server "${process.execPath}" failed while connecting: it ended with exit code 7. It gets only PATH, HOME and the like: pass other variables in env. Its stderr ends with:\nNo API_URL is set.`,
  )
  expect(evidence).toMatchObject({ exitCode: 7, stderr: 'No API_URL is set.' })
})

test('a process that ends after the first message is reported alike', async () => {
  const { message, evidence } = await startFailure('process.stdin.once("data", () => process.exit(0))')
  expect(message).toContain('it ended with exit code 0. It gets only PATH, HOME and the like')
  expect(evidence).toMatchObject({ exitCode: 0 })
  expect(evidence).not.toHaveProperty('stderr')
})

test.skipIf(process.platform === 'win32')('a process that a signal ends is reported with it', async () => {
  const { message, evidence } = await startFailure('process.kill(process.pid, "SIGKILL")')
  expect(message).toContain('it ended by SIGKILL.')
  expect(evidence).toMatchObject({ signal: 'SIGKILL' })
  expect(evidence).not.toHaveProperty('exitCode')
})

test('reports the last 2 kB of long output', async () => {
  const { evidence, message } = await startFailure(
    'for (let at = 0; at < 9000; at++) require("fs").writeSync(2, at + "\\n"); process.exit(1)',
  )
  const { stderr } = evidence as { stderr: string }
  expect(stderr.endsWith('8998\n8999')).toBe(true)
  expect(stderr.length).toBeGreaterThan(1990)
  expect(stderr.length).toBeLessThanOrEqual(2000)
  expect(message.endsWith(stderr)).toBe(true)
})

test('reports no credential of env, of this process, or of the output itself', async () => {
  vi.stubEnv('CAPSTAN_TEST_TOKEN', 'token-of-this-process')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { message, evidence } = await startFailure(
    'console.error(process.env.GIVEN, process.argv[1], "password=hunter-two", Buffer.from(process.env.GIVEN).toString("base64")); process.exit(1)',
    { GIVEN: 'given-to-the-server' },
    ['token-of-this-process'],
  )
  const shown = JSON.stringify([message, evidence])
  expect(shown).toContain('password=[redacted]')
  const inBase64 = Buffer.from('given-to-the-server').toString('base64')
  for (const secret of ['given-to-the-server', 'token-of-this-process', 'hunter-two', inBase64])
    expect(shown).not.toContain(secret)
})

test('a process that ends in a call is reported to the model and the program, without the advice', async () => {
  const server = await connect('dies-with-output')
  const { message, evidence } = await failureOf(callOf(server))
  expect(message).toBe(
    `The MCP server "${process.execPath}" failed while calling "plain": it ended with exit code 3. The request may have taken effect. Its stderr ends with:\nCannot reach the database.`,
  )
  expect(evidence).toMatchObject({ exitCode: 3, stderr: 'Cannot reach the database.' })
  const model = scriptedModel([reply.call('plain'), reply.text('I see.')])
  const { toolCalls } = await new Agent({ model, tools: server.tools }).run('Go')
  expect(toolCalls[0]?.content).toContain('it ended with exit code 3.')
  expect(toolCalls[0]?.content).toContain('Cannot reach the database.')
})

test('without reconnect later calls report how the process ended', async () => {
  const server = await connect('dies-with-output', { reconnect: false })
  await failureOf(callOf(server))
  const { code, message, evidence } = await failureOf(callOf(server))
  expect(code).toBe('invalid_state')
  expect(message).toMatch(/reconnect is off.*It ended with exit code 3\. Its stderr ends with:\nCannot reach/)
  expect(evidence).toMatchObject({ exitCode: 3 })
})

test('a process that this client ends has not ended by itself', async () => {
  const silent = { command: process.execPath, args: [hostile, 'silent'], timeoutMs: 300 }
  const { code, message, evidence } = await failureOf(mcpTools(silent))
  expect(code).toBe('timeout')
  expect(message).not.toContain('ended')
  expect(evidence).not.toHaveProperty('exitCode')
  expect(evidence).not.toHaveProperty('signal')
})
