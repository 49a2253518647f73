import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { playSound } from './play-sound.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-players-'))
  vi.stubEnv('PATH', folder)
  return () => rmSync(folder, { recursive: true, force: true })
})
afterEach(() => vi.unstubAllEnvs())

/** Installs a script as the player. */
function install(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, name), 0o700)
}

const never = new AbortController().signal

test('plays by the first installed player that knows the type', async () => {
  for (const name of ['aplay', 'mpg123', 'ffplay']) install(name, `echo ${name} "$@" > ${folder}/played`)
  await playSound('/tmp/a.wav', 'audio/wav', never)
  expect(readFileSync(join(folder, 'played'), 'utf8')).toBe('aplay -q /tmp/a.wav\n')
  await playSound('/tmp/a.mp3', 'audio/mpeg', never)
  expect(readFileSync(join(folder, 'played'), 'utf8')).toBe('mpg123 -q /tmp/a.mp3\n')
  await playSound('/tmp/a.m4a', 'audio/mp4; codecs=aac', never)
  expect(readFileSync(join(folder, 'played'), 'utf8')).toBe(
    'ffplay -nodisp -autoexit -loglevel error /tmp/a.m4a\n',
  )
})

test('names the players of a type when none is installed', async () => {
  await expect(playSound('/tmp/a.mp3', 'audio/mpeg', never)).rejects.toThrow(
    'No player for audio/mpeg is installed. Install one of: afplay, mpg123, ffplay, mpv, play.',
  )
})

test('looks for no player in a relative folder', async () => {
  install('ffplay', 'exit 0')
  vi.stubEnv('PATH', relative(process.cwd(), folder))
  await expect(playSound('/tmp/a.mp3', 'audio/mpeg', never)).rejects.toThrow('No player')
})

test('reports a player that fails', async () => {
  install('ffplay', 'exit 7')
  await expect(playSound('/tmp/a.mp3', 'audio/mpeg', never)).rejects.toThrow(
    /ffplay failed with exit code 7\.$/,
  )
})

test('stops the player when the signal aborts', async () => {
  install('ffplay', 'exec /bin/sleep 600')
  const controller = new AbortController()
  const played = playSound('/tmp/a.mp3', 'audio/mpeg', controller.signal)
  controller.abort()
  await expect(played).resolves.toBeUndefined()
})
