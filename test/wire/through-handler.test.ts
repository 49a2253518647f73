// An agent behind our handler is a model like others: what a server may say in these cases, an agent says through it.
import { Agent, chatModel } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { startService } from '@capstan/service'
import { reply, scriptedModel } from '@capstan/testing'
import { serve } from '@hono/node-server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isLong } from '../../scripts/cases.mjs'
import { allCases } from './cases/all-cases.js'
import { runAgent } from './chat-client.js'
import { resultOf } from './follow-up.js'
import { isSameJson, toOwn } from './same-json.js'
import { checkServer, toReport } from './server-side.js'

const spoken = allCases.filter(({ expect: [best] }) => {
  const isWritten = best?.calls.every(({ lengths }) => lengths === undefined)
  return (
    best && isWritten && !best.error && !best.incomplete && (best.calls.length > 0 || best.text !== undefined)
  )
})

test('most cases are such that an agent can say what is expected', () => {
  expect(spoken.length).toBeGreaterThan(150)
})

// Each case in both ways with CAPSTAN_LONG=1, else half of them in one: `conformance.test.ts` reads all of them.
describe.each([false, true])('streamed: %s', (stream) => {
  const tried = spoken.filter((_, at) => isLong || at % 4 === (stream ? 0 : 2))
  test.each(tried.map((one) => [`${one.id} ${one.title}`, one] as const))('%s', async (_, wireCase) => {
    const [best] = wireCase.expect
    if (!best) throw new Error('there is nothing to expect')
    const words = best.text ?? ''
    const made = best.calls.map(({ name, arguments: args = {} }) => reply.call(name, args as object))
    const first = made.length > 0 ? [said(words, made), reply.text('All done.')] : [reply.text(words)]
    const handler = agentHandler(new Agent({ name: 'helper', model: scriptedModel(first) }), {
      authenticate: false,
      hosts: ['house.test'],
    })
    const ask = (input: string | URL | Request, init?: RequestInit) => handler(new Request(input, init))
    const runs: { name: string; arguments: unknown }[] = []
    const tools = wireCase.tools.map((shape) => ({
      ...shape,
      execute(args: unknown) {
        runs.push({ name: shape.name, arguments: toOwn(args) })
        return resultOf(shape.name, args)
      },
    }))
    const model = chatModel('helper', {
      baseURL: 'http://house.test/v1',
      apiKey: '',
      maxRetries: 0,
      fetch: ask as typeof fetch,
      textCalls: false,
    })
    const question = {
      baseURL: '',
      apiKey: '',
      model: 'helper',
      text: wireCase.question,
      tools,
      stream,
      maxRetries: 0,
    }
    const report = await runAgent({ ...question, signal: new AbortController().signal }, model)
    expect(report.text).toBe(made.length > 0 ? 'All done.' : words)
    const expected = best.calls.map(({ name, arguments: args = {} }) => ({ name, arguments: args }))
    expect(runs).toHaveLength(expected.length)
    expect(expected.filter((one) => !runs.some((run) => isSameJson(run, one)))).toEqual([])
  })
})

/** Words and calls in one answer. */
function said(words: string, made: readonly ReturnType<typeof reply.call>[]) {
  if (words === '') return reply.calls(...made)
  const message = {
    role: 'assistant' as const,
    content: words,
    tool_calls: made.map(({ name, arguments: args }, at) => ({
      id: `call_${at}`,
      type: 'function' as const,
      function: { name, arguments: JSON.stringify(args) },
    })),
  }
  return () => ({ message, finishReason: 'tool_calls' })
}

test('a handler passes every check of a server', async () => {
  const service = await startService()
  onTestFinished(() => service.close())
  const agent = new Agent({ name: 'planner', model: chatModel('planner', service) })
  const handler = agentHandler(agent, {
    authenticate: (request) =>
      request.headers.get('authorization') === 'Bearer house-key' ? { id: 'ann' } : undefined,
  })
  // Files of a project share a process: the globals must stay as they are.
  const server = serve({ fetch: handler, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false })
  onTestFinished(() => void server.close())
  await new Promise((ready) => server.once('listening', ready))
  const { port } = server.address() as { port: number }
  const findings = await checkServer({
    url: `http://127.0.0.1:${port}/v1`,
    key: 'house-key',
    model: 'planner',
  })
  expect(findings.filter(({ kind }) => kind !== 'ok').map(toReport)).toEqual([])
})
