import { expect, test } from 'vitest'
import { answerOf, callContextOf, callOf, named, stepOf } from '../../test/call-context.js'
import type { Artifact, ArtifactInfo } from '../artifacts/artifact.js'
import { memoryArtifacts, readBytes } from '../artifacts/memory-artifacts.js'
import type { ToolContext } from './tool.js'

const text: ArtifactInfo<'text'> = { kind: 'text', mediaType: 'text/plain' }

/** A call in a run whose store holds one artifact that the call did not make. */
async function callWith(execute: (known: Artifact, ctx: ToolContext) => unknown) {
  const artifacts = memoryArtifacts()
  const known = await artifacts.put(new TextEncoder().encode('of another call'), text)
  const tool = named('pick', (_args, ctx) => execute(known, ctx))
  return {
    known,
    answer: await answerOf(callOf('pick'), callContextOf([tool], undefined, { artifacts }), stepOf()),
  }
}

const reference = ({ id, mediaType }: Artifact) => ({ artifact: id, mediaType })

test('a value shaped like an artifact is data, even if the store has its id', async () => {
  const { known, answer } = await callWith((known) => ({ picked: { ...known } }))
  expect(answer).toMatchObject({
    status: 'ok',
    content: JSON.stringify({ picked: known }),
    result: { picked: known },
    artifacts: [],
  })
})

test.each<[string, (known: Artifact, ctx: ToolContext) => Promise<unknown>]>([
  ['stat', (known, { artifacts }) => artifacts.stat(known.id)],
  ['list', ({ id }, { artifacts }) => artifacts.list().then((all) => all.find((one) => one.id === id))],
  [
    'open',
    async (known, { artifacts }) => {
      await readBytes(await artifacts.open(known.id))
      return known
    },
  ],
  ['put', (_known, { artifacts }) => artifacts.put(new TextEncoder().encode('of another call'), text)],
])("an artifact that the call's store gave by %s is an artifact", async (_by, give) => {
  const { known, answer } = await callWith(give)
  expect(answer.artifacts).toEqual([known])
  expect(JSON.parse(answer.content)).toEqual(reference(known))
})

test('takes the description of an artifact from the store, not from the tool', async () => {
  const { known, answer } = await callWith(async (known, { artifacts }) => {
    await artifacts.stat(known.id)
    return { ...known, mediaType: 'text/html', size: 1, sha256: '00', origin: { tool: 'another' } }
  })
  expect(answer.artifacts).toEqual([known])
  expect(JSON.parse(answer.content)).toEqual(reference(known))
})

test('an id that the store does not know gives the call no artifact', async () => {
  const forged = { id: 'txt_aaaaaaaa', kind: 'text', mediaType: 'text/plain', sha256: '00' }
  const { answer } = await callWith(async (_known, { artifacts }) => {
    await artifacts.stat(forged.id)
    const error = await artifacts.open(forged.id).catch(({ code }) => code)
    return { forged, error }
  })
  expect(answer).toMatchObject({ content: JSON.stringify({ forged, error: 'not_found' }), artifacts: [] })
})
