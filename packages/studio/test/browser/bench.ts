// Measures how fast the page is, and how much memory the page and the server use. Prints one line per value. A value
// above its limit fails; one above its goal does not. Run it on an otherwise idle machine.
//
//   node --expose-gc --conditions=development --import=tsx packages/studio/test/browser/bench.ts

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { startStudio } from '../../src/index.js'
import { RunStore } from '../../src/store/run-store.js'
import { buildPage } from './build-page.js'
import { executablePath } from './executable-path.js'
import { keepLongRun } from './kept-runs.js'
import { SmallStudio } from './small-studio.js'
import { worker } from './source-worker.js'

function tell(what: string, value: number, { most, unit }: { readonly most: number; readonly unit: string }) {
  console.log(`studio: ${what}: ${value.toFixed(value < 10 ? 2 : 0)} ${unit} (at most ${most})`)
  if (value > most) process.exitCode = 1
}

const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b)
const partOf = (values: readonly number[], part: number) =>
  sorted(values)[Math.floor(values.length * part)] ?? 0

const openRuns = 100

async function measurePage(browser: Browser, folder: string): Promise<void> {
  const studio = new SmallStudio()
  keepLongRun(studio, 10_000)
  keepLongRun(studio, 4_000, 'steps')
  for (let number = 0; number < openRuns; number++) keepLongRun(studio, 400, `run${number}`)
  const server = await studio.start(folder)
  const page = await browser.newPage()
  await page.goto(server.url)
  await page.waitForURL((address) => !address.searchParams.has('token'))
  const ready: number[] = []
  for (let round = 0; round < 11; round++) {
    await page.goto(server.origin)
    ready.push(await markIn(page, 'studio:ready'))
  }
  tell('page usable, median of 11', partOf(ready, 0.5), { most: 300, unit: 'ms' })
  tell('a run of 10,000 events is shown', await open(page, 'long'), { most: 1000, unit: 'ms' })
  await open(page, 'steps')
  await page.locator('[role=treegrid] [role=row]').nth(5).waitFor()
  const frames = await scroll(page, '[role=treegrid] .grid-body, [role=treegrid]')
  // Without a screen, the time per frame depends on the machine. Scrolling an empty page shows how long it is.
  await page.evaluate(() => {
    const [box, content] = [document.createElement('div'), document.createElement('p')]
    box.id = 'empty'
    box.append(content)
    Object.assign(box.style, { height: '600px', overflow: 'auto' })
    content.style.height = '36000px'
    document.body.replaceChildren(box)
  })
  const empty = await scroll(page, '#empty')
  const ratio = partOf(frames, 0.95) / partOf(empty, 0.95)
  console.log(
    `studio: 500 steps scrolled in 3 s: a frame takes ${ratio.toFixed(1)} times one of an empty list (goal 1.2)`,
  )
  await page.goto(server.origin)
  await markIn(page, 'studio:ready')
  await open(page, 'run0')
  const first = await heapOf(page)
  for (let number = 1; number < openRuns; number++) await open(page, `run${number}`)
  const grown = (await heapOf(page)) - first
  tell(`memory of the page after ${openRuns} runs, more than after one`, grown, { most: 20, unit: 'MB' })
  await page.close()
  await server.close()
}

/** An agent that writes 200 deltas per second for ten seconds. */
const writer = `
import { setTimeout } from 'node:timers/promises'
import { Agent } from '@capstan/core'

const model = {
  name: 'writer',
  async complete(_request, sink) {
    const words = Array.from({ length: 2000 }, (_, at) => 'word' + at + ' ')
    for (const text of words) {
      sink?.({ type: 'text', text })
      await setTimeout(5)
    }
    return { message: { role: 'assistant', content: words.join('') }, finishReason: 'stop' }
  },
}
export default new Agent({ name: 'writer', model })
`

/** Measures a studio's page while text arrives, and the time from saving the file to the new version. */
async function measureStudio(browser: Browser, pageFolder: string): Promise<void> {
  // In this package, so that the file can import the repository's packages.
  const folder = mkdtempSync(fileURLToPath(new URL('../tmp-studio-', import.meta.url)))
  const file = join(folder, 'agent.ts')
  writeFileSync(file, writer)
  const data = join(folder, 'data')
  const studio = await startStudio({ file, worker, page: pageFolder, data, port: 0, log: () => {} })
  const loaded = async (version: number) => {
    while (((await studio.about()).loaded?.version ?? 0) < version) await sleep(5)
  }
  try {
    await loaded(1)
    const saved: number[] = []
    for (let version = 2; version < 7; version++) {
      // Waits, because the spare process has usually started by the time a user saves.
      await sleep(3000)
      writeFileSync(`${file}.new`, `${writer}// ${version}`)
      const since = performance.now()
      renameSync(`${file}.new`, file)
      await loaded(version)
      saved.push(performance.now() - since)
    }
    tell('from a save to the new version, median of 5', partOf(saved, 0.5), { most: 1000, unit: 'ms' })
    const page = await browser.newPage()
    await page.goto(studio.url)
    await page.waitForURL((address) => !address.searchParams.has('token'))
    await page.getByRole('textbox', { name: /^Write, or drop/ }).fill('Write.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('word100 ').waitFor()
    const busy = 100 * (await busyPart(page, 3000))
    tell('the main thread of the page works while 200 deltas a second come', busy, { most: 30, unit: '%' })
    await page.close()
  } finally {
    await studio.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Returns the share of a period in which the page's main thread is busy. */
async function busyPart(page: Page, ms: number): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'timeTicks' })
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    const [worked = 0, at = 0] = ['TaskDuration', 'Timestamp'].map(
      (name) => metrics.find((one) => one.name === name)?.value,
    )
    return { worked, at }
  }
  const before = await read()
  await sleep(ms)
  const after = await read()
  await session.detach()
  return (after.worked - before.worked) / (after.at - before.at)
}

/** Opens a run as a link on the page would. Returns the milliseconds until it is shown. */
async function open(page: Page, id: string): Promise<number> {
  const since = await page.evaluate((path) => {
    performance.clearMarks('studio:run-shown')
    const now = performance.now()
    history.pushState(undefined, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
    return now
  }, `/runs/${id}`)
  return (await markIn(page, 'studio:run-shown')) - since
}

async function markIn(page: Page, name: string): Promise<number> {
  await page.waitForFunction((one) => performance.getEntriesByName(one).length > 0, name)
  return page.evaluate((one) => performance.getEntriesByName(one).at(-1)?.startTime ?? 0, name)
}

/** Scrolls a scrollable element from top to bottom in 3 s. Returns the milliseconds between frames. */
function scroll(page: Page, selector: string): Promise<readonly number[]> {
  return page.evaluate(async (selector) => {
    const all = [...document.querySelectorAll(selector)]
    const box = all.find((one) => one.scrollHeight > one.clientHeight + 100)
    if (!box) throw new Error(`Nothing scrolls in ${selector}`)
    const frames: number[] = []
    const began = performance.now()
    for (let last = began; last - began < 3000; ) {
      box.scrollTop = ((last - began) / 3000) * (box.scrollHeight - box.clientHeight)
      const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
      frames.push(now - last)
      last = now
    }
    return frames.slice(1)
  }, selector)
}

/** Returns the page's memory in MB, after a garbage collection. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize / 1e6
}

async function measureServer(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-bench-'))
  const studio = new SmallStudio()
  keepLongRun(studio, 10)
  const { summary } = studio.runs.get('long') ?? {}
  for (let number = 0; number < 1000; number++) {
    const run = join(folder, 'runs', `run${number}`)
    mkdirSync(run, { recursive: true })
    writeFileSync(join(run, 'run.json'), JSON.stringify({ ...summary, id: `run${number}`, status: 'ended' }))
  }
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  const store = new RunStore(folder)
  const since = performance.now()
  await store.list()
  tell('the list of 1,000 runs', performance.now() - since, { most: 300, unit: 'ms' })
  globalThis.gc?.()
  const grown = (process.memoryUsage().heapUsed - before) / 1e6
  tell('the index of 1,000 runs', grown, { most: 20, unit: 'MB' })
  rmSync(folder, { recursive: true })
}

if (!executablePath) throw new Error('No Chromium on the PATH, and CHROME_PATH is not set.')
await measureServer()
const built = await buildPage()
const browser = await chromium.launch({ executablePath })
try {
  await measurePage(browser, built.folder)
  await measureStudio(browser, built.folder)
} finally {
  await browser.close()
  await built.remove()
}
