import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { messageOf, Redactor } from '@capstan/core/internal'
import { type NodeListener, toNodeListener } from '@capstan/http/node'
import type { WorkerEntry } from '../runtime/agent-process.js'
import { Supervisor } from '../runtime/supervisor.js'
import { defaultRetention, type RetentionBounds } from '../store/retention.js'
import { studioFolder } from '../store/run-folder.js'
import { RunStore } from '../store/run-store.js'
import type { Studio } from '../types.js'
import { Access } from './access.js'
import { Changes } from './changes.js'
import { studioHandler } from './handler.js'
import { listen } from './listen.js'
import { hasService, type LoadService, type LocalService, startModelService } from './model-service.js'
import { toRouter } from './router.js'
import { agentRoutes } from './routes/agent-routes.js'
import { artifactRoutes } from './routes/artifact-routes.js'
import { historyRoutes } from './routes/history-routes.js'
import { runRoutes } from './routes/run-routes.js'
import { testRoutes } from './routes/test-routes.js'
import { pageFolder } from './static-files.js'
import { type StudioParts, toHttpError } from './studio-parts.js'
import { version } from './version.js'

/** What the studio shows, where it stores runs, and how its server is set up. */
export interface StudioOptions {
  /** The file that exports the agents. Without a file, the studio only shows the runs on disk. */
  readonly file?: string
  /** The program that loads the file in a separate process: a module that calls `serveAgents`. Required with `file`. */
  readonly worker?: WorkerEntry
  /** The port to listen on, or 0 for any free port. Default: 4200, or the next free port if 4200 is in use. */
  readonly port?: number
  /** The folder in which runs are stored. Default: `.capstan/studio` next to the nearest `package.json`. */
  readonly data?: string
  /**
   * The context object for runs and calls, as plain data. Default: the context that the file's export `studio` returns.
   */
  readonly context?: unknown
  /**
   * Whether the local service replaces all models. Default false: the service runs only if neither a key nor a base URL
   * is set.
   */
  readonly local?: boolean
  /** Whether to reload the file when the file itself, or a file that it imports, changes. Default true. */
  readonly watch?: boolean
  /**
   * How much to store. The oldest runs are removed first, but pinned runs are never removed. Default: 200 runs and 1
   * GiB.
   */
  readonly keep?: Partial<RetentionBounds>
  /** Other host names to accept, for forwarded ports. The studio still listens on loopback addresses only. */
  readonly allowHosts?: readonly string[]
  /** The folder that contains the built page. Default: the one in this package. */
  readonly page?: string
  /** Imports the local service. Default: `import('@capstan/service')`. */
  readonly loadService?: LoadService
  /** Called with messages about problems, for the terminal. Default: `console.error`. */
  log?(line: string): void
  /** Called after each attempt to load the file, whether it succeeded or not. */
  onLoaded?(about: Studio): void
  /** Called with the output of the agents' processes. Default: the output is discarded. */
  onOutput?(text: string): void
}

export interface RunningStudio {
  /** The link that opens the page. It contains the token. */
  readonly url: string
  /** The origin, such as `http://127.0.0.1:4200`. */
  readonly origin: string
  readonly token: string
  /** The folder in which runs are stored. */
  readonly data: string
  /** Returns the studio's state: its file, agents, local service and disk usage. */
  about(): Promise<Studio>
  /** Loads the file again. Resolves when the file has been loaded or has failed to load. */
  reload(): Promise<void>
  /** Stops all runs, the server and the agents' processes. */
  close(): Promise<void>
}

/**
 * Starts the studio. Resolves when the studio accepts requests. The file may still be loading then.
 * @throws Error if `port` is in use
 */
export async function startStudio(options: StudioOptions = {}): Promise<RunningStudio> {
  const { port, allowHosts = [], page = pageFolder(), log = console.error } = options
  const store = new RunStore(folderOf(options))
  mkdirSync(store.folder, { recursive: true, mode: 0o700 })
  store.create()
  let listener: NodeListener | undefined
  const listening = await listen((request, response) => void listener?.(request, response), port)
  const service = await serviceOf(options, log).catch(async (error) => {
    await listening.close()
    throw error
  })
  const parts = toParts(options, { store, service, log })
  const access = new Access(listening.port)
  const host = { port: listening.port, allowed: allowHosts }
  const onError = (error: unknown) => log(`The studio failed: ${stackOf(error)}`)
  const api = toApi(parts)
  listener = toNodeListener(studioHandler({ host, access, page, api, onError }))
  const stopWatching = store.watch(() => parts.changes.emit('runs'))
  void parts.supervisor?.reload()
  const origin = `http://127.0.0.1:${listening.port}`
  return {
    url: `${origin}/?token=${access.token}`,
    origin,
    token: access.token,
    data: store.folder,
    about: parts.about,
    reload: async () => parts.supervisor?.reload(),
    async close() {
      stopWatching()
      await listening.close()
      await Promise.all([parts.supervisor?.close(), service?.close()])
    },
  }
}

function folderOf({ data, file }: StudioOptions): string {
  if (data !== undefined) return resolve(data)
  return studioFolder(file === undefined ? process.cwd() : dirname(resolve(file)))
}

/**
 * Starts the local service if it is needed. Without `local`, a failure is only logged, because the rest of the studio
 * works without the service.
 */
async function serviceOf(
  {
    file,
    local = false,
    // If the package is missing, the rejection handler lets esbuild bundle this file. The comment does the same for
    // webpack.
    loadService = () =>
      import(/* webpackIgnore: true */ '@capstan/service').catch((cause) => Promise.reject(cause)),
  }: StudioOptions,
  log: (line: string) => void,
): Promise<LocalService | undefined> {
  if (file === undefined) return undefined
  try {
    return await startModelService(loadService, local)
  } catch (error) {
    if (local) throw error
    log(`No key is set, and the local service cannot be started: ${messageOf(error)}`)
    return undefined
  }
}

interface Made {
  readonly store: RunStore
  readonly service: LocalService | undefined
  readonly log: (line: string) => void
}

function toParts(options: StudioOptions, { store, service, log }: Made): StudioParts {
  const { worker, watch = true, keep, context, onOutput = () => {} } = options
  const file = options.file === undefined ? undefined : resolve(options.file)
  if (file !== undefined && !worker)
    throw new TypeError(
      'startStudio: with file, the worker option is required. Pass the path of a module that calls serveAgents.',
    )
  const changes = new Changes()
  const redactor = new Redactor(service ? [service.apiKey] : [])
  const retain = () =>
    void store.retain({ ...defaultRetention, ...keep }).catch((error) => log(messageOf(error)))
  const supervisor =
    file !== undefined && worker
      ? new Supervisor({
          worker,
          load: {
            file,
            folder: store.folder,
            context,
            ...(service ? { service: withoutClose(service) } : {}),
          },
          isWatching: watch,
          onLoaded() {
            changes.emit('studio')
            if (options.onLoaded) void about().then((now) => options.onLoaded?.(now))
          },
          onAppended: (run) => changes.emit('entries', run),
          onEnded(run) {
            changes.emit('entries', run)
            changes.emit('runs')
            retain()
          },
          async onLost(run, { stderr, ...exit }) {
            const told = stderr === undefined ? {} : { stderr: redactor.text(stderr) }
            await store.markLost(run, { ...exit, ...told }).catch((error) => log(messageOf(error)))
            changes.emit('entries', run)
            changes.emit('runs')
          },
          onOutput,
        })
      : undefined
  retain()
  const about = () => aboutStudio({ store, supervisor, file, isLocal: service !== undefined })
  return { store, supervisor, changes, redactor, file, about }
}

function withoutClose({ baseURL, apiKey, models, isForced }: LocalService): Omit<LocalService, 'close'> {
  return { baseURL, apiKey, models, isForced }
}

interface AboutParts extends Pick<StudioParts, 'store' | 'supervisor' | 'file'> {
  readonly isLocal: boolean
}

async function aboutStudio({ store, supervisor, file, isLocal }: AboutParts): Promise<Studio> {
  const { current, error } = supervisor ?? {}
  const service = isLocal ? 'local' : hasService() && process.env.OPENAI_BASE_URL ? 'address' : undefined
  return {
    version: version(),
    ...(file === undefined ? {} : { file }),
    ...(current ? { loaded: { version: current.version, at: current.at, ms: current.ms } } : {}),
    ...(error ? { loadError: error } : {}),
    ...(service ? { service } : {}),
    agents: current?.agents ?? [],
    durable: current?.durable ?? [],
    prompts: current?.prompts ?? [],
    disk: await store.size(),
  }
}

function toApi(parts: StudioParts): (request: Request) => Promise<Response> {
  const route = toRouter([
    ...agentRoutes(parts),
    ...runRoutes(parts),
    ...historyRoutes(parts),
    ...testRoutes(parts),
    ...artifactRoutes(parts),
  ])
  return (request) =>
    route(request).catch((error) => {
      throw toHttpError(error)
    })
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
