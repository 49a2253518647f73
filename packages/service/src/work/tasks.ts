import type { TaskContext } from './answer-jobs.js'
import type { TranscribeInput, TranslateInput } from './listen-task.js'
import type { EditInput, PaintInput, VaryInput } from './paint-task.js'
import type { SpeakInput } from './speak-task.js'

/**
 * What workers can do. Inputs and outputs are cloned on their way; a generator gives a stream of bytes. Each task
 * loads what it needs when it first runs, so that a worker that only paints holds no voice.
 */
export const tasks = {
  paint: async (input: PaintInput, context: TaskContext) =>
    (await import('./paint-task.js')).paint(input, context),
  edit: async (input: EditInput, context: TaskContext) =>
    (await import('./paint-task.js')).edit(input, context),
  vary: async (input: VaryInput, context: TaskContext) =>
    (await import('./paint-task.js')).vary(input, context),
  speak: async (input: SpeakInput, context: TaskContext) =>
    (await import('./speak-task.js')).speak(input, context),
  transcribe: async (input: TranscribeInput, context: TaskContext) =>
    (await import('./listen-task.js')).transcribe(input, context),
  translate: async (input: TranslateInput, context: TaskContext) =>
    (await import('./listen-task.js')).translate(input, context),
}

export type Tasks = typeof tasks
