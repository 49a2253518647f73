// The run options that store a run so that the studio can show it.

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

/** Where `keepRun` stores runs, and the run options that it passes on. */
export interface KeepRunOptions {
  /**
   * The studio's folder, which is created if it is missing. Default: `.capstan/studio` next to the nearest
   * `package.json`. If that folder does not exist, nothing is kept: start the studio once to create it.
   */
  readonly folder?: string
  /** Executes the run's steps, like the run option. Default: this process, in memory. */
  readonly host?: CreateHost
  /** Replaces the run's models, like the run option. Default: each agent's own model. */
  readonly model?: ChatModel | ModelOverride
  /** Receives the run's events, like the run option. */
  observe?(event: RunEvent): void
  /** Receives the run's states, like the run option. */
  readonly onCheckpoint?: OnCheckpoint
  /** Secrets to redact, in addition to those of models and those in environment variables. Default: none. */
  readonly secrets?: readonly string[]
  /** What the list of runs shows, such as a title or the agent's file. Default: derived from the run. */
  readonly facts?: RunFacts
  /** Called after each write, with the id under which the studio lists the run. */
  onAppended?(id: string): void
}

/** Run options that keep a run: `agent.run(input, keepRun())`. Combine them with others: `{ ...keepRun(), signal }`. */
export interface KeptRun {
  readonly model: ModelOverride
  readonly host: CreateHost
  observe(event: RunEvent): void
  readonly onCheckpoint: OnCheckpoint
}

/**
 * Returns run options that keep runs for `capstan studio`: their events, the bytes of requests and responses, states,
 * recordings, console lines and artifacts. Several runs can use the same options. Pass your model, host and listeners
 * to `keepRun`: next to its result, they would replace what it returns. Keys, secret headers and base64 are redacted,
 * except in states, because a fork continues from them. Keeping never makes a run fail: if something cannot be written,
 * the process emits one warning.
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

/** Keeps track of the runs in progress that use the same options. */
interface Keepers {
  begin(runId: string): RunKeeper
  readonly find: (runId: string) => RunKeeper | undefined
  end(runId: string): void
}

/** Returns the keepers. Undefined if no folder was passed and the default one does not exist. */
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
    // The first write fails too, and reports the error.
  }
  return folderArtifacts(artifactsFolder(folder))
}

/** Returns a model that keeps its requests. Its run is not known in advance, so each request looks up its own run. */
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
