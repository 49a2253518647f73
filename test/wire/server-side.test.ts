import { startService } from '@capstan/service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CheckedServer, Finding } from './server-check.js'
import { checkServer, runCheck, serverChecks, toReport } from './server-side.js'
import { type Spoil, startSpoiledServer } from './spoiled-server.js'

let service: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  service = await startService({ models: ['planner'] })
})
afterAll(() => service.close())

function good(): CheckedServer {
  return { url: service.baseURL, key: service.apiKey, model: 'planner' }
}

const replacing =
  (pattern: string | RegExp, replacement: string): Spoil =>
  ({ text }) => ({ text: text.replaceAll(pattern, replacement) })
const wordless = replacing(/"content":"[^"]*"/g, '"content":""')
const callless = replacing('"tool_calls":[', '"calls":[')
const reasonless = replacing('"finish_reason":"tool_calls"', '"finish_reason":"stop"')
const unbraced = replacing(/"arguments":"\{/g, '"arguments":"')
const permissive: Spoil = () => ({ status: 200, text: '{"choices":[]}' })

/** What makes each check fail. */
const spoils: Readonly<Record<string, Spoil>> = {
  'plain-text': replacing('"finish_reason":"stop"', '"finish_reason":null'),
  'plain-type': () => ({ contentType: 'text/plain' }),
  'plain-usage': replacing('"total_tokens":', '"total_tokens":1'),
  'call-auto': unbraced,
  'call-forced': callless,
  'call-reason': reasonless,
  'call-none': replacing('"content":"', '"tool_calls":[{"id":"call_1"}],"content":"'),
  'call-ids': replacing(/"id":"call_\w+"/g, '"id":"call_1"'),
  'stream-text': wordless,
  'stream-type': () => ({ contentType: 'application/json' }),
  'stream-done': replacing('data: [DONE]\n\n', ''),
  'stream-head': replacing(/"id":"call_\w+"/g, '"id":""'),
  'stream-arguments': unbraced,
  'stream-forced': callless,
  'stream-reason': reasonless,
  'stream-usage': replacing('"usage":{', '"usages":{'),
  'result-plain': wordless,
  'result-streamed': wordless,
  'result-without-tools': wordless,
  'error-orphan': permissive,
  'error-model': () => ({ text: '{"message":"No such model."}' }),
  'error-json': () => ({ status: 500 }),
  'error-no-key': permissive,
  'error-wrong-key': () => ({ status: 403 }),
}

test('the local service passes every check', async () => {
  const findings = await checkServer(good())
  expect(findings.filter(({ kind }) => kind !== 'ok').map(toReport)).toEqual([])
})

test('a server that replies under any model name skips the unknown one', async () => {
  const { baseURL: url, apiKey: key, close } = await startService()
  const check = serverChecks.find(({ id }) => id === 'error-model')
  const finding = check && (await runCheck(check, { url, key, model: 'planner' }))
  await close()
  expect(finding).toMatchObject({ kind: 'skipped', why: 'the server replies under any model name' })
})

describe('each check sees its fault', () => {
  test.each(serverChecks.map((check) => [check.title, check] as const))('%s', async (_title, check) => {
    const spoil = spoils[check.id]
    if (!spoil) throw new Error(`nothing spoils ${check.id}`)
    await using server = await startSpoiledServer(service.baseURL, spoil)
    const finding = await runCheck(check, { ...good(), url: server.url })
    expect(finding, toReport(finding)).toMatchObject({ kind: 'failed', seen: expect.stringMatching(/\w/) })
  })
})

test('nothing is right about a server of web pages', async () => {
  const page: Spoil = () => ({ status: 200, contentType: 'text/html', text: '<title>Welcome</title>' })
  await using server = await startSpoiledServer(service.baseURL, page)
  const reported: Finding[] = []
  const findings = await checkServer({ ...good(), url: server.url }, (finding) => reported.push(finding))
  expect(reported).toEqual(findings)
  expect(findings.filter(({ kind }) => kind === 'ok')).toEqual([])
})

test('a server that is not there fails with the reason', async () => {
  const server = await startSpoiledServer(service.baseURL, () => ({}))
  await server[Symbol.asyncDispose]()
  const [check] = serverChecks
  if (!check) throw new Error('there is no check')
  expect(toReport(await runCheck(check, { url: server.url, model: 'm' }))).toMatch(/^failed .*ECONNREFUSED/)
})

test('a model that answers in words is no fault of its server', async () => {
  await using server = await startSpoiledServer(service.baseURL, callless)
  const findings = await checkServer({ ...good(), url: server.url })
  const skipped = findings.filter(({ kind }) => kind === 'skipped').map(({ check }) => check.id)
  expect(skipped).toContain('call-auto')
  expect(skipped).not.toContain('call-forced')
})

test('a server that needs no key is not asked to refuse one', async () => {
  const checks = serverChecks.filter(({ id }) => id.endsWith('-key'))
  const findings = await Promise.all(checks.map((check) => runCheck(check, { ...good(), key: undefined })))
  expect(findings.map(({ kind }) => kind)).toEqual(['skipped', 'skipped'])
})
