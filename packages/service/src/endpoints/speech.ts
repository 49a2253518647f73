import type { Endpoint } from '../http/endpoint.js'
import { loadSpeech } from '../load-speech.js'
import { checkModel, engineHeader } from '../models.js'
import type { Work } from '../work/start-work.js'
import { parseSpeechFields } from './speech-fields.js'

/**
 * Speaks a text: `input`, `voice` (default `rms`), `format` (default `wav`), `speed` (default 1) and `stream_format`
 * (default `audio`). The sound is sent as it is spoken, a WAV when it is whole.
 */
export function speechEndpoint(work: Pick<Work, 'stream'>): Endpoint {
  return async ({ fields, signal }) => {
    const headers = engineHeader(checkModel(fields.model, 'speech'))
    const { mediaType, events, ...input } = parseSpeechFields(fields, await loadSpeech())
    const stream = work.stream('speak', input, { signal })
    return events ? { headers, events: toEvents(stream) } : { headers, stream, mediaType }
  }
}

async function* toEvents(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const bytes of stream) {
    const audio = Buffer.from(bytes).toString('base64')
    yield JSON.stringify({ type: 'speech.audio.delta', audio })
  }
  // Clients expect the figures; Flite counts no tokens.
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  yield JSON.stringify({ type: 'speech.audio.done', usage })
}
