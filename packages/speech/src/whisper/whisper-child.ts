// The process that holds a Whisper model. A native failure ends only this process.

import { decodeAudio } from '../decode/decode-audio.js'
import { isNotInstalled, SpeechError } from '../speech-error.js'
import type { Answer, HeardSegment, Hearing, HearingRequest } from './messages.js'

type Engine = typeof import('@napi-rs/whisper')
type Model = InstanceType<Engine['Whisper']>

process.once('disconnect', () => process.exit())
void serve(process.argv[2] ?? '')

async function serve(file: string): Promise<void> {
  await answer(async () => {
    const engine = await loadEngine()
    const model = new engine.Whisper(file)
    process.on('message', (request: HearingRequest) => {
      void answer(async () => ({ hearing: await hear(engine, model, request) }))
    })
    return { ready: true }
  })
}

async function answer(work: () => Promise<Answer>): Promise<void> {
  process.send?.(await work().catch(toFailure))
}

function toFailure(error: unknown): Answer {
  const message = error instanceof Error ? error.message : String(error)
  return { failure: { code: error instanceof SpeechError ? error.code : 'whisper_failed', message } }
}

async function loadEngine(): Promise<Engine> {
  try {
    return await import('@napi-rs/whisper')
  } catch (error) {
    if (!isNotInstalled(error, '@napi-rs/whisper')) throw error
    const message = 'Whisper models need an optional package. Install it: npm install @napi-rs/whisper'
    throw new SpeechError('whisper_not_installed', message)
  }
}

async function hear(engine: Engine, model: Model, request: HearingRequest): Promise<Hearing> {
  const { language, translate } = request
  const langId = engine.Whisper.langId(language)
  if (language !== 'auto' && langId < 0) {
    const message = `Whisper does not know the language "${language}". Use a code such as "fr", or "auto".`
    throw new SpeechError('unsupported_language', message)
  }
  const { samples, sampleRate } = await decodeAudio(request.audio)
  const settings = new engine.WhisperFullParams(engine.WhisperSamplingStrategy.Greedy)
  Object.assign(settings, { language, translate, printProgress: false, printTimestamps: false })
  const segments: HeardSegment[] = []
  // In hundredths of a second.
  settings.onNewSegment = ({ text, start, end }) =>
    segments.push({ text, start: start / 100, end: end / 100 })
  const text = model.full(settings, toFloats(samples))
  await nextTurn()
  return {
    text: text.trim(),
    language: engine.Whisper.lang(language === 'auto' ? model.fullLangId : langId) ?? language,
    duration: samples.length / sampleRate,
    segments,
  }
}

// The engine ignores sounds of less than a second: they are padded with silence.
const shortest = 17_600

function toFloats(samples: Int16Array): Float32Array {
  const floats = new Float32Array(Math.max(samples.length, shortest))
  samples.forEach((sample, index) => {
    floats[index] = sample / 32_768
  })
  return floats
}

// The engine reports segments after its function has returned.
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}
