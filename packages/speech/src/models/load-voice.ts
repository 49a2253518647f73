import { createEncoder } from '../encode/create-encoder.js'
import { normalizeText } from '../normalize-text.js'
import { toAnySentences, toSentences } from '../sentences.js'
import { SpeechError } from '../speech-error.js'
import { checkSpeed, checkTextLength } from '../synthesize.js'
import { join, type Sound } from '../wav.js'
import type { SpeakRequest } from './messages.js'
import { findVoice, type Speaker } from './model-folder.js'
import { startModel } from './start-model.js'

export interface ModelSpeakOptions {
  /** Text in the voice's language, up to 100,000 characters. English text is normalised as in `synthesize`. */
  readonly text: string
  /** A name from `speakers`. Default: the first one. */
  readonly speaker?: string | undefined
  /** A speed factor from 0.25 to 4. Default: 1. */
  readonly speed?: number | undefined
  /** Stops the work immediately. The promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export interface ModelSpeakStreamOptions extends ModelSpeakOptions {
  /** A format in `audioFormats`. Default: `wav`, with a header that does not contain the length. */
  readonly format?: string | undefined
}

/** A voice that uses the user's own model. It speaks one sentence at a time. */
export interface ModelVoice {
  /** Samples per second. */
  readonly sampleRate: number
  /** The names of the speakers. If the model does not name them, these are `0`, `1` and so on. */
  readonly speakers: readonly string[]
  readonly synthesize: (options: ModelSpeakOptions) => Promise<Sound>
  /** Yields the bytes of an audio file. The first bytes arrive when the first sentence is ready. */
  readonly speakStream: (options: ModelSpeakStreamOptions) => AsyncGenerator<Uint8Array, void, undefined>
  /** Ends the model's thread and frees its memory. Rejects open requests. */
  readonly close: () => Promise<void>
}

/**
 * Loads a voice from a folder with a Piper (VITS) or Kokoro model in ONNX format. The voice runs in a separate thread
 * until you call `close()`. Reads nothing outside the folder. Rejects with `invalid_model` if a file is missing or
 * damaged, and with `sherpa_not_installed` if the package `sherpa-onnx` is not installed.
 */
export async function loadVoice(folder: string): Promise<ModelVoice> {
  const model = await findVoice(folder)
  const { ask, close } = await startModel<SpeakRequest, Int16Array>(model)
  const { sampleRate, kind } = model
  const speakers = model.speakers.map(({ name }) => name)
  const speak = async function* ({ text, speaker: name, speed = 1, signal }: ModelSpeakOptions) {
    checkSpeed(speed)
    const speaker = findSpeaker(name, speakers)
    const language = model.speakers[speaker]?.language
    // The model itself declares its usual language.
    const other = kind === 'kokoro' && language !== 'en-us' ? language : undefined
    let isSilent = true
    for (const sentence of parseText(text, language)) {
      const samples = await ask({ text: sentence, speaker, speed, language: other }, signal)
      if (samples.length > 0) isSilent = false
      yield samples
    }
    if (isSilent)
      throw new SpeechError('empty_text', 'The voice cannot speak any of the text. Use text in its language.')
  }
  return {
    sampleRate,
    speakers,
    async synthesize(options) {
      const spoken: Int16Array[] = []
      for await (const samples of speak(options)) spoken.push(samples)
      return { samples: join(spoken, Int16Array), sampleRate }
    },
    async *speakStream({ format = 'wav', ...options }) {
      const encoder = await createEncoder(format, sampleRate)
      for await (const samples of speak(options)) {
        const bytes = encoder.encode(samples)
        if (bytes.length > 0) yield bytes
      }
      const last = encoder.finish()
      if (last.length > 0) yield last
    },
    close,
  }
}

function findSpeaker(name: string | undefined, speakers: readonly string[]): number {
  if (name === undefined) return 0
  const index = speakers.indexOf(name)
  if (index >= 0) return index
  const shown = speakers.length > 60 ? [...speakers.slice(0, 60), '...'] : speakers
  throw new SpeechError('unknown_voice', `There is no speaker "${name}". Use one of: ${shown.join(', ')}.`)
}

function parseText(text: string, language: Speaker['language']): string[] {
  checkTextLength(text)
  const isLatin = /^[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]*$/u.test(text)
  const sentences =
    language?.startsWith('en') && isLatin ? toSentences(normalizeText(text)) : toAnySentences(text)
  if (sentences.length > 0) return sentences
  throw new SpeechError('empty_text', 'The text contains nothing to speak: it needs letters or digits.')
}
