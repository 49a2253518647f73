import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { audioFormats, encode, synthesize, voiceAliases, voices } from '@capstan/speech'
import { expect, test } from 'vitest'
import { speakWithVoice, translateRecording } from './use-own-models.js'
import { writeTinyVoice, writeTinyWhisper } from './write-tiny-models.js'

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

test('what the page about models does runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'models-'))
  await writeTinyVoice(join(folder, 'voice'))
  await writeTinyWhisper(join(folder, 'whisper'))
  expect(await speakWithVoice(join(folder, 'voice'), join(folder, 'harbour.wav'))).toBeGreaterThan(1)
  const recording = join(folder, 'speech.mp3')
  await writeFile(recording, await encode(await synthesize({ text: 'Hello.' }), 'mp3'))
  expect(await translateRecording(join(folder, 'whisper'), recording)).toBe('hello world')
  await rm(folder, { recursive: true })
})
