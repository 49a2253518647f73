// The entry point of the process that loads an agent file and runs its agents.

import { readExports } from './runs/agent-exports.js'
import { AgentRuns } from './runs/agent-runs.js'
import { checkRun, replayOutcome } from './runs/check-run.js'
import { describeExports } from './runs/describe-exports.js'
import { DurableAgents } from './runs/durable-agents.js'
import { isWatched, reportLoadedFiles } from './runtime/loaded-files.js'
import type { AgentMethods, AgentNotices, FileToLoad } from './runtime/protocol.js'
import { serveRpc } from './runtime/rpc.js'

/** How the process loads an agent file. */
export interface ServeOptions {
  /** Loads a file and returns its exports. */
  loadFile(file: string): Promise<Readonly<Record<string, unknown>>>
  /** Returns the paths of files that were loaded by a loader other than Node's. The studio watches them for changes. */
  loadedFiles?(): readonly string[]
}

/**
 * Lets the parent process run the agents of a file in this process. Loads the file when the parent asks for it, and
 * only once, because a new version of the file needs a new process.
 */
export function serveAgents(options: ServeOptions): void {
  let served: Served | undefined
  const serving = () => {
    if (served) return served
    throw new Error('No file has been loaded. Call the method load first.')
  }
  const methods: AgentMethods = {
    load: async (params) => {
      served = await load(params, options)
      return served.description
    },
    start: ({ run, request }) => serving().runs.start(run, request),
    stop: ({ run }) => serving().runs.stop(run),
    send: ({ run, text }) => serving().runs.send(run, text),
    decide: ({ run, decisions, allowChangedTools }) =>
      serving().runs.decide(run, decisions, allowChangedTools),
    resume: ({ run, limits }) => serving().runs.resume(run, limits),
    callTool: ({ run, name, ...call }) => serving().runs.callTool(run, name, call),
    check: async ({ run, tools }) => checkRun(await serving().runs.replay(run, tools)),
    outcome: async ({ run }) => replayOutcome(await serving().runs.replay(run)),
    durableCalls: () => serving().durable.calls(),
    decideDurable: (params) => serving().durable.decide(params),
  }
  const answer = serveRpc(methods, post)
  process.on('message', (message) => void answer(message))
  // Otherwise this process would continue if the studio were killed.
  process.on('disconnect', () => process.exit())
}

interface Served {
  readonly runs: AgentRuns
  readonly durable: DurableAgents
  readonly description: Awaited<ReturnType<AgentMethods['load']>>
}

async function load(params: FileToLoad, { loadFile, loadedFiles }: ServeOptions): Promise<Served> {
  const { service } = params
  if (service && !service.isForced) {
    process.env.OPENAI_BASE_URL = service.baseURL
    process.env.OPENAI_API_KEY = service.apiKey
  }
  reportLoadedFiles((files) => notify('files', files))
  const before = new Set(loadedFiles?.())
  const report = () => {
    const files = (loadedFiles?.() ?? []).filter((file) => !before.has(file) && isWatched(file))
    if (files.length > 0) notify('files', files)
  }
  try {
    const exports = readExports(await loadFile(params.file))
    const runs = new AgentRuns(exports, params, {
      onAppended: (run) => notify('appended', { run }),
      onEnded: (run) => notify('ended', { run }),
    })
    return { runs, durable: new DurableAgents(exports.durable), description: describeExports(exports) }
  } finally {
    // Reports the files even after a failure, so that they are watched: the user may fix the error in one of them.
    report()
  }
}

function notify<Name extends keyof AgentNotices>(notice: Name, value: AgentNotices[Name]): void {
  post({ notice, value })
}

function post(message: unknown): void {
  if (process.connected) process.send?.(message)
}
