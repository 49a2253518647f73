import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { isLong } from '../../../../scripts/cases.mjs'
import { executablePath } from './executable-path.js'

export { executablePath }

if (!executablePath)
  console.warn('The page of the studio is NOT tested: no Chromium on the PATH, and CHROME_PATH is not set.')

/** The timeout of each step: nearly the two minutes of the test itself, because the machine may be busy. */
const timeout = 110_000

export interface OpenOptions extends BrowserContextOptions {
  /** The console errors that a test provokes. */
  readonly expected?: RegExp
}

/**
 * Opens a page. The test fails if the page logs an error, throws one or sends a request to a different origin. It also
 * fails if axe finds a problem at its end. To save time, axe only runs if the page then shows a kind of element that it
 * has not checked yet, or if CAPSTAN_LONG is set.
 */
export async function openPage(browser: Browser, url: string, options: OpenOptions = {}): Promise<Page> {
  const { expected, ...rest } = options
  const context = await browser.newContext({ reducedMotion: 'reduce', ...rest })
  context.setDefaultTimeout(timeout)
  const page = await context.newPage()
  const own = new URL(url).origin
  const asked = new Set<string>()
  const complaints: string[] = []
  page.on('request', (request) => void asked.add(new URL(request.url()).origin))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected?.test(message.text())) complaints.push(message.text())
  })
  await page.goto(url)
  // The page that accepts the token opens the studio. Wait for that, because it would interrupt what the test opens.
  await page.waitForURL((address) => !address.searchParams.has('token'))
  onTestFinished(async () => {
    const findings = (await showsMore(page, JSON.stringify(rest))) || isLong ? await axeFindings(page) : []
    await context.close()
    expect(findings).toEqual([])
    expect([...asked].filter((origin) => origin !== own && origin !== 'null')).toEqual([])
    expect(complaints).toEqual([])
  })
  return page
}

const checked = new Set<string>()

/** Whether a page shows kinds of elements that have not been checked yet with the same theme and size. */
async function showsMore(page: Page, look: string): Promise<boolean> {
  const kinds = await page
    .locator('body *')
    .evaluateAll((all) =>
      all.map(
        (one) => ['class', 'role', 'type'].map((name) => one.getAttribute(name)).join() + one.localName,
      ),
    )
  const before = checked.size
  for (const kind of kinds) checked.add(kind + look)
  return checked.size > before
}

/** Returns what axe finds: WCAG 2.2 A and AA, and best practices. */
export async function axeFindings(page: Page): Promise<string[]> {
  // The page's policy forbids evaluating scripts, so axe is injected through the browser's protocol.
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run()
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`),
    )
  })
}

/** Saves a screenshot in the folder CAPSTAN_PICTURES if that is set. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.CAPSTAN_PICTURES
  if (!folder) return
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 60 })
  await writeFile(join(folder, `${name}.webp`), data, 'base64')
}

/** Waits until an element is visible. */
export async function see(locator: Locator): Promise<void> {
  await locator.first().waitFor({ state: 'visible', timeout })
}

/** Writes a message and sends it. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: /^Write, or drop|^Say to/ }).fill(text)
  await page.getByRole('button', { name: /^(Send|Say)$/ }).click()
}
