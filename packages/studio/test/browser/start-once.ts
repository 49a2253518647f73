import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BrowserServer, chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { buildPage } from './build-page.js'
import { executablePath } from './executable-path.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a server that returns the built page's folder (`/page`) and the browser's URL (`/browser`). */
    studioParts: string
  }
}

/** Provides the page and the browser for all test files of a run. Creates each when it is first requested. */
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
