// Run options that store a run for the studio.

import { existsSync } from 'node:fs'
import {
  type ChatModel,
  type CreateHost,
  type ModelOverride,
  memoryHost,
  type OnCheckpoint,
  type RunEvent,
} from '@capstan/core'
import { checkOptionNames, splitIdempotencyKey } from '@capstan/core/internal'
import { type FolderArtifacts, folderArtifacts } from '@capstan/core/node'
import { artifactsFolder, createStudioFolder, studioFolder } from '../store/run-folder.js'
import { RunKeeper } from './run-keeper.js'
import type { RunFacts } from './run-summary.js'

/** Where `keepRun` stores runs, and the run options that it combines with its own. */
export interface KeepRunOptions {
  /**
   * The studio's folder, which is created if needed. Default: `.capstan/studio` next to the nearest `package.json`. The
   * default folder is not created: until you have started the studio once, nothing is kept.
   */
  readonly folder?: string
  /** The `host` run option. Default: executes steps in this process, in memory. */
  readonly host?: CreateHost
  /** The `model` run option. Default: each agent's own model. */
  readonly model?: ChatModel | ModelOverride
  /** The `observe` run option. */
  observe?(event: RunEvent): void
  /** The `onCheckpoint` run option. */
  readonly onCheckpoint?: OnCheckpoint
  /** Secrets to redact, in addition to the models' secrets and the secrets in environment variables. Default: none. */
  readonly secrets?: readonly string[]
  /** Data for the list of runs, such as a title or the agent's file. Default: derived from the run. */
  readonly facts?: RunFacts
  /** Called after each write with the id under which the studio lists the run. */
  onAppended?(id: string): void
}

/**
 * Run options that keep a run: `agent.run(input, keepRun())`. To combine them with other options, use `{ ...keepRun(),
 * signal }`.
 */
export interface KeptRun {
  readonly model: ModelOverride
  readonly host: CreateHost
  observe(event: RunEvent): void
  readonly onCheckpoint: OnCheckpoint
}

/**
 * Returns run options that keep runs for `capstan studio`: their events, the bytes of requests and responses, states,
 * recordings, console lines and artifacts. Several runs can use the same options. Pass `model`, `host` and listeners to
 * `keepRun` itself. If you pass them next to its result, they replace the ones that it returns. Keys, secret headers
 * and base64 are redacted, but not in states, because a fork continues from them. If something cannot be written, the
 * process emits one warning, and the run continues.
 */
export function keepRun(options: KeepRunOptions = {}): KeptRun {
  checkOptionNames(options, optionKinds, { of: 'keepRun' })
  const { host = memoryHost, model, observe, onCheckpoint } = options
  const modelOf: ModelOverride = typeof model === 'function' ? model : (own) => model ?? own
  const keepers = openKeepers(options)
  if (!keepers) {
    const asGiven = { model: modelOf, host, observe: (event: RunEvent) => observe?.(event) }
    return { ...asGiven, onCheckpoint: (state) => onCheckpoint?.(state) }
  }
  return {
    model: (own, agent) => keptModel(modelOf(own, agent), agent, keepers.find),
    host: (binding) => keepers.begin(binding.runId).host(host)(binding),
    observe(event) {
      keepers.find(event.runId)?.observe(event)
      observe?.(event)
      const hasFailed = event.type === 'run-end' && event.stopReason === 'error'
      if (hasFailed && event.parentCallId === undefined) keepers.end(event.runId)
    },
    async onCheckpoint(state) {
      const keeper = keepers.find(state.runId)
      if (state.stopReason) keepers.end(state.runId)
      await keeper?.onCheckpoint(state)
      await onCheckpoint?.(state)
    },
  }
}

const optionKinds = {
  folder: 'a string',
  host: 'a function',
  model: true,
  observe: 'a function',
  onCheckpoint: 'a function',
  secrets: 'an array: [one, two]',
  facts: 'an object',
  onAppended: 'a function',
} as const

/** Manages the runs in progress that use the same options. */
interface Keepers {
  begin(runId: string): RunKeeper
  readonly find: (runId: string) => RunKeeper | undefined
  end(runId: string): void
}

/** Opens the folder. Undefined if no folder was passed and the default folder does not exist. */
function openKeepers({
  folder: given,
  secrets = [],
  facts = {},
  onAppended,
}: KeepRunOptions): Keepers | undefined {
  const folder = given ?? studioFolder()
  if (given === undefined && !existsSync(folder)) return undefined
  const running = new Map<string, RunKeeper>()
  let artifacts: FolderArtifacts | undefined
  const begin = (runId: string) => {
    artifacts ??= openArtifacts(folder)
    const known = { folder, artifacts, runId, secrets, facts }
    const keeper = new RunKeeper(onAppended ? { ...known, onAppended } : known)
    running.set(runId, keeper)
    return keeper
  }
  return { begin, find: (runId) => running.get(runId), end: (runId) => running.delete(runId) }
}

function openArtifacts(folder: string): FolderArtifacts {
  try {
    createStudioFolder(folder)
  } catch {
    // The first write will fail too, and will report the error.
  }
  return folderArtifacts(artifactsFolder(folder))
}

/** Returns a model whose requests are kept. The run is not known in advance, so it is looked up for each request. */
function keptModel(own: ChatModel, agent: string, find: (runId: string) => RunKeeper | undefined): ChatModel {
  return {
    ...own,
    complete(request, sink) {
      const { runId } = splitIdempotencyKey(request.idempotencyKey)
      const kept = find(runId)?.model(own, agent, (one) => splitIdempotencyKey(one.idempotencyKey).at) ?? own
      return kept.complete(request, sink)
    },
  }
}
