import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { buildPage } from './build-page.js'
import { launch, type OpenOptions, openPage } from './open-page.js'
import type { SmallStudio } from './small-studio.js'

/** Builds the page and starts a browser once for a file of tests. Returns the function that opens a studio in it. */
export function useBrowser() {
  let browser: Browser
  let built: Awaited<ReturnType<typeof buildPage>>
  beforeAll(async () => {
    built = await buildPage()
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await built?.remove()
  })
  return async (studio: SmallStudio, options: OpenOptions & { readonly path?: string } = {}) => {
    const { path, ...rest } = options
    const server = await studio.start(built.folder)
    onTestFinished(() => server.close())
    const page = await openPage(browser, server.url, rest)
    await page.waitForURL(`${server.origin}/`)
    if (path !== undefined) await page.goto(server.origin + path)
    return { page, server, studio, browser }
  }
}
