import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BrowserServer, chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { buildPage } from './build-page.js'
import { executablePath } from './executable-path.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Tells where the built page is (`/page`) and how to reach the browser (`/browser`). */
    studioParts: string
  }
}

/** The page and the browser for all files of a test run: made when the first of them asks. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let built: ReturnType<typeof buildPage> | undefined
  let browser: Promise<BrowserServer> | undefined
  const parts = {
    async '/page'() {
      built ??= buildPage()
      return (await built).folder
    },
    async '/browser'() {
      browser ??= chromium.launchServer({ executablePath: String(executablePath) })
      return (await browser).wsEndpoint()
    },
  }
  const server = createServer(async ({ url }, response) => {
    try {
      response.end(await parts[url as keyof typeof parts]())
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  provide('studioParts', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    server.closeAllConnections()
    await (await browser)?.close()
    await (await built)?.remove()
  }
}
