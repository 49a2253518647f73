import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { audioFormats, encode, synthesize, voiceAliases, voices } from '@capstan/speech'
import { expect, test } from 'vitest'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { translateRecording } from './translate-recording.js'
import { writeRandomWhisper } from './write-random-whisper.js'

const page = readFileSync(new URL('../../../docs/local-service/speaking.md', import.meta.url), 'utf8')

test('the page lists every voice with its rate and aliases', () => {
  const rows = voices.map(({ name, sampleRate, description }) => {
    const aliases = Object.keys(voiceAliases).filter((alias) => voiceAliases[alias] === name)
    return `| \`${name}\` | ${sampleRate} | ${description} | ${aliases.map((alias) => `\`${alias}\``).join(', ')}`.trim()
  })
  const [, table = ''] = /## Voices\n\n.*\n.*\n((?:\|.*\n)+)/.exec(page) ?? []
  expect(
    table
      .trim()
      .split('\n')
      .map((row) => row.replace(/\s*\|$/, '')),
  ).toEqual(rows)
})

test('the page lists every format with its media type', () => {
  const rows = Object.entries(audioFormats).map(([name, mediaType]) => `| \`${name}\` | \`${mediaType}\` |`)
  const [, table = ''] = /## Formats\n\n.*\n.*\n((?:\|.*\n)+)/.exec(page) ?? []
  const shown = table
    .trim()
    .split('\n')
    .map((row) => /^\| \S+ \| \S+ \|/.exec(row)?.[0])
  expect(shown).toEqual(rows)
})

slowTest('what the page does with a model file runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'whisper-'))
  const [model, recording] = [join(folder, 'random.bin'), join(folder, 'speech.mp3')]
  await writeRandomWhisper(model)
  await writeFile(recording, await encode(await synthesize({ text: 'Hello.' }), 'mp3'))
  expect(await translateRecording(model, recording)).toEqual(expect.any(String))
  await rm(folder, { recursive: true })
})
