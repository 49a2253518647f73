import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startStudio } from '../../src/index.js'
import { enter, send } from '../raw-request.js'
import { executablePath } from './executable-path.js'

const script = '<script>globalThis.hasRun = true; fetch("/api/studio")</script>'

let browser: Browser

describe.skipIf(!executablePath)('a browser that has the cookie of the studio', () => {
  beforeAll(async () => {
    const args = ['--host-resolver-rules=MAP rebound.example 127.0.0.1']
    browser = await chromium.launch({ executablePath: String(executablePath), args })
  })
  afterAll(() => browser?.close())

  test('lets a page of another origin read nothing and start nothing, whatever name it has', async () => {
    const { studio, page, hostile } = await openBoth()
    const { origin } = studio
    const statuses: number[] = []
    page.on('response', (response) => {
      if (response.url().startsWith(origin)) statuses.push(response.status())
    })
    await page.goto(hostile)
    const attacks = await page.evaluate(async (studio) => {
      const json = { 'content-type': 'application/json' }
      const settled = async (work: Promise<unknown>) => work.then(String, () => 'refused')
      const read = (init: RequestInit = {}) =>
        settled(fetch(`${studio}/api/studio`, { credentials: 'include', ...init }).then((one) => one.text()))
      const start = (init: RequestInit) =>
        settled(fetch(`${studio}/api/runs`, { method: 'POST', body: '{}', credentials: 'include', ...init }))
      const socket = new Promise((resolve, reject) => {
        const opened = new WebSocket(`${studio.replace('http', 'ws')}/api/live`)
        opened.onopen = resolve
        opened.onerror = reject
      })
      const image = new Promise((resolve, reject) => {
        const made = new Image()
        made.onload = resolve
        made.onerror = reject
        made.src = `${studio}/icon.svg`
      })
      return {
        read: await read(),
        opaque: await read({ mode: 'no-cors' }),
        json: await start({ headers: json }),
        simple: await start({ mode: 'no-cors', headers: { 'content-type': 'text/plain' } }),
        socket: await settled(socket),
        image: await settled(image),
      }
    }, origin)
    expect(attacks).toMatchObject({ read: 'refused', opaque: 'refused', json: 'refused', socket: 'refused' })
    expect(attacks.image).toBe('refused')
    await page.evaluate((studio) => {
      document.body.innerHTML = `<form method="post" enctype="text/plain" action="${studio}/api/runs">
        <input name='{"agent":"helper","input":"' value='"}'></form>`
      document.forms[0]?.submit()
    }, origin)
    await page.waitForURL(`${origin}/api/runs`)
    // A foreign host name that leads to this machine.
    await page.goto(`http://rebound.example:${new URL(origin).port}/api/studio`)
    expect(await page.content()).toContain('unknown_host')
    expect(statuses.filter((status) => status < 400)).toEqual([])
    const { body } = await send(origin, '/api/runs', { headers: { cookie: await enter(studio) } })
    expect(JSON.parse(body)).toEqual({ runs: [] })
  })

  test.each([
    ['image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`],
    ['image/png', `<!doctype html>${script}`],
    ['text/html', `<!doctype html>${script}`],
  ])('opens an artifact of the type %s without running its script', async (type, body) => {
    const { studio, page } = await openBoth()
    const { origin } = studio
    const headers = { cookie: await enter(studio), origin, 'x-capstan-studio': '1', 'content-type': type }
    const stored = await send(origin, '/api/artifacts', { method: 'POST', headers, body })
    const asked: string[] = []
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
    const { id } = JSON.parse(stored.body)
    await page.goto(`${origin}/api/artifacts/${id}`)
    expect(await page.evaluate(() => 'hasRun' in globalThis)).toBe(false)
    expect(asked).toEqual([`/api/artifacts/${id}`])
  })
})

/** Opens a studio in a browser, and a foreign page on a different port of this machine. */
async function openBoth() {
  const studio = await startStudio({ port: 0 })
  onTestFinished(() => studio.close())
  const server = createServer((_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>hostile</title><body>')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  // No shorter timeout, because the machine may be busy. The test itself ends after two minutes.
  page.setDefaultTimeout(110_000)
  await page.goto(studio.url)
  await page.waitForURL((address) => !address.searchParams.has('token'))
  // The studio's page sends more requests after it has loaded. They must not be counted.
  await page.goto('about:blank')
  return { studio, page, hostile: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}
