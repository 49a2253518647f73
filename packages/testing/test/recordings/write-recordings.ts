// Writes the recordings of this version: node --conditions=development --import=tsx packages/testing/test/recordings/write-recordings.ts
// After the first release, run it only once for each version of the format. Recordings never change after that.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { explain } from '../../src/recording/explain.js'
import { head } from '../../src/recording/format.js'
import { recordRun } from '../../src/recording/record.js'
import { recordedRuns } from './recorded-runs.js'

const folder = fileURLToPath(new URL(`version-${head.version}/`, import.meta.url))
for (const [name, make] of Object.entries(recordedRuns)) {
  const file = `${folder}${name}.jsonl`
  const options = { ...recordRun(file), context: undefined as never }
  await make()
    .run('How is it in Oslo?', options)
    .catch(() => {})
  writeFileSync(`${folder}${name}.txt`, `${explain(file)}\n`)
}
