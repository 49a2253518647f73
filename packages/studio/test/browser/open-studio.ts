import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { type RunningStudio, type StudioOptions, startStudio } from '../../src/index.js'
import { worker } from './source-worker.js'

// The tests' folders are in this package, so that their files can import the repository's packages.
const base = fileURLToPath(new URL('..', import.meta.url))

/** A studio for a file, as the command starts it, and a client for it. */
export interface OpenStudio extends RunningStudio {
  readonly folder: string
  /** Sends a request to the API, independent of the page. */
  ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer>
  text(path: string): Promise<string>
  /** Runs the agent and waits until the run has ended or is pending. Returns the run's id. */
  run(body: { readonly agent: string; readonly input: string }): Promise<string>
  /** Waits until this version of the file, or a later one, has been loaded. */
  loaded(version?: number): Promise<void>
  /** Ends the studio and starts a new one in the same folder. */
  startAgain(): Promise<OpenStudio>
  /** Changes the agent file as an editor would. */
  edit(change: (source: string) => string): Promise<void>
}

/** Starts a studio for `agent.ts` in a new folder. Both are removed after the test. */
export async function openStudio(
  page: string,
  source: string,
  options: StudioOptions = {},
): Promise<OpenStudio> {
  const folder = await mkdtemp(join(base, 'tmp-studio-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  await writeFile(join(folder, 'agent.ts'), source)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  return startIn(folder, page, options)
}

async function startIn(folder: string, page: string, options: StudioOptions): Promise<OpenStudio> {
  const file = join(folder, 'agent.ts')
  const data = join(folder, 'data')
  const started = await startStudio({ file, worker, page, data, port: 0, log: () => {}, ...options })
  onTestFinished(() => started.close())
  const send = await clientOf(started)
  const ask: OpenStudio['ask'] = async (method, path, body) => {
    const received = await send(method, path, body)
    return received === '' ? undefined : JSON.parse(received)
  }
  const loaded = (version = 1) =>
    until(async () => {
      const about = await started.about()
      return (about.loaded?.version ?? 0) >= version || about.loadError !== undefined
    })
  await loaded()
  return {
    ...started,
    folder,
    ask,
    text: (path) => send('GET', path),
    loaded,
    async startAgain() {
      await started.close()
      return startIn(folder, page, options)
    },
    async run(body) {
      const { id } = await ask<{ id: string }>('POST', '/api/runs', body)
      await until(async () => (await ask<{ status: string }>('GET', `/api/runs/${id}`)).status !== 'running')
      return id
    },
    async edit(change) {
      // The file is replaced in one step, because the studio would load a file that is only half written.
      await writeFile(`${file}.new`, change(await readFile(file, 'utf8')))
      await rename(`${file}.new`, file)
    },
  }
}

async function clientOf({
  url,
  origin,
}: RunningStudio): Promise<(method: string, path: string, body?: unknown) => Promise<string>> {
  const { headers } = await fetch(url)
  const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  return async (method, path, body) => {
    const own = { cookie, origin, 'x-capstan-studio': '1', 'content-type': 'application/json' }
    // `fetch` does not send the cookie and the origin that a program sets.
    const sent = request(`${origin}${path}`, { method, headers: own, agent: false })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) =>
      sent.once('response', resolve).once('error', reject),
    )
    const received = await text(response)
    if (Number(response.statusCode) >= 300)
      throw new Error(`${method} ${path}: ${response.statusCode} ${received}`)
    return received
  }
}

/** Calls a function until it returns true. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50))
}
