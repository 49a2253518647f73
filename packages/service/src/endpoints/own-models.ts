import { loadSpeech, type SpeechPackage } from '../load-speech.js'
import { createQueue } from '../work/queue.js'

export type Recognizer = Awaited<ReturnType<SpeechPackage['loadRecognizer']>>
export type Voice = Awaited<ReturnType<SpeechPackage['loadVoice']>>

/** The user's own models. Each one replaces a built-in engine. */
export interface OwnModels {
  readonly voice?: Voice | undefined
  readonly recognizer?: Recognizer | undefined
  /** Ends the threads of all these models. */
  readonly close: () => Promise<void>
}

/**
 * Loads the models in their folders, each in its own thread. A model handles one request at a time. Up to 8 more
 * requests wait. Further requests get a 429. Rejects with the error of `loadVoice` or `loadRecognizer`, or with a 501
 * if the speech package is not installed.
 */
export async function startOwnModels(folders: {
  readonly voice?: string | undefined
  readonly recognizer?: string | undefined
}): Promise<OwnModels> {
  const voice = folders.voice === undefined ? undefined : await startVoice(folders.voice)
  try {
    const recognizer =
      folders.recognizer === undefined ? undefined : await startRecognizer(folders.recognizer)
    const close = async () => {
      await Promise.all([voice?.close(), recognizer?.close()])
    }
    return { voice, recognizer, close }
  } catch (error) {
    await voice?.close()
    throw error
  }
}

const waiting = 8

async function startVoice(folder: string): Promise<Voice> {
  const { loadVoice } = await loadSpeech()
  const voice = await loadVoice(folder)
  const lane = createQueue({ places: 1, queue: waiting })
  return {
    ...voice,
    async synthesize(options) {
      const leave = await lane.enter(options.signal ?? never)
      return voice.synthesize(options).finally(leave)
    },
    async *speakStream(options) {
      const leave = await lane.enter(options.signal ?? never)
      try {
        yield* voice.speakStream(options)
      } finally {
        leave()
      }
    },
  }
}

async function startRecognizer(folder: string): Promise<Recognizer> {
  const { loadRecognizer } = await loadSpeech()
  const recognizer = await loadRecognizer(folder)
  const lane = createQueue({ places: 1, queue: waiting })
  const inLane =
    (task: 'transcribe' | 'translate'): Recognizer['transcribe'] =>
    async (audio, options = {}) => {
      const leave = await lane.enter(options.signal ?? never)
      return recognizer[task](audio, options).finally(leave)
    }
  return { transcribe: inLane('transcribe'), translate: inLane('translate'), close: recognizer.close }
}

const never = new AbortController().signal
