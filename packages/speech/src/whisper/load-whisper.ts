import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { SpeechError } from '../speech-error.js'
import type { Sound } from '../wav.js'
import { checkModel } from './check-model.js'
import type { Answer, Hearing, HearingRequest } from './messages.js'

export interface HearOptions {
  /** The code of the spoken language, such as `fr`. Default: `auto`, detected by the model. */
  readonly language?: string | undefined
  /** Stops the work; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** A loaded Whisper model. It handles one request at a time. */
export interface Whisper {
  /** Transcribes speech in its own language. */
  readonly transcribe: (audio: Uint8Array | Sound, options?: HearOptions) => Promise<Hearing>
  /** Translates speech in any language to English. */
  readonly translate: (audio: Uint8Array | Sound, options?: HearOptions) => Promise<Hearing>
  /** Ends the process that holds the model. Open requests reject. */
  readonly close: () => Promise<void>
}

/**
 * Loads a Whisper model in ggml format from a file, into a process of its own, which is kept until `close()`.
 * Rejects with `invalid_model` for an invalid file, and with `whisper_not_installed` without the package
 * `@napi-rs/whisper`. Requests reject with `whisper_failed` when the process ends during one; the next
 * request starts another process.
 */
export async function loadWhisper(file: string): Promise<Whisper> {
  const { multilingual } = await checkModel(file)
  let child: Promise<Child> = startChild(file)
  await child
  let closed = false
  let last: Promise<unknown> = Promise.resolve()
  const getChild = async (): Promise<Child> => {
    if (closed) throw new SpeechError('whisper_failed', 'The model is closed. Load it again.')
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

const englishOnly = 'This model supports English only. Use a multilingual one, without ".en" in its name.'

function toLanguage(language: string, multilingual: boolean): string {
  if (multilingual) return language
  if (language === 'auto' || language === 'en') return 'en'
  throw new SpeechError('unsupported_language', englishOnly)
}

// The engine cannot be interrupted: stopping it means ending its process.
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

/** A process with a loaded model. It handles one request at a time. */
interface Child {
  readonly pid: number
  /** Rejects with `whisper_failed` when the process ends during the request, and with errors of the child. */
  readonly hear: (request: HearingRequest) => Promise<Hearing>
  /** Whether it accepts further requests. */
  readonly isAlive: () => boolean
  /** Ends the process at once. Resolves when it has ended. */
  readonly kill: () => Promise<void>
}

/** Starts a process that loads a model. Resolves when the model is loaded. */
export async function startChild(model: string): Promise<Child> {
  const { file, execArgv } = findProgram()
  const child = fork(file, [model], {
    execArgv,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const gone = once(child, 'close').catch(() => {})
  const listen = toListening(child)
  const kill = async () => {
    child.kill('SIGKILL')
    await gone
  }
  try {
    await listen()
  } catch (error) {
    await kill()
    throw error
  }
  return {
    pid: child.pid ?? 0,
    async hear(request) {
      const heard = listen()
      child.send(request)
      const answer = await heard
      if ('hearing' in answer) return answer.hearing
      throw new SpeechError('whisper_failed', 'The process of the model sent an invalid reply.')
    },
    isAlive: () => child.connected && child.exitCode === null && child.signalCode === null,
    kill,
  }
}

/** Returns the next message of a child. Rejects when the child fails or ends instead. */
function toListening(child: ChildProcess): () => Promise<Answer> {
  let words = ''
  // A failure between two requests is reported at the next one.
  child.on('error', () => {})
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-2000)
  })
  return () =>
    new Promise((resolve, reject) => {
      const leave = () => child.off('message', onMessage).off('close', onClose).off('error', onError)
      const onMessage = (answer: Answer) => {
        leave()
        if ('failure' in answer) reject(new SpeechError(answer.failure.code, answer.failure.message))
        else resolve(answer)
      }
      const onError = (error: Error) => {
        leave()
        reject(new SpeechError('whisper_failed', `The process that holds the model: ${error.message}`))
      }
      const onClose = (code: number | null, signal: string | null) => {
        leave()
        const message = `The process that holds the model ended by ${signal ?? `exit code ${code}`}. ${lastLine(words)}`
        reject(new SpeechError('whisper_failed', message.trim()))
      }
      child.on('message', onMessage).once('close', onClose).once('error', onError)
    })
}

function lastLine(words: string): string {
  return words.trim().split('\n').at(-1) ?? ''
}

/** Returns the built program beside this file, or the TypeScript one with a loader when run from source. */
function findProgram(): { file: string; execArgv: string[] } {
  // CommonJS builds have `__filename` only, the others `import.meta.url` only.
  const here = typeof __filename === 'string' ? pathToFileURL(__filename).href : import.meta.url
  if (!here.endsWith('.ts')) return { file: fileURLToPath(new URL('./whisper-child.js', here)), execArgv: [] }
  const loader = pathToFileURL(createRequire(here).resolve('tsx')).href
  const file = fileURLToPath(new URL('./whisper-child.ts', here))
  return { file, execArgv: ['--conditions=development', '--import', loader] }
}
