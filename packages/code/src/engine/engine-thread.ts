// The engine's thread. It runs all programs of a process. If a program blocks it for too long, the thread is
// terminated.

import { parentPort, workerData } from 'node:worker_threads'
import type { EngineFiles } from './engine-files.js'
import { prepareEngine, prepareInstance } from './instance.js'
import { createMachine, type Machine, repeat } from './machine.js'
import type { Batch, ProgramWithScript, Turn } from './program.js'

/** A request to the thread: start, continue or drop a program. */
export type ThreadRequest =
  | { readonly key: string; readonly program: ProgramWithScript; readonly batches: readonly Batch[] }
  | { readonly key: string; readonly batch: Batch }
  | { readonly key: string; readonly drop: true }

/** A message to the thread with the engine's files. It is sent once. */
export interface FilesMessage {
  readonly files: EngineFiles | undefined
}

/** A message from the thread. `ready` is sent when the thread has started. */
export type ThreadAnswer =
  | { readonly ready: true }
  | { readonly turn: Turn; readonly bytes: number }
  | { readonly failure: string }

const machines = new Map<string, Machine>()
/** The memory limit of the last program in MiB. The next program probably has the same one. */
let memoryMb: number = workerData

parentPort?.on('message', async (request: ThreadRequest | FilesMessage) => {
  if ('files' in request) {
    setFiles(request.files)
    return
  }
  if ('drop' in request) {
    machines.delete(request.key)
    return
  }
  let answer: ThreadAnswer
  try {
    answer = await answerTo(request)
  } catch (error) {
    answer = { failure: String(error) }
  }
  parentPort?.postMessage(answer)
  // When a program has ended, prepares an engine for the next one.
  if ('turn' in answer && 'end' in answer.turn) setImmediate(prepareInstance, memoryMb)
})

let setFiles: (files: EngineFiles | undefined) => void
prepareEngine(new Promise((resolve) => (setFiles = resolve)))
parentPort?.postMessage({ ready: true })
// Loads everything while the first program is on its way. If this fails, the program reports it.
prepareInstance(memoryMb)

async function answerTo(request: Exclude<ThreadRequest, { drop: true }>): Promise<ThreadAnswer> {
  const { key } = request
  if ('program' in request) memoryMb = request.program.bounds.memoryMb
  const machine = 'program' in request ? await createMachine(request.program) : machines.get(key)
  if (!machine) throw new Error('The engine has no such program.')
  machines.set(key, machine)
  const turn = 'program' in request ? repeat(machine, request.batches) : machine.advance(request.batch)
  if ('end' in turn) machines.delete(key)
  return { turn, bytes: machine.bytes }
}
