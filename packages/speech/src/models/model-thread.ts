// The thread that runs one of the user's models.

import { parentPort, workerData } from 'node:worker_threads'
import { decodeAudio } from '../decode/decode-audio.js'
import { toChunks } from '../listen/transcribe.js'
import { SpeechError } from '../speech-error.js'
import type { Answer, HeardSegment, Hearing, HearingRequest, ModelToLoad, SpeakRequest } from './messages.js'
import type { ModelFiles, RecognizerModel, VoiceModel } from './model-folder.js'
import {
  loadSherpa,
  modelRoot,
  type Outcome,
  type Sherpa,
  type SherpaRecognizer,
  type SherpaResult,
} from './sherpa.js'

void serve(workerData)

async function serve(model: ModelToLoad): Promise<void> {
  await answer(async () => {
    const engine = await loadSherpa(model.folder)
    if ('speakers' in model) {
      const speak = loadVoice(engine, model)
      parentPort?.on('message', (request: SpeakRequest) => {
        void answer(async () => ({ result: speak(request) }))
      })
    } else {
      const hear = loadRecognizer(engine, model)
      parentPort?.on('message', (request: HearingRequest) => {
        void answer(async () => ({ result: await hear(request) }))
      })
    }
    return { ready: true }
  })
}

async function answer<Result>(work: () => Promise<Answer<Result>>): Promise<void> {
  parentPort?.postMessage(await work().catch(toFailure))
}

function toFailure(error: unknown): Answer<never> {
  const message = error instanceof Error ? error.message : String(error)
  return { failure: { code: error instanceof SpeechError ? error.code : 'model_failed', message } }
}

function loadVoice(engine: Sherpa, model: VoiceModel): (request: SpeakRequest) => Int16Array {
  const voice = load(engine, () => engine.createVoice(toVoiceConfig(model)))
  return ({ text, speaker, speed, language }) => {
    const extra = language === undefined ? {} : { lang: language }
    const outcome = engine.watch(() => voice.generateWithConfig(text, { sid: speaker, speed, extra }))
    // The model has not failed if the text is in another script.
    if (outcome.lines.at(-1)?.startsWith('Failed to convert')) return new Int16Array()
    const { samples } = resultOf(outcome, 'model_failed')
    return Int16Array.from(samples, (sample) => Math.max(-1, Math.min(1, sample)) * 32_767)
  }
}

/** Loads a model. If this fails, throws `invalid_model` with the engine's reason. */
function load<T extends { readonly handle: number }>(engine: Sherpa, create: () => T): T {
  const outcome = engine.watch(() => {
    const model = create()
    if (model.handle === 0) throw new Error('The engine rejects the model.')
    return model
  })
  return resultOf(outcome, 'invalid_model')
}

function toVoiceConfig({ kind, files }: VoiceModel): object {
  const lists = pathsOf(files, /^lexicon/)
  const paths = {
    model: toPath(files, 'model'),
    tokens: toPath(files, 'tokens'),
    lexicon: lists,
    dataDir: 'phontab' in files ? `${modelRoot}/espeak-ng-data` : '',
    lengthScale: 1,
  }
  const config =
    kind === 'kokoro'
      ? { offlineTtsKokoroModelConfig: { ...paths, voices: toPath(files, 'voices'), lang: '' } }
      : { offlineTtsVitsModelConfig: { ...paths, noiseScale: 0.667, noiseScaleW: 0.8 } }
  return {
    offlineTtsModelConfig: { ...config, numThreads: 1, debug: 0, provider: 'cpu' },
    ruleFsts: pathsOf(files, /^rule/),
    maxNumSentences: 1,
  }
}

function loadRecognizer(
  engine: Sherpa,
  model: RecognizerModel,
): (request: HearingRequest) => Promise<Hearing> {
  const recognizer = load(engine, () => engine.createRecognizer(toRecognizerConfig(model, {})))
  return async ({ audio, language, translate }) => {
    const { samples, sampleRate } = await decodeAudio(audio)
    const segments: HeardSegment[] = []
    let spoken = language
    for (const { from, to } of toChunks(samples)) {
      const outcome = engine.watch(() => {
        recognizer.setConfig(toRecognizerConfig(model, { language: spoken, translate }))
        return decode(recognizer, samples.subarray(from, to), sampleRate)
      })
      const part = resultOf(outcome, 'model_failed')
      // Uses the language of the first chunk, so that a name in another language has no effect.
      spoken ??= part.lang || undefined
      segments.push(...toSegments(part, from / sampleRate, to / sampleRate))
    }
    return {
      text: segments.map(({ text }) => text).join(' '),
      language: spoken ?? 'und',
      duration: samples.length / sampleRate,
      segments,
    }
  }
}

interface Task {
  readonly language?: string | undefined
  readonly translate?: boolean
}

function toRecognizerConfig({ kind, files }: RecognizerModel, { language, translate }: Task): object {
  const paths = Object.fromEntries(Object.keys(files).map((role) => [role, toPath(files, role)]))
  const whisper = {
    ...paths,
    language: language ?? '',
    task: translate ? 'translate' : 'transcribe',
    tailPaddings: -1,
    enableSegmentTimestamps: 1,
  }
  return {
    modelConfig: {
      ...(kind === 'whisper' ? { whisper } : { moonshine: paths }),
      tokens: paths.tokens,
      numThreads: 1,
      debug: 0,
      provider: 'cpu',
    },
  }
}

function decode(recognizer: SherpaRecognizer, samples: Int16Array, sampleRate: number): SherpaResult {
  const stream = recognizer.createStream()
  try {
    stream.acceptWaveform(
      sampleRate,
      Float32Array.from(samples, (sample) => sample / 32_768),
    )
    recognizer.decode(stream)
    return recognizer.getResult(stream)
  } finally {
    stream.free()
  }
}

/** Returns the segments of a chunk, or the entire chunk if the model does not divide it. */
function toSegments(
  {
    text,
    segment_texts: texts = [],
    segment_timestamps: starts = [],
    segment_durations: lengths = [],
  }: SherpaResult,
  from: number,
  to: number,
): HeardSegment[] {
  const divided = texts.map((one, index) => {
    const start = Math.min(from + (starts[index] ?? 0), to)
    return { text: one.trim(), start, end: Math.min(start + (lengths[index] ?? 0), to) }
  })
  const segments = divided.length > 0 ? divided : [{ text: text.trim(), start: from, end: to }]
  return segments.filter((segment) => segment.text !== '')
}

function toPath(files: ModelFiles, role: string): string {
  return `${modelRoot}/${files[role]}`
}

function pathsOf(files: ModelFiles, role: RegExp): string {
  const roles = Object.keys(files).filter((name) => role.test(name))
  return roles.map((name) => toPath(files, name)).join(',')
}

/** Returns the engine's result. If the engine failed, throws a typed error with its last message. */
function resultOf<T>(outcome: Outcome<T>, code: 'invalid_model' | 'model_failed'): T {
  if ('value' in outcome) return outcome.value
  const what = code === 'invalid_model' ? 'The model cannot be loaded' : 'The model failed'
  const reason = outcome.lines.at(-1) ?? 'a file is damaged, or of an unsupported kind'
  throw new SpeechError(code, `${what}: ${reason}`)
}
