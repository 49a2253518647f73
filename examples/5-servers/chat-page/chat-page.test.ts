import {
  Agent,
  type AnyAgent,
  agentTool,
  type ModelReply,
  type ModelRequest,
  type ModelSink,
  tool,
} from '@capstan/core'
import { startService } from '@capstan/service'
import { reply, scriptedModel } from '@capstan/testing'
import axe from 'axe-core'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { findChromium } from '../../../scripts/find-chromium.mjs'
import { getWeather } from '../../1-start/illustrator/tools.js'
import { startPage } from './start-page.js'
import { toTraveller } from './traveller.js'

const executablePath = findChromium(process.env)
if (!executablePath)
  console.warn('The chat page is NOT tested: no Chromium on the PATH, and CHROME_PATH is not set.')

describe.skipIf(!executablePath)('in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: String(executablePath) })
  })
  afterAll(() => browser?.close())

  /** The page of an agent. Whatever it asks from elsewhere, or complains of, fails the test. */
  async function open(agent: AnyAgent, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const { origin, close } = await startPage(agent)
    const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce' })
    const page = await context.newPage()
    const asked = new Set<string>()
    const complaints: string[] = []
    page.on('request', (request) => void asked.add(new URL(request.url()).origin))
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(origin)
    onTestFinished(async () => {
      await context.close()
      await close()
      expect([...asked]).toEqual([origin])
      expect(complaints).toEqual([])
    })
    return page
  }

  test('words are shown as they come', async () => {
    const { model, goOn } = haltingModel()
    const page = await open(new Agent({ model }))
    await say(page, 'Hello')
    await see(page.getByText('First', { exact: true }))
    await see(page.getByText('Thinking'))
    goOn()
    await see(page.getByText('First, then last.'))
    await see(page.getByText('Done', { exact: true }))
  })

  test('calls, a picture and a voice are shown, and the next question is understood', async () => {
    const service = await startService()
    onTestFinished(() => service.close())
    const page = await open(toTraveller(service))
    await say(page, 'Weather in Oslo, draw a red boat, and say "Ahoy" aloud.')
    const rows = page.getByRole('list', { name: 'Tool calls' }).getByRole('listitem')
    await expect
      .poll(() => rows.allInnerTexts(), { timeout: 100_000 })
      .toEqual([
        expect.stringMatching(/^get_weather\s+{"city":"Oslo"}\s+done\s+\d+\.\d s$/),
        expect.stringMatching(/^generate_image\s+{"prompt":"a red boat"}\s+done\s+\d+\.\d s$/),
        expect.stringMatching(/^speak\s+{"input":"Ahoy"}\s+done\s+\d+\.\d s$/),
      ])
    const picture = page.getByRole('img', { name: 'Picture: a red boat' })
    await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(1024)
    const player = page.getByLabel('Recording: Ahoy')
    await expect.poll(() => player.evaluate((audio: HTMLAudioElement) => audio.duration)).toBeGreaterThan(0.3)
    await say(page, 'And in Rome?')
    await see(page.getByText('get_weather (city Rome): conditions sunny, degrees 17.'))
  })

  test('a call that needs a yes is asked about, and runs after it', async () => {
    const { page } = await postcard()
    await see(page.getByText('Approval needed: send'))
    await see(page.getByRole('group', { name: 'Allow send?' }).getByText('"to": "Ada"'))
    await see(page.getByRole('group').getByText('"send" needs approval.'))
    expect(await stateOf(page, 'send')).toBe('waits')
    await page.getByRole('button', { name: 'Approve' }).click()
    await see(page.getByText('So it is.'))
    expect(await stateOf(page, 'send')).toBe('done')
    expect(await page.getByRole('article', { name: 'Answer' }).count()).toBe(1)
  })

  test('one question follows another in the same answer, each call with its own', async () => {
    const steps = [
      reply.calls(reply.call('send', { to: 'Ada' }), reply.call('send', { to: 'Bob' })),
      reply.call('send', { to: 'Eve' }),
      reply.text('So it is.'),
    ]
    const model = scriptedModel(steps)
    const page = await open(new Agent({ model, tools: [send] }))
    await say(page, 'Three postcards')
    const row = (to: string) => page.getByRole('listitem').filter({ hasText: to })
    await row('Bob').getByRole('button', { name: 'Deny' }).click()
    await row('Ada').getByRole('button', { name: 'Approve' }).click()
    await row('Eve').getByRole('button', { name: 'Approve' }).click()
    await see(page.getByText('So it is.'))
    expect(await page.locator('.state').allTextContents()).toEqual(['done', 'denied', 'done'])
  })

  test('a no is told to the model with its reason, also after the page was loaded anew', async () => {
    const { page, model } = await postcard()
    await see(page.getByRole('group', { name: 'Allow send?' }))
    await page.reload()
    await page.getByLabel('Reason, if you deny').fill('Not today')
    await page.getByRole('button', { name: 'Deny' }).click()
    await see(page.getByText('So it is.'))
    expect(await stateOf(page, 'send')).toBe('denied')
    await see(page.getByText('Denied: Not today'))
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('Not today')
  })

  test('a tool that fails says why', async () => {
    const model = scriptedModel([
      reply.call('get_weather', { city: 'Atlantis' }),
      reply.text('Nobody knows.'),
    ])
    const page = await open(new Agent({ model, tools: [getWeather] }))
    await say(page, 'Atlantis?')
    await see(page.getByText('No weather for "Atlantis".'))
    expect(await stateOf(page, 'get_weather')).toBe('failed')
  })

  test('a run is stopped, and its call is not shown as running any more', async () => {
    const { agent, aborted } = waitingAgent()
    const page = await open(agent)
    await say(page, 'Wait')
    await see(page.getByText('Running: wait'))
    await page.getByRole('button', { name: 'Stop' }).click()
    await see(page.getByRole('status').getByText('Stopped'))
    await aborted
    expect(await stateOf(page, 'wait')).toBe('failed')
    await expect.poll(() => page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(false)
  })

  test('a page that is loaded anew reads on, and shows nothing twice', async () => {
    const { model, goOn } = haltingModel()
    const page = await open(new Agent({ model }))
    await say(page, 'Hello')
    await see(page.getByText('First', { exact: true }))
    await page.reload()
    await see(page.getByText('First', { exact: true }))
    goOn()
    await see(page.getByText('First, then last.'))
    await see(page.getByText('Done', { exact: true }))
    await page.reload()
    expect(await page.getByRole('article').allInnerTexts()).toEqual(['Hello', 'First, then last.'])
  })

  test('a page that is loaded anew after a yes reads on in the same answer', async () => {
    const { promise, resolve } = deferred()
    const slow = tool({
      name: 'send',
      description: 'Sends a postcard',
      parameters: z.object({}),
      needsApproval: true,
      execute: () => promise,
    })
    const model = scriptedModel([reply.call('send'), reply.text('So it is.')])
    const page = await open(new Agent({ model, tools: [slow] }))
    await say(page, 'Send')
    await page.getByRole('button', { name: 'Approve' }).click()
    await see(page.getByText('Running: send'))
    await page.reload()
    await see(page.getByText('Running: send'))
    resolve()
    await see(page.getByText('So it is.'))
    expect(await stateOf(page, 'send')).toBe('done')
    expect(await page.getByRole('article').count()).toBe(2)
  })

  test('an answer that was cut off, or is over when the page is back, is told', async () => {
    const page = await open(new Agent({ model: scriptedModel([]) }))
    const start = 'data: {"type":"start","messageId":"a"}\n\ndata: {"type":"text-st'
    await page.route('**/agent/ui', (route) => route.fulfill({ body: start }))
    await say(page, 'Hello')
    await see(page.getByRole('alert').getByText('The connection was lost.'))
    await page.route('**/stream', (route) => route.fulfill({ status: 204 }))
    await page.reload()
    await see(page.getByRole('alert').getByText('The reply ended before the page was reloaded.'))
    expect(await page.getByRole('article').allInnerTexts()).toEqual(['Hello'])
  })

  test('an agent within the agent asks, and the call above it is not shown as cut off', async () => {
    const desk = new Agent({
      name: 'desk',
      model: scriptedModel([reply.call('send', { to: 'Ada' }), reply.text('Sent.')]),
      tools: [send],
    })
    const model = scriptedModel([reply.call('desk', { input: 'A postcard' }), reply.text('So it is.')])
    const page = await open(new Agent({ model, tools: [agentTool(desk, { description: 'Post' })] }))
    await say(page, 'A postcard')
    await see(page.getByRole('group', { name: 'Allow send?' }))
    expect(await stateOf(page, 'desk')).toBe('running')
    await page.getByRole('button', { name: 'Approve' }).click()
    await see(page.getByText('So it is.'))
    expect([await stateOf(page, 'desk'), await stateOf(page, 'send')]).toEqual(['done', 'done'])
  })

  test('a refusal and a failure are told', async () => {
    const model = scriptedModel([reply.fail('auth'), reply.text('Hello.')])
    const page = await open(new Agent({ model }))
    await say(page, 'Hi')
    await see(page.getByRole('alert').getByText('The agent failed (auth).'))
    await say(page, 'Hi again')
    await see(page.getByText('Hello.'))
    expect(await page.getByRole('alert').textContent()).toBe('')
    await page.context().clearCookies()
    await say(page, 'And again')
    await see(page.getByRole('alert').getByText('Authentication is required.'))
  })

  test('all is done by keys', async () => {
    const { page } = await postcard()
    await see(page.getByText('Approval needed: send'))
    for (const name of ['Deny', 'Approve']) {
      await page.keyboard.press('Shift+Tab')
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(name)
    }
    await page.keyboard.press('Enter')
    await see(page.getByText('So it is.'))
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('words')
  })

  test.each(['light', 'dark'] as const)('axe finds nothing wrong (%s)', async (scheme) => {
    const asks = reply.calls(
      reply.call('get_weather', { city: 'Oslo' }),
      reply.call('get_weather', { city: 'Atlantis' }),
      reply.call('record', {}),
      reply.call('send', { to: 'Ada' }),
    )
    const model = scriptedModel([asks, reply.text('So it is.'), reply.fail('auth')])
    const page = await open(new Agent({ model, tools: [getWeather, record, send] }), scheme)
    expect(await violations(page)).toEqual([])
    await say(page, 'All of it')
    await see(page.getByRole('group', { name: 'Allow send?' }))
    await see(page.getByLabel('Recording: made by record'))
    await see(page.getByRole('img', { name: 'Picture: made by record' }))
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Deny' }).click()
    await see(page.getByText('So it is.'))
    await say(page, 'More')
    await see(page.getByRole('alert').getByText('The agent failed'))
    expect(await violations(page)).toEqual([])
  })

  async function postcard() {
    const model = scriptedModel([reply.call('send', { to: 'Ada' }), reply.text('So it is.')])
    const page = await open(new Agent({ model, tools: [send] }))
    await say(page, 'A postcard to Ada')
    return { page, model }
  }
})

const send = tool({
  name: 'send',
  description: 'Sends a postcard',
  parameters: z.object({ to: z.string() }),
  needsApproval: true,
  execute: ({ to }) => `sent to ${to}`,
})

const silence = Buffer.concat([
  Buffer.from(
    'RIFF\x64\x06\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\x40\x06\0\0',
    'latin1',
  ),
  Buffer.alloc(1600),
])
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const record = tool({
  name: 'record',
  description: 'Records and photographs',
  parameters: z.object({}),
  execute: async (_, { artifacts }) => [
    await artifacts.put(silence, { kind: 'audio', mediaType: 'audio/wav' }),
    await artifacts.put(pixel, { kind: 'image', mediaType: 'image/png', width: 1, height: 1 }),
  ],
})

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** A model that streams one word, and the rest when the test allows it. */
function haltingModel() {
  const { promise, resolve } = deferred()
  const model = {
    name: 'halting',
    async complete(_: ModelRequest, sink?: ModelSink): Promise<ModelReply> {
      sink?.({ type: 'text', text: 'First' })
      await promise
      sink?.({ type: 'text', text: ', then last.' })
      return { message: { role: 'assistant', content: 'First, then last.' } }
    },
  }
  return { model, goOn: resolve }
}

/** An agent whose tool ends only when it is aborted. */
function waitingAgent() {
  const { promise: aborted, resolve } = deferred()
  const wait = tool({
    name: 'wait',
    description: 'Waits',
    parameters: z.object({}),
    execute: (_, { signal }) =>
      new Promise<void>((_, reject) =>
        signal.addEventListener('abort', () => {
          resolve()
          reject(signal.reason)
        }),
      ),
  })
  return { agent: new Agent({ model: scriptedModel([reply.call('wait')]), tools: [wait] }), aborted }
}

/** As a person would: into the field that has the focus, with Enter. */
async function say(page: Page, words: string): Promise<void> {
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('words')
  await page.keyboard.type(words)
  await page.keyboard.press('Enter')
}

function see(what: Locator): Promise<void> {
  return what.waitFor({ timeout: 100_000 })
}

function stateOf(page: Page, name: string): Promise<string | null> {
  return page.getByRole('listitem').filter({ hasText: name }).locator('.state').textContent()
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() =>
    (globalThis as typeof globalThis & { axe: typeof axe }).axe.run(),
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
