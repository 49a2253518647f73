import { Agent, type ModelReply, type ModelRequest, type ModelSink, tool } from '@capstan/core'
import { pcmFmt, wavHeader } from '@capstan/formats/wav'
import { reply, scriptedModel } from '@capstan/testing'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { executablePath, openPage, picture, say, see } from './open-page.js'
import { useBrowser } from './setup.js'
import { SmallStudio } from './small-studio.js'

const getWeather = tool({
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: 4 }),
})
/** A red dot. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

describe.skipIf(!executablePath)('the chat', () => {
  const open = useBrowser()

  test('the link opens the page, the address has no token, and without a cookie the page asks for the link', async () => {
    const { page, server, browser } = await open(new SmallStudio(new Agent({ model: scriptedModel([]) })))
    await see(page.getByRole('heading', { name: 'New chat' }))
    expect(page.url()).toBe(`${server.origin}/`)
    const stranger = await openPage(browser, `${server.origin}/runs`, { expected: /401/ })
    await see(stranger.getByText('Open the link that'))
    await stranger.getByLabel('Or paste it here').fill(server.url)
    await stranger.getByRole('button', { name: 'Open' }).click()
    await see(stranger.getByRole('heading', { name: 'New chat' }))
    expect(stranger.url()).toBe(`${server.origin}/`)
  })

  test('answers a question: calls, then text as Markdown', async () => {
    const model = scriptedModel([
      reply.call('get_weather', { city: 'Oslo' }),
      reply.text('It is **cold** in Oslo:\n\n- 4 degrees'),
    ])
    const { page } = await open(new SmallStudio(new Agent({ name: 'traveller', model, tools: [getWeather] })))
    await say(page, 'Weather in Oslo?')
    await see(page.locator('.message.agent strong', { hasText: 'cold' }))
    await see(page.locator('.message.user', { hasText: 'Weather in Oslo?' }))
    await see(page.locator('.call', { hasText: 'get_weather' }).getByText('ok'))
    await see(page.getByRole('treegrid', { name: 'Timeline' }).getByRole('row', { name: /get_weather/ }))
    await see(page.getByRole('status').getByText('done, 2 steps, 1 call'))
    await picture(page, 'chat')
  })

  test('words appear as they come; a reload in the middle and a second tab show the same', async () => {
    const { model, goOn } = haltingModel()
    const { page, browser, server } = await open(new SmallStudio(new Agent({ model })))
    await say(page, 'Hello')
    await see(page.getByText('First', { exact: true }))
    await page.reload()
    await see(page.getByText('First', { exact: true }))
    const second = await page.context().newPage()
    await second.goto(page.url())
    await see(second.getByText('First', { exact: true }))
    goOn()
    await see(page.getByText('First, then last.'))
    await see(second.getByText('First, then last.'))
    await expect.poll(() => page.locator('.message.agent').count()).toBe(1)
    expect(browser.isConnected() && server.origin).toBeTruthy()
  })

  test('a run is told something, and is stopped', async () => {
    const { model } = haltingModel()
    const { page, studio } = await open(new SmallStudio(new Agent({ model })))
    await say(page, 'Hello')
    await see(page.getByText('First', { exact: true }))
    await page.getByRole('textbox', { name: 'Say to the run' }).fill('Be brief')
    await page.getByRole('button', { name: 'Say' }).click()
    await expect.poll(() => studio.asked.at(-1)).toEqual({ route: 'messages', body: { text: 'Be brief' } })
    await page.getByRole('button', { name: 'Stop' }).click()
    await see(page.locator('.message.agent').getByText('The run was stopped.'))
  })

  test('a chat continues with what was said, is asked again, and a new one begins', async () => {
    const texts = ['Cold.', 'Very.', 'Not so cold.']
    const model = scriptedModel(texts.map((text) => reply.text(text)))
    const { page, studio } = await open(new SmallStudio(new Agent({ model })))
    const answer = (text: string) => page.locator('.message.agent', { hasText: text })
    await say(page, 'How is Oslo?')
    await see(answer('Cold.'))
    await see(page.getByRole('status').getByText(/^done/))
    const [first] = [...studio.runs.keys()]
    await say(page, 'How cold?')
    await see(answer('Very.'))
    await see(answer('Cold.'))
    expect(studio.asked.at(-1)?.body).toMatchObject({ input: 'How cold?', after: first })
    await page.getByRole('button', { name: 'Rerun' }).click()
    await see(answer('Not so cold.'))
    expect(studio.asked.at(-1)?.body).toMatchObject({ input: 'How cold?', after: first })
    await expect.poll(() => answer('Very.').count()).toBe(0)
    await page.getByRole('link', { name: 'New chat' }).click()
    await see(page.getByRole('heading', { name: 'New chat' }))
    expect(await page.locator('.message').count()).toBe(0)
  })

  test('files are pasted and picked, sent as bytes, and one is taken away', async () => {
    const model = scriptedModel([reply.text('A dot.')])
    const { page, studio } = await open(new SmallStudio(new Agent({ model })))
    const uploads: (string | null)[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/api/artifacts')) uploads.push(request.headers()['content-type'] ?? null)
    })
    const transfer = await transferOf(page, [{ name: 'dot.png', type: 'image/png', bytes: png }])
    await page.getByRole('textbox', { name: /^Write, or drop/ }).evaluate((field, clipboardData) => {
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, transfer)
    const files = page.getByRole('list', { name: 'Attachments' }).getByRole('listitem')
    await see(files.filter({ hasText: 'dot.png' }).getByRole('img'))
    await page.locator('input[type=file]').setInputFiles([
      { name: 'voice.wav', mimeType: 'audio/wav', buffer: silence() },
      { name: 'other.wav', mimeType: 'audio/wav', buffer: silence() },
    ])
    await see(files.filter({ hasText: 'voice.wav' }).locator('audio'))
    await see(files.filter({ hasText: 'other.wav' }).locator('audio'))
    await files.filter({ hasText: 'other.wav' }).getByRole('button').click()
    await expect.poll(() => files.count()).toBe(2)
    await say(page, 'What is this?')
    await see(page.getByText('A dot.'))
    expect(uploads).toEqual(['image/png', 'audio/wav', 'audio/wav'])
    const { attachments } = Object(studio.asked.at(-1)?.body)
    expect(attachments).toHaveLength(2)
    expect(await bytesOf(await studio.artifacts.open(attachments[0]))).toEqual(png)
    expect(await bytesOf(await studio.artifacts.open(attachments[1]))).toEqual(silence())
  })

  test('a file is dropped, shown and named, and no base64 leaves the page', async () => {
    const model = scriptedModel([reply.text('A dot.')])
    const { page, studio } = await open(new SmallStudio(new Agent({ model })))
    const bodies: string[] = []
    page.on('request', (request) => void bodies.push(request.postData() ?? ''))
    await drop(page, [
      { name: 'dot.png', type: 'image/png', bytes: png },
      { name: 'voice.wav', type: 'audio/wav', bytes: silence() },
    ])
    const files = page.getByRole('list', { name: 'Attachments' }).getByRole('listitem')
    await see(files.filter({ hasText: 'dot.png' }).getByRole('img'))
    await see(files.filter({ hasText: 'voice.wav' }).locator('audio'))
    await say(page, 'What is this?')
    await see(page.locator('.message.user').getByRole('img'))
    await see(page.getByText('A dot.'))
    // Uploads can end in any order, but the message lists them in the order of the files.
    const ids = ['image/png', 'audio/wav'].map((type) => idOf(studio, type))
    expect(studio.asked[0]?.body).toMatchObject({ input: 'What is this?', attachments: ids })
    expect(await bytesOf(await studio.artifacts.open(ids[0] ?? ''))).toEqual(png)
    expect(bodies.filter((body) => body.includes('base64') || body.includes(png.toString('base64')))).toEqual(
      [],
    )
  })

  test('a suggestion is sent, the title has one line, and the page has its icon', async () => {
    const model = scriptedModel([reply.text('Cold.')])
    const { page, studio, server } = await open(new SmallStudio(new Agent({ model })))
    await page.getByRole('button', { name: 'Look up the weather in Oslo' }).click()
    await see(page.getByText('Cold.'))
    expect(studio.asked[0]?.body).toMatchObject({ input: 'Look up the weather in Oslo' })
    const linesOf = () =>
      page.locator('.chat .screen-head').evaluate((head) => {
        const title = head.querySelector('h1')
        const middles = [...head.children].map((one) => {
          const { top, bottom } = one.getBoundingClientRect()
          return Math.round((top + bottom) / 2)
        })
        if (title) title.textContent = 'A title that is far too long for its line. '.repeat(20)
        return Math.max(...middles) - Math.min(...middles)
      })
    // The second screenshot shows the long title.
    await linesOf()
    expect(await linesOf()).toBeLessThan(8)
    const icon = await page.locator('link[rel=icon]').getAttribute('href')
    const response = await page.request.get(`${server.origin}${icon}`)
    expect([response.status(), response.headers()['content-type']]).toEqual([200, 'image/svg+xml'])
  })

  test('a pending call gives its reason once, in the words of the docs', async () => {
    const { page } = await postcard(open)
    await see(page.getByRole('heading', { name: 'send needs your approval' }))
    expect(await page.locator('.approval').getByText('needs approval').count()).toBe(0)
    await see(page.locator('.call').getByText('pending'))
    await see(page.locator('.beside .pane-head').getByText('pending'))
  })

  test('a call is approved with other arguments, and the function gets them', async () => {
    const { page, sent } = await postcard(open)
    await see(page.getByRole('heading', { name: 'send needs your approval' }))
    await picture(page, 'approval')
    await page.getByRole('textbox', { name: /^to/ }).fill('Bob')
    await page.getByRole('button', { name: 'Approve with changes' }).click()
    await see(page.getByText('So it is.'))
    expect(sent).toEqual(['Bob'])
  })

  test('arguments that do not fit are told at their field, and the call goes on waiting', async () => {
    const { page, sent } = await postcard(open, { expected: /400|422/ })
    await page.getByRole('textbox', { name: /^to/ }).fill('')
    await page.getByRole('button', { name: 'Approve with changes' }).click()
    await see(page.locator('.form-field', { hasText: 'to' }).getByText(/Too small|at least 1|>=1/))
    await page.getByRole('textbox', { name: /^to/ }).fill('Eve')
    await page.getByRole('button', { name: 'Approve with changes' }).click()
    await see(page.getByText('So it is.'))
    expect(sent).toEqual(['Eve'])
  })

  test('a call is denied with a reason, which the model reads, also after a reload', async () => {
    const { page, model, sent } = await postcard(open)
    await see(page.getByRole('button', { name: 'Deny' }))
    await page.reload()
    await page.getByRole('textbox', { name: 'Reason, if you deny' }).fill('Not today')
    await page.getByRole('button', { name: 'Deny' }).click()
    await see(page.getByText('So it is.'))
    expect(sent).toEqual([])
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain('Not today')
    await see(page.locator('.call').getByText('denied'))
  })

  test('what models and tools write harms nothing', async () => {
    const evil = [
      '# Title <script>window.harmed = 1</script>',
      '<img src=https://elsewhere.example/x.png onerror="window.harmed = 2">',
      '![remote](https://elsewhere.example/y.png)',
      '[link](javascript:window.harmed=3) [data](data:text/html,<script>window.harmed=4</script>)',
      'so <b>bold</b>',
      '\u202Etfel ot thgir\u202C \uD800 lone',
    ].join('\n\n')
    // Text above a certain length is shown without rendering its Markdown.
    const long = `${evil}\n\nlong ${'word '.repeat(40_000)}`
    const bad = tool({
      name: 'bad',
      description: 'Bad',
      parameters: z.object({ html: z.string() }),
      execute: () => ({ html: '<script>window.harmed = 5</script>' }),
    })
    const model = scriptedModel([
      reply.call('bad', { html: '<img src=x onerror="window.harmed = 6">' }),
      reply.text(evil),
      reply.text(long),
    ])
    const { page } = await open(new SmallStudio(new Agent({ model, tools: [bad] })))
    await say(page, '<b>bold</b>')
    await see(page.getByRole('status').getByText(/^done/))
    const words = page.locator('.message.agent .words')
    await see(words.getByRole('heading', { name: 'Title <script>window.harmed = 1</script>' }))
    await see(words.getByText('so <b>bold</b>'))
    await see(words.getByRole('link', { name: 'remote' }))
    await see(page.locator('.message.user').getByText('<b>bold</b>'))
    await page.locator('.call summary').click()
    await see(page.locator('.call-body .json-string', { hasText: 'window.harmed = 5' }))
    const links = page.locator('.words a')
    for (const href of await links.evaluateAll((all) => all.map((link) => link.getAttribute('href'))))
      expect(href ?? '').toMatch(/^(https:.*)?$/)
    expect(await page.locator('.words img, .words script').count()).toBe(0)
    await say(page, 'More')
    await see(words.getByText('word word'))
    expect(await page.locator('.words img, .words script').count()).toBe(0)
    expect(await page.evaluate(() => Reflect.get(globalThis, 'harmed'))).toBe(undefined)
  })
})

type Open = ReturnType<typeof useBrowser>

async function postcard(open: Open, options: Parameters<Open>[1] = {}) {
  const sent: string[] = []
  const send = tool({
    name: 'send',
    description: 'Sends a postcard',
    parameters: z.object({ to: z.string().min(1) }),
    needsApproval: true,
    execute: ({ to }) => void sent.push(to),
  })
  const model = scriptedModel([reply.call('send', { to: 'Ada' }), reply.text('So it is.')])
  const studio = new SmallStudio(new Agent({ model, tools: [send] }))
  const to = { type: 'string', description: 'A name', minLength: 1 }
  studio.schemas = { send: { type: 'object', properties: { to }, required: ['to'] } }
  const opened = await open(studio, options)
  await say(opened.page, 'A postcard for Ada')
  return { ...opened, model, sent }
}

/** A model that says "First" and waits. */
function haltingModel() {
  let goOn = () => {}
  const waiting = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const model = {
    name: 'halting',
    async complete({ signal }: ModelRequest, sink?: ModelSink): Promise<ModelReply> {
      sink?.({ type: 'text', text: 'First' })
      const aborted = new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason))
      })
      await Promise.race([waiting, aborted])
      sink?.({ type: 'text', text: ', then last.' })
      return { message: { role: 'assistant', content: 'First, then last.' } }
    },
  }
  return { model, goOn: () => goOn() }
}

function idOf({ known }: SmallStudio, type: string): string | undefined {
  return [...known.values()].find(({ mediaType }) => mediaType === type)?.id
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  return Buffer.from(await new Response(stream).arrayBuffer())
}

/** A second of silence. */
function silence(): Buffer {
  const samples = 8000
  return Buffer.concat([wavHeader(pcmFmt(samples, 8), samples), Buffer.alloc(samples, 128)])
}

/** Drops files on the composer. */
async function drop(
  page: Page,
  files: readonly { name: string; type: string; bytes: Buffer }[],
): Promise<void> {
  const transfer = await transferOf(page, files)
  await page.getByRole('form', { name: 'Message' }).dispatchEvent('drop', { dataTransfer: transfer })
}

/** Returns files as a page receives them from a drop or a paste. */
function transferOf(page: Page, files: readonly { name: string; type: string; bytes: Buffer }[]) {
  const plain = files.map(({ name, type, bytes }) => ({ name, type, bytes: [...bytes] }))
  return page.evaluateHandle((list) => {
    const data = new DataTransfer()
    for (const { name, type, bytes } of list)
      data.items.add(new File([new Uint8Array(bytes)], name, { type }))
    return data
  }, plain)
}
