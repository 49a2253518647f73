import { loadSpeech, type SpeechPackage } from '../load-speech.js'
import { toLane } from '../work/lane.js'

type Whisper = Awaited<ReturnType<SpeechPackage['loadWhisper']>>

/**
 * Loads a model file of the user's, in a process of its own. It hears one request after the other, up to 8 wait, and
 * one more is a 429. Rejects with the error of `loadWhisper`, or a 501 when the speech package is not there.
 */
export async function startWhisper(file: string): Promise<Whisper> {
  const { loadWhisper } = await loadSpeech()
  const whisper = await loadWhisper(file)
  const lane = toLane({ places: 1, queue: 8 })
  const inLane =
    (task: 'transcribe' | 'translate'): Whisper['transcribe'] =>
    async (audio, options = {}) => {
      const leave = await lane.enter(options.signal ?? new AbortController().signal)
      try {
        return await whisper[task](audio, options)
      } finally {
        leave()
      }
    }
  return { transcribe: inLane('transcribe'), translate: inLane('translate'), close: whisper.close }
}
