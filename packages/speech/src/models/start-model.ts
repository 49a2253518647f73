import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { SpeechError } from '../speech-error.js'
import type { Answer, ModelToLoad } from './messages.js'

/** A model in a separate thread. It handles one request at a time. */
export interface Model<Request, Result> {
  /**
   * Sends a request. If the signal aborts, rejects with the signal's reason and ends the thread. The next request then
   * starts a new thread.
   */
  readonly ask: (request: Request, signal?: AbortSignal) => Promise<Result>
  /** Ends the thread and frees its memory. Rejects open requests. */
  readonly close: () => Promise<void>
}

/**
 * Starts a thread that loads a model. Rejects with `invalid_model` if the engine rejects the model, and with
 * `sherpa_not_installed` if the package `sherpa-onnx` is not installed.
 */
export async function startModel<Request, Result>(model: ModelToLoad): Promise<Model<Request, Result>> {
  let thread: Promise<Thread<Request, Result>> = startThread(model)
  await thread
  let closed = false
  let last: Promise<unknown> = Promise.resolve()
  const getThread = async (): Promise<Thread<Request, Result>> => {
    if (closed) throw new SpeechError('model_failed', 'The model is closed. Load it again.')
    const known = await thread.catch(() => undefined)
    if (!known?.isAlive()) thread = startThread(model)
    return thread
  }
  return {
    ask(request, signal) {
      const turn = last.then(async () => {
        signal?.throwIfAborted()
        return askUntilAborted(await getThread(), request, signal)
      })
      last = turn.catch(() => {})
      return turn
    },
    async close() {
      closed = true
      const known = await thread.catch(() => undefined)
      await known?.end()
    },
  }
}

// The engine cannot be interrupted, so its thread is ended.
async function askUntilAborted<Request, Result>(
  thread: Thread<Request, Result>,
  request: Request,
  signal?: AbortSignal,
): Promise<Result> {
  signal?.throwIfAborted()
  const abort = () => void thread.end()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return await thread.ask(request)
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

interface Thread<Request, Result> {
  /**
   * Sends a request. Rejects with `model_failed` if the thread ends before it replies, and with the errors that the
   * thread reports.
   */
  readonly ask: (request: Request) => Promise<Result>
  /** Whether the thread accepts more requests. */
  readonly isAlive: () => boolean
  readonly end: () => Promise<void>
}

async function startThread<Request, Result>(model: ModelToLoad): Promise<Thread<Request, Result>> {
  const { file, execArgv } = findProgram()
  const worker = new Worker(file, { workerData: model, execArgv })
  let alive = true
  const gone = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      alive = false
      resolve()
    })
  })
  // A failure between two requests is reported at the next request.
  worker.on('error', () => {})
  const end = async () => {
    alive = false
    await worker.terminate()
    await gone
  }
  try {
    await nextAnswer(worker)
  } catch (error) {
    await end()
    throw error
  }
  return {
    async ask(request) {
      const next = nextAnswer<Result>(worker)
      worker.postMessage(request)
      const answer = await next.catch(async (error: unknown) => {
        // After a failure, the engine may be in any state.
        if (error instanceof SpeechError && error.code === 'model_failed') await end()
        throw error
      })
      if ('result' in answer) return answer.result
      throw new SpeechError('model_failed', "The model's thread sent an invalid reply.")
    },
    isAlive: () => alive,
    end,
  }
}

function nextAnswer<Result>(worker: Worker): Promise<Answer<Result>> {
  return new Promise((resolve, reject) => {
    const leave = () => worker.off('message', onMessage).off('exit', onExit).off('error', onError)
    const onMessage = (answer: Answer<Result>) => {
      leave()
      if ('failure' in answer) reject(new SpeechError(answer.failure.code, answer.failure.message))
      else resolve(answer)
    }
    const onError = (error: Error) => {
      leave()
      reject(new SpeechError('model_failed', `The thread that runs the model failed: ${error.message}`))
    }
    const onExit = () => {
      leave()
      reject(new SpeechError('model_failed', 'The thread that runs the model has ended. Try again.'))
    }
    worker.once('message', onMessage).once('exit', onExit).once('error', onError)
  })
}

/** Returns the compiled program next to this file or, when running from source, the TypeScript file with a loader. */
function findProgram(): { file: string; execArgv: string[] } {
  // CommonJS builds only have `__filename`. Other builds only have `import.meta.url`.
  const here = import.meta.url ?? pathToFileURL(__filename).href
  // Does not pass on the arguments of this process, because some are only meant for its own program, such as --eval.
  if (!here.endsWith('.ts')) return { file: fileURLToPath(new URL('./model-thread.js', here)), execArgv: [] }
  const loader = new URL('./typescript.mjs', here).href
  const file = fileURLToPath(new URL('./model-thread.ts', here))
  return { file, execArgv: ['--conditions=development', '--import', loader] }
}
