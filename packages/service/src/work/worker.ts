import { setPriority } from 'node:os'
import { answerJobs, type TaskContext } from './jobs.js'
import type { EditInput, PaintInput, VaryInput } from './paint-tasks.js'
import type { SpeakInput, TranscribeInput, TranslateInput } from './speech-tasks.js'

/**
 * The tasks of a worker. Inputs and outputs are cloned, and a generator returns a stream of bytes. Each task loads its
 * modules when it is first used, so a worker that only paints never loads a voice.
 */
const tasks = {
  paint: async (input: PaintInput, context: TaskContext) =>
    (await import('./paint-tasks.js')).paint(input, context),
  edit: async (input: EditInput, context: TaskContext) =>
    (await import('./paint-tasks.js')).edit(input, context),
  vary: async (input: VaryInput, context: TaskContext) =>
    (await import('./paint-tasks.js')).vary(input, context),
  speak: async (input: SpeakInput, context: TaskContext) =>
    (await import('./speech-tasks.js')).speak(input, context),
  transcribe: async (input: TranscribeInput, context: TaskContext) =>
    (await import('./speech-tasks.js')).transcribe(input, context),
  translate: async (input: TranslateInput, context: TaskContext) =>
    (await import('./speech-tasks.js')).translate(input, context),
}

export type Tasks = typeof tasks

// Gives the main thread, which replies to chat, a higher priority. On Linux, a priority applies to a thread, elsewhere
// to the entire process. A lower priority than this would make images too slow when other programs are busy.
if (process.platform === 'linux') setPriority(5)

// The entry file of the worker threads.
export default answerJobs(tasks)
