import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest'
import { type OpenOptions, openPage } from './open-page.js'
import type { SmallStudio } from './small-studio.js'

/** Gets the folder of the built page, or the browser's URL, from `start-once.ts`. */
export async function partOf(part: 'page' | 'browser'): Promise<string> {
  const response = await fetch(`${inject('studioParts')}/${part}`)
  const answer = await response.text()
  if (!response.ok) throw new Error(answer)
  return answer
}

/** Gives a test file the page and the browser, which the whole test run shares. */
export function usePage(): { folder(): string; browser(): Browser } {
  let browser: Browser
  let folder: string
  beforeAll(async () => {
    folder = await partOf('page')
    browser = await chromium.connect(await partOf('browser'))
  })
  afterAll(() => browser?.close())
  return { folder: () => folder, browser: () => browser }
}

/** Returns a function that opens a small studio in the test run's browser. */
export function useBrowser() {
  const page = usePage()
  return async (studio: SmallStudio, options: OpenOptions & { readonly path?: string } = {}) => {
    const { path, ...rest } = options
    const browser = page.browser()
    const server = await studio.start(page.folder())
    onTestFinished(() => server.close())
    const opened = await openPage(browser, server.url, rest)
    await opened.waitForURL(`${server.origin}/`)
    if (path !== undefined) await opened.goto(server.origin + path)
    return { page: opened, server, studio, browser }
  }
}
