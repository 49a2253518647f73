import { answerJobs, type TaskContext } from './jobs.js'
import type { EditInput, PaintInput, VaryInput } from './paint-tasks.js'
import type { SpeakInput, TranscribeInput, TranslateInput } from './speech-tasks.js'

/**
 * What workers can do. Inputs and outputs are cloned on their way; a generator gives a stream of bytes. Each task
 * loads what it needs when it first runs, so that a worker that only paints holds no voice.
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

// The file that worker threads start from.
export default answerJobs(tasks)
