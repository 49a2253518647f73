import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import {
  type Entry,
  type InboxCall,
  type RunningStudio,
  type RunSummary,
  type StartRun,
  type Studio,
  type StudioOptions,
  startStudio,
} from '@capstan/studio'
import { onTestFinished } from 'vitest'

/** The tests' folders are in this package, so that their files can import the repository's packages. */
const base = fileURLToPath(new URL('.', import.meta.url))

const worker = {
  file: fileURLToPath(new URL('../src/studio-worker.ts', import.meta.url)),
  execArgv: ['--conditions=development', '--import=tsx'],
}

/** Creates a folder with an agent's files. Removed after the test. */
export async function studioFiles(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(base, 'tmp-studio-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return folder
}

/** A studio, and a client that has its cookie. */
export interface TestStudio extends RunningStudio {
  readonly cookie: string
  /** Returns what the terminal shows. */
  output(): string
  /** Sends a request as the page would. */
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /** Sends a request and returns the response's body. Throws for a status of 300 or above. */
  get(path: string): Promise<unknown>
  post(path: string, body?: unknown): Promise<unknown>
  /** Starts a run. Resolves to its id. */
  start(run: Partial<StartRun>): Promise<string>
  /** Starts a run. Resolves to its summary when it has ended. */
  run(run: Partial<StartRun>): Promise<RunSummary>
  /** Resolves to a run's summary when it is no longer running. */
  ended(run: string): Promise<RunSummary>
  /** Resolves to the pending calls once there are some. */
  inbox(): Promise<readonly InboxCall[]>
  /** Resolves to a run's first matching entry, once there is one. */
  entry(run: string, isIt: (entry: Entry) => boolean): Promise<Entry>
  entries(run: string): Promise<readonly Entry[]>
  /** Returns the messages at a run's last checkpoint. */
  messages(run: string): Promise<readonly { readonly role: string; readonly content: unknown }[]>
  /** Resolves when the file has been loaded, or has failed to load. */
  loaded(version?: number): Promise<Studio>
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Starts a studio for `agent.ts` in a folder. Closed after the test. */
export async function testStudio(folder: string, options: StudioOptions = {}): Promise<TestStudio> {
  let output = ''
  const started = await startStudio({
    file: join(folder, 'agent.ts'),
    worker,
    port: 0,
    data: join(folder, 'data'),
    log: (line) => {
      output += `${line}\n`
    },
    onOutput: (text) => {
      output += text
    },
    ...options,
  })
  onTestFinished(() => started.close())
  const cookie = await cookieOf(started)
  const call = (method: string, path: string, body?: unknown) =>
    sendAs(cookie, started, { method, path, body })
  const good = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, path, body)
    if (answer.status < 300) return answer.body
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}\n${output}`)
  }
  const entries = async (run: string): Promise<readonly Entry[]> =>
    String(await good('GET', `/api/runs/${run}/entries`))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const start = async (run: Partial<StartRun>) => {
    const { id } = Object(await good('POST', '/api/runs', { agent: 'helper', ...run }))
    return String(id)
  }
  const ended = (run: string) =>
    until(async () => {
      const summary = (await good('GET', `/api/runs/${run}`)) as RunSummary
      return summary.status === 'running' ? undefined : summary
    })
  return {
    ...started,
    cookie,
    output: () => output,
    call,
    get: (path) => good('GET', path),
    post: (path, body = {}) => good('POST', path, body),
    start,
    run: async (run) => ended(await start(run)),
    ended,
    inbox: () =>
      until(async () => {
        const calls = (await good('GET', '/api/inbox')) as readonly InboxCall[]
        return calls.length > 0 ? calls : undefined
      }),
    entry: (run, isIt) => until(async () => (await entries(run)).find(isIt)),
    entries,
    messages: async (run) => {
      const last = (await entries(run)).findLast((entry) => 'checkpoint' in entry)
      const number = last && 'checkpoint' in last ? last.checkpoint : 0
      return Object(await good('GET', `/api/runs/${run}/states/${number}`)).messages
    },
    loaded: (version = 1) =>
      until(async () => {
        const about = await started.about()
        return about.loadError || (about.loaded?.version ?? 0) >= version ? about : undefined
      }),
  }
}

/** Calls a function until it returns something. */
async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await read()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

async function sendAs(
  cookie: string,
  { origin }: RunningStudio,
  { method, path, body }: Sent,
): Promise<Answer> {
  const isBytes = body instanceof Uint8Array
  const type = isBytes ? 'application/octet-stream' : 'application/json'
  const headers = {
    cookie,
    origin,
    'x-capstan-studio': '1',
    ...(body === undefined ? {} : { 'content-type': type }),
  }
  const sent = request(`${origin}${path}`, { method, headers, agent: false })
  sent.end(body === undefined || isBytes ? body : JSON.stringify(body))
  const [response] = await once(sent, 'response')
  const received = await text(response)
  const isJson = String(response.headers['content-type']).split(';')[0] === 'application/json'
  return { status: response.statusCode, body: isJson ? JSON.parse(received) : received }
}

async function cookieOf({ url }: RunningStudio): Promise<string> {
  const response = await fetch(url)
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}
