import type { ChatModel } from '@capstan/core'
import { Recorder, type RecordOptions } from './recorder.js'

/** A model whose requests and answers are written down. Disposed of, it writes no more, and another recorder may begin its file anew. */
export interface RecordedModel extends ChatModel, Disposable {
  /** Writes what still waits: with agents within agents, the last answers of those. */
  flush(): void
}

/**
 * Writes what a model is asked and what it answers into a file of JSON lines, for `replay(file)`; a file of that name
 * begins anew. Keys, what headers of secrets hold, and base64 are taken out. @throws CapstanError `unsupported` where
 * there is no file system, `conflict` for a file that is recorded into already
 */
export function record(model: ChatModel, file: string, options: RecordOptions = {}): RecordedModel {
  const recorder = new Recorder(file, options)
  return {
    ...recorder.model(model),
    flush: () => recorder.flush(),
    [Symbol.dispose]: () => recorder.close(),
  }
}
