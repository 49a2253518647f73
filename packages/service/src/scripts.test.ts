import OpenAI from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import type { ScriptRule } from './script.js'
import { rulesHeader, startScripts } from './scripts.js'
import type { ServiceOptions } from './service-options.js'
import { type Service, startService } from './start-service.js'

async function start(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService(options)
  onTestFinished(() => service.close())
  return service
}

async function reply(
  service: Service,
  content: string,
  defaultHeaders = {},
): Promise<string | null | undefined> {
  const client = new OpenAI({ ...service, maxRetries: 0, defaultHeaders })
  const messages = [{ role: 'user', content }] as const
  const { choices } = await client.chat.completions.create({ model: 'gpt-4o', messages: [...messages] })
  return choices[0]?.message.content
}

const always = (answer: string): ScriptRule[] => [{ when: '', answer }]

test('rules are replaced while the service runs, and reset restores those of the options', async () => {
  const service = await start({
    script: [
      { when: '', answer: 'first', times: 1 },
      { when: '', answer: 'later' },
    ],
  })
  expect([await reply(service, 'a'), await reply(service, 'a')]).toEqual(['first', 'later'])
  service.setRules(always('new'))
  expect(await reply(service, 'a')).toBe('new')
  service.setRules([])
  expect(await reply(service, 'a')).toContain('rule-based planner')
  service.reset()
  expect(await reply(service, 'a')).toBe('first')
  expect(() => service.setRules([{ when: '/(/', answer: 'x' }])).toThrow('script rule 0: when contains /(/')
  expect(await reply(service, 'a')).toBe('later')
})

test('a header gives rules to the requests of one test', async () => {
  const service = await start({ testing: true, script: always('own') })
  const rules: ScriptRule[] = [
    { when: '', answer: 'Käse 🧀', times: 1 },
    { when: '', answer: 'again' },
  ]
  const [one, other] = [rulesHeader(rules), rulesHeader(rules)]
  expect(await reply(service, 'a', one)).toBe('Käse 🧀')
  expect([
    await reply(service, 'a', other),
    await reply(service, 'a', one),
    await reply(service, 'a'),
  ]).toEqual(['Käse 🧀', 'again', 'own'])
})

test('the header is rejected unless the service was started for tests', async () => {
  const header = rulesHeader(always('x'))
  await expect(reply(await start(), 'a', header)).rejects.toMatchObject({
    status: 400,
    code: 'invalid_rules',
    param: 'x-capstan-rules',
  })
})

test('the header works only from the machine of the service', () => {
  const scripts = startScripts({ script: undefined, testing: true })
  const headers = rulesHeader(always('x'))
  expect(() => scripts.of({ headers, isLocal: false })).toThrow(
    expect.objectContaining({ status: 403, code: 'invalid_rules' }),
  )
  expect(scripts.of({ headers, isLocal: true })).toBeTypeOf('function')
})

test.each(['no JSON', '7', '{"rules": 7}', '[{"when": "x"}]'])('the header %s is a 400', async (rules) => {
  const service = await start({ testing: true })
  await expect(reply(service, 'a', { 'x-capstan-rules': rules })).rejects.toMatchObject({
    status: 400,
    code: 'invalid_rules',
  })
})

test('rules are refused where another server handles chat', async () => {
  const service = await start({ upstream: { url: 'http://127.0.0.1:9/v1' } })
  expect(() => service.setRules(always('x'))).toThrow('the upstream server handles chat')
})
