// Writes a run of a folder until it is killed, and reports on its standard output what was acknowledged:
// node <this file, bundled> FOLDER RUN NAME
import { isCapstanError } from '@capstan/core'
import { folderRunStore } from '@capstan/stores/node'
import { entryAfter, eventAt, lastSeq } from './written-run.js'

const [folder = '', runId = '', name = ''] = process.argv.slice(2)
const store = folderRunStore(folder)

/** Writes a line immediately, because an acknowledgement must not wait in this process. */
function report(...words: readonly (string | number)[]): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${words.join(' ')}\n`, () => resolve()))
}

/** Does the work unless another writer was first. */
async function unlessConflict(work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    if (!isCapstanError(error) || error.code !== 'conflict') throw error
  })
}

await report('ready')
for (let round = 0; ; round++) {
  await unlessConflict(async () => {
    const found = await store.get(runId)
    const version = await store.put(runId, entryAfter(found?.entry, name), found?.version ?? 0)
    await report('put', version)
  })
  await unlessConflict(async () => {
    const last = await lastSeq(store, runId)
    const events = Array.from({ length: 1 + (round % 3) }, (_, at) => eventAt(last + 1 + at, name))
    await store.append(runId, events, last)
    for (const { seq } of events) await report('event', seq)
  })
  const key = `${runId} ${Math.floor(round / 2)}`
  if (await store.setOnce(key, name)) await report('key', key)
}
