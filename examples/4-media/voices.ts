// The voices of the local service: each speaks one sentence into a file.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeWav, synthesize, voices } from '@capstan/speech'

async function main(): Promise<void> {
  const folder = 'output'
  await mkdir(folder, { recursive: true })
  for (const { name, description } of voices) {
    const sound = await synthesize({ text: 'Dr. Smith paid $1,250.50 on Jan. 5.', voice: name })
    await writeFile(join(folder, `${name}.wav`), encodeWav(sound))
    console.log(name, (sound.samples.length / sound.sampleRate).toFixed(2), 'seconds', description)
  }

  // #region options
  const signal = AbortSignal.timeout(10_000)
  const quick = await synthesize({ text: 'The same, a quarter faster.', speed: 1.25, signal })
  // #endregion
  console.log('quick', quick.samples.length > 0)
}

main()
