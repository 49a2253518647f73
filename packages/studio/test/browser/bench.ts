// How quick the page is, and what page and server take of memory. A figure has a line; one beyond its bound fails, beyond
// a goal it does not. For a machine that is quiet.
//
//   node --expose-gc --conditions=development --import=tsx packages/studio/test/browser/bench.ts

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { RunStore } from '../../src/store/run-store.js'
import { buildPage } from './build-page.js'
import { executablePath } from './executable-path.js'
import { keepLongRun } from './kept-runs.js'
import { SmallStudio } from './small-studio.js'

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
  // A frame of a browser without a screen takes what the machine has: the same scroll of nothing tells how much.
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

/** Opens a run as a link of the page does. Returns the milliseconds until it is shown. */
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

/** Scrolls the element that scrolls from its top to its end in 3 s. Returns the milliseconds between frames. */
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

/** The memory of the page after a collection, in MB. */
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
} finally {
  await browser.close()
  await built.remove()
}
