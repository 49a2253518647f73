import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AnyAgent,
  type ArtifactStore,
  isCapstanError,
  memorySessions,
  type RunState,
  type SessionRef,
} from '@capstan/core'
import { isRecord, storeEndedRun } from '@capstan/core/internal'
import { folderArtifacts, folderSessions } from '@capstan/core/node'
import { UsageError } from '../exit-codes.js'
import { parseJson, writeState } from '../input.js'

/** A chat's conversation and artifacts, and its unfinished run, if any. */
export interface ChatSession {
  readonly ref: SessionRef
  readonly artifacts: ArtifactStore
  /** The value of `--session`. Undefined if the conversation is kept in memory. */
  readonly folder: string | undefined
  /** Saves the state of the current run, so that the next chat can resume it after a crash. */
  save(state: RunState): Promise<void>
  /** Removes the saved run. Call this after the run's messages have been stored in the session. */
  finish(): Promise<void>
  /**
   * Stores a run's messages if they are not in the session yet, and removes the saved run.
   * @throws UsageError if the session contains messages that the run does not start with
   */
  discard(state: RunState): Promise<void>
  /** Loads the unfinished run of an earlier chat. If the saved run has ended, discards it. @throws as `discard` */
  loadUnfinished(): Promise<RunState | undefined>
  /** Releases the folder, so that other processes can use it. */
  close(): Promise<void>
}

/**
 * Opens the conversation in a folder, and creates the folder if needed. Without a folder, the conversation is kept in
 * memory.
 * @throws UsageError if another chat is using the folder
 */
export async function openChatSession(folder: string | undefined, agent: AnyAgent): Promise<ChatSession> {
  if (folder === undefined) return inMemory(agent)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const release = await lock(join(folder, 'lock'))
  const file = join(folder, 'run.json')
  const ref = { store: folderSessions(folder), id }
  const inTurn = takeTurns()
  const finish = () => inTurn(() => rm(file, { force: true }))
  const discard = async (state: RunState) => {
    await storeEndedRun(state, ref).catch((cause) => {
      if (!isCapstanError(cause) || cause.code !== 'conflict') throw cause
      const message = `Another program has changed the session since ${file} was saved. Delete that file to discard its run.`
      throw new UsageError(message, { cause })
    })
    await finish()
  }
  return {
    ref,
    artifacts: folderArtifacts(join(folder, 'artifacts')),
    folder,
    // An aborted run does not wait for its last save. Taking turns ensures that this save cannot recreate the file
    // after `finish`.
    save: (state) => inTurn(() => writeState(file, state)),
    finish,
    discard,
    async loadUnfinished() {
      const state = await readSaved(file)
      if (state?.stopReason === undefined || state.stopReason === 'pending') return state
      await discard(state)
      return undefined
    },
    close: release,
  }
}

/** Returns a function that runs one task at a time. Each task starts when all earlier tasks have settled. */
function takeTurns(): (work: () => Promise<void>) => Promise<void> {
  let last = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
}

const id = 'chat'

function inMemory({ artifacts }: AnyAgent): ChatSession {
  const nothing = async () => undefined
  return {
    ref: { store: memorySessions(), id },
    artifacts,
    folder: undefined,
    save: nothing,
    finish: nothing,
    discard: nothing,
    loadUnfinished: nothing,
    close: nothing,
  }
}

/**
 * Reads the saved run. Checks only that `messages` and `pending` are arrays, because resuming the run validates the
 * rest.
 * @throws UsageError if they are not arrays, or the file is not JSON
 */
async function readSaved(file: string): Promise<RunState | undefined> {
  const text = await readFile(file, 'utf8').catch(absent)
  if (text === undefined) return undefined
  const state = parseJson(text, `The saved run ${file}`)
  if (isRecord(state) && Array.isArray(state.messages) && Array.isArray(state.pending))
    return state as unknown as RunState
  throw new UsageError(
    `The saved run ${file} is not a run state. Delete the file to continue without the run.`,
  )
}

/**
 * Creates this process's lock file. Without a lock, two chats in one folder would both make the calls of an unfinished
 * run.
 */
async function lock(file: string): Promise<() => Promise<void>> {
  const holder = Number(await readFile(file, 'utf8').catch(absent))
  if (isRunning(holder))
    throw new UsageError(
      `Process ${holder} is using this session. End it, or delete ${file} if it is not a chat.`,
    )
  // The process that created the lock no longer exists.
  if (holder > 0) await rm(file, { force: true })
  await writeFile(file, String(process.pid), { flag: 'wx', mode: 0o600 }).catch((cause) => {
    throw new UsageError(
      `Cannot lock this session: ${cause.message}. Delete ${file} if no chat is using it.`,
      {
        cause,
      },
    )
  })
  return () => rm(file, { force: true })
}

/** Whether a process with this id is running on this machine. False for this process. */
function isRunning(pid: number): boolean {
  if (!(pid > 0) || pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}
