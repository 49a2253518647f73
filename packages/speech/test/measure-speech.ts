// Measures speech synthesis: CPU seconds per second of sound, by voice and by format, and the memory for a
// long text.
import { audioFormats, encode, type Sound, speakStream, synthesize, voices } from '@capstan/speech'

const text = 'The quick brown fox jumps over the lazy dog near the old river bank, and nobody minds. '

async function main(): Promise<void> {
  await synthesize({ text: 'Warm.' })
  for (const { name } of voices) {
    const { seconds, result } = await measure(() => synthesize({ text: text.repeat(20), voice: name }))
    console.log(`voice ${name}: ${(seconds / lengthOf(result)).toFixed(3)}`)
  }
  const sound = await synthesize({ text: text.repeat(20) })
  for (const format of Object.keys(audioFormats)) {
    await encode(sound, format)
    const { seconds, result } = await measure(() => encode(sound, format))
    const kilobits = (result.length * 8) / 1000 / lengthOf(sound)
    console.log(`format ${format}: ${(seconds / lengthOf(sound)).toFixed(4)}, ${kilobits.toFixed(0)} kbit/s`)
  }
  await measureLong()
}

async function measureLong(): Promise<void> {
  const started = performance.now()
  let first = 0
  let memory = 0
  for await (const _ of speakStream({ text: text.repeat(100), format: 'mp3' })) {
    first ||= performance.now() - started
    memory = Math.max(memory, process.memoryUsage().rss)
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(
    `1700 words as mp3: first bytes after ${first.toFixed(0)} ms, all after ${seconds} s, at most ${(memory / 2 ** 20).toFixed(0)} MB`,
  )
}

async function measure<T>(work: () => Promise<T>): Promise<{ seconds: number; result: T }> {
  const started = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(started)
  return { seconds: (user + system) / 1e6, result }
}

function lengthOf({ samples, sampleRate }: Sound): number {
  return samples.length / sampleRate
}

main()
