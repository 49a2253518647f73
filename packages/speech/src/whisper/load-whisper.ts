import { SpeechError } from '../speech-error.js'
import type { Sound } from '../wav.js'
import { checkModel } from './check-model.js'
import type { Hearing, HearingRequest } from './messages.js'
import { type Child, startChild } from './start-child.js'

export interface HearOptions {
  /** The code of what is spoken, such as `fr`; default `auto`: found out by the model. */
  readonly language?: string | undefined
  /** Stops the work; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** A Whisper model, loaded. It answers one request after the other. */
export interface Whisper {
  /** Writes down speech in the language it is spoken in. */
  readonly transcribe: (audio: Uint8Array | Sound, options?: HearOptions) => Promise<Hearing>
  /** Writes down speech in English, whatever it is spoken in. */
  readonly translate: (audio: Uint8Array | Sound, options?: HearOptions) => Promise<Hearing>
  /** Ends the process that holds the model; what is still asked of it rejects. */
  readonly close: () => Promise<void>
}

/**
 * Loads a Whisper model in ggml format from a file, into a process of its own, which is kept until `close()`. Rejects
 * with `invalid_model` when the file is none, and with `whisper_not_installed` without the package `@napi-rs/whisper`.
 * Requests reject with `whisper_failed` when the process ends over one; the next one then starts another.
 */
export async function loadWhisper(file: string): Promise<Whisper> {
  const { multilingual } = await checkModel(file)
  let child: Promise<Child> = startChild(file)
  await child
  let closed = false
  let last: Promise<unknown> = Promise.resolve()
  const getChild = async (): Promise<Child> => {
    if (closed) throw new SpeechError('whisper_failed', 'The model is closed: load it again.')
    const known = await child.catch(() => undefined)
    if (!known?.isAlive()) child = startChild(file)
    return child
  }
  const hear = (request: HearingRequest, signal: AbortSignal | undefined): Promise<Hearing> => {
    const turn = last.then(async () => {
      signal?.throwIfAborted()
      return hearUntilAborted(await getChild(), request, signal)
    })
    last = turn.catch(() => {})
    return turn
  }
  return {
    async transcribe(audio, { language = 'auto', signal } = {}) {
      return hear({ audio, language: toLanguage(language, multilingual), translate: false }, signal)
    },
    async translate(audio, { language = 'auto', signal } = {}) {
      if (!multilingual) throw new SpeechError('unsupported_language', englishOnly)
      return hear({ audio, language, translate: true }, signal)
    },
    async close() {
      closed = true
      const known = await child.catch(() => undefined)
      await known?.kill()
    },
  }
}

const englishOnly = 'This model knows English only: give a multilingual one, whose name has no ".en".'

function toLanguage(language: string, multilingual: boolean): string {
  if (multilingual) return language
  if (language === 'auto' || language === 'en') return 'en'
  throw new SpeechError('unsupported_language', englishOnly)
}

// The engine does not hear of anything while it works: to stop it is to end its process.
async function hearUntilAborted(
  child: Child,
  request: HearingRequest,
  signal?: AbortSignal,
): Promise<Hearing> {
  signal?.throwIfAborted()
  const abort = () => void child.kill()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return await child.hear(request)
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}
