import type { Endpoint } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import { loadSpeech, type SpeechPackage } from '../load-speech.js'
import { engineHeader } from '../models.js'
import { toListeningError } from '../work/listen-task.js'
import type { Work } from '../work/start-work.js'
import { type ListeningRequest, parseListeningFields } from './listening-fields.js'
import { type HeardText, toHeardReply } from './listening-reply.js'

/** What listening stands on. */
export interface ListeningGround {
  readonly work: Pick<Work, 'run'>
  /** A model of the user's own, loaded: it answers in place of the built-in recogniser. */
  readonly whisper?: Whisper | undefined
}

type Whisper = Awaited<ReturnType<SpeechPackage['loadWhisper']>>
type Listen = (request: ListeningRequest, signal: AbortSignal) => Promise<HeardText>

/** Transcription and translation to English: `file`, `language`, `response_format` and what else clients send. */
export function listeningEndpoints({ work, whisper }: ListeningGround) {
  return whisper
    ? {
        transcribe: toEndpoint(throughWhisper(whisper, 'transcribe'), whisperEngine),
        translate: toEndpoint(throughWhisper(whisper, 'translate'), whisperEngine),
      }
    : { transcribe: toEndpoint(transcribeWith(work)), translate: toEndpoint(translateWith(work)) }
}

const whisperEngine = { 'x-capstan-engine': 'whisper; real' }

function toEndpoint(listen: Listen, engine?: Record<string, string>): Endpoint {
  return async (request) => {
    const asked = parseListeningFields(request)
    await loadSpeech()
    const heard = await listen(asked, request.signal)
    return { headers: engine ?? engineHeader(asked.model), ...toHeardReply(heard, asked.format) }
  }
}

function transcribeWith(work: Pick<Work, 'run'>): Listen {
  return async ({ audio, language = 'en' }, signal) => {
    if (language !== 'en') {
      const message = `The recogniser writes down English, not "${language}". For other languages start the service with a model: --whisper FILE.`
      throw new ServiceError(400, 'unsupported_language', message, 'language')
    }
    return { task: 'transcribe', language, ...(await work.run('transcribe', { audio }, { signal })) }
  }
}

function translateWith(work: Pick<Work, 'run'>): Listen {
  return async ({ audio, language }, signal) => ({
    task: 'translate',
    ...(await work.run('translate', { audio, language }, { signal })),
  })
}

function throughWhisper(whisper: Whisper, task: 'transcribe' | 'translate'): Listen {
  return async ({ audio, language }, signal) => {
    try {
      return { task, ...(await whisper[task](audio, { language, signal })) }
    } catch (error) {
      const { SpeechError } = await loadSpeech()
      throw error instanceof SpeechError ? toListeningError(error) : error
    }
  }
}
