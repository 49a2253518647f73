import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryArtifacts } from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { encodeWav } from '@capstan/speech'
import { expect, onTestFinished, test } from 'vitest'
import { sampleRate, speechLike } from '../../test/recordings.js'
import { storedRecording } from './recording.js'
import { wavChunks } from './wav.js'

const wav = encodeWav({ samples: speechLike(20, 0), sampleRate })
const info = { kind: 'audio', mediaType: 'audio/wav' } as const

test('reads a recording in a folder as a file, with the same chunks as any other store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recording-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const contents: string[][] = []
  for (const store of [folderArtifacts(folder), memoryArtifacts()]) {
    const recording = storedRecording(await store.put(wav, info), store)
    expect(recording.file !== undefined).toBe('pathOf' in store)
    const pieces = await wavChunks(recording, { maxBytes: 1e6, maxSeconds: 8 })
    const told: string[] = []
    for await (const { file, at, overlaps } of pieces?.each() ?? [])
      told.push(`${at} ${overlaps} ${Buffer.from(await file.arrayBuffer()).toString('base64')}`)
    expect(told.length).toBeGreaterThan(2)
    contents.push(told)
  }
  expect(contents[0]).toEqual(contents[1])
})
